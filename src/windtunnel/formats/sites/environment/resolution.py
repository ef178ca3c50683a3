"""Inheritance: every object's ``$base`` and ``$merge`` replaced by what they stand for.

Rules (seed document and the released tool's behaviour; spec/environment.md section 3): bases in order, later ones
win, local properties win last; targets are resolved themselves, against the raw document; a key named in
``$merge`` is joined over all levels (arrays one after the other, objects one level deep). The document puts the
elements of the more special array first, the released tool last (``reference_order``).

What is inherited is shared between its users, never copied: callers must not change the result.
"""

from pathlib import Path as FilePath
from typing import Any, Final

from windtunnel.formats.sites.environment.bases import Bases, Node
from windtunnel.formats.sites.environment.complaints import Complaints
from windtunnel.formats.sites.environment.problems import Path, Problem, pointer
from windtunnel.formats.sites.environment.source import Source

__all__ = ["EXPANSION_LIMIT", "Resolver"]

EXPANSION_LIMIT: Final = 5_000_000
"""So many properties may come in through ``$base`` beyond those written down."""
DEPTH_LIMIT: Final = 100
"""So long may a chain of bases be."""


class _TooLargeError(Exception):
    pass


class Resolver:
    """Resolves one document; keeps which object inherits from where, to explain findings later."""

    def __init__(
        self,
        source: Source,
        problems: list[Problem],
        *,
        reference_order: bool = False,
        files: FilePath | None = None,
        limit: int = EXPANSION_LIMIT,
    ) -> None:
        self.source: Final = source
        self.reference_order: Final = reference_order
        self.links: dict[Node, list[Node]] = {}
        """The bases of each object that inherits."""
        self.used: set[Path] = set()
        """What the document itself inherits from, outside unused definitions."""
        self.broken: set[Node] = set()
        """Objects that lack something because a base of theirs could not be had."""
        self._complaints = Complaints(problems)
        self._say = self._complaints.say
        self._bases = Bases(self._complaints, files)
        self._memo: dict[Node, tuple[Any, int]] = {}
        self._frames: list[tuple[Source, Path, Path]] = []
        self._count = 0
        self._limit = limit + source.members
        self._rings: set[str] = set()
        """The circles that were complained of."""

    def resolve(self) -> Any:
        """The resolved tree (the raw one where a ``$base`` could not be followed)."""
        tree = self.source.tree
        if not isinstance(tree, dict):
            return tree
        self._frames = [(self.source, (), ())]
        try:
            return self._object(self.source, tree, (), last=None if "$base" in tree else "definitions")
        except _TooLargeError:
            return tree
        except RecursionError:
            self._frames = [(self.source, (), ())]
            self._say("ENV016", "objects and bases nest too deeply", self.source, ())
            return tree

    def is_complete(self, node: Node) -> bool:
        """Whether an object inherits all that it asks for."""
        return node not in self.broken and all(self.is_complete(base) for base in self.links.get(node, ()))

    # -- the walk -------------------------------------------------------------------------------------------

    def _value(self, source: Source, value: Any, path: Path) -> Any:
        if type(value) is dict:
            return self._object(source, value, path)
        result = value
        for index, item in enumerate(value):
            if type(item) is dict or type(item) is list:
                resolved = self._value(source, item, (*path, index))
                if resolved is not item:
                    if result is value:
                        result = list(value)
                    result[index] = resolved
        return result

    def _object(self, source: Source, raw: dict[str, Any], path: Path, last: str | None = None) -> dict[str, Any]:
        """Resolve an object; the value of the key ``last`` comes after all else."""
        self._count += len(raw)
        if self._count > self._limit + self._bases.members:
            self._too_large(source, path)
        local = raw
        for key, value in raw.items():
            if (type(value) is dict or type(value) is list) and key not in (last, "$base", "$merge"):
                resolved = self._value(source, value, (*path, key))
                if resolved is not value:
                    if local is raw:
                        local = dict(raw)
                    local[key] = resolved
        if "$base" in raw or "$merge" in raw:
            local = self._inherit(source, raw, local, path)
        if last is not None and isinstance(raw.get(last), dict):
            self._complaints.unused = True
            local = {**local, last: self._value(source, raw[last], (*path, last))}
        return local

    def _inherit(self, source: Source, raw: dict[str, Any], local: dict[str, Any], path: Path) -> dict[str, Any]:
        names = self._bases.merge_names(source, raw, path)
        references = self._bases.references(source, raw, path)
        if references is None:
            return local
        own = {key: value for key, value in local.items() if key not in {"$base", "$merge"}}
        result: dict[str, Any] = {}
        links = self.links.setdefault((source, path), [])
        links.clear()
        for index, reference in enumerate(references):
            place = (*path, "$base", index) if isinstance(raw["$base"], list) else (*path, "$base")
            target = self._bases.target(source, reference, place)
            base = self._base(target, source, place, path) if target is not None else None
            if target is None or base is None:
                self.broken.add((source, path))
                continue
            links.append(target)
            self._check_joined(result, base, names, (source, path))
            result = self._merge(result, base, names) if result else base
        for name in sorted(names):
            if name not in result and name not in own:
                self._say("ENV046", f"$merge names {name!r}, which does not occur", source, (*path, "$merge"))
        self._check_joined(result, own, names, (source, path))
        return self._merge(result, own, names) if result else own

    def _check_joined(self, low: dict[str, Any], high: dict[str, Any], names: set[str], at: Node) -> None:
        """Say what is replaced although ``$merge`` names it: only two arrays or two objects can be joined."""
        for name in sorted(names):
            if name in low and name in high:
                kinds = {type(low[name]), type(high[name])}
                if kinds not in ({list}, {dict}):
                    what = "values of different types" if len(kinds) > 1 else "neither arrays nor objects"
                    message = f"$merge of {name!r} has no effect: these are {what}, and the later replaces the other"
                    source, path = at
                    self._say("ENV046", message, source, (*path, "$merge"))

    def _merge(self, low: dict[str, Any], high: dict[str, Any], names: set[str]) -> dict[str, Any]:
        """``high`` over ``low``; values of ``names`` are joined."""
        merged = {**low, **high}
        for name in names:
            if name in low and name in high:
                one, two = low[name], high[name]
                if isinstance(one, list) and isinstance(two, list):
                    merged[name] = one + two if self.reference_order else two + one
                elif isinstance(one, dict) and isinstance(two, dict):
                    merged[name] = {**one, **two}
        return merged

    def _base(self, target: Node, source: Source, place: Path, path: Path) -> dict[str, Any] | None:
        """The resolved object at ``target``, or None if it cannot be had."""
        if not self._complaints.unused and target[0] is self.source:
            self.used.add(target[1])
        if target in self._memo:
            value, size = self._memo[target]
            self._count += size
            if self._count > self._limit + self._bases.members:
                self._too_large(source, place)
        else:
            if self._is_cycle(target, source, place, path):
                return None
            if len(self._frames) > DEPTH_LIMIT:
                self._say("ENV016", f"a chain of more than {DEPTH_LIMIT} bases", source, place)
                return None
            start = self._count
            frame = self._frames[-1]
            self._frames[-1] = (frame[0], frame[1], path)
            self._frames.append((*target, target[1]))
            raw = target[0].at(target[1])
            value = self._value(target[0], raw, target[1]) if isinstance(raw, dict | list) else raw
            self._frames.pop()
            self._memo[target] = value, self._count - start
        if not isinstance(value, dict):
            kind = "an array" if isinstance(value, list) else "null" if value is None else f"{value!r}"
            self._say("ENV012", f"a base must be an object, this is {kind}", source, place)
            return None
        return value

    # -- what can go wrong ----------------------------------------------------------------------------------

    def _is_cycle(self, target: Node, source: Source, place: Path, path: Path) -> bool:
        """Whether ``target`` is being resolved already; says so once for each cycle."""
        frames = [*self._frames[:-1], (self._frames[-1][0], self._frames[-1][1], path)]
        where, goal = target
        for index, (of, root, position) in enumerate(frames):
            inside = len(root) <= len(goal) <= len(position) and position[: len(goal)] == goal
            if of is where and inside:
                ring = [goal, *(frame[1] for frame in frames[index + 1 :]), goal]
                shown = " -> ".join(f"#{pointer(step)}" for step in ring)
                members = str(sorted(map(str, set(ring))))
                if members not in self._rings:
                    hint = "an object cannot inherit from itself or from what contains it"
                    self._say("ENV011", f"circular inheritance: {shown}", source, place, hint)
                    self._rings.add(members)
                return True
        return False

    def _too_large(self, source: Source, path: Path) -> None:
        hint = "definitions that inherit several times from each other double in size with each step"
        self._say("ENV016", "inheritance grows without bound (5 million properties)", source, path, hint)
        raise _TooLargeError
