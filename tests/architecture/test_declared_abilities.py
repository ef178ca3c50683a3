"""What some things can do and others cannot is a declared protocol, not a method looked for by its name."""

import ast

from import_graph import PACKAGE, files

OF_OTHERS = {
    ("cli.batsim4", "strerror"): "an error of the operating system may have no words of its own",
    ("formats.files", "strerror"): "an error of the operating system may have no words of its own",
    ("cli.batsim5_options", "components"): "argparse sets it once an option was given",
    ("cli.main", "commands"): "of the library for command lines: only groups have commands",
    ("cli.streams", "reconfigure"): "a stream that somebody has put in the place of a terminal",
    ("loading", "__file__"): "modules that are built in have none",
    ("options", "__index__"): "whatever counts as a whole number, such as numpy's",
    ("options", "__name__"): "annotations are types or not",
    ("schedulers.base", "__dict__"): "objects of compiled classes have none, those of users' subclasses do",
    ("schedulers.base", "__mypyc_attrs__"): "what mypyc calls the attributes of a compiled class",
    ("schedulers.base", "name"): "an attribute that has not been set yet",
    ("schedulers.base", "__iter__"): "what somebody's function returns",
    ("schedulers.base", "__name__"): "somebody's function, which may be a partial one",
    ("schedulers.registry", "__doc__"): "somebody's class or function",
    ("schedulers.registry", "__name__"): "somebody's class or function",
    ("services.lease_store", "_db"): "an object that is deleted before it is made",
    ("vocabulary.checking", "__getitem__"): "what somebody gave for a sequence",
    ("wires.library", "RTLD_DEEPBIND"): "of the operating system",
}
"""What errors, streams, functions, classes and modules that are not ours may lack, and why nothing declares it."""


def looked_for(module: str) -> set[str]:
    """The members that a file looks for by names: with a default, or before it takes them."""
    found: set[str] = set()
    text = files()[module].read_text()
    if "getattr" not in text and "hasattr" not in text:
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant):
                found.add(name.value)
            elif node.func.id == "hasattr" or len(node.args) == 3:
                found.add(ast.unparse(name))
    return found


def test_nothing_is_looked_for_by_name() -> None:
    found = {(module.removeprefix(f"{PACKAGE}."), name) for module in files() for name in looked_for(module)}
    assert found == set(OF_OTHERS)


def test_looking_is_seen(tmp_path, monkeypatch) -> None:
    text = 'getattr(job, "queue", None); hasattr(job, name); getattr(job, name, 1); getattr(job, name); getattr(job, "x")'
    (tmp_path / "m.py").write_text(text)
    monkeypatch.setitem(files(), "m", tmp_path / "m.py")
    assert looked_for("m") == {"queue", "name", "x"}
