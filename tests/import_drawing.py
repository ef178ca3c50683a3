"""The drawing of rooms and floors in docs/explanation/rooms.md, made from the imports themselves.

``python tests/import_drawing.py > docs/explanation/rooms.md`` makes the page, ``--counts`` says how many rooms, files,
arrows and circles there are.
"""

import sys
from collections.abc import Mapping

from import_graph import PACKAGE, circles, files, imported, named

HEAD = """\
# Rooms and floors

Which room imports which, drawn from the imports themselves (also those of names in strings, such as tables of
`module:Class`). A room stands one floor above the highest room that it imports, so that an arrow can only lead down;
rooms that import each other would have no floor at all. Of a room's arrows, those are left out that follow from others:
what a room imports may itself import. A test makes this page anew and compares, and others keep every single file to
it: no arrow up, no circle of files ([the design](design.md) says what lives in each room).

`python tests/import_drawing.py > docs/explanation/rooms.md` makes it.
"""

Graph = Mapping[str, frozenset[str]]


def rooms(within: str) -> Graph:
    """The rooms of a package, and what each imports of the others."""
    found: dict[str, set[str]] = {}
    for module in files():
        if room := room_of(module, within):
            others = {room_of(other, within) for other in imported(module) | named(module)}
            found.setdefault(room, set()).update(others - {room, ""})
    return {room: frozenset(others) for room, others in found.items()}


def room_of(module: str, within: str) -> str:
    """The name right below a package; "" for the package itself and for what is elsewhere."""
    return module.removeprefix(f"{within}.").partition(".")[0] if module.startswith(f"{within}.") else ""


def floors(graph: Graph) -> list[list[str]]:
    """Rooms by floor, from the ground up; each as low as what it imports allows.

    Raises:
        ValueError: rooms import each other.
    """
    placed: dict[str, int] = {}
    while len(placed) < len(graph):
        ready = {room for room in graph.keys() - placed.keys() if graph[room] <= placed.keys()}
        if not ready:
            raise ValueError(f"no floor for {sorted(graph.keys() - placed.keys())}: they import each other")
        placed |= {room: 1 + max((placed[other] for other in graph[room]), default=-1) for room in ready}
    return [sorted(room for room in placed if placed[room] == floor) for floor in range(1 + max(placed.values()))]


def needed(graph: Graph, room: str) -> list[str]:
    """What a room imports, without what follows from the rest."""
    return sorted(other for other in graph[room] if not any(other in below(graph, one) for one in graph[room]))


def below(graph: Graph, room: str) -> set[str]:
    """All that a room reaches."""
    reached: set[str] = set()
    todo = [room]
    while todo:
        for other in graph[todo.pop()]:
            if other not in reached:
                reached.add(other)
                todo.append(other)
    return reached


def drawing(within: str) -> str:
    """The floors of a package as text, the highest first."""
    graph = rooms(within)
    width = max(map(len, graph))
    lines = []
    for floor, standing in reversed([*enumerate(floors(graph))]):
        for rank, room in enumerate(standing):
            arrows = " ".join(needed(graph, room))
            lines.append(f"{'' if rank else floor:>2}  {room:{width}}  {'→ ' + arrows if arrows else ''}".rstrip())
    return "\n".join(["```", *lines, "```"])


def page() -> str:
    """The page."""
    return f"{HEAD}\n## The house\n\n{drawing(PACKAGE)}\n\n## The engine\n\n{drawing(f'{PACKAGE}.engine')}\n"


def counts() -> str:
    """How many of everything there are."""
    lines = []
    for within in (PACKAGE, f"{PACKAGE}.engine"):
        graph = rooms(within)
        inside = {m: frozenset(o for o in imported(m) | named(m) if o.startswith(within)) for m in files()}
        inside = {module: others for module, others in inside.items() if module.startswith(within)}
        turning = sorted((len(circle) for circle in circles(inside)), reverse=True)
        between = sorted((len(circle) for circle in circles(graph)), reverse=True)
        lines.append(
            f"{within}: {len(graph)} rooms, {sum(map(len, graph.values()))} arrows, circles of rooms {between}; "
            f"{len(inside)} files, {sum(map(len, inside.values()))} arrows, circles of files {turning}; "
            f"{'no floors' if between else f'{len(floors(graph))} floors'}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(counts() if "--counts" in sys.argv else page(), end="")
