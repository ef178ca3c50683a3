"""Compiled classes as their sources write them: mypyc keeps neither their docstrings nor the annotations of their
parameters, which are read where options are checked and things are described.
"""

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

__all__ = ["as_written"]


@cache
def _source(name: str) -> dict[str, Any] | None:
    """What the source of a compiled module defines, interpreted; None for a module that is not compiled."""
    path = vars(sys.modules[name]).get("__file__")
    if not path:  # typed in, or given to the interpreter: it has no file
        return None
    file = Path(path)
    source = file.with_name(f"{name.rpartition('.')[2]}.py")
    if file.suffix == ".py" or not source.is_file():
        return None
    spec = spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)  # not among those that are imported: the compiled one stays what it is
    spec.loader.exec_module(module)
    return vars(module)


def as_written(thing: type) -> Any:
    """The class as its source defines it, for looking at and not for use: itself, unless it is compiled."""
    if thing.__module__ not in sys.modules:
        return thing
    found = _source(thing.__module__)
    return thing if found is None else found.get(thing.__name__, thing)
