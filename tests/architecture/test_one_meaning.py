"""Words that meant several things mean one: a class of that name is there once in the package."""

import ast
from collections import defaultdict
from functools import cache

import pytest

from import_graph import PACKAGE, files

WORDS = ("Replay", "Placement", "Profile", "Task", "HostGroup", "Group", "Groups")
"""What others' protocols call so is spelled as they do (the schema of batprotocol)."""

GONE = ("Seat", "words", "told", "met", "open", "solo", "seats")
"""What the world of the engine keeps is called by what it is."""

GONE_FILES = ("asking", "tables", "measuring", "damage", "extras", "ledger", "uncollected")


@cache
def classes() -> dict[str, list[str]]:
    """Where classes of a name stand."""
    found = defaultdict(list)
    for module, path in files().items():
        if module != f"{PACKAGE}.wires.batprotocol.schema":
            text = path.read_text()
            if not any(word in text for word in WORDS):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef):
                    found[node.name.lstrip("_")].append(module)
    return found


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_the_name_of_one_thing(word: str) -> None:
    assert len(classes().get(word, [])) <= 1


def test_the_world_has_no_private_jokes() -> None:
    tree = ast.parse(files()[f"{PACKAGE}.engine.state.world"].read_text())
    (world,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "World")
    members = (node for node in ast.walk(world) if isinstance(node, ast.Attribute))
    kept = {node.attr for node in members if ast.unparse(node.value) == "self"}  # compiled classes have no __slots__
    assert {"heap", "hosts", "hooks"} <= kept
    assert kept.isdisjoint(GONE)
    assert not [module for module in files() if module.rpartition(".")[2].lstrip("_") in GONE_FILES]
