"""Words that meant several things mean one: a class of that name is there once in the package."""

import ast
from collections import defaultdict

import pytest

from import_graph import PACKAGE, files

WORDS = ("Replay", "Placement", "Profile", "Task", "HostGroup", "Group", "Groups")
"""What others' protocols call so is spelled as they do (the schema of batprotocol)."""

GONE = ("Seat", "words", "told", "met", "open", "solo", "seats")
"""What the world of the engine keeps is called by what it is."""

GONE_FILES = ("asking", "tables", "measuring", "damage", "extras", "ledger", "uncollected")


def classes() -> dict[str, list[str]]:
    """Where classes of a name stand."""
    found = defaultdict(list)
    for module, path in files().items():
        if module != f"{PACKAGE}.wires.batprotocol.schema":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    found[node.name.lstrip("_")].append(module)
    return found


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_the_name_of_one_thing(word: str) -> None:
    assert len(classes().get(word, [])) <= 1


def test_the_world_has_no_private_jokes() -> None:
    from windtunnel.engine.state.world import World

    assert set(World.__slots__).isdisjoint(GONE)
    assert not [module for module in files() if module.rpartition(".")[2].lstrip("_") in GONE_FILES]
