"""Digests (SHA-256) of all that determines a point: files, objects, code, options."""

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import Workload
from windtunnel.results.input_files import input_file
from windtunnel.schedulers.registry import name_of
from windtunnel.sources import as_written

__all__ = ["digest_of", "digest_of_class", "digest_of_code", "digest_of_file", "digest_of_object"]

_APART: Final = frozenset({"cli", "examples", "report", "services", "studies", "testing"})
"""Rooms that no result of a simulation depends on."""
_OF_STUDIES: Final = ("figures.py", "worker.py")
"""But for these files of ours."""


def digest_of(*parts: Any) -> str:
    """Of plain data: members of tables in any order."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def digest_of_file(path: str | Path) -> str:
    """Of the bytes of a file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return input_file(str(path)).sha256
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}") from fault


@cache
def digest_of_code() -> str:
    """Of the sources of Windtunnel that results depend on; both builds have the same."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    files = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    own = [f"{Path(__file__).parent.name}/{name}" for name in _OF_STUDIES]
    for name in (one for one in files if one.partition("/")[0] not in _APART or one in own):
        digest.update(f"{name}\n{digest_of_file(package / name)}\n".encode())
    return digest.hexdigest()


def digest_of_class(thing: Callable[..., Any]) -> str:
    """Of a scheduler of one's own: its name, and the whole file (or what was typed) in which it stands.

    Raises:
        UsageError: its source cannot be found, so that nobody would notice when it changes.
    """
    written = as_written(thing) if isinstance(thing, type) else thing
    name = name_of(thing)
    try:
        file = inspect.getsourcefile(written)
        if file is not None and Path(file).is_file():
            return digest_of(name, digest_of_file(file))
        return digest_of(name, inspect.getsource(written))
    except (OSError, TypeError):
        raise UsageError(
            f"the source of {name} cannot be found: a study would not notice when it changes",
            "put it into a file",
        ) from None


def digest_of_object(thing: Any) -> str:
    """Of a platform or workload that was made in Python: of all it says, each job included.

    Raises:
        UsageError: it holds what cannot be written down as data.
    """
    digest = hashlib.sha256(type(thing).__qualname__.encode())
    encoder = msgspec.json.Encoder(order="deterministic", enc_hook=_plain)
    try:
        if isinstance(thing, msgspec.Struct):
            digest.update(encoder.encode(thing))
        elif isinstance(thing, Workload):
            for job in thing:
                digest.update(encoder.encode(job))
            digest.update(encoder.encode(dict(thing.profiles)))
        else:
            digest.update(encoder.encode(thing))
    except (TypeError, ValueError, RecursionError) as fault:
        kind = type(thing).__name__
        hint = "write it to a file, and name that"
        raise UsageError(f"a {kind} cannot be part of a study: {fault}", hint) from fault
    return digest.hexdigest()


def _plain(thing: Any) -> Any:
    """What msgspec does not know: objects as their class and their members."""
    if isinstance(thing, frozenset | set):
        return sorted(thing)
    state = thing.__getstate__()
    if not state:
        raise TypeError(f"it holds a {type(thing).__name__}")
    return [type(thing).__qualname__, state]
