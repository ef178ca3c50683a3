"""The books of clauses are honest: every clause has a verdict and a test that exists, runs and is not skipped."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOOKS = sorted((ROOT / "docs" / "conformance").glob("[0-9]*.md"))
ROW = re.compile(r"\| (?P<number>\d[\w.-]*) \| (?P<clause>.+?) \| (?P<verdict>.+?) \| (?P<shown>.+?) \|")
VERDICT = re.compile(r"holds(: .+)?|refused: .+|differs: .+")
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows(book: Path) -> list[re.Match[str]]:
    lines = [line for line in book.read_text().splitlines() if re.match(r"\| \d", line)]
    found = [ROW.fullmatch(line) for line in lines]
    broken = [line for line, match in zip(lines, found, strict=True) if match is None]
    assert not broken, f"{book.name}: rows that cannot be read: {broken}"
    return [match for match in found if match]


@cache
def names_of_tests(path: Path) -> frozenset[str]:
    """The names of the test functions of a file that are not marked as skipped or expected to fail."""
    return frozenset(
        node.name
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not any("skip" in ast.unparse(mark) or "xfail" in ast.unparse(mark) for mark in node.decorator_list)
    )


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_every_clause_has_a_verdict_and_a_test(book: Path) -> None:
    faults = []
    for row in rows(book):
        number, verdict, shown = row["number"], row["verdict"], row["shown"]
        if not VERDICT.fullmatch(verdict):
            faults.append(f"{number}: the verdict is none: {verdict!r}")
        tests = TEST.findall(shown)
        if not tests:
            faults.append(f"{number}: no test is named: {shown!r}")
        for place, name in tests:
            path = ROOT / "tests" / place
            if not path.is_file() or name not in names_of_tests(path):
                faults.append(f"{number}: there is no test {place}::{name}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_clauses_are_numbered_once_and_in_order(book: Path) -> None:
    numbers = [row["number"] for row in rows(book)]
    assert len(numbers) >= 20
    assert len(set(numbers)) == len(numbers), [number for number in numbers if numbers.count(number) > 1]


def test_there_is_a_book() -> None:
    assert BOOKS
