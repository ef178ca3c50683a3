"""The advance reservations of a Slurm site as ``run.json`` has them: in simulated time, by numbers of hosts."""

from collections.abc import Sequence
from typing import Final

from windtunnel.model import HostSet, Platform, Workload
from windtunnel.model.abilities import start_date_of
from windtunnel.results.state import ReservedHosts

__all__ = ["reserved"]

_PERIODS: Final = {"HOURLY": 3600.0, "DAILY": 86400.0, "WEEKLY": 7 * 86400.0}


def reserved(platform: Platform, workloads: Sequence[Workload]) -> list[ReservedHosts]:
    """The reservations of a platform that name hosts of it; none if it is not a Slurm site.

    Their calendar is that of the workloads, as for the scheduler that keeps them.
    """
    if platform.site is None:
        return []
    from windtunnel.model.slurm import SlurmSite  # plain runs load nothing of Slurm

    if not isinstance(platform.site, SlurmSite):
        return []
    zero = int(min((date for one in workloads if (date := start_date_of(one)) is not None), default=0.0))
    numbers = {host.name: host.id for host in platform.hosts}
    found = []
    for one in platform.site.reservations:
        hosts = HostSet([numbers[name] for name in one.nodes if name in numbers])
        if hosts:
            every = next((_PERIODS[flag] for flag in one.flags if flag in _PERIODS), 0.0)
            start, end = float(one.start - zero), float(one.end - zero)
            found.append(ReservedHosts(name=one.name, start=start, end=end, hosts=str(hosts), every=every))
    return found
