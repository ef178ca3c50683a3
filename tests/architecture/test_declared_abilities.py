"""What some things can do and others cannot is a declared protocol, not a method looked for by its name."""

import ast

import pytest

from import_graph import PACKAGE, files

ROOMS = ("model", "entities", "vocabulary", "formats", "engine", "wires", "results", "report")
MODULES = [m for m in files() if m.split(".")[1:2] and m.split(".")[1] in ROOMS]
OF_OTHERS = {
    (f"{PACKAGE}.formats.files", "strerror"),
    (f"{PACKAGE}.vocabulary.checking", "__getitem__"),
    (f"{PACKAGE}.wires.library", "RTLD_DEEPBIND"),
}
"""What errors, sequences and modules that are not ours may lack."""


def looked_for(module: str) -> set[str]:
    """The members that a file looks for by names written in it."""
    found = set()
    for node in ast.walk(ast.parse(files()[module].read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant):
                found.add(name.value)
    return found


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_looked_for_by_name(module: str) -> None:
    assert {(module, name) for name in looked_for(module)} <= OF_OTHERS
