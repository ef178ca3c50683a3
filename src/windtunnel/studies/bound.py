"""The schedulers of a study: registered names, and those of one's own, bound to names by who runs the study."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.schedulers.registry import make_registered, make_scheduler, scheduler_names
from windtunnel.studies.digests import digest_of_class, digest_of_file
from windtunnel.studies.faults import Faults
from windtunnel.studies.placeholders import filled
from windtunnel.studies.words import Entry

__all__ = ["BoundSchedulers"]

_Way = tuple[str | int, ...]


class BoundSchedulers:
    """Looks at each scheduler with its options once, by making it.

    Args:
        own: what names stand for: ``module:Class``, ``file.py:Class``, a class or a function.
        faults: where what is wrong is collected.
        sent: filled with those that workers have to know.
    """

    def __init__(self, own: Mapping[str, Any], faults: Faults, sent: dict[str, Any]) -> None:
        self.own = own
        self.faults = faults
        self.sent = sent
        self._used: set[str] = set()
        self._digests: dict[str, str | None] = {}
        self._made: dict[str, tuple[str, dict[str, Any], str] | None] = {}

    def trial(self, way: _Way, entry: Entry, values: Mapping[str, Any]) -> tuple[str, dict[str, Any], str] | None:
        """The name by which a worker knows it, its options, and a digest of its code ("" for what we ship); None when
        it is at fault.
        """
        options = filled(entry.options, values)
        known = repr((way, options))
        if known not in self._made:
            self._made[known] = None
            try:
                self._made[known] = self._look(way, entry.what, options)
            except UsageError as fault:
                self.faults.add(way, str(fault))
        return self._made[known]

    def _look(self, way: _Way, what: Any, options: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
        own = self.own.get(what) if isinstance(what, str) else what
        if own is not None and isinstance(what, str):
            self._used.add(what)
        if own is None and isinstance(what, str) and ":" in what:
            own = what
        if own is None:
            if what not in scheduler_names():
                known = [*scheduler_names(), *self.own]
                near = did_you_mean(what, known)
                own_one = f"one of your own is named with --scheduler {what}=file.py:Class"
                hint = f"{near}; {own_one}" if near else own_one
                raise UsageError(f"there is no scheduler {what!r}", hint)
            make_registered(what, **options)
            return what, options, self._digest(what)
        own = _absolute(own) if isinstance(own, str) else own
        make_scheduler(own, **options)
        name = f"own {what if isinstance(what, str) else way[-1]}"
        self.sent[name] = own
        return name, options, self._digest(own)

    def _digest(self, what: Any) -> str:
        """Of the code of a scheduler that is not part of Windtunnel."""
        from windtunnel.schedulers.registry import source_of

        if not isinstance(what, str):
            return digest_of_class(what)
        where, _, _ = what.rpartition(":")
        if where.endswith(".py"):
            return f"{what.rpartition(':')[2]} {digest_of_file(where)}"
        found = source_of(what)
        return "" if found is None else digest_of_class(found)

    def check_all_used(self) -> None:
        """Whether every name that was bound is a scheduler of the study."""
        for name in self.own:
            if name not in self._used:
                self.faults.add((), f"--scheduler {name}=...: the study has no scheduler {name!r}", "remove it")


def _absolute(reference: str) -> str:
    """``/path/file.py:Class`` for ``file.py:Class``, which means the same in a worker elsewhere."""
    where, colon, name = reference.rpartition(":")
    return f"{Path(where).absolute()}{colon}{name}" if where.endswith(".py") else reference
