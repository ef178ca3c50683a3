"""Every decision and law that code, tests and pages cite is written down in docs/spec."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "docs" / "spec"
CITED = re.compile(r"\bdecisions\.md (\d+(?:(?:, | and )\d+)*)|\blaw (\d+(?:(?:, | and )\d+)*)")
FILES = [path for room in ("src", "tests", "docs", "benchmarks") for path in sorted((ROOT / room).rglob("*"))]


def items(page):
    """The numbers that a page explains."""
    return {int(number) for number in re.findall(r"^(\d+)\. ", (SPEC / page).read_text(), re.MULTILINE)}


def citations(text):
    """(page, number) for each citation of a text."""
    for decisions, laws in CITED.findall(text):
        for number in re.findall(r"\d+", decisions or laws):
            yield "decisions.md" if decisions else "laws.md", int(number)


def cited():
    found = {}
    for path in FILES:
        if path.suffix in (".py", ".md") and path != Path(__file__):
            for citation in citations(path.read_text()):
                found.setdefault(citation, path.relative_to(ROOT))
    return found


@pytest.mark.parametrize(("page", "last"), [("decisions.md", 36), ("laws.md", 11)])
def test_a_page_explains_its_numbers_in_order(page, last):
    assert sorted(items(page)) == list(range(1, last + 1))


def test_every_citation_resolves():
    found = cited()
    assert len(found) > 15
    known = {page: items(page) for page in ("decisions.md", "laws.md")}
    assert {citation: where for citation, where in found.items() if citation[1] not in known[citation[0]]} == {}


def test_a_citation_of_what_is_not_there_is_seen():
    assert list(citations("see decisions.md 16 and 99; law 5")) == [
        ("decisions.md", 16),
        ("decisions.md", 99),
        ("laws.md", 5),
    ]
