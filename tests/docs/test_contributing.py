"""What CONTRIBUTING.md, the citation and the README name is there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.version import __version__

ROOT = Path(__file__).resolve().parents[2]
YOURS = ("yours", "FAMILY", "ROOM")
"""Parts of paths that stand for what a contributor adds."""


def named_paths(text):
    """Paths of the repository between backticks."""
    found = re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[\w./-]*)`", text)
    return sorted({path for path in found if not any(word in path for word in YOURS)})


def test_every_path_of_the_recipes_exists():
    paths = named_paths((ROOT / "CONTRIBUTING.md").read_text())
    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_name_of_the_recipes_is_in_the_file_beside_it():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    pairs = re.findall(r"`(\w+)`\s+\(`(src/[\w./]+\.py)`\)", text)
    assert len(pairs) > 5
    assert [pair for pair in pairs if pair[0] not in (ROOT / pair[1]).read_text()] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *sorted(str(p) for p in ROOT.glob("docs/**/*.md"))])
def test_links_between_pages_lead_somewhere(page):
    page = ROOT / page
    links = re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#[^)\s]*)?\)", page.read_text())
    assert [link for link in links if link and not (page.parent / link).exists()] == []


def test_the_citation_is_of_this_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_changelog_begins_with_this_version():
    headings = re.findall(r"^## \[(\S+)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    version, when = headings[0]
    assert version == __version__
    assert when == "not yet released" or re.fullmatch(r"\d{4}-\d{2}-\d{2}", when)


def test_the_page_of_the_vocabulary_is_printed_by_the_command_that_is_named():
    words = [sys.executable, "-m", "windtunnel.vocabulary.coverage_page"]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert printed == (ROOT / "docs/reference/vocabulary.md").read_text()
