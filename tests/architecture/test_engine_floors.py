"""The engine's rooms stand on floors, and import only what stands below them."""

import pytest

from import_graph import PACKAGE, files, imported, named

FLOORS = (
    ("state",),
    ("sharing", "energy"),
    ("replay", "probes"),
    ("jobs",),
    ("site",),
    ("rounds",),
    ("pickled", "saved"),
    ("simulation",),
    ("",),
)
"""From the ground up; "" is what the engine shows to others."""

FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
ENGINE = f"{PACKAGE}.engine"


def of_engine(modules) -> set[str]:
    return {module for module in modules if module == ENGINE or module.startswith(f"{ENGINE}.")}


def room_of(module: str) -> str:
    """The room of a module such as ``windtunnel.engine.jobs.ending``."""
    return module.removeprefix(ENGINE).removeprefix(".").partition(".")[0]


@pytest.mark.parametrize("module", sorted(of_engine(files())))
def test_a_room_of_the_engine_imports_only_what_stands_below_it(module: str) -> None:
    room = room_of(module)
    others = {room_of(other) for other in of_engine(imported(module) | named(module))} - {room}
    assert {other for other in others if FLOOR[other] >= FLOOR[room]} == set()


def test_every_room_of_the_engine_is_on_a_floor() -> None:
    assert {room_of(module) for module in of_engine(files())} == set(FLOOR)
