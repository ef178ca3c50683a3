"""Constraints of jobs on features of nodes: ``&``, ``|``, brackets of alternatives, counts (§5.1)."""

import re
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.cluster import Cluster

__all__ = ["Constraint"]

_TOKEN: Final = re.compile(r"[()&|\[\],]|\*\d+|[^()&|\[\],*\s]+")


@mypyc_attr(allow_interpreted_subclasses=True)
class Constraint:
    """A constraint, read once.

    ``alternatives`` are sets of nodes of which one has to serve the whole job (``[a|b]``; one set without brackets);
    ``counts`` are sets of nodes from which so many are needed (``[a*2&b*1]``). Without brackets each
    of them would have to have all the features.
    """

    __slots__ = ("alternatives", "counts", "known", "text")

    def __init__(self, text: str, cluster: Cluster) -> None:
        self.text = text
        self.known = True
        """Whether all its features are there on some node."""
        self.alternatives: tuple[int, ...] = (cluster.all,)
        self.counts: tuple[tuple[int, int], ...] = ()
        if not text:
            return
        inner = text.strip()
        bracketed = inner.startswith("[") and inner.endswith("]")
        if bracketed:
            inner = inner[1:-1]
        if "*" in inner and not bracketed and "&" in inner:
            self.alternatives = (self._read(re.sub(r"\*\d+", "", inner), cluster),)
        elif "*" in inner:
            self._read_counts(inner, cluster)
        elif bracketed:
            options = re.split(r"[|,]", inner)
            self.alternatives = tuple(self._read(option, cluster) for option in options)
        else:
            self.alternatives = (self._read(inner, cluster),)

    def _read_counts(self, text: str, cluster: Cluster) -> None:
        found = []
        for part in text.replace("[", "").replace("]", "").split("&"):
            name, _, count = part.partition("*")
            nodes = self._read(name, cluster)
            found.append((nodes, int(count or 1)))
        self.counts = tuple(found)

    def _read(self, text: str, cluster: Cluster) -> int:
        tokens = _TOKEN.findall(text)
        place, found = self._either(tokens, 0, cluster)
        return found if place == len(tokens) else 0

    def _either(self, tokens: list[str], place: int, cluster: Cluster) -> tuple[int, int]:
        place, found = self._both(tokens, place, cluster)
        while place < len(tokens) and tokens[place] == "|":
            place, more = self._both(tokens, place + 1, cluster)
            found |= more
        return place, found

    def _both(self, tokens: list[str], place: int, cluster: Cluster) -> tuple[int, int]:
        place, found = self._one(tokens, place, cluster)
        while place < len(tokens) and tokens[place] in ("&", ","):
            place, more = self._one(tokens, place + 1, cluster)
            found &= more
        return place, found

    def _one(self, tokens: list[str], place: int, cluster: Cluster) -> tuple[int, int]:
        if place >= len(tokens):
            return place, 0
        if tokens[place] in ("(", "["):
            place, found = self._either(tokens, place + 1, cluster)
            return place + 1, found
        if tokens[place] not in cluster.features:
            self.known = False
        return place + 1, cluster.features.get(tokens[place], 0)
