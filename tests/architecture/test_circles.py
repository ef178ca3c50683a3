"""No file imports itself by way of others: neither by imports, nor by names in strings that are imported when needed."""

import pytest

from import_graph import PACKAGE, ROOT, circles, files, imported, module_of, named


def test_files_import_each_other_in_no_circle() -> None:
    found = circles({module: imported(module) for module in files()})
    assert [sorted(circle) for circle in found] == []


def test_names_in_strings_close_no_circle_either() -> None:
    found = circles({module: imported(module) | named(module) for module in files()})
    assert [sorted(circle) for circle in found] == []


def test_what_is_named_in_strings_is_met() -> None:
    """The tables from which schedulers, formats and commands are loaded are read, or the test above says nothing."""
    assert f"{PACKAGE}.schedulers.easy" in named(f"{PACKAGE}.shipped")
    assert f"{PACKAGE}.formats.traces.swf" in named(f"{PACKAGE}.formats.traces")
    assert f"{PACKAGE}.cli.validate" in named(f"{PACKAGE}.cli.main")
    assert f"{PACKAGE}.api" in named(PACKAGE)
    assert f"{PACKAGE}.cli.words" in imported(f"{PACKAGE}.cli.batsim4_options")
    assert module_of(ROOT / "model" / "__init__.py") == f"{PACKAGE}.model"


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({"a": "b", "b": "c", "c": ""}, []),
        ({"a": "b", "b": "a"}, ["ab"]),
        ({"a": "b", "b": "c", "c": "bd", "d": "e", "e": "d"}, ["bc", "de"]),
    ],
)
def test_circles_are_found(edges: dict[str, str], expected: list[str]) -> None:
    found = circles({module: frozenset(others) for module, others in edges.items()})
    assert sorted("".join(sorted(circle)) for circle in found) == expected
