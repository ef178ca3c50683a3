"""The compute hosts: which are free, and how jobs take them and leave them.

Where hosts run one job at a time nothing here walks over hosts one by one.
"""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.state.host_states import HostState, HostStates
from windtunnel.engine.state.last_changes import MANY
from windtunnel.engine.state.shared_hosts import Amounts, Shares
from windtunnel.model import Host, HostSet, Platform
from windtunnel.model.demands import described_by

__all__ = ["HostTable"]

_IDLE: Final = HostState.IDLE
_COMPUTING: Final = HostState.COMPUTING


@mypyc_attr(allow_interpreted_subclasses=True)
class HostTable(HostStates):
    """The compute hosts, their states, and the jobs on them: each whole, several on a host, or by amounts."""

    def __init__(self, platform: Platform, *, sharing: bool) -> None:
        super().__init__(platform, sharing=sharing)
        self.crowded: dict[int, int] = {}
        """With sharing: how many jobs run on each host that has several."""
        self.shares = Shares()
        """What is taken of hosts that jobs share by amounts; such hosts are not in ``free``."""
        self._described: frozenset[str] | None = None
        self._kinds: list[tuple[HostSet, Host]] | None = None

    def kinds(self, hosts: Sequence[Host]) -> list[tuple[HostSet, Host]]:
        """The compute hosts in groups with equal cores and resources, and one host of each."""
        if self._kinds is None:
            groups: dict[tuple[object, ...], list[int]] = {}
            for host in hosts:
                groups.setdefault((host.cores, *host.resources.items()), []).append(host.id)
            self._kinds = [(HostSet(group), hosts[group[0]]) for group in groups.values()]
        return self._kinds

    def described(self, hosts: Sequence[Host]) -> frozenset[str]:
        """The resources that the site describes: what it says nothing of, no host has to give."""
        if self._described is None:
            self._described = described_by(hosts)
        return self._described

    def occupy(self, hosts: HostSet, now: float) -> bool:
        """A job starts on these hosts, if all can be given to it; whether it does."""
        if not self.sharing:
            if not self.free.claim(hosts):
                return False
        elif not self.free.covers(hosts):
            return False
        elif not self.without_jobs.claim(hosts):
            self._join(hosts, now)
            return True
        size = hosts.size
        counts = self.counts
        counts[3] = counts[3] - size  # compiled, augmented assignments to items are left to Python
        counts[4] = counts[4] + size
        changes = self.changes
        changes.hosts.append(hosts)
        changes.when.append(now)
        return True

    def _join(self, hosts: HostSet, now: float) -> None:
        """A job comes to hosts of which some have jobs."""
        fresh = []
        without_jobs = self.without_jobs.frozen()
        for host in hosts:
            if host in without_jobs:
                self._leave(host, _IDLE, now)
                fresh.append(host)
            else:
                self.touched.add(host)
                self.crowded[host] = self.crowded.get(host, 1) + 1
        self.without_jobs -= HostSet(fresh)
        self.counts[3] -= len(fresh)
        self.counts[4] += len(fresh)

    def release(self, hosts: HostSet, start: float, now: float) -> None:
        """A job that had these hosts since ``start`` leaves them."""
        if self.touched:
            self._release_one_by_one(hosts, now)
            return
        size = hosts.size
        counts = self.counts
        counts[3] = counts[3] + size
        counts[4] = counts[4] - size
        times = self.times
        times[4] = times[4] + (now - start) * size
        if self.sharing:
            self.without_jobs.add(hosts)
        else:
            self.free.put_back(hosts)
        changes = self.changes
        changes.hosts.append(hosts)
        changes.when.append(now)
        if len(changes.when) > MANY:
            changes.settle()

    def set_aside(self, hosts: HostSet) -> None:
        """Free hosts are kept for a job that will get them later."""
        self.free -= hosts
        self.reserved |= hosts

    def give_back(self, hosts: HostSet) -> None:
        """Hosts are no longer kept for a job; those that can compute jobs are free."""
        self.reserved -= hosts
        self.free |= HostSet(host for host in hosts if host not in self.special)

    def occupy_shares(self, hosts: HostSet, amounts: Amounts, now: float) -> None:
        """A job takes amounts, which were checked, of these hosts."""
        if self.sharing:
            self.shares.take(hosts, amounts)
            self.occupy(hosts, now)
            return
        fresh = self.shares.take(hosts, amounts)
        if fresh:
            self.free -= fresh
            self.counts[3] -= len(fresh)
            self.counts[4] += len(fresh)
            self.changes.note(fresh, now)

    def release_shares(self, hosts: HostSet, amounts: Amounts, start: float, now: float) -> None:
        """A job that had amounts of these hosts since ``start`` gives them back."""
        alone, others = self.shares.give_back_apart(hosts, amounts)
        whole = alone | others if others else alone
        if self.sharing or self.touched or self.special:
            self._release_one_by_one(hosts if self.sharing else whole, now)
            return
        if not whole:
            return
        spent = self.times[4] + alone.size * (now - start)
        if others:
            last_change = self.changes.dates()
            for first, last in others.runs:
                for since in last_change[first : last + 1]:
                    spent += now - since
        self.times[4] = spent
        self.changes.note(whole, now)
        size = whole.size
        self.counts[3] += size
        self.counts[4] -= size
        self.free.add(whole)

    def _release_one_by_one(self, hosts: HostSet, now: float) -> None:
        left = []
        freed = []
        for host in hosts:
            jobs = self.crowded.pop(host, 1) - 1
            if jobs:
                if jobs > 1:
                    self.crowded[host] = jobs
                continue
            left.append(host)
            self.touched.discard(host)
            if self.special.get(host) is None:
                self._leave(host, _COMPUTING, now)
                self.counts[3] += 1
                self.counts[4] -= 1
                freed.append(host)
        if self.sharing:
            self.without_jobs |= HostSet(left)
        else:
            self.free |= HostSet(freed)
