"""Packages whose public names are loaded when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["loads_on_use"]


def loads_on_use(package: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: ``where`` says in which of its modules each public name is."""

    def named(name: str) -> Any:
        module = where.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{module}"), name)

    return named
