"""What is packaged: no file that .gitignore names (wheels leave those out, too), and requirements that can be tested."""

import fnmatch
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import windtunnel

PACKAGE = Path(windtunnel.__file__).parent
ROOT = Path(__file__).parents[2]
IGNORED = ROOT / ".gitignore"


def ignored(patterns: list[str], path: str) -> bool:
    """Whether a pattern without a slash before its end names a part of a path, as git reads it."""
    names = [pattern.rstrip("/") for pattern in patterns if pattern and not pattern.startswith("#")]
    return any(fnmatch.fnmatch(part, name) for name in names if "/" not in name for part in path.split("/"))


def test_a_pattern_without_a_slash_is_found_at_any_depth():
    assert ignored(["site/"], "engine/site/machines.py")
    assert not ignored(["/site/"], "engine/site/machines.py")


def test_no_module_of_the_package_is_ignored():
    if not IGNORED.is_file():
        pytest.skip("not a checkout: there is no .gitignore beside the tests")
    patterns = IGNORED.read_text().splitlines()
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".so")]
    assert len(files) > 300
    assert [str(path) for path in files if ignored(patterns, path.relative_to(PACKAGE).as_posix())] == []


def test_every_requirement_has_a_lower_bound_that_is_tested():
    script = ROOT / ".ci" / "lowest.py"
    if not script.is_file():
        pytest.skip("not a checkout: what prints the lower bounds is not there")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    printed = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout
    exact = printed.splitlines()
    assert len(exact) == len(project["dependencies"]) + len(project["optional-dependencies"]["test"])
    assert [line for line in exact if "==" not in line.partition(";")[0]] == []
    assert [line for line in exact if ";" in line] == [line for line in exact if line.startswith("tzdata==")]
