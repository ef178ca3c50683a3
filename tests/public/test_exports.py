"""What users see: public names exist, are listed, documented, and load lazily."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

import windtunnel

ROOT = Path(windtunnel.__file__).parent
MODULES = sorted(m.name for m in pkgutil.walk_packages([str(ROOT)], "windtunnel.") if not m.name.endswith("__main__"))
ROOMS = {room: list(names) for room, names in groupby(MODULES, key=lambda name: name.split(".")[1])}


def test_all_names_of_the_package_load_and_are_sorted():
    assert list(windtunnel.__all__[1:]) == sorted(windtunnel.__all__[1:])
    for name in windtunnel.__all__:
        assert getattr(windtunnel, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_this"):
        windtunnel.nothing_like_this  # noqa: B018


def test_type_checkers_see_the_same_names():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    seen = {alias.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen - {None} == set(windtunnel.__all__) - {"__version__"}


@pytest.mark.parametrize("room", ROOMS)
def test_modules_list_what_is_public(room):
    for name in ROOMS[room]:
        module = importlib.import_module(name)
        source = Path(module.__file__)
        if source.suffix != ".py":  # compiled: beside its source
            source = source.with_name(f"{name.rpartition('.')[2]}.py")
        if not source.read_text().strip():
            continue  # an empty package
        assert module.__doc__ or ast.get_docstring(ast.parse(source.read_text())), f"{name} has no docstring"
        if hasattr(module, "__path__") and not hasattr(module, "__all__"):
            continue  # a room whose modules are imported by name
        assert hasattr(module, "__all__"), f"{name} has no __all__"
        missing = [public for public in module.__all__ if not hasattr(module, public)]
        assert missing == [], f"{name}.__all__ names what does not exist"


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_public_is_documented(room):
    bare = []
    for name in ROOMS[room]:
        if name.rpartition(".")[2].startswith("_"):
            continue  # generated, for its neighbours only
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            thing = getattr(module, public)
            if (inspect.isclass(thing) or inspect.isroutine(thing)) and not documented(thing):
                bare.append(f"{name}.{public}")
    assert bare == []


def documented(thing):
    """Whether a class or function has a docstring; what is compiled has it in the source beside it."""
    if inspect.getdoc(thing):
        return True
    text = (ROOT.parent / f"{thing.__module__.replace('.', '/')}.py").read_text()
    return any(
        ast.get_docstring(node)
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == thing.__name__
    )


def test_importing_the_package_loads_none_of_the_heavy_libraries():
    code = (
        "import sys, windtunnel, windtunnel.cli.main\n"
        "heavy = {'polars', 'numpy', 'lxml', 'zmq', 'rich', 'typer', 'jsonschema_rs', 'msgspec'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(ROOT.parent)}
    )
    assert done.returncode == 0, done.stderr
