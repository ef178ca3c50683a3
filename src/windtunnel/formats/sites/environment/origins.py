"""Where a value of the resolved tree was written: its place in a source, and the bases it came through.

Nothing is recorded while resolving. A place is found by going down from the root again, through the layers of
each object that inherits, along one path only.
"""

from typing import Any

import msgspec

from windtunnel.formats.sites.environment.bases import Node
from windtunnel.formats.sites.environment.problems import Path
from windtunnel.formats.sites.environment.resolution import Resolver
from windtunnel.formats.sites.environment.source import Source

__all__ = ["Origin", "origin"]


class Origin(msgspec.Struct, frozen=True):
    """A place in a source; ``chain`` holds the objects whose ``$base`` led there, nearest first."""

    source: Source | Any
    path: Path
    chain: tuple[Node, ...]


class _Written(msgspec.Struct, frozen=True):
    """A value as it stands in the text."""

    at: Origin

    @property
    def raw(self) -> Any:
        return self.at.source.at(self.at.path)


class _Layers(msgspec.Struct, frozen=True):
    """An object that inherits: its bases in order, then itself."""

    layers: "tuple[_View, ...]"
    names: frozenset[str]


class _Joined(msgspec.Struct, frozen=True):
    """Merged arrays, in the order of their elements; ``local`` is the most special of them."""

    parts: "tuple[_View, ...]"
    local: "_View"


class _Updated(msgspec.Struct, frozen=True):
    """Merged objects, the most special last."""

    parts: "tuple[_View, ...]"


_View = _Written | _Layers | _Joined | _Updated


def origin(resolver: Resolver, path: Path) -> tuple[Origin, bool]:
    """Where the value at ``path`` of the resolved tree was written, and whether the whole path was found.

    A path that goes on where nothing is (a property that is missing) ends at the last thing there is.
    """
    guide = _Guide(resolver)
    view = guide.view(Origin(resolver.source, (), ()))
    for token in path:
        child = guide.child(view, token)
        if child is None:
            return _place(view), False
        view = child
    return _place(view), True


class _Guide:
    def __init__(self, resolver: Resolver) -> None:
        self._links = resolver.links
        self._reference_order = resolver.reference_order

    def view(self, at: Origin) -> _View:
        written = _Written(at)
        links = self._links.get((at.source, at.path))
        if not links or (at.source, at.path) in at.chain:  # a circle was cut here
            return written
        chain = ((at.source, at.path), *at.chain)
        bases = [self.view(Origin(source, path, chain)) for source, path in links]
        merge = written.raw.get("$merge", [])
        names = frozenset(name for name in merge if isinstance(name, str)) if isinstance(merge, list) else frozenset()
        return _Layers((*bases, written), names)

    def child(self, view: _View, token: str | int) -> _View | None:
        if isinstance(view, _Written):
            return self._written(view, token)
        if isinstance(view, _Layers):
            return self._layered(view, token)
        if isinstance(view, _Updated):
            found = [child for part in view.parts if (child := self.child(part, token)) is not None]
            return found[-1] if found else None
        index = int(token)
        for part in view.parts:
            if index < (length := _length(part)):
                return self.child(part, index)
            index -= length
        return None

    def _written(self, view: _Written, token: str | int) -> _View | None:
        raw = view.raw
        here = token in raw if isinstance(raw, dict) else isinstance(raw, list) and token in range(len(raw))
        return self.view(Origin(view.at.source, (*view.at.path, token), view.at.chain)) if here else None

    def _layered(self, view: _Layers, token: str | int) -> _View | None:
        result: _View | None = None
        for layer in view.layers:
            child = self.child(layer, token)
            if child is None:
                continue
            result = self._join(result, child) if result is not None and token in view.names else child
        return result

    def _join(self, low: _View, high: _View) -> _View:
        kinds = _kind(low), _kind(high)
        if kinds == (list, list):
            return _Joined((low, high) if self._reference_order else (high, low), high)
        return _Updated((low, high)) if kinds == (dict, dict) else high


def _kind(view: _View) -> type:
    if isinstance(view, _Written):
        return type(view.raw)
    return list if isinstance(view, _Joined) else dict


def _length(view: _View) -> int:
    if isinstance(view, _Joined):
        return sum(map(_length, view.parts))
    return len(view.raw) if isinstance(view, _Written) else 0


def _place(view: _View) -> Origin:
    if isinstance(view, _Written):
        return view.at
    if isinstance(view, _Joined):
        return _place(view.local)
    return _place(view.layers[-1] if isinstance(view, _Layers) else view.parts[-1])
