"""The drawing of rooms and floors is what the imports are: no arrow leads up, and none in a circle."""

from pathlib import Path

import pytest

from import_drawing import floors, needed, page, rooms
from import_graph import PACKAGE

DRAWN = Path("docs/explanation/rooms.md")


def test_the_drawing_is_up_to_date() -> None:
    """Made by ``python tests/import_drawing.py > docs/explanation/rooms.md``."""
    assert DRAWN.read_text() == page()


@pytest.mark.parametrize("within", [PACKAGE, f"{PACKAGE}.engine"])
def test_every_arrow_leads_down(within: str) -> None:
    graph = rooms(within)
    height = {room: floor for floor, standing in enumerate(floors(graph)) for room in standing}
    assert height.keys() == graph.keys()
    assert [(room, other) for room in graph for other in graph[room] if height[other] >= height[room]] == []


def test_rooms_that_import_each_other_have_no_floor() -> None:
    with pytest.raises(ValueError, match=r"no floor for \['a', 'b', 'c'\]"):
        floors({"a": frozenset("b"), "b": frozenset("a"), "c": frozenset("ad"), "d": frozenset()})


def test_arrows_that_follow_from_others_are_left_out() -> None:
    graph = {"a": frozenset("bcd"), "b": frozenset("c"), "c": frozenset(), "d": frozenset()}
    assert needed(graph, "a") == ["b", "d"]
    assert floors(graph) == [["c", "d"], ["b"], ["a"]]
