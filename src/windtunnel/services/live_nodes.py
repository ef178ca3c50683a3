"""The machines of a running simulation as SSS nodes, and changes of their states: for a node server beside it.

Give :meth:`LiveNodes.nodes` and, if clients may change things, :meth:`LiveNodes.control` to a
:class:`~windtunnel.services.nodes.NodeServer` (with ``dated=False``: the past is not kept). Between two rounds of the
simulation the answers are exact; a server in another thread needs the simulation to stand still (paused or paced).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from windtunnel.api import Simulation
from windtunnel.entities.sss_host import host_node, nodes_of
from windtunnel.entities.sss_node import SssNode
from windtunnel.model import ExternalEvent, HostSet, JobRecord, Platform, Workload
from windtunnel.results.lease_shares import shares_of
from windtunnel.results.node_use import StateChange, Stay, use_at
from windtunnel.results.run_nodes import machine_state
from windtunnel.vocabulary import HostsBecameAvailable, HostsBecameUnavailable, Notice, Observer

__all__ = ["LiveNodes"]

_STATES: Final = {"Idle": "ACTIVE", "Busy": "ACTIVE", "Configured": "ACTIVE", "Offline": "HALT"}
"""What a client may set, and the machine state that follows. Machine states themselves are taken too."""
_MACHINE_STATES: Final = ("ACTIVE", "HALT", "MAINTENANCE", "FAILURE")


class LiveNodes(Observer):
    """Sees a simulation; make it before, give it as an observer, and :meth:`attach` it for control."""

    def __init__(self) -> None:
        self._platform = Platform(name="", hosts=())
        self._running: dict[str, Stay] = {}
        self._states: dict[int, str] = {}
        self._simulation: Simulation | None = None

    def attach(self, simulation: Simulation) -> None:
        """The simulation whose machines :meth:`control` changes."""
        self._simulation = simulation

    def nodes(self, time: float | None = None) -> Sequence[SssNode]:
        """All machines as they are now; the past is not kept, so ``time`` is passed over."""
        del time
        changes = [StateChange(0.0, HostSet([host]), state) for host, state in self._states.items()]
        hosts = self._platform.hosts
        return [
            host_node(host, use, given)
            for host, use, given in zip(
                hosts,
                use_at(hosts, self._running.values(), changes, 0.0),
                nodes_of(self._platform.site, hosts),
                strict=True,
            )
        ]

    def control(self, ids: Sequence[str], state: str) -> None:
        """Give machines a state, at the present date of the simulation.

        Raises:
            ValueError: there is no such state, or the simulation is over.
        """
        wanted = state if state in _MACHINE_STATES else _STATES.get(state, "")
        if not wanted:
            raise ValueError(f"unknown state {state!r}; known: {', '.join((*_STATES, *_MACHINE_STATES))}")
        if self._simulation is None or self._simulation.over:
            raise ValueError("no simulation is running")
        numbers = {host.name: host.id for host in self._platform.hosts}
        facts = {"state": wanted, "cause": "set by a client"}
        hosts = HostSet(numbers[name] for name in ids)
        now = self._simulation.now
        self._simulation.inject(ExternalEvent(timestamp=now, kind="machine_state", hosts=hosts, attributes=facts))

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:  # noqa: ARG002 -- of the base
        """Remember the machines."""
        self._platform = platform
        self._running.clear()
        self._states.clear()

    def on_job_started(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- only what is now counts
        """A job is there."""
        self._running[record.job.id] = Stay(record.hosts, 0.0, float("inf"), shares_of(record))

    on_job_resumed = on_job_started

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:  # noqa: ARG002 -- the record has it
        """A job is elsewhere."""
        self.on_job_started(now, record)

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- only what is now counts
        """A job has left."""
        self._running.pop(record.job.id, None)

    on_job_suspended = on_job_ended

    def on_external(self, now: float, notice: Notice) -> None:  # noqa: ARG002 -- only what is now counts
        """A machine has another state."""
        if isinstance(notice, HostsBecameAvailable | HostsBecameUnavailable):
            kind = "available" if isinstance(notice, HostsBecameAvailable) else "unavailable"
            self._states |= dict.fromkeys(notice.hosts, machine_state(kind, notice.cause))

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:  # noqa: ARG002 -- of the base
        """Nothing is running any more."""
        self._running.clear()
