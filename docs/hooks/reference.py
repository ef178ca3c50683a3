"""The reference of the Python API and of the command line, made from docstrings and help when the site is built."""

import importlib
import inspect
import io
import os
import re
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from types import ModuleType
from typing import Any

PUBLIC = (
    "windtunnel",
    "windtunnel.schedulers",
    "windtunnel.vocabulary",
    "windtunnel.results",
    "windtunnel.leases",
    "windtunnel.studies.results",
    "windtunnel.studies.statistics.warm_up",
    "windtunnel.learning.environment",
    "windtunnel.learning.evolution",
    "windtunnel.formats",
    "windtunnel.testing",
)
"""The modules whose names are for users; everything else may change without notice."""

HEADER = re.compile(r"^(Args|Raises|Returns|Yields):$")
ITEM = re.compile(r"^    (\*{0,2}\w+): (.*)$")
ROLE = re.compile(r":\w+:`~?([^`]+)`")


def public_names(module: ModuleType) -> list[str]:
    """The names of a module that are for users, in alphabetical order."""
    return sorted((name for name in module.__all__ if not name.startswith("_")), key=str.lower)


def text_of(thing: Any) -> str:
    """A docstring as Markdown: literals, references and sections of arguments."""
    lines = inspect.cleandoc(thing.__doc__ or "").splitlines()
    made: list[str] = []
    section = False
    for line in lines:
        if found := HEADER.match(line):
            section = True
            made += ["", f"*{found[1]}*", ""]
        elif section and (item := ITEM.match(line)):
            made.append(f"- `{item[1]}`: {item[2]}")
        elif section and line.startswith("     "):
            made.append(f"  {line.strip()}")
        else:
            section = section and (not line or line.startswith(" "))
            made.append(line)
    text = "\n".join(made)
    text = re.sub(r"::\n\n((?:    .*\n?|\n)+)", lambda found: f":\n\n{found[1]}", text)
    return ROLE.sub(r"`\1`", text.replace("``", "`"))


def signature_of(name: str, thing: Any) -> str:
    """How something is called."""
    with suppress(TypeError, ValueError):
        text = re.sub(r"\bwindtunnel(\.\w+)+\.", "", str(inspect.signature(thing)))
        return f"{name}{text}"
    return name


def members(kind: type) -> Iterator[str]:
    """The public methods and properties that a class itself, or a class of ours, defines."""
    for name in sorted(dir(kind)):
        owner = next((one for one in kind.__mro__ if name in vars(one)), None)
        if name.startswith("_") or owner is None or not owner.__module__.startswith("windtunnel"):
            continue
        member = vars(owner)[name]
        if isinstance(member, property) or type(member).__name__ == "cached_property":
            yield f"**{name}** (property)\n\n{text_of(member)}"
        elif callable(getattr(kind, name)) and member.__doc__:
            yield f"```text\n{signature_of(name, getattr(kind, name))}\n```\n\n{text_of(getattr(kind, name))}"


def entry(name: str, thing: Any) -> str:
    """One public name."""
    head = f"### {name}\n\n"
    if isinstance(thing, ModuleType):
        return f"{head}The module `{thing.__name__}`. {text_of(thing).splitlines()[0]}\n"
    if isinstance(thing, type):
        parts = [f"{head}```text\n{signature_of(name, thing)}\n```\n\n{text_of(thing)}", *members(thing)]
        return "\n\n".join(parts) + "\n"
    if callable(thing) and hasattr(thing, "__name__"):
        return f"{head}```text\n{signature_of(name, thing)}\n```\n\n{text_of(thing)}\n"
    return f"{head}`{str(thing)[:300]}`\n"


def python_page() -> str:
    """Every public name, once, in the first of the modules that have it."""
    parts = ["# The Python API\n\nMade from docstrings. Names that are not here may change without notice.\n"]
    known: dict[int, str] = {}
    for place in PUBLIC:
        module = importlib.import_module(place)
        parts.append(f"\n## {place}\n\n{text_of(module)}\n")
        for name in public_names(module):
            thing = getattr(module, name)
            if id(thing) in known and callable(thing):
                parts.append(f"### {name}\n\nSee {known[id(thing)]}.\n")
                continue
            known[id(thing)] = f"`{name}` in `{place}` above"
            parts.append(entry(name, thing))
    return "\n".join(parts)


def commands() -> Iterator[list[str]]:
    """Every command, and every command of a group."""
    from windtunnel.cli.main import COMMANDS

    for name, command in COMMANDS.items():
        yield [name]
        where, _, attribute = command.where.partition(":")
        made = getattr(importlib.import_module(f"windtunnel.cli.{where}"), attribute)
        for group in getattr(made, "registered_commands", ()) if type(made).__name__ == "Typer" else ():
            yield [name, group.name or group.callback.__name__.replace("_", "-")]


def help_of(words: list[str]) -> str:
    """What a command says of itself, 100 columns wide."""
    from windtunnel.cli.main import main

    said = io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    try:
        with redirect_stdout(said), suppress(SystemExit):
            main([*words, "--help"])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return said.getvalue().rstrip()


def command_line_page() -> str:
    """The help of every command."""
    parts = ["# The command line\n\nMade from `--help`.\n", f"```text\n{help_of([])}\n```\n"]
    for words in commands():
        parts.append(f"## windtunnel {' '.join(words)}\n\n```text\n{help_of(words)}\n```\n")
    return "\n".join(parts)


GENERATED = {"reference/python.md": python_page, "reference/command-line.md": command_line_page}
"""Pages of the site that are no files of the repository."""


def on_files(files: Any, config: Any) -> Any:
    """Called by mkdocs when it has found the pages."""
    from mkdocs.structure.files import File

    for path, make in GENERATED.items():
        files.append(File.generated(config, path, content=make()))
    return files
