"""Batsim 5's configuration files (``-c``, ``--gen-config``): the long options as keys, in TOML or INI."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import UsageError, did_you_mean, read_text
from windtunnel.formats.files import reason

__all__ = ["COMPONENTS", "FLAGS", "PAIRS", "SEVERAL", "SINGLE", "config_words", "write_config"]

COMPONENTS: Final = ("edc-library-str", "edc-library-file", "edc-socket-str", "edc-socket-file")
PAIRS: Final = (*COMPONENTS, "add-role")
"""Options of two words each time they are given."""
SEVERAL: Final = ("workload", "external-events", "sg-cfg")
SINGLE: Final = (
    "platform",
    "master-host",
    "edc-library-load-method",
    "export",
    "trace-probe-data",
    "mmax",
    "verbosity",
    "timeout",
)
FLAGS: Final = (
    "energy-host",
    "edc-isolated",
    "trace-machine-state",
    "trace-pstate-changes",
    "mmax-workload",
    "quiet",
)
_KNOWN: Final = (*PAIRS, *SEVERAL, *SINGLE, *FLAGS)


def config_words(path: str) -> list[str]:
    """The content of a configuration file, as the words of a command line.

    Raises:
        UsageError: the file cannot be read, or a key or value in it is invalid.
    """
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"the configuration file {path} cannot be read: {reason(fault)}") from fault
    found = _ini(path, text) if path.endswith(".ini") else _toml(path, text)
    words: list[str] = []
    for key, value in found.items():
        if key not in _KNOWN:
            raise UsageError(f"{path}: there is no option {key!r}", did_you_mean(key, _KNOWN))
        words += _words(path, key, value if isinstance(value, list) else [value])
    return words


def _words(path: str, key: str, values: Sequence[Any]) -> list[str]:
    option = f"--{key}"
    if key in FLAGS:
        if len(values) != 1 or str(values[0]).lower() not in _TRUTH:
            raise UsageError(f"{path}: {key} must be true or false, not {values!r}")
        return [option] if _TRUTH[str(values[0]).lower()] else []
    flat: list[Any] = []
    for value in values:
        flat += value if isinstance(value, list) else [value]
    texts = [str(value) for value in flat]
    if key in PAIRS:
        if len(texts) % 2:
            raise UsageError(f"{path}: {key} takes two values each time, not {len(texts)}")
        return [word for i in range(0, len(texts), 2) for word in (option, texts[i], texts[i + 1])]
    if key in SINGLE and len(texts) != 1:
        raise UsageError(f"{path}: {key} takes one value, not {len(texts)}")
    return [f"{option}={text}" for text in texts]


_TRUTH: Final = {
    "true": True,
    "1": True,
    "on": True,
    "yes": True,
    "false": False,
    "0": False,
    "off": False,
    "no": False,
}


def _toml(path: str, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        raise UsageError(f"{path} is not TOML: {reason(fault)}", "files that end in .ini are read as INI") from fault


def _ini(path: str, text: str) -> dict[str, Any]:
    import configparser
    import shlex

    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # documented: keys keep their letters
    try:
        parser.read_string(f"[batsim]\n{text}")
        if len(parser.sections()) > 1:
            raise UsageError(f"{path}: sections are not allowed, {parser.sections()[1]!r} is one")
        return {key: shlex.split(value) for key, value in parser["batsim"].items()}
    except (configparser.Error, ValueError) as fault:
        raise UsageError(f"{path} is not INI: {fault}") from fault


def write_config(path: str, options: argparse.Namespace) -> None:
    """Write the options of a command line: INI where the name ends in ``.ini``, else TOML.

    Raises:
        UsageError: the file cannot be written.
    """
    found = _settings(options)
    ini = path.endswith(".ini")
    lines = [f"{key} = {_ini_text(value) if ini else _toml_text(value)}" for key, value in found.items()]
    try:
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    except OSError as fault:
        raise UsageError(f"--gen-config {path}: {fault.strerror}") from fault


def _settings(options: argparse.Namespace) -> Mapping[str, Any]:
    """What differs from nothing, by long name; components in their order, which a file can keep kind by kind only."""
    made: dict[str, Any] = {}
    for key in (*SINGLE, *SEVERAL, *FLAGS):
        value = getattr(options, key.replace("-", "_"))
        if value not in (None, [], False):
            made[key] = value
    kinds = [kind for kind, *_ in options.components]
    if kinds != sorted(kinds, key=kinds.index):
        raise UsageError("--gen-config cannot keep the order of these components: give those of one kind together")
    for key, *pair in options.components:
        made.setdefault(key, []).extend(pair)
    if options.add_role:
        made["add-role"] = [word for pair in options.add_role for word in pair]
    return made


def _toml_text(value: Any) -> str:
    import json

    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_text, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, int | float) else json.dumps(value)


def _ini_text(value: Any) -> str:
    import shlex

    if isinstance(value, list):
        return " ".join(shlex.quote(str(item)) for item in value)
    return str(value).lower() if isinstance(value, bool) else shlex.quote(str(value))
