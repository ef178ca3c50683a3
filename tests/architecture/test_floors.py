"""The rooms of the engine and of the ``slurm`` scheduler stand on floors, and import only what stands below them."""

import pytest

from import_graph import PACKAGE, files, imported, named

FLOORS = {
    f"{PACKAGE}.engine": (
        ("state",),
        ("sharing", "energy"),
        ("replay", "probes"),
        ("jobs",),
        ("site",),
        ("rounds",),
        ("pickled", "saved"),
        ("simulation",),
        ("",),
    ),
    f"{PACKAGE}.schedulers.slurm": (
        ("nodes", "shares"),
        ("jobs",),
        ("limits", "select", "reservations", "defaults"),
        ("plans", "held_nodes"),
        ("state",),
        ("preemption", "waits"),
        ("loops",),
        ("admission", "carrying_out"),
        ("component",),
        ("",),
    ),
}
"""Of each house, from the ground up; "" is what it shows to others."""

FLOOR = {(house, room): floor for house in FLOORS for floor, rooms in enumerate(FLOORS[house]) for room in rooms}


def house_of(module: str) -> str:
    """The house a module belongs to; empty if it is none of these."""
    return next((house for house in FLOORS if module == house or module.startswith(f"{house}.")), "")


def room_of(module: str) -> str:
    """The room of a module such as ``windtunnel.engine.jobs.ending``."""
    return module.removeprefix(house_of(module)).removeprefix(".").partition(".")[0]


@pytest.mark.parametrize("module", sorted(filter(house_of, files())))
def test_a_room_imports_only_what_stands_below_it(module: str) -> None:
    house, room = house_of(module), room_of(module)
    others = {room_of(other) for other in imported(module) | named(module) if house_of(other) == house} - {room}
    assert {other for other in others if FLOOR[house, other] >= FLOOR[house, room]} == set()


@pytest.mark.parametrize("house", FLOORS)
def test_every_room_is_on_a_floor(house: str) -> None:
    assert {room_of(module) for module in files() if house_of(module) == house} == {
        room for of, room in FLOOR if of == house
    }
