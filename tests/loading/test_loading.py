"""What users and packages name is found, or said why not."""

import sys

import pytest

from packages import install
from windtunnel.diagnostics import UsageError
from windtunnel.loading import entry_points, load, load_entry, load_reference


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "loaded_here.py").write_text("class Thing:\n    pass\n")
    (tmp_path / "loaded_badly.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield tmp_path
    for name in ("loaded_here", "loaded_badly", "added_by_others"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("path", ["loaded_here:Thing", "loaded_here.py:Thing", "./loaded_here.py:Thing"])
def test_modules_and_files(here, path):
    found = load(path, "policy")
    assert (found.__name__, found.__module__) == ("Thing", "loaded_here")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "loaded_here:Think",
            "policy 'loaded_here:Think': loaded_here has no 'Think'\n  hint: did you mean 'Thing'?",
        ),
        ("loaded_her:Thing", "policy 'loaded_her:Thing': 'loaded_her' cannot be imported: No module named"),
        ("loaded_badly:Thing", "'loaded_badly' cannot be imported: ZeroDivisionError: division by zero"),
        ("gone.py:Thing", "'gone.py' cannot be imported: there is no file gone.py"),
    ],
)
def test_what_cannot_be_loaded(here, path, said):
    with pytest.raises(UsageError) as caught:
        load(path, "policy")
    assert said in str(caught.value)


def test_references_take_no_notice_of_the_working_directory(here):
    assert load_reference("math:inf") > 0
    with pytest.raises(ImportError):
        load_reference("loaded_here:Thing")


def test_packages_are_found_when_the_path_changes(here, monkeypatch):
    assert entry_points("windtunnel.tests") == []
    entries = {"windtunnel.tests": {"b": "added_by_others:Thing", "a": "added_by_others:Gone"}}
    monkeypatch.syspath_prepend(str(install(here / "site", "added_by_others", "Thing = 3\n", entries)))
    first, second = entry_points("windtunnel.tests")
    assert (first.name, load_entry(second, "thing")) == ("a", 3)
    with pytest.raises(UsageError, match="thing 'a' of added_by_others:Gone cannot be imported: AttributeError"):
        load_entry(first, "thing")


def test_of_a_file_without_the_class_its_own_are_listed(tmp_path):
    """What it imports was listed as well."""
    (tmp_path / "classes_here.py").write_text("from collections import deque\nfrom math import inf\n\nclass Mine:\n    pass\n")
    with pytest.raises(UsageError, match="has no 'Nine'") as caught:
        load(f"{tmp_path}/classes_here.py:Nine", "scheduler")
    assert "deque" not in caught.value.hint
    assert "Mine" in caught.value.hint
