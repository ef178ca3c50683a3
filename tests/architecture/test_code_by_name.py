"""Data never runs code: every place where a text becomes code is listed here, with where its text comes from.

A new use of an import by name, a library, a process or a pickle fails this test until somebody has said why no data
file can choose what it runs.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from import_graph import files
from windtunnel.diagnostics import InputError
from windtunnel.formats.haizea.ini import OPTIONS, read_haizea_config

RUNS = frozenset(
    {
        *("import_module", "__import__", "spec_from_file_location", "exec_module", "run_path", "run_module"),
        *("eval", "exec", "CDLL", "PyDLL", "LoadLibrary", "dlmopen", "dlopen", "Popen", "Unpickler"),
        *("load_entry", "load_reference", "execv", "execve", "posix_spawn"),
    }
)
"""Functions that run, or load, what they are given the name or the bytes of."""

MODULES = frozenset({"subprocess", "pickle", "marshal", "shelve", "runpy", "windtunnel.loading"})
"""Of these every function counts but for exceptions, constants, and the listing of :data:`NAMES`."""

NAMES = "entry_points"

MENTIONED = re.compile(rf"\b(?:{'|'.join(sorted(RUNS | MODULES))})\b|windtunnel import .*\bloading\b")
"""A file in which none of these words stands is not looked at further."""

KNOWN = {
    # names that stand in our own sources, and those that installed packages register
    "windtunnel:__getattr__": "a table of ours",
    "windtunnel.cli.main:_dispatch": "the commands, a table of ours",
    "windtunnel.engine.rounds.handlers:call": "two tables of ours",
    "windtunnel.engine.sharing:__getattr__": "a table of ours",
    "windtunnel.formats.recognition:function": "formats of ours and of installed packages; a file chooses among them",
    "windtunnel.formats.recognition:all_formats": "formats of installed packages",
    "windtunnel.model.event_kinds:event_kind": "events of installed packages; a file chooses among them",
    "windtunnel.on_use:named": "tables of ours",
    "windtunnel.results.own_metrics:figures_of": "metrics of installed packages",
    "windtunnel.schedulers.registry:_listed": "schedulers of installed packages",
    "windtunnel.schedulers.registry:_shipped": "a table of ours",
    "windtunnel.sources:_source": "the source beside a compiled module of ours",
    # names given on the command line or in Python
    "windtunnel.loading:load_reference": "its callers are here",
    "windtunnel.loading:_module": "its callers are here",
    "windtunnel.loading:_module_of_file": "its callers are here",
    "windtunnel.schedulers.registry:_factory": "--scheduler module:Class; data goes through make_registered",
    "windtunnel.leases.registry:_class": "settings of leases; environments and haizea.conf are checked before",
    "windtunnel.wires.library:stop": "our own process",
    "windtunnel.wires.library:_load": "--scheduler lib:, -l and -L of batsim5; its -c only with --trust-code",
    "windtunnel.wires.library:_in_new_namespace": "as above",
    # processes, which are our own interpreter with our own program
    "windtunnel.entities.sss_reference:match_all": "the program is ours; the pattern travels as data",
    "windtunnel.formats.signals.opendc:_table": "the program is ours; the file travels as data",
    "windtunnel.wires.isolated:start": "the program is ours; the library as above",
    # saved states, which are pickles
    "windtunnel.engine.pickled:from_bytes": "saved states are trusted: SECURITY.md",
    "windtunnel.engine.pickled:_Sharing": "bytes made a moment before, for a fork",
}


def uses(module: str) -> Iterator[str]:
    """The functions of a module in which something of that kind is called, or taken to be called."""
    text = files()[module].read_text()
    if not MENTIONED.search(text):
        return
    tree = ast.parse(text)
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in RUNS or (node.module in MODULES and alias.name.islower() and alias.name != NAMES):
                    imported.add(alias.asname or alias.name)

    def counts(node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            of_module = ast.unparse(node.value) in MODULES and node.attr.islower()
            return node.attr in RUNS or of_module
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return node.id in imported or (node.id in RUNS)
        return False

    def visit(node: ast.AST, function: str) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            function = node.name
        if counts(node):
            yield function
        for field, value in ast.iter_fields(node):
            if field not in {"annotation", "returns"}:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from visit(child, function)

    yield from visit(tree, "")


def test_every_place_where_a_text_becomes_code_is_known():
    found = {f"{module}:{function}" for module in files() for function in uses(module)}
    assert found - KNOWN.keys() == set(), "say in KNOWN where the text comes from, or do without"
    assert KNOWN.keys() - found == set(), "these are gone"


@pytest.mark.parametrize("section", sorted(OPTIONS))
def test_no_option_of_a_haizea_configuration_loads_code(section, tmp_path, monkeypatch):
    """Whatever option the name of a class stands in, its module is not imported."""
    trace = tmp_path / "imported"
    (tmp_path / "evil.py").write_text(f"open({str(trace)!r}, 'w').close()\nClass = object\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    lines = [f"{option}: evil:Class" for option in OPTIONS[section]]
    path = tmp_path / "haizea.conf"
    path.write_text("\n".join([f"[{section}]", *lines]))
    with pytest.raises(InputError):
        read_haizea_config(path)
    assert not trace.exists()
