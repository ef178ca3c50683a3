"""Tests hold on any machine under any load: none asserts how long something takes."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}


def reads_clock(node: ast.AST) -> bool:
    """Whether an expression reads a clock itself."""
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(
        (isinstance(call, ast.Attribute) and call.attr in CLOCKS and ast.unparse(call.value) == "time")
        or (isinstance(call, ast.Name) and call.id in CLOCKS)
        for call in calls
    )


def asserted_times(text: str) -> list[int]:
    """The lines of assertions about what a clock says."""
    if not any(f"{clock}(" in text for clock in CLOCKS):
        return []
    return [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert) and reads_clock(node)]


def test_no_assertion_asks_a_clock() -> None:
    found = {path: asserted_times(path.read_text()) for path in sorted(TESTS.rglob("*.py"))}
    assert len(found) > 100
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_such_assertions_are_seen() -> None:
    text = (
        "start = time.monotonic()\nassert time.monotonic() - start < 1\nassert perf_counter() < x\nassert date() == 1"
    )
    assert asserted_times(text) == [2, 3]
