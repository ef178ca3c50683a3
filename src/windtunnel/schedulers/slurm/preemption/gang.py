"""Gang scheduling: of jobs that have the same cores some run, the others are suspended until it is their turn (§9).

Whoever has the higher tier runs. Each partition has a list of its own, and jobs of another with the same tier are
not in its way. With each time slice those whose turn it was go to the end of the list, and those that are first then
run, with all others that fit beside them. Between slices whoever runs goes on, and others fill what becomes free: it
is not their turn for that.
"""

from collections.abc import Container, Mapping
from math import floor, inf
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet, Job
from windtunnel.schedulers.slurm.jobs.amounts import Takings
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.state import State
from windtunnel.vocabulary import Decision, ResumeJob, SuspendJob

__all__ = ["Gang"]

_WAITS: Final = 0
_FILLS: Final = 1
"""A job that fills what those whose turn it is leave."""
_IN_TURN: Final = 2


@mypyc_attr(allow_interpreted_subclasses=True)
class Gang:
    """The jobs that take turns; all of them hold what they were given."""

    def __init__(self, state: State, jobs: Mapping[str, Job], takings: Takings, ended: Container[str]) -> None:
        self.state = state
        self.ended = ended
        """Jobs that have been ended in this instant, and that are still among those that run."""
        self.jobs = jobs
        """Jobs that wait or run, by id: the component's."""
        self.takings = takings
        self.acts = state.cluster.holds_on or not {"GANG", "SUSPEND"}.isdisjoint(state.site.preempt.mode)
        self.slice = max(1, state.site.preempt.time_slice)
        """Seconds."""
        self.suspended: dict[str, float] = {}
        """Jobs that wait for their turn, and since when."""
        self._order: list[str] = []
        self._turned = -inf
        self._rows: dict[str, int] = {}
        """What each job does."""
        self._begins = False
        """Whether a slice begins."""

    @property
    def due(self) -> float:
        """When the next time slice begins, if anybody waits for it."""
        return self._turned + self.slice if self.suspended else inf

    def forget(self, key: str) -> None:
        """A job has ended."""
        self.suspended.pop(key, None)

    def turn(self, now: float) -> None:
        """A new time slice, if it is time."""
        if self.suspended and now < self.due:
            return
        self._begins = bool(self.suspended)
        self._turned = float(floor(now / self.slice) * self.slice)

    def settle(self, now: float) -> tuple[list[str], list[str]]:
        """Who is to be suspended, and who to go on, after jobs started or ended or a slice has begun."""
        groups = self._groups()
        known = [key for key in self._order if key in groups]
        self._order = known + [key for key in groups if key not in set(known)]
        active = self._active(groups)
        stopped = [key for key in groups if key not in active and key not in self.suspended]
        going = [key for key in self.suspended if key in active]
        for key in stopped:
            self._stop(now, key, groups[key])
        return stopped, going

    def go_on(self, now: float, keys: list[str], decisions: list[Decision]) -> None:
        """Suspended jobs go on with what they have; their limits are counted on from here."""
        groups = self._groups()
        for key in keys:
            parts = groups[key]
            waited = round(now - self.suspended.pop(key))
            for one in parts:
                self.state.put_off(one.id, waited)
            hosts = HostSet.of_bits(union(one.holding.nodes for one in parts))
            amounts = self.takings.of([one.holding for one in parts], self.jobs[key], hosts)
            decisions.append(ResumeJob(job_id=key, hosts=hosts, amounts=amounts))

    @staticmethod
    def suspend(keys: list[str], decisions: list[Decision]) -> None:
        """These jobs stop where they are."""
        decisions += [SuspendJob(job_id=key) for key in keys]

    def _stop(self, now: float, key: str, parts: list[RunningJob]) -> None:
        self.suspended[key] = now
        for one in parts:
            self.takings.give_back(one.id)

    def _groups(self) -> dict[str, list[RunningJob]]:
        """The jobs that have started and take turns: heterogeneous ones run whoever else has their cores."""
        found: dict[str, list[RunningJob]] = {}
        for one in self.state.running.values():
            if one.pending.het is None and one.pending.whole not in self.ended:
                found.setdefault(one.pending.whole, []).append(one)
        return found

    def _active(self, groups: Mapping[str, list[RunningJob]]) -> set[str]:
        """Who runs, in order of tiers: of each partition every job whose cores no job before it has."""
        lists: dict[str, list[str]] = {}
        for key in self._order:
            lists.setdefault(groups[key][0].record.table.name, []).append(key)
        tiers = {name: _tier(groups[keys[0]]) for name, keys in lists.items()}
        ran: list[tuple[int, str]] = []
        rows = self._rows
        self._rows = {}
        self._order = []
        for name in sorted(lists, key=lambda name: -tiers[name]):
            keys = lists[name]
            begins = self._begins and any(key in self.suspended for key in keys)
            if begins:
                keys.sort(key=lambda key: rows.get(key) == _IN_TURN)  # their turn is over
            self._order += keys
            taken: dict[int, int] = {}
            for tier, other in ran:
                if tier > tiers[name]:
                    _take(taken, groups[other])
            for key in keys if begins else sorted(keys, key=lambda key: -rows.get(key, _WAITS)):
                if not _fits(taken, groups[key]):
                    continue
                _take(taken, groups[key])
                ran.append((tiers[name], key))
                self._rows[key] = _IN_TURN if begins else max(_FILLS, rows.get(key, _WAITS))
        self._begins = False
        return set(self._rows)


def _fits(taken: Mapping[int, int], parts: list[RunningJob]) -> bool:
    """Whether nobody has any core of a job."""
    return not any(taken.get(node, 0) & own for one in parts for node, own in one.holding.cores.items())


def _take(taken: dict[int, int], parts: list[RunningJob]) -> None:
    for one in parts:
        for node, own in one.holding.cores.items():
            taken[node] = taken.get(node, 0) | own


def _tier(parts: list[RunningJob]) -> int:
    return min(one.record.table.partition.priority_tier for one in parts)
