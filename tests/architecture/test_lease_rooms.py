"""Leases stand on three floors: the planner, Haizea's oddities, and the component that drives both on the engine.

The planner is pure: it gets leases and instants, and keeps a journal. It knows no files, no clock, no engine, no
results, nothing that loads code, and nothing of what is odd in Haizea.
"""

import ast
import sys
from collections.abc import Iterator

import pytest

from import_graph import PACKAGE, files, imported, named

LEASES = f"{PACKAGE}.leases"
PLANNER = f"{LEASES}.planner"
HAIZEA = f"{LEASES}.haizea"
ABOVE = {f"{LEASES}.{name}" for name in ("component", "decisions", "jobs", "registry")}

OF_OURS = {
    f"{PACKAGE}.diagnostics",
    f"{PACKAGE}.model.lease",
    f"{PACKAGE}.model.lease_options",
    f"{PACKAGE}.on_use",
}
"""What the planner may know outside its room: how faults are called, what leases and their settings are, and how its
public names are loaded."""

OF_PYTHON = {"bisect", "collections", "enum", "functools", "itertools", "math", "random", "statistics", "typing"}
"""Of the standard library; ``random`` for prices, from a seed of its own."""

OF_OTHERS = {"msgspec", "mypy_extensions"}
FUNCTIONS_OF_THE_WORLD = {"open", "print", "input", "exec", "eval", "compile", "__import__"}


def below(room: str) -> list[str]:
    return sorted(module for module in files() if module == room or module.startswith(f"{room}."))


def all_imports(module: str) -> Iterator[str]:
    """Whatever a file imports, ours or not, also for type checkers only."""
    for node in ast.walk(ast.parse(files()[module].read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


@pytest.mark.parametrize("module", below(PLANNER))
def test_the_planner_is_pure(module: str) -> None:
    ours = {other for other in imported(module) | named(module) if not f"{other}.".startswith(f"{PLANNER}.")}
    assert ours <= OF_OURS
    foreign = {name.partition(".")[0] for name in all_imports(module)} - {PACKAGE}
    assert foreign <= OF_PYTHON | OF_OTHERS
    assert {name for name in foreign if name in sys.stdlib_module_names} <= OF_PYTHON
    calls = (node.func for node in ast.walk(ast.parse(files()[module].read_text())) if isinstance(node, ast.Call))
    assert {call.id for call in calls if isinstance(call, ast.Name)} & FUNCTIONS_OF_THE_WORLD == set()


@pytest.mark.parametrize("module", below(HAIZEA))
def test_haizeas_corner_knows_the_planner_and_nothing_above(module: str) -> None:
    assert imported(module) & ABOVE == set()


@pytest.mark.parametrize("module", below(LEASES))
def test_haizeas_oddities_have_one_place(module: str) -> None:
    """The planner asks its rules; who makes them chooses, in one place, whether they are Haizea's."""
    text = files()[module].read_text()
    if not f"{module}.".startswith(f"{HAIZEA}."):
        assert text.count("haizea_compat") == (1 if module == f"{LEASES}.registry" else 0)
        assert "HaizeaRules" not in text or module == f"{LEASES}.registry"


def test_one_component_drives_the_planner() -> None:
    """Whoever else wants leases planned makes that component, and hands it to the engine."""
    drives = {module for module in files() if f"{PLANNER}.planner" in imported(module)}
    assert drives == {f"{LEASES}.component"}


def test_every_file_of_leases_is_on_a_floor() -> None:
    rooms = {*below(PLANNER), *below(HAIZEA), *ABOVE, LEASES}
    assert set(below(LEASES)) <= rooms
