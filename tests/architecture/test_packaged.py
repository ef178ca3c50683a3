"""No file of the package is taken for the output of a build: what .gitignore names is left out of wheels, too."""

import fnmatch
from pathlib import Path

import pytest

import windtunnel

PACKAGE = Path(windtunnel.__file__).parent
IGNORED = Path(__file__).parents[2] / ".gitignore"


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
