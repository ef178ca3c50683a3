"""The reference of Python and of the command line, which the site makes from docstrings and help, has everything."""

import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import windtunnel
from shared import missing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "hooks" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_is_there_with_what_it_is_for(hook):
    page = hook.python_page()
    sections = dict(re.findall(r"^## (windtunnel[\w.]*)\n(.*?)(?=^## windtunnel|\Z)", page, re.MULTILINE | re.DOTALL))
    assert list(sections) == list(hook.PUBLIC)
    for place, text in sections.items():
        names = re.findall(r"^### (\S+)$", text, re.MULTILINE)
        assert names == hook.public_names(importlib.import_module(place)), place
    described = ["simulate", "Simulation", "load_run", "study"]
    if windtunnel.build() == "pure Python":  # compiled classes keep no docstrings
        described.append("Scheduler")
    for name in described:
        text = re.search(rf"^### {name}\n(.*?)(?=^### |^## )", page, re.MULTILINE | re.DOTALL)[1]
        assert len(text) > 200, name
    assert "*Raises*" in page
    assert "- `platform`:" in page


@pytest.mark.skipif(
    windtunnel.build() != "pure Python", reason="compiled classes keep no docstrings; the site is made of the sources"
)
def test_classes_and_functions_say_what_they_are_for(hook):
    silent = []
    for place in hook.PUBLIC:
        module = importlib.import_module(place)
        silent += [
            f"{place}.{name}"
            for name in hook.public_names(module)
            if callable(thing := getattr(module, name))
            and (inspect.isclass(thing) or inspect.isroutine(thing))
            and not hook.text_of(thing).strip()
        ]
    assert silent == []


def test_every_command_is_there_with_its_options(hook):
    from windtunnel.cli.main import COMMANDS

    page = hook.command_line_page()
    sections = dict(re.findall(r"^## windtunnel ([^\n]+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert {name.split()[0] for name in sections} == set(COMMANDS)
    assert {"study run", "study status", "study show", "study report"} <= set(sections)
    assert all(re.search("(?i)usage:", text) and len(text) > 150 for text in sections.values())
    assert "--scheduler" in sections["run"]


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path):
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        missing("mkdocs-material (the extra docs)")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    for page in ("reference/python", "reference/command-line", "guides/own-policy", "glossary"):
        assert (tmp_path / "site" / page / "index.html").stat().st_size > 3000
