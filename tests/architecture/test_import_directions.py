"""The rooms import only what the design allows, so that the picture stays true."""

import ast
from pathlib import Path

import pytest

import windtunnel

ROOT = Path(windtunnel.__file__).parent
BELOW = (
    "diagnostics",
    "model",
    "entities",
    "vocabulary",
    "formats",
    "engine",
    "wires",
    "schedulers",
    "leases",
    "results",
    "report",
)
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "diagnostics": (),
    "model": ("diagnostics",),
    "entities": ("model", "diagnostics"),
    "vocabulary": ("model", "diagnostics"),
    "formats": ("model", "entities", "diagnostics"),
    "engine": ("model", "vocabulary", "diagnostics"),
    "wires": ("model", "entities", "vocabulary", "diagnostics"),
    "schedulers": ("model", "vocabulary", "diagnostics"),
    "leases": ("model", "vocabulary", "schedulers", "diagnostics"),
    "results": ("model", "entities", "vocabulary", "diagnostics"),
    "report": ("results", "model", "diagnostics"),
    "examples": ("diagnostics",),
    "inputs": ("formats", "wires", "schedulers", "model", "vocabulary", "diagnostics"),
    "api": (*BELOW, "examples", "inputs"),
    "services": (*BELOW, "api", "examples"),
    "testing": (*BELOW, "api", "services", "examples"),
    "cli": (*BELOW, "api", "services", "testing", "examples"),
    "__init__": (*BELOW, "api"),
    "__main__": ("cli",),
}


def room_of(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "windtunnel" and len(parts) > 1:
                rooms.add(parts[1])
    return rooms


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_what_the_design_allows(path: Path) -> None:
    room = room_of(path)
    foreign = imported_rooms(path) - {room, "__version__"}
    assert foreign <= set(MAY_IMPORT[room]), f"{path} reaches into {foreign - set(MAY_IMPORT[room])}"


def test_every_room_is_in_the_picture() -> None:
    assert {room_of(p) for p in ROOT.rglob("*.py")} <= set(MAY_IMPORT)
