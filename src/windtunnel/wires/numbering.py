"""A simulator's numbers of hosts and ours: schedulers of ours count hosts from 0, compute hosts first."""

from collections.abc import Mapping

from msgspec.structs import replace

from windtunnel.diagnostics import ProtocolError
from windtunnel.model import Host, HostSet
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.site_notices import (
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsTurnedOnOff,
    ResourceStateChanged,
)

__all__ = ["Numbering"]


class Numbering:
    """Translates the numbers in notices and decisions; ``plain`` when both sides count alike.

    Hosts keep their order, so that ranks inside an allocation mean the same on both sides.
    """

    def __init__(self) -> None:
        self.plain = True
        self._theirs: dict[int, int] = {}
        self._ours: dict[int, int] = {}

    def notices(self, notices: list[n.Notice]) -> list[n.Notice]:
        """The notices with our numbers.

        Raises:
            ProtocolError: a number stands for two hosts, or for none.
        """
        return [self._notice(notice) for notice in notices]

    def _notice(self, notice: n.Notice) -> n.Notice:
        if isinstance(notice, n.SimulationBegins):
            return self._begins(notice)
        if self.plain:
            return notice
        if isinstance(notice, n.ProbeDataEmitted):
            resources = replace(notice.resources, hosts=self._translated(notice.resources.hosts, self._ours))
            return replace(notice, resources=resources)
        if isinstance(notice, n.DecisionRefused):
            decision = notice.decision
            return replace(notice, decision=self._decision(decision, self._ours) if decision is not None else None)
        if isinstance(
            notice,
            n.JobCompleted
            | ResourceStateChanged
            | HostsPStateChanged
            | HostsTurnedOnOff
            | HostsBecameAvailable
            | HostsBecameUnavailable,
        ):
            return replace(notice, hosts=self._translated(notice.hosts, self._ours))
        return notice

    def _begins(self, notice: n.SimulationBegins) -> n.SimulationBegins:
        platform = notice.platform
        hosts, storages = (sorted(some, key=lambda h: h.id) for some in (platform.hosts, platform.storages))
        numbers = [host.id for host in (*hosts, *storages)]
        if len(set(numbers)) < len(numbers):
            raise ProtocolError("SIMULATION_BEGINS gives two hosts the same id")
        self.plain = numbers == [*range(len(numbers))]
        self._theirs = dict(enumerate(numbers))
        self._ours = {theirs: ours for ours, theirs in self._theirs.items()}

        def counted(some: list[Host]) -> tuple[Host, ...]:
            return tuple(replace(host, id=self._ours[host.id]) for host in some)

        if self.plain:
            return notice
        return replace(notice, platform=replace(platform, hosts=counted(hosts), storages=counted(storages)))

    def decision(self, decision: d.Decision) -> d.Decision:
        """A decision with the simulator's numbers."""
        return decision if self.plain else self._decision(decision, self._theirs)

    def _decision(self, decision: d.Decision, numbers: Mapping[int, int]) -> d.Decision:
        if isinstance(decision, d.ExecuteJob):
            io = decision.additional_io
            return replace(
                decision,
                hosts=self._translated(decision.hosts, numbers),
                storages={label: self._number(number, numbers) for label, number in decision.storages.items()},
                profile_placements={
                    name: replace(placed, hosts=self._translated(placed.hosts, numbers))
                    for name, placed in decision.profile_placements.items()
                },
                additional_io=None if io is None else replace(io, hosts=self._translated(io.hosts, numbers)),
            )
        if isinstance(decision, d.SetResourceState | d.ChangeHostsPState | d.TurnOnOffHosts):
            return replace(decision, hosts=self._translated(decision.hosts, numbers))
        if isinstance(decision, d.CreateProbe):
            resources = replace(decision.resources, hosts=self._translated(decision.resources.hosts, numbers))
            return replace(decision, resources=resources)
        return decision

    def _translated(self, hosts: HostSet, numbers: Mapping[int, int]) -> HostSet:
        return HostSet(self._number(host, numbers) for host in hosts)

    def _number(self, host: int, numbers: Mapping[int, int]) -> int:
        known = numbers.get(host)
        if known is None:
            raise ProtocolError(f"there is no host {host} in SIMULATION_BEGINS")
        return known
