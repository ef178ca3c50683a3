"""Constraints of jobs on features of nodes: ``&``, ``|``, parentheses, brackets, counts (§5.1).

Slurm 22.05 reads them from left to right, ``a|b&c`` as ``(a|b)&c``. What stands in brackets counts apart: of
``[a|b]`` one has to serve the whole job, of ``[a*2&b*1]`` so many nodes each are looked for one after another.
Backfill tests each feature for itself then, also those outside of the brackets.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import union

__all__ = ["Constraint"]

_TOKEN: Final = re.compile(r"[()&|\[\],]|\*\d+|[^()&|\[\],*\s]+")
_AND: Final = "&"
_OR: Final = "|"


@mypyc_attr(allow_interpreted_subclasses=True)
class _Term:
    """A feature, and what stands behind it."""

    __slots__ = ("apart", "count", "inside", "nodes", "operator")

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.count = 0
        self.inside = False
        """Whether parentheses are still open behind it."""
        self.operator = ""
        self.apart = False
        """Whether the operator is one of brackets."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Constraint:
    """A constraint, read once."""

    __slots__ = ("alternatives", "base", "counts", "in_turn", "known", "readable", "tested", "text")

    def __init__(self, text: str, cluster: Cluster) -> None:
        self.text = text
        self.readable = True
        """Whether it can be read."""
        self.known = True
        """Whether it can be read, and all its features are there on some node."""
        self.base = cluster.all
        """The nodes that may serve a job at all."""
        self.alternatives: tuple[int, ...] = (cluster.all,)
        """The sets of nodes of which one has to serve the whole job."""
        self.counts: tuple[tuple[int, int, bool], ...] = ()
        """Sets of nodes, how many of them are needed, and whether they are among those needed before."""
        self.in_turn = False
        """Whether so many nodes of each are looked for."""
        self.tested: tuple[tuple[int, int], ...] = ()
        """What backfill tests apart: sets of nodes, and how many of them (0: as many as the job wants)."""
        terms = self._read(text, cluster) if text else []
        if not terms:
            return
        counted = any(term.count for term in terms)
        either = any(term.apart and term.operator == _OR for term in terms)
        both = any(term.apart and term.operator == _AND for term in terms)
        if not counted:
            self.base = _combined(terms, cluster.all)
            self.alternatives = (self.base,)
        elif both:
            self.base = union(_choices(terms, cluster.all))
            self.alternatives = (self.base,)
        self.in_turn = counted or both
        if self.in_turn:
            self.counts = tuple(_counts(terms, cluster.all))
            self.tested = tuple(
                (_combined(group, cluster.all), max(1, group[-1].count)) for group in _groups(terms)
            )
        elif either:
            self.alternatives = tuple(nodes & self.base for nodes in _choices(terms, cluster.all))
            self.tested = tuple((_combined(group, cluster.all), 0) for group in _groups(terms))

    def _read(self, text: str, cluster: Cluster) -> list[_Term]:
        """The features in their order; none if the text cannot be read."""
        found: list[_Term] = []
        term: _Term | None = None
        brackets = parentheses = False
        sets = 0
        for word in [*_TOKEN.findall(text), ""]:
            if word in ("[", "("):
                opened = brackets if word == "[" else parentheses
                sets += word == "["
                brackets, parentheses = brackets or word == "[", parentheses or word == "("
                self.readable = self.readable and term is None and not opened and sets <= 1
            elif word in ("]", ")"):
                opened = brackets if word == "]" else parentheses
                brackets, parentheses = brackets and word != "]", parentheses and word != ")"
                self.readable = self.readable and term is not None and opened
            elif word.startswith("*"):
                self.readable = self.readable and term is not None and int(word[1:]) > 0 and not parentheses
                if term is not None:
                    term.count = int(word[1:])
            elif word in ("&", ",", "|", ""):
                if term is None:
                    self.readable = self.readable and not word
                    continue
                term.operator = _AND if word == "," else word
                term.inside = parentheses
                term.apart = bool(word) and brackets and not parentheses
                found.append(term)
                term = None
            elif term is None:
                term = _Term(cluster.features.get(word, 0))
                self.known = self.known and word in cluster.features
        self.readable = self.readable and not (brackets or parentheses) and _counted_well(found)
        self.known = self.known and self.readable
        return found if self.readable else []


def _counted_well(terms: Sequence[_Term]) -> bool:
    """Whether all of brackets with ``&`` have counts, and none of those with ``|``."""
    within = ""
    for term in terms:
        if term.apart:
            within = term.operator
            if (term.operator == _AND) != bool(term.count):
                return False
        elif not term.inside:
            if within and (within == _AND) != bool(term.count):
                return False
            within = ""
    return True


def _combined(terms: Sequence[_Term], every: int) -> int:
    """The nodes that features leave, but for those that brackets count apart."""
    found = own = every
    operator = outer = _AND
    apart = outer_apart = inside = False
    for term in terms:
        if term.inside and not inside:
            outer, outer_apart, operator, apart, own = operator, apart, _AND, False, every
        ending = inside and not term.inside
        current = own if inside or term.inside else found
        if not term.apart and not apart:
            current = current & term.nodes if operator == _AND else current | term.nodes
        if ending:
            found = found & current if outer == _AND and not outer_apart else found | current
        elif term.inside:
            own = current
        else:
            found = current
        operator, apart, inside = term.operator, term.apart, term.inside
    return found


def _groups(terms: Sequence[_Term]) -> Iterator[list[_Term]]:
    """Features one by one, those in parentheses together; only how they are combined with each other counts."""
    group: list[_Term] = []
    for term in terms:
        alone = _Term(term.nodes)
        alone.count, alone.operator = term.count, term.operator
        group.append(alone)
        if not term.inside:
            yield group
            group = []


def _choices(terms: Sequence[_Term], every: int) -> Iterator[int]:
    """The nodes of each feature, or of those in parentheses, that brackets name beside others."""
    group: list[_Term] = []
    before = False
    for term in terms:
        alone = _Term(term.nodes)
        alone.operator = term.operator
        group.append(alone)
        if term.inside:
            continue
        if term.apart or before:
            yield _combined(group, every)
            before = term.apart
        group = []


def _counts(terms: Sequence[_Term], every: int) -> Iterator[tuple[int, int, bool]]:
    """The nodes of each feature with a count, and whether they have to be those of the features before."""
    apart = False
    for place, group in enumerate(_groups(terms)):
        last = [term for term in terms if not term.inside][place]
        if last.count:
            yield _combined(group, every), last.count, not apart
            apart = apart or last.apart
