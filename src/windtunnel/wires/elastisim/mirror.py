"""What an algorithm behind ElastiSim's wire is told of jobs and nodes, and what of it has changed since."""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from windtunnel.model import Host, Job
from windtunnel.model.application import Elasticity, ElasticProfile
from windtunnel.wires.elastisim.codes import NodeState, State

__all__ = ["JobEntry", "NodeEntry", "NodeListener", "SiteMirror"]

NodeListener = Callable[[float, "Sequence[NodeEntry]"], None]
"""Hears of a date, and the nodes to which a job has come or which it has left."""


class JobEntry:
    """One job, as it is told."""

    def __init__(self, number: int, job: Job, submitted: float, grace: float) -> None:
        profile = job.profile
        self.number = number
        self.job = job
        self.profile = profile if isinstance(profile, ElasticProfile) else None
        self.kind = self.profile.elasticity if self.profile is not None else Elasticity.RIGID
        self.least = self.profile.least if self.profile is not None else job.request.hosts
        self.most = self.profile.most if self.profile is not None else job.request.hosts
        self.state = State.PENDING
        self.walltime = 0.0 if job.walltime == inf else max(0.0, job.walltime - grace)
        self.submitted = submitted
        self.start = self.end = -1.0
        self.ranks: list[int] = []
        """The nodes that it runs on."""
        self.target: list[int] | None = None
        """The nodes that it is to run on."""
        self.gpus = self.profile.gpus_least if self.profile is not None else 0
        self.gpus_told = 0
        self.runtime: dict[str, str] = {}
        self.total = 1
        """Iterations of all its phases."""
        self.phases_done = 0
        self.expects = False
        """Nodes may expect it."""
        self.stopped = False
        """It stands still."""

    @property
    def assigned(self) -> list[int]:
        """The nodes that it has, or is to have."""
        return self.ranks if self.target is None else self.target

    def told(self) -> dict[str, Any]:
        """Its entry in a message, keys in order."""
        profile, end, start, submitted = self.profile, self.end, self.start, self.submitted
        over, gpus = end >= 0.0, 0 if profile is None else profile.gpus_most
        entry: dict[str, Any] = {}
        if profile is not None and profile.arguments:
            entry["arguments"] = dict(sorted(profile.arguments.items()))
        entry["assigned_nodes"] = [*self.assigned]
        entry["assigned_num_gpus_per_node"] = self.gpus_told
        if profile is not None and profile.attributes:
            entry["attributes"] = dict(sorted(profile.attributes.items()))
        entry["completed_phases"] = self.phases_done
        entry["end_time"] = end
        entry["id"] = self.number
        entry["makespan"] = end - start if over else -1.0
        if self.kind is Elasticity.RIGID:
            entry["num_gpus_per_node"] = gpus
            entry["num_nodes"] = self.least
        else:
            entry["num_gpus_per_node_max"] = gpus
            entry["num_gpus_per_node_min"] = 0 if profile is None else profile.gpus_least
            entry["num_nodes_max"] = self.most
            entry["num_nodes_min"] = self.least
        if self.runtime:
            entry["runtime_arguments"] = dict(sorted(self.runtime.items()))
        entry["start_time"] = start
        entry["state"] = int(self.state)
        entry["submit_time"] = submitted
        entry["total_phase_count"] = self.total
        entry["turnaround_time"] = end - submitted if over else -1.0
        entry["type"] = int(self.kind)
        entry["wait_time"] = start - submitted if start >= 0.0 else -1.0
        entry["walltime"] = self.walltime
        return entry


class NodeEntry:
    """One node, as it is told."""

    def __init__(self, host: Host) -> None:
        resources = host.resources
        self.number = number = host.id
        kind = 0 if "bb_read_bw" not in resources else 2 if "wide_striping" in resources else 1
        self.gpus = [False] * int(resources.get("gpus", 0.0))
        self.running: dict[int, None] = {}
        self.listed = ""
        """The jobs that it runs, with commas between them."""
        self._free = f'{{"assigned_jobs":[],"gpus":[],"id":{number},"state":0,"type":{kind}}}'
        self._allocated = f'],"gpus":[],"id":{number},"state":1,"type":{kind}}}'
        self._rest = f'"id":{number},"state":%d,"type":{kind}}}'
        self.expected: dict[int, None] = {}
        self.freed_while_expected = False

    @property
    def state(self) -> NodeState:
        """Free, allocated or reserved."""
        if self.running:
            return NodeState.ALLOCATED
        if self.expected and not self.freed_while_expected:
            return NodeState.RESERVED
        return NodeState.FREE

    def told(self) -> str:
        """Its entry in a message: JSON, made from what does not change of it."""
        if not self.gpus:
            if self.running:
                return f'{{"assigned_jobs":[{self.listed}{self._allocated}'
            if not self.expected:
                return self._free
        gpus = ",".join([f'{{"id":{rank},"state":{int(busy)}}}' for rank, busy in enumerate(self.gpus)])
        return f'{{"assigned_jobs":[{self.listed}],"gpus":[{gpus}],{self._rest % self.state}'


class SiteMirror:
    """All jobs by number, all nodes, and which have changed since the algorithm was called last."""

    def __init__(self, hosts: Sequence[Host], changed: "NodeListener | None" = None) -> None:
        self.changed = changed
        self.nodes = [NodeEntry(host) for host in hosts]
        self.jobs: list[JobEntry] = []
        self.by_id: dict[str, JobEntry] = {}
        self.changed_jobs: dict[int, None] = {}
        self.changed_nodes: dict[int, None] = dict.fromkeys(range(len(self.nodes)))

    def touch(self, entry: JobEntry) -> None:
        """A job has changed."""
        self.changed_jobs[entry.number] = None

    def run_on(self, now: float, entry: JobEntry, nodes: Iterable[int]) -> None:
        """A job runs on nodes from now on."""
        job, known, changed = entry.number, self.nodes, self.changed_nodes
        shown = str(job)
        taken = []
        for number in nodes:
            node = known[number]
            running = node.running
            if job not in running:
                node.listed = f"{node.listed},{shown}" if running else shown
                running[job] = None
                taken.append(node)
            if node.expected:
                node.expected.pop(job, None)
            changed[number] = None
        if taken and self.changed is not None:
            self.changed(now, taken)

    def leave(self, now: float, entry: JobEntry, nodes: Iterable[int]) -> None:
        """A job has left nodes: these are free, whoever is expected there."""
        job, known, changed = entry.number, self.nodes, self.changed_nodes
        left = []
        for number in nodes:
            node = known[number]
            running = node.running
            if job not in running:
                continue
            del running[job]
            node.listed = ",".join(map(str, running)) if running else ""
            node.freed_while_expected = not running and bool(node.expected)
            changed[number] = None
            left.append(node)
        if left and self.changed is not None:
            self.changed(now, left)

    def expect(self, entry: JobEntry, nodes: Iterable[int]) -> None:
        """Nodes expect a job."""
        entry.expects = True
        for number in nodes:
            node = self.nodes[number]
            node.expected[entry.number] = None
            node.freed_while_expected = False
            self.changed_nodes[number] = None

    def unexpect(self, entry: JobEntry, nodes: Iterable[int]) -> None:
        """They no longer do."""
        if not entry.expects:
            return
        for number in nodes:
            node = self.nodes[number]
            if entry.number in node.expected:
                del node.expected[entry.number]
                self.changed_nodes[number] = None

    def taken(self) -> tuple[list[dict[str, Any]], list[str]]:
        """The entries of all that has changed, those of nodes as JSON; from now on nothing has."""
        jobs = [self.jobs[number].told() for number in self.changed_jobs]
        nodes = [self.nodes[number].told() for number in self.changed_nodes]
        self.changed_jobs, self.changed_nodes = {}, {}
        return jobs, nodes
