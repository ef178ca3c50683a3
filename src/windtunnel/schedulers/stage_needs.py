"""What jobs need of the machines of a stage scheduler, and whether these could satisfy it were they empty."""

from collections.abc import Sequence
from math import ceil

import msgspec

from windtunnel.diagnostics import counted, too_many
from windtunnel.model import Host, HostSet, Job
from windtunnel.model.demands import described_by

__all__ = ["Need", "Needs"]


class Need(msgspec.Struct, frozen=True):
    """What a job needs of each of ``hosts`` machines. ``whole``: nobody else may be there.

    ``processors``: how many it needs in all, where the same can be had in other parts on more machines (else 0).
    """

    hosts: int
    cores: float
    others: tuple[tuple[str, float], ...] = ()
    whole: bool = False
    processors: int = 0


class Needs:
    """What jobs need of the machines of a site. Nothing here depends on what is free."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self.begin(hosts)

    def begin(self, hosts: Sequence[Host]) -> None:
        """From now on the site has these machines."""
        self._hosts = hosts
        self._described = described_by(hosts)
        self._sizes = sorted((host.cores for host in hosts), reverse=True)
        self._possible: dict[Need, bool] = {}
        self._otherwise: dict[Need, tuple[Need, ...]] = {}
        """What satisfies a need as well: the same cores on more, smaller machines."""

    @property
    def most_cores(self) -> int:
        """The cores of the largest machine."""
        return self._sizes[0] if self._sizes else 0

    def of(self, job: Job) -> Need:
        """What a job needs, in its first form."""
        request = job.request
        amounts = dict(request.amounts)
        cores = amounts.pop("cores", 0.0)
        described = self._described
        others = tuple(sorted((name, size) for name, size in amounts.items() if size > 0 and name in described))
        if cores and not request.processors:
            return Need(request.hosts, cores, others)
        if request.processors:
            hosts, *more = self._spreads(request.processors)
            cores = ceil(request.processors / hosts)
            if hosts == request.hosts and self._fills(cores):  # nobody else would find a core there
                return Need(hosts, 0.0, others, whole=True)
            need = Need(hosts, float(cores), others, processors=request.processors if more else 0)
            if more and need not in self._otherwise:
                self._otherwise[need] = tuple(
                    Need(count, float(ceil(request.processors / count)), others) for count in more
                )
            return need
        return Need(request.hosts, 0.0, others, whole=True)

    def otherwise(self, need: Need) -> tuple[Need, ...]:
        """What would satisfy a need as well, to be tried in this order."""
        return self._otherwise.get(need, ())

    def bound(self, need: Need) -> float:
        """So many cores must be free at least to satisfy a need, in whichever way."""
        return min((self._bound(need), *map(self._bound, self._otherwise.get(need, ()))))

    def _bound(self, need: Need) -> float:
        return need.hosts * (need.cores or self._sizes[-1])

    def possible(self, need: Need, *, without: HostSet | None = None) -> bool:
        """Whether an empty site (``without`` some machines) could ever satisfy a need."""
        if without:
            able = (host for host in self._hosts if host.id not in without)
            return sum(self._could(host, need) for host in able) >= need.hosts
        if not need.others:
            sizes = self._sizes
            return need.hosts <= len(sizes) and (not need.hosts or sizes[need.hosts - 1] >= need.cores)
        known = self._possible.get(need)
        if known is None:
            fitting = sum(self._could(host, need) for host in self._hosts)
            known = self._possible[need] = fitting >= need.hosts
        return known

    def why_not(self, need: Need) -> str:
        """Why an empty site could never satisfy a need."""
        if need.hosts > len(self._hosts):
            return too_many(need.hosts, "machine", len(self._hosts))
        what = " and ".join(f"{size:g} {name}" for name, size in (("cores", need.cores), *need.others) if size)
        fitting = sum(self._could(host, need) for host in self._hosts)
        have = f"{counted(fitting, 'machine')} {'has' if fitting == 1 else 'have'} that much"
        return f"asks for {need.hosts} x {what}, of which {have}"

    def _could(self, host: Host, need: Need) -> bool:
        return host.cores >= need.cores and all(host.resources.get(name, 0.0) >= size for name, size in need.others)

    def _fills(self, cores: float) -> bool:
        """Whether so many cores are all that each machine has."""
        return bool(self._sizes) and self._sizes[0] == self._sizes[-1] == cores

    def _spreads(self, cores: int) -> list[int]:
        """On how many machines so many cores can go in equal parts, fewest first ([1] if that is impossible).

        On more machines than the last of these no other machine could help: the parts fit the smallest one.
        """
        sizes = self._sizes
        counts = []
        for count in range(max(1, ceil(cores / self.most_cores)), len(sizes) + 1) if sizes else ():
            part = ceil(cores / count)
            if sizes[count - 1] >= part:
                counts.append(count)
                if part <= sizes[-1]:
                    break
        return counts or [1]
