"""Things named by whoever runs a simulation: ``module:Name``, ``file.py:Name``, and entry points of packages.

Only for what comes from the command line, from Python or from installed packages: what a data file says is looked up
among registered names, and never loaded (design law 10).
"""

import os
import sys
from functools import lru_cache
from importlib import import_module, util
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from windtunnel.diagnostics import UsageError, did_you_mean, place_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["entry_points", "load", "load_entry", "load_reference"]


def load_reference(reference: str) -> Any:
    """What ``module:Name`` refers to, in a module that can be imported as it is.

    Raises:
        ImportError, AttributeError: there is no such module, or nothing of that name in it.
    """
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def load(path: str, what: str) -> Any:
    """What ``module:Name`` or ``file.py:Name`` refers to; modules of the working directory are found too.

    Args:
        path: as somebody gave it.
        what: what it was given for (``scheduler``), for messages.

    Raises:
        UsageError: there is no such module, file or name, or the module fails when it is loaded.
    """
    where, _, name = path.rpartition(":")
    try:
        module = _module_of_file(where) if where.endswith(".py") else _module(where)
    except ImportError as error:
        raise UsageError(f"{what} {path!r}: {where!r} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:  # anything may be wrong in somebody's file
        place = "" if isinstance(error, SyntaxError) else place_of(error)  # which says its file and line itself
        fault = f"{type(error).__name__}: {error}{place}"
        raise UsageError(f"{what} {path!r}: {where!r} cannot be imported: {fault}") from error
    try:
        return getattr(module, name)
    except AttributeError:
        found = vars(module).items()
        own = [n for n, v in found if isinstance(v, type | FunctionType) and v.__module__ == module.__name__]
        known = [known for known in own or vars(module) if not known.startswith("_")]
        raise UsageError(f"{what} {path!r}: {where} has no {name!r}", did_you_mean(name, known)) from None


def _module(name: str) -> ModuleType:
    """Import a module; one in the working directory too, and there for the processes of a study as well."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    return import_module(name)


def _module_of_file(path: str) -> ModuleType:
    """Import a file under its own name, so that what it defines can be pickled."""
    file = Path(path).resolve()
    spec = util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise ImportError(f"there is no file {path}")
    known = sys.modules.get(file.stem)
    if known is not None and getattr(known, "__file__", None) == str(file):
        return known
    if known is not None:
        raise ImportError(f"a module {file.stem!r} is loaded already, from elsewhere: rename the file")
    module = util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[file.stem]
        raise
    return module


def entry_points(group: str) -> "list[EntryPoint]":
    """What installed packages add under an entry point group, by name; nothing of theirs is imported."""
    return list(_entry_points(group, tuple(sys.path)))


@lru_cache(maxsize=32)
def _entry_points(group: str, _path: tuple[str, ...]) -> "tuple[EntryPoint, ...]":
    if not _some_package_adds(_path):
        return ()
    from importlib.metadata import entry_points as found  # 20 ms that most runs do not need

    return tuple(sorted(found(group=group), key=lambda point: point.name))


@lru_cache(maxsize=4)
def _some_package_adds(path: tuple[str, ...]) -> bool:
    """Whether an installed package may have entry points of ours: a look that costs a tenth of reading them all."""
    for where in path:
        try:
            inside = os.scandir(where or ".")
        except NotADirectoryError:  # a zipped one
            return True
        except OSError:
            continue
        with inside:
            for entry in inside:
                if entry.name.endswith((".dist-info", ".egg-info", ".egg")) and _adds(entry.path):
                    return True
    return False


def _adds(package: str) -> bool:
    if package.endswith(".egg"):
        return True
    try:
        return b"[windtunnel." in Path(package, "entry_points.txt").read_bytes()
    except OSError:
        return False


def load_entry(point: "EntryPoint", what: str) -> Any:
    """What an entry point refers to.

    Args:
        point: the entry.
        what: what it is used as (``scheduler``), for messages.

    Raises:
        UsageError: it cannot be imported.
    """
    try:
        return point.load()
    except Exception as error:
        raise UsageError(
            f"{what} {point.name!r} of {point.value} cannot be imported: {type(error).__name__}: {error}"
        ) from error
