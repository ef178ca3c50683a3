"""What is compiled is written so that it can be, and what is not says why; wheels and source archives hold what they
should.
"""

import ast
import importlib.util
import sys
import tarfile
import tomllib
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"][
    "custom"
]
ASIDE = {"Protocol", "NamedTuple", "IntEnum", "StrEnum", "Enum", "Exception", "dict"}
"""Bases of classes that mypyc leaves as they are, or that nobody saves."""
SEALED = {"HostSet": "its own __reduce__; the smallest object there is", "Priority": "a list of constants"}


def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOK = hook()
COMPILED = HOOK.modules(ROOT / "src", TABLE)


@cache
def parsed(file):
    return ast.parse((ROOT / "src" / file).read_text())


@cache
def classes(file):
    return [node for node in parsed(file).body if isinstance(node, ast.ClassDef)]


def bases(node):
    return {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}


def test_the_rooms_of_the_engine_are_compiled():
    assert "windtunnel/model/hostset.py" in COMPILED
    assert "windtunnel/engine/rounds/loop.py" in COMPILED
    assert "windtunnel/engine/state/options.py" not in COMPILED
    assert len(COMPILED) == len(set(COMPILED))


def test_what_is_compiled_can_be():
    """Structs lose their keywords in silence, and so do saved objects and users' subclasses without the decorator."""
    for node in (node for file in COMPILED for node in classes(file)):
        assert not bases(node) & {"Struct"}, f"{node.name} is a Struct: keep its module interpreted"
        marks = " ".join(map(ast.unparse, node.decorator_list))
        assert "runtime_checkable" not in marks
        if bases(node) & ASIDE or "dataclass" in marks or node.name in SEALED:
            continue
        assert "allow_interpreted_subclasses=True" in marks, f"{node.name} cannot be saved or derived from"


def test_names_of_classes_are_variables_of_the_class():
    """Without ClassVar a compiled class has a default for its instances instead, and nothing of its own."""
    bare = [
        f"{file}: {node.name}.{target.id}"
        for file in COMPILED
        for node in classes(file)
        if not bases(node) & ASIDE
        for line in node.body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name) and not target.id.startswith("__")
    ]
    assert bare == []


def test_generators_are_not_handed_out_as_expressions():
    """mypyc makes lists of them: whoever returns one returns no iterator."""
    for file in COMPILED:
        for node in ast.walk(parsed(file)):
            given = node.value if isinstance(node, ast.Return | ast.Assign) else None
            assert not isinstance(given, ast.GeneratorExp), f"{file}:{node.lineno}"


def test_no_interpreted_class_has_compiled_ancestors_alone():
    """What such a class adds is not saved: mypyc's own way of saving knows the fields of compiled classes only."""
    files = [path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "windtunnel").rglob("*.py")]
    defined = {(file, node.name): node for file in files for node in classes(file)}

    @cache
    def origins(file):
        """Where the names that a module has from others of ours may be defined."""
        lines = [line for line in ast.walk(parsed(file)) if isinstance(line, ast.ImportFrom)]
        return {alias.name: (line.module or "").replace(".", "/") for line in lines for alias in line.names}

    def ancestors(file, node):
        """Where its bases of ours are defined."""
        for base in bases(node):
            room = origins(file).get(base)
            for there, name in defined:
                if name == base and (there == file if room is None else "windtunnel" in room and room in there):
                    yield there, name

    def plain(file, name):
        """Whether it is interpreted, or has an ancestor that is."""
        return file not in COMPILED or any(plain(*base) for base in ancestors(file, defined[file, name]))

    lost = [
        name
        for (file, name), node in defined.items()
        if file not in COMPILED and not bases(node) & ASIDE
        for base in ancestors(file, node)
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
