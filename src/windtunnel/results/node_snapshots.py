"""Snapshots of all machines while a run goes on: one file of SSS nodes every so many seconds."""

import os
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.entities.sss_host import host_node, nodes_of
from windtunnel.entities.sss_node import nodes_xml
from windtunnel.model import HostSet, JobRecord, Platform, Workload
from windtunnel.results.files import write_whole
from windtunnel.results.lease_shares import shares_of
from windtunnel.results.node_use import StateChange, Stay, use_at
from windtunnel.results.run_nodes import machine_state
from windtunnel.vocabulary import HostsBecameAvailable, HostsBecameUnavailable, Notice, Observer

__all__ = ["NodeSnapshots"]


MOST: Final = 100_000
"""More files than these are not written."""

_ELSEWHERE: Final = "write to another directory, or move it away"


def _too_many(every: float, until: float) -> str:
    return f"nodes every {every:g} s until {until:g} s: more than {MOST:,} files are not written"


class NodeSnapshots(Observer):
    """Writes ``<folder>/nodes-<seconds>.xml`` at 0, ``every``, 2 ``every``... seconds of simulated time.

    A snapshot shows the site after everything that happened at its instant.

    Raises:
        UsageError: there is no time between them; before the run, that the folder is none, or that of another run, or
            that there would be more than :data:`MOST` up to the last submission.
        SimulationError: there would be more than :data:`MOST` (raised while the run goes on).
    """

    def __init__(self, folder: Path, every: float) -> None:
        if not every > 0:
            raise UsageError(f"the interval between snapshots must be positive, not {every:g} s")
        self.folder = folder
        self.every = every
        self._count = 0
        self._platform = Platform(name="", hosts=())
        self._running: dict[str, Stay] = {}
        self._states: dict[int, str] = {}

    def on_prepared(self, platform: Platform, workloads: Sequence[Workload], until: float) -> None:  # noqa: ARG002 -- of the base
        """Refuse what would only be seen once the files of an earlier run are gone."""
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is no folder: snapshots of nodes cannot be written there", _ELSEWHERE)
        if (self.folder / "run.json").exists():
            raise UsageError(f"{self.folder} is the folder of a run: no snapshots of nodes are put there", _ELSEWHERE)
        last = [workload[len(workload) - 1] for workload in workloads if len(workload)]
        # Jobs that wait for others may be submitted earlier than their log says.
        seen = min(until, max((job.submission_time for job in last if not job.dependencies), default=0.0))
        if seen / self.every > MOST:
            raise UsageError(
                _too_many(self.every, seen), f"snapshots every {ceil(seen / MOST):,} s or more are few enough"
            )

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- of the base
        """Remember the machines."""
        self._platform = platform
        self.folder.mkdir(parents=True, exist_ok=True)

    def _until(self, now: float, *, included: bool = False) -> None:
        """Write all snapshots that are due before ``now``: nothing can change them any more."""
        if now / self.every > MOST:
            if self._count >= 0:
                self._count = -1  # it is said once
                raise SimulationError(_too_many(self.every, now))
            return
        while (date := self._count * self.every) < now or (included and date == now):
            hosts = self._platform.hosts
            changes = [StateChange(date, HostSet((host,)), state) for host, state in self._states.items()]
            uses = use_at(hosts, self._running.values(), changes, date)
            text = "".join(nodes_xml(map(host_node, hosts, uses, nodes_of(self._platform.site, hosts))))
            write_whole(self.folder / f"nodes-{date:.15g}.xml", text.encode())
            self._count += 1

    def on_job_started(self, now: float, record: JobRecord) -> None:
        """A job is there."""
        self._until(now)
        self._running[record.job.id] = Stay(record.hosts, now, float("inf"), shares_of(record))

    on_job_resumed = on_job_started

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:  # noqa: ARG002 -- the record has it
        """A job is elsewhere."""
        self.on_job_started(now, record)

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """A job has left."""
        self._until(now)
        self._running.pop(record.job.id, None)

    on_job_suspended = on_job_ended

    def on_external(self, now: float, notice: Notice) -> None:
        """A machine has another state."""
        self._until(now)
        if isinstance(notice, HostsBecameAvailable | HostsBecameUnavailable):
            kind = "available" if isinstance(notice, HostsBecameAvailable) else "unavailable"
            self._states |= dict.fromkeys(notice.hosts, machine_state(kind, notice.cause))

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:  # noqa: ARG002 -- of the base
        """Write those that are left."""
        self._until(now, included=True)
