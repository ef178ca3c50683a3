"""Who was where and when: a job on hosts for a time."""

from collections.abc import Mapping

import msgspec

from windtunnel.model import HostSet
from windtunnel.results.job_rows import SHORTEST

__all__ = ["Stretch", "end_of"]


def end_of(start: float, finish: float) -> float:
    """When a job left its hosts: to one that took no time, tables give an end that is a little later."""
    return start if finish - start < 1.5 * SHORTEST else finish


class Stretch(msgspec.Struct, frozen=True):
    """A job on hosts, from one date to another (s). A job that was suspended, or changed its hosts, has several."""

    job: str
    start: float
    finish: float
    hosts: HostSet
    share: float | None = None
    """Of a job that was suspended and shares its hosts: what it held, in whole hosts."""
    amounts: Mapping[int, Mapping[str, float]] | None = None
    """The same host by host."""

    @property
    def held(self) -> float:
        """Hosts held, in whole hosts."""
        return float(len(self.hosts)) if self.share is None else self.share
