"""A point as it is simulated: plain data that a worker anywhere understands, and a key that tells it from others."""

from typing import Any

import msgspec

__all__ = ["Context", "Outcome", "Source", "Trial"]


class Source(msgspec.Struct, frozen=True):
    """Where a platform or workload comes from: a text that readers know (a file, a word), or an object by its name in
    the :class:`Context`.
    """

    text: str = ""
    options: dict[str, Any] = {}
    known_as: str = ""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """All that determines the result of one point, but for the contents that :attr:`key` stands for."""

    key: str
    platform: Source
    """Empty: the hosts that the workload says it needs."""
    workloads: tuple[Source, ...]
    """Those that run together: usually one."""
    operations: tuple[str, ...] = ()
    scheduler: str
    """A registered name, or one of :attr:`Context.schedulers`."""
    scheduler_options: dict[str, Any] = {}
    failures: str = ""
    engine: dict[str, Any] = {}
    events: tuple[str, ...] = ()
    energy: bool = False
    electricity: dict[str, Any] = {}
    """Carbon, price, PUE and the date of second 0, as far as they are asked for."""
    share_hosts: bool = False
    warm_up: float | str = 0.0
    cool_down: float | str = 0.0
    until: float | str = ""
    """Where the run stops; empty: at its end."""
    job_tables: bool = False

    @property
    def input(self) -> tuple[tuple[Source, ...], tuple[str, ...]]:
        """What is worth keeping in a worker from one point to the next."""
        return self.workloads, self.operations


class Context(msgspec.Struct, frozen=True):
    """What the points of a study share, sent to each worker once."""

    objects: dict[str, Any] = {}
    """Platforms and workloads that were given as objects, by name."""
    schedulers: dict[str, Any] = {}
    """Schedulers of one's own by name: a class or function, or a text such as ``/path/file.py:Class``."""
    digests: dict[str, str] = {}
    """SHA-256 of the files that the study reads: a worker elsewhere must see the same."""
    code: str = ""
    """The digest of the code of Windtunnel: a worker elsewhere must have the same."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a point."""

    key: str
    error: str = ""
    """Why there is no result; empty when there is one."""
    figures: dict[str, float | int | None] = {}
    kinds: dict[str, str] = {}
    """What figures are in that may differ from point to point: currency, kind of carbon intensity."""
    account: tuple[str, ...] = ()
    """What did not take effect as written, without mere notes."""
    seconds: float = 0.0
    """How long it took (wall clock)."""
    worker: str = ""
    """The machine and process."""
