"""The cores of a site, numbered host by host: which cores hosts have, and how many of which hosts some cores are."""

from collections.abc import Sequence
from itertools import accumulate

from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.model.host_runs import Run, intersect, merged

__all__ = ["CoreNumbers"]


@mypyc_attr(allow_interpreted_subclasses=True)
class CoreNumbers:
    """What this costs grows with intervals of cores and of hosts, not with their numbers."""

    def __init__(self, cores: Sequence[int]) -> None:
        """``cores``: how many each host has."""
        self.first = [0, *accumulate(cores)]
        """The first core of each host, and one past the last."""
        self.count = self.first[-1]
        """All cores."""
        self._host = [host for host, count in enumerate(cores) for _ in range(count)]
        """The host of each core."""
        self._largest = [0, *accumulate(sorted(cores, reverse=True))]
        """The cores of so many hosts together, the largest first."""
        alike: dict[int, list[int]] = {}
        for host, count in enumerate(cores):
            alike.setdefault(count, []).append(host)
        self._alike = [(count, HostSet(hosts)) for count, hosts in alike.items()]
        """The numbers of cores that hosts have, each with these hosts."""

    def of_so_many(self, hosts: int) -> int:
        """The cores of so many whole hosts (the largest, so that any fit); hosts beyond the last have one each."""
        known = min(hosts, len(self._largest) - 1)
        return self._largest[known] + hosts - known

    def parts_whole_hosts(self, hosts: int) -> bool:
        """Whether so many hosts have sometimes more cores, sometimes fewer: their number does not say which."""
        return len(self._alike) > 1 and 0 < hosts < len(self.first) - 1

    def of_hosts(self, hosts: HostSet) -> HostSet:
        """All cores of some hosts."""
        first = self.first
        return HostSet.of_runs(tuple([(first[low], first[high + 1] - 1) for low, high in hosts.runs]))

    def amounts(self, cores: HostSet) -> AlikeAmounts:
        """The hosts that some cores are of, and how many of each."""
        wholly: list[Run] = []
        found: dict[int, list[Run]] = {}
        partly = count = 0
        for low, high in cores.runs:
            first, start = self._from(low)
            last, end = self._up_to(high)
            if start > end + 1:  # within one host
                last = 0
                first = high - low + 1
                end = start - 1
            if first:
                if count and partly == start - 1:
                    count += first
                else:
                    self._add(found, partly, count)
                    partly, count = start - 1, first
            if start <= end:
                wholly.append((start, end))
            if last:
                self._add(found, partly, count)
                partly, count = end + 1, last
        self._add(found, partly, count)
        if wholly:
            self._add_whole(found, merged(wholly))
        groups = [(HostSet.of_runs(merged(runs)), {"cores": float(number)}) for number, runs in found.items()]
        if len(groups) == 1:
            return AlikeAmounts(groups[0][0], groups)
        return AlikeAmounts(HostSet.of_runs(merged([run for runs in found.values() for run in runs])), groups)

    def _from(self, core: int) -> tuple[int, int]:
        """How many cores from one on belong to a host of which they are not all, and the first host behind it."""
        host = self._host[core]
        if core == self.first[host]:
            return 0, host
        return self.first[host + 1] - core, host + 1

    def _up_to(self, core: int) -> tuple[int, int]:
        """How many cores up to one belong to a host of which they are not all, and the last host before it."""
        host = self._host[core]
        if core == self.first[host + 1] - 1:
            return 0, host
        return core - self.first[host] + 1, host - 1

    def _add_whole(self, found: dict[int, list[Run]], hosts: tuple[Run, ...]) -> None:
        """Hosts with all their cores."""
        alike = self._alike
        for number, those in alike:
            some = hosts if len(alike) == 1 else intersect(those.runs, hosts)
            if some:
                found.setdefault(number, []).extend(some)

    @staticmethod
    def _add(found: dict[int, list[Run]], host: int, count: int) -> None:
        """A host of which there are some cores, if any."""
        if count:
            found.setdefault(count, []).append((host, host))
