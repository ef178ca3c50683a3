"""The books of clauses are honest: every clause has a verdict and a test that exists, runs and is not skipped."""

import ast
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
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


def leaves_out(node: ast.AST) -> bool:
    """Whether marks, or a call outside of all functions, leave tests out or expect them to fail."""
    return "skip" in ast.unparse(node) or "xfail" in ast.unparse(node)


@cache
def names_of_tests(path: Path) -> frozenset[str]:
    """The names of the test functions of a file that are not marked as skipped or expected to fail."""
    body = ast.parse(path.read_text()).body
    of_all = [node for node in body if ast.unparse(node).startswith(("pytestmark", "pytest.skip"))]
    if any(map(leaves_out, of_all)):
        return frozenset()  # the file as a whole may be left out
    return frozenset(
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not any(map(leaves_out, node.decorator_list))
    )


def named_tests() -> dict[str, set[str]]:
    """The files of tests that the books name, and the tests in them."""
    found: dict[str, set[str]] = {}
    for book in BOOKS:
        for row in rows(book):
            for place, name in TEST.findall(row["shown"]):
                found.setdefault(f"tests/{place}", set()).add(name)
    return found


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
    last: dict[str, int] = {}
    for number in numbers:
        section, _, rank = number.rpartition("-")
        assert int(rank) == last.get(section, 0) + 1, f"{number} follows {section}-{last.get(section, 0)}"
        last[section] = int(rank)
    sections = [number.rpartition("-")[0] for number in numbers]
    apart = [two for one, two in pairwise(sections) if one != two]
    assert len(set(apart)) == len(apart), "the clauses of a section stand together"


def test_there_is_a_book() -> None:
    assert BOOKS


@pytest.mark.slow
def test_every_named_test_is_collected() -> None:
    """What pytest would run, without the longer tests (``make test``): each clause is shown by one of those."""
    named = named_tests()
    given = ["--collect-only", "-q", "-m", "not slow", "-p", "no:cacheprovider", *sorted(named)]
    made = subprocess.run(
        [sys.executable, "-m", "pytest", *given], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout[-2000:] + made.stderr[-2000:]
    collected = {line.partition("[")[0] for line in made.stdout.splitlines() if "::" in line}
    faults = []
    for book in BOOKS:
        for row in rows(book):
            shown = [f"tests/{place}::{name}" for place, name in TEST.findall(row["shown"])]
            if not collected.intersection(shown):
                faults.append(f"{book.stem} {row['number']}: {shown}")
    assert not faults, "\n".join(faults)
