"""Hosts that are held until a predicted date, by a running job or because they are being switched."""

from collections.abc import Mapping

from windtunnel.model import HostSet, Job

__all__ = ["Amounts", "Held", "Running"]

Amounts = Mapping[int, Mapping[str, float]]
"""What a job takes of each host: host -> resource -> amount."""


class Held:
    """Hosts that nobody else can have until a predicted date. Times in s.

    ``rank`` counts what was held before it, ``freed`` says how many usable hosts its end frees.
    """

    __slots__ = ("end", "freed", "hosts", "rank", "start")

    def __init__(self, hosts: HostSet, start: float, end: float, rank: int, freed: int) -> None:
        self.hosts = hosts
        self.start = start
        self.end = end
        self.rank = rank
        self.freed = freed

    def __reduce__(self) -> tuple[object, ...]:
        return (Held, (self.hosts, self.start, self.end, self.rank, self.freed))


class Running(Held):
    """A job that holds hosts, as far as the scheduler knows. ``start`` is later by any suspensions (s).

    ``end`` is its start plus its walltime, ``amounts`` what it takes of each host (None: all of it).
    """

    __slots__ = ("amounts", "job")

    def __init__(
        self, job: Job, hosts: HostSet, start: float, rank: int, freed: int, amounts: Amounts | None
    ) -> None:
        self.job = job
        self.hosts = hosts
        self.start = start
        self.end = start + job.walltime
        self.rank = rank
        self.freed = freed
        self.amounts = amounts

    @property
    def expected_end(self) -> float:
        """Start plus walltime (s)."""
        return self.end

    def __reduce__(self) -> tuple[object, ...]:
        return (Running, (self.job, self.hosts, self.start, self.rank, self.freed, self.amounts))
