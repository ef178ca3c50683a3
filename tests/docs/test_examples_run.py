"""Every example of the documentation is run: blocks of Python as programs, lines after ``$`` in console blocks.

Blocks of TOML whose first line is ``# NAME.toml`` are written to that file.

In a console block the lines after a command are what it must print, as far as they are given: ``...`` stands for
anything. Blocks of one page run in one folder, in order, so a later one may use what an earlier one wrote.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import windtunnel

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
BLOCK = re.compile(r"^```(python|console|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page):
    return BLOCK.findall(page.read_text())


def environment():
    paths = [str(Path(windtunnel.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "COLUMNS": "100"}


UNTOLD = """\
import warnings
from windtunnel.diagnostics import AccountWarning
warnings.simplefilter("ignore", AccountWarning)  # pages show it where it matters
"""


def run(words, folder):
    done = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def matches(expected, output):
    pattern = ".*?".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(rf"\s*{pattern}\s*", output, re.DOTALL) is not None


def run_console(text, folder):
    for chunk in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = chunk.partition("\n")
        words = shlex.split(command, comments=True)
        if words[0] == "windtunnel":
            words = [sys.executable, "-m", *words]
        elif words[0] == "python":
            words[0] = sys.executable
        code, out, err = run(words, folder)
        if expected.strip():
            assert matches(expected.strip(), out + err), f"$ {command}\n{out}{err}\n(exit {code})"
        else:
            assert code == 0, f"$ {command}\n{out}{err}"


HEAVY = {"environments.md", "leases.md", "learning.md", "report.md", "slurm.md", "studies.md"}
WITH_EXAMPLES = [
    pytest.param(page, id=str(page.relative_to(ROOT)), marks=[pytest.mark.slow] if page.name in HEAVY else [])
    for page in PAGES
    if blocks(page)
]


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_examples(page, tmp_path):
    for kind, text in blocks(page):
        if kind == "python":
            code, out, err = run([sys.executable, "-W", "error", "-c", UNTOLD + text], tmp_path)
            assert code == 0, f"{text}\n{out}{err}"
        elif kind == "toml":
            if named := re.match(r"# ([\w-]+\.toml)\n", text):
                (tmp_path / named[1]).write_text(text)
        else:
            run_console(text, tmp_path)


GENERATED = {"reference/python.md", "reference/command-line.md"}
"""Pages that docs/hooks/reference.py makes when the site is built."""


def test_the_navigation_names_every_page_once():
    named = re.findall(r"([\w/-]+\.md)", (ROOT / "mkdocs.yml").read_text())
    docs = ROOT / "docs"
    assert sorted(named) == sorted(GENERATED | {str(page.relative_to(docs)) for page in docs.rglob("*.md")})


@pytest.mark.parametrize("file", ["README.md", "Makefile", "docs/tutorial.md", "benchmarks/__init__.py"])
def test_pages_that_are_named_exist(file):
    named = re.findall(r"\bdocs/[\w/-]+\.md", (ROOT / file).read_text())
    assert all((ROOT / name).exists() for name in named), named


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+\.md)", page.read_text()):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"
