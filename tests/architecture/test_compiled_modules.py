"""What is compiled is written so that it can be, and what is not says why; wheels and source archives hold what they
should.
"""

import ast
import importlib.util
import sys
import tarfile
import tomllib
import zipfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from windtunnel.version import __version__

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"][
    "custom"
]
ASIDE = {"Protocol", "NamedTuple", "IntEnum", "StrEnum", "Enum", "Exception", "dict"}
"""Bases of classes that mypyc leaves as they are, or that nobody saves."""
SEALED = {
    "HostSet": "its own __reduce__; the smallest object there is",
    "Priority": "a list of constants",
    "Footprint": "its own __reduce__",
    "ConstraintGroup": "its own __reduce__",
    "Action": "its own __reduce__",
    "Task": "its own __reduce__",
    "Shape": "a constant of its module",
    "WrittenStates": "never saved: what gathered is written before",
    "_Stencil": "never saved: a constant of its module",
    "StarPlan": "never saved: made again from the network",
    **dict.fromkeys(("ExactSum", "Ranks", "_Names", "_Sums", "_Times"), "never saved: gone when their figures are there"),
    **dict.fromkeys(
        ("OwnLimit", "Variable", "Lone", "Constraint", "Use"), "never saved: footprints are looked up again"
    ),
}
SAVES_ALL = {"Scheduler": "its own __getstate__, which knows both kinds of attributes"}
"""Compiled classes of which interpreted ones may be derived."""


def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOK = hook()
COMPILED = HOOK.modules(ROOT / "src", TABLE)


class Defined(NamedTuple):
    """What is asked of a class."""

    name: str
    bases: set[str]
    marks: str
    """Its decorators."""
    values: list[str]
    """Names that are given a value in its body, without an annotation."""


class Contents(NamedTuple):
    """What is asked of a file, so that its tree need not be kept."""

    classes: list[Defined]
    origins: dict[str, str]
    """Where the names that it has from others of ours may be defined."""
    generators: list[int]
    """Lines that hand out a generator expression."""
    ambiguous: list[str]
    """Names that are imported from several places."""


@cache
def contents(file):
    tree = ast.parse((ROOT / "src" / file).read_text())
    origins, generators, places = {}, [], defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            origins |= {alias.name: (node.module or "").replace(".", "/") for alias in node.names}
            for alias in node.names:
                places[alias.asname or alias.name].add((node.module, alias.name))
        elif isinstance(node, ast.Return | ast.Assign) and isinstance(node.value, ast.GeneratorExp):
            generators.append(node.lineno)
    classes = [defined(node) for node in tree.body if isinstance(node, ast.ClassDef)]
    return Contents(classes, origins, generators, sorted(name for name, found in places.items() if len(found) > 1))


def defined(node):
    lines = [line for line in node.body if isinstance(line, ast.Assign)]
    return Defined(
        node.name,
        {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases},
        " ".join(map(ast.unparse, node.decorator_list)),
        [target.id for line in lines for target in line.targets if isinstance(target, ast.Name)],
    )


def test_the_rooms_of_the_engine_are_compiled():
    assert "windtunnel/model/hostset.py" in COMPILED
    assert "windtunnel/engine/rounds/loop.py" in COMPILED
    assert "windtunnel/engine/state/options.py" not in COMPILED
    assert len(COMPILED) == len(set(COMPILED))


def test_what_is_compiled_can_be():
    """Structs lose their keywords in silence, and so do saved objects and users' subclasses without the decorator."""
    for one in (one for file in COMPILED for one in contents(file).classes):
        assert not one.bases & {"Struct"}, f"{one.name} is a Struct: keep its module interpreted"
        assert "runtime_checkable" not in one.marks
        if one.bases & ASIDE or "dataclass" in one.marks or one.name in SEALED:
            continue
        assert "allow_interpreted_subclasses=True" in one.marks, f"{one.name} cannot be saved or derived from"


def test_each_name_is_imported_from_one_place():
    """Compiled code calls the first of two functions that are imported by one name, even if the other was."""
    assert not [f"{file}: {name}" for file in COMPILED for name in contents(file).ambiguous]


def test_names_of_classes_are_variables_of_the_class():
    """Without ClassVar a compiled class has a default for its instances instead, and nothing of its own."""
    bare = [
        f"{file}: {one.name}.{name}"
        for file in COMPILED
        for one in contents(file).classes
        if not one.bases & ASIDE
        for name in one.values
        if not name.startswith("__")
    ]
    assert bare == []


def test_generators_are_not_handed_out_as_expressions():
    """mypyc makes lists of them: whoever returns one returns no iterator."""
    assert {file: lines for file in COMPILED if (lines := contents(file).generators)} == {}


def test_no_interpreted_class_has_compiled_ancestors_alone():
    """What such a class adds is not saved: mypyc's own way of saving knows the fields of compiled classes only."""
    files = [path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "windtunnel").rglob("*.py")]
    known = {(file, one.name): one for file in files for one in contents(file).classes}
    places = defaultdict(list)
    for file, name in known:
        places[name].append(file)

    def ancestors(file, one):
        """Where its bases of ours are defined."""
        for base in one.bases:
            room = contents(file).origins.get(base)
            for there in places[base]:
                if there == file if room is None else "windtunnel" in room and room in there:
                    yield there, base

    def plain(file, name):
        """Whether all that subclasses add is saved: it is interpreted, has an ancestor that is, or sees to that."""
        return file not in COMPILED or name in SAVES_ALL or any(plain(*base) for base in ancestors(file, known[file, name]))

    lost = [
        name
        for (file, name), one in known.items()
        if file not in COMPILED and not one.bases & ASIDE
        for base in ancestors(file, one)
        if not plain(*base)
    ]
    assert lost == []


@pytest.mark.parametrize("group", TABLE["interpreted"], ids=lambda group: group["why"][:20])
def test_what_is_not_compiled_stands_in_a_compiled_room(group):
    assert group["why"]
    rooms = [room for room in TABLE["compiled"] if (ROOT / "src" / "windtunnel" / room).is_dir()]
    for name in group["modules"]:
        assert any(name.startswith(f"{room}/") for room in rooms), name


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"compiled": ["engine/nothing"], "interpreted": []}, "no such room or module"),
        ({"compiled": ["engine/state"], "interpreted": [{"modules": ["engine/gone"]}]}, "no such module"),
    ],
)
def test_a_wrong_table_is_refused(table, said):
    with pytest.raises(ValueError, match=said):
        HOOK.modules(ROOT / "src", table)


def test_distributions_are_of_this_version():
    assert WheelBuilder(str(ROOT)).metadata.version == SdistBuilder(str(ROOT)).metadata.version == __version__


def test_a_wheel_is_pure_unless_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("WINDTUNNEL_COMPILE", raising=False)
    monkeypatch.setitem(sys.modules, "mypyc", None)  # not even looked at
    builder = WheelBuilder(str(ROOT))
    assert builder.config.dependencies == []
    (wheel,) = map(Path, builder.build(directory=str(tmp_path), versions=["standard"]))
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as file:
        assert "windtunnel/model/hostset.py" in file.namelist()
        assert not [name for name in file.namelist() if name.endswith((".so", ".c"))]


def test_a_compiled_wheel_asks_for_the_compiler_first(monkeypatch):
    monkeypatch.setenv("WINDTUNNEL_COMPILE", "1")
    needed = WheelBuilder(str(ROOT)).config.dependencies
    assert any(name.startswith("mypy[mypyc]") for name in needed)
    assert any(name.startswith("msgspec") for name in needed)


def test_the_source_archive_can_be_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDTUNNEL_COMPILE", "1")  # which is of no concern to it
    (archive,) = map(Path, SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"hatch_build.py", "pyproject.toml", "src/windtunnel/engine/rounds/loop.py", "Makefile"} <= names
