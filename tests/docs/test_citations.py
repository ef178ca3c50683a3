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


PAGES = (
    "batsim-cli|batsim-inputs|batsim-protocol|batsim-outputs|environment|execution-model|opendc|other-formats|schedulers|"
    "sss-node|haizea|slurm|elastic|literature|power-carbon|compiling"
)
SECTION = r"\d+(?:\.\d+)*"
CITED_SECTIONS = re.compile(
    rf"\b({PAGES})\.md,? (?:sections? )?({SECTION})((?:(?:, | and | to ){SECTION})*)(?![\w/])"
)


def sections(text):
    """(page, section) for each citation of a section of a page of notes."""
    for page, first, more in CITED_SECTIONS.findall(text):
        for section in [first, *re.findall(SECTION, more)]:
            yield f"{page}.md", section


def explained():
    """Page and section of everything that docs/spec/citations.md explains."""
    found, page = [], ""
    for line in (SPEC / "citations.md").read_text().splitlines():
        if head := re.match(r"## (\S+\.md)$", line):
            page = head[1]
        elif item := re.match(rf"- \*\*({SECTION})\*\* \S", line):
            found.append((page, item[1]))
    return found


def test_every_cited_section_is_explained_and_nothing_else():
    cited = {}
    for path in FILES:
        if path.suffix == ".py" and path != Path(__file__):
            for one in sections(path.read_text()):
                cited.setdefault(one, str(path.relative_to(ROOT)))
    known = explained()
    assert len(known) == len(set(known)) > 50
    assert {one: where for one, where in cited.items() if one not in known} == {}
    # Sections between others ("2.2 to 2.7"), and those above others:
    between = {("schedulers.md", one) for one in ("4", "6", "6.1", "6.3")} | {("execution-model.md", "2.6")}
    assert set(known) - set(cited) - between == set()


def test_a_citation_of_a_section_is_seen():
    text = "see schedulers.md section 4.2; execution-model.md 2.2 and 2.3, spec/batsim-inputs.md 7.1, 7.2)."
    assert list(sections(text)) == [
        ("schedulers.md", "4.2"),
        ("execution-model.md", "2.2"),
        ("execution-model.md", "2.3"),
        ("batsim-inputs.md", "7.1"),
        ("batsim-inputs.md", "7.2"),
    ]
