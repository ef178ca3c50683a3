"""A scheduler of ours behind ElastiSim's wire: it drives an ElastiSim.

Each message becomes notices, and the decisions an answer. What would end ElastiSim is refused before it is said. The
wire tells no names, speeds or applications, and knows no powers, probes, suspensions and registrations.
"""

from collections.abc import Sequence
from math import inf

import msgspec

from windtunnel.diagnostics import DecisionError, ProtocolError, UsageError
from windtunnel.model import HostSet, Job, JobState, Platform
from windtunnel.model.application import ElasticProfile
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.component import Component
from windtunnel.vocabulary.probes import OneShot, TimeUnit
from windtunnel.wires.elastisim.codes import FINALIZE, SCHEDULED, Call, State
from windtunnel.wires.elastisim.invocations import Invocation, JobTold, job_of, parse_invocation
from windtunnel.wires.elastisim.pair import Pair

__all__ = ["ElastisimScheduler", "serve"]


class Known:
    """What is known of a job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.hosts: list[int] = []
        self.target: list[int] | None = None
        self.start = -1.0
        self.running = self.over = False


class ElastisimScheduler:
    """Answers ElastiSim's messages with the decisions of a component; ``platform`` tells what the wire does not."""

    def __init__(self, component: Component, platform: Platform | None = None) -> None:
        self.component = component
        self.platform = platform
        self.jobs: list[Known] = []
        self.holders: dict[int, Known] = {}
        """Who has, or is to have, nodes: running jobs by number."""
        self.begun = self.over = False
        self.later: list[n.Notice] = []
        """To be told with the next message."""
        self.calls: list[tuple[float, str]] = []
        """Calls asked for; they are made when ElastiSim calls next."""
        self.kept_waiting: list[str] = []
        """Rejected jobs with a walltime, which ElastiSim cannot take back."""
        self.now = 0.0

    def answer(self, data: bytes) -> bytes | None:
        """The answer to a message; None to the last one.

        Raises:
            ProtocolError: it is not a message of ElastiSim.
            DecisionError: the component decided what would end ElastiSim.
            UsageError: it decided what ElastiSim does not know.
        """
        nodes = 0 if self.platform is None or not self.begun else len(self.platform.hosts)
        message = parse_invocation(data, len(self.jobs), nodes)
        if self.over:
            raise ProtocolError("a message after the last one")
        if message.code == FINALIZE:
            self.over = True
            if self.begun:
                self.component.decide(self.now, [n.SimulationEnds(self.now)])
            self.component.stop()
            return None
        if not message.time >= self.now or message.time == inf:
            raise ProtocolError(f"a message for {message.time} s, after one for {self.now} s")
        self.now = message.time
        if not self.begun:
            self._begin(message)
        entries: dict[int, dict[str, object]] = {}
        notices = self._notices(message)
        stopped = self.jobs[message.job_id] if message.invocation_type in (Call.POINT, Call.REQUEST) else None
        if notices:
            for decision in self.component.decide(self.now, notices).decisions:
                self._decide(decision, stopped, entries)
        return msgspec.json.encode({"code": SCHEDULED, "jobs": [*entries.values()]})

    def _begin(self, message: Invocation) -> None:
        self.begun = True
        hosts = len({node.id for node in message.nodes})
        if self.platform is None:
            self.platform = Platform.uniform(hosts, name="elastisim")
        elif len(self.platform.hosts) != hosts:
            raise ProtocolError(f"{hosts} nodes were announced, but the platform has {len(self.platform.hosts)}")
        self.component.hello()
        begins = self.component.decide(0.0, [n.SimulationBegins(0.0, self.platform)])
        for decision in begins.decisions:
            self._decide(decision, None, {})

    # -- what happened ------------------------------------------------------------------------------------------

    def _notices(self, message: Invocation) -> list[n.Notice]:
        found, self.later = self.later, []
        submitted: list[n.Notice] = []
        for told in message.jobs:
            if told.id == len(self.jobs):
                job = job_of(told)
                self.jobs.append(Known(job))
                submitted.append(n.JobSubmitted(self.now, job, told.submit_time, job.profile))
            else:
                found += self._changed(self.jobs[told.id], told)
        due = [call for call in self.calls if call[0] <= self.now + 1e-9]
        self.calls = [call for call in self.calls if call not in due]
        found += [n.RequestedCall(self.now, call_id) for _, call_id in due]
        found += submitted
        if message.invocation_type in (Call.POINT, Call.REQUEST):
            known = self.jobs[message.job_id]
            if not known.running:
                raise ProtocolError(f"job {message.job_id} stands still, and does not run")
            done = next((told.completed_phases for told in message.jobs if told.id == message.job_id), 0)
            hosts = tuple(known.hosts)
            if message.invocation_type == Call.POINT:
                found.append(n.SchedulingPointReached(self.now, known.job, hosts, done))
            else:
                found.append(n.HostsRequested(self.now, known.job, hosts, message.evolving_request, done))
        return found

    def _changed(self, known: Known, told: JobTold) -> list[n.Notice]:
        """What has become of a job."""
        if known.over:
            return []
        if told.state in (State.COMPLETED, State.KILLED):
            completed = told.state == State.COMPLETED
            state = JobState.COMPLETED_SUCCESSFULLY if completed else JobState.COMPLETED_WALLTIME_REACHED
            return [self._end(known, state)]
        changed = told.state in (State.RUNNING, State.RECONFIGURING) and told.assigned_nodes == known.target
        return [self._reconfigured(known, awaited=True)] if changed else []

    def _end(self, known: Known, state: JobState) -> n.Notice:
        known.over, known.running = True, False
        self.holders.pop(int(known.job.name), None)
        return n.JobCompleted(self.now, known.job, state, 0, HostSet(known.hosts), known.start)

    def _reconfigured(self, known: Known, *, awaited: bool) -> n.Notice:
        assert known.target is not None
        released = HostSet(known.hosts) - HostSet(known.target)
        known.hosts, known.target = known.target, None
        return n.JobReconfigured(self.now, known.job, tuple(known.hosts), released, awaited)

    # -- what is decided ----------------------------------------------------------------------------------------

    def _decide(self, decision: d.Decision, stopped: Known | None, entries: dict[int, dict[str, object]]) -> None:
        if isinstance(decision, d.ExecuteJob):
            known = self._known(decision.job_id)
            if known.running or known.over:
                raise self._refused("state", f"job {decision.job_id!r} is not waiting")
            known.hosts = self._ranked(known, decision.hosts, decision.placement)
            self._check_free(known, known.hosts)
            known.running, known.start = True, self.now
            self.holders[int(known.job.name)] = known
            self._entry(entries, known)["assigned_node_ids"] = [*known.hosts]
        elif isinstance(decision, d.ResizeJob):
            self._resize(decision, stopped, entries)
        elif isinstance(decision, d.KillJobs):
            for job_id in decision.job_ids:
                known = self._known(job_id)
                if known.over:
                    continue
                if not known.running:
                    raise self._refused("state", f"job {job_id!r} does not run")
                self._entry(entries, known)["kill_flag"] = True
                self.later.append(self._end(known, JobState.COMPLETED_KILLED))
            self.later.append(n.JobsKilled(self.now, decision.job_ids, {}))
        elif isinstance(decision, d.RejectJob):
            known = self._known(decision.job_id)
            if known.running or known.over:
                raise self._refused("state", f"job {decision.job_id!r} is not waiting")
            if known.job.walltime < inf:  # killing it would end ElastiSim
                self.kept_waiting.append(decision.job_id)
            else:
                known.over = True
                self._entry(entries, known)["kill_flag"] = True
        elif isinstance(decision, d.SetJobArguments):
            known = self._known(decision.job_id)
            entry = self._entry(entries, known)
            entry["modified_runtime_args"] = True
            entry["runtime_arguments"] = dict(decision.arguments)
        elif isinstance(decision, d.CallMeLater) and isinstance(decision.when, OneShot):
            unit = 1000.0 if decision.when.time_unit is TimeUnit.Millisecond else 1.0
            self.calls.append((decision.when.time / unit, decision.call_me_later_id))
        elif isinstance(decision, d.StopCallMeLater):
            self.calls = [call for call in self.calls if call[1] != decision.call_me_later_id]
        else:
            hint = "this needs another protocol, or a scheduler in process"
            raise UsageError(f"ElastiSim has no {type(decision).__name__}", hint)

    def _resize(self, decision: d.ResizeJob, stopped: Known | None, entries: dict[int, dict[str, object]]) -> None:
        known = self._known(decision.job_id)
        profile = known.job.profile
        if not known.running:
            raise self._refused("state", f"job {decision.job_id!r} does not run")
        if not isinstance(profile, ElasticProfile) or not profile.resizable:
            raise self._refused("resize-kind", f"job {decision.job_id!r} cannot change its hosts while it runs")
        target = self._ranked(known, decision.hosts, decision.placement)
        self._check_free(known, target)
        self._entry(entries, known)["assigned_node_ids"] = target
        known.target = None if target == known.hosts else target
        if known is stopped and known.target is not None:
            self.later.append(self._reconfigured(known, awaited=False))

    def _ranked(self, known: Known, hosts: HostSet, placement: object) -> list[int]:
        """The nodes of the ranks, if there may be so many."""
        ranked = [*hosts]
        if isinstance(placement, tuple):
            if not all(0 <= rank < len(ranked) for rank in placement):
                raise self._refused("mapping", f"job {known.job.id!r}: ranks {placement} of {len(ranked)} hosts")
            ranked = [ranked[rank] for rank in placement]
        profile = known.job.profile
        assert isinstance(profile, ElasticProfile)
        if not profile.least <= len(ranked) <= profile.most:
            limits = f"{profile.least} to {profile.most}"
            raise self._refused("resize-range", f"job {known.job.id!r} takes {limits} hosts, not {len(ranked)}")
        return ranked

    def _check_free(self, known: Known, hosts: Sequence[int]) -> None:
        """Whether nobody else has, or is to have, one of the nodes."""
        assert self.platform is not None
        wanted = {*hosts} - {*known.hosts} if known.running else {*hosts}
        if beyond := [host for host in wanted if not 0 <= host < len(self.platform.hosts)]:
            raise self._refused("unknown-host", f"there are no nodes {beyond}")
        for other in self.holders.values():
            if other is not known and wanted & {*other.hosts, *(other.target or ())}:
                raise self._refused(
                    "host-busy", f"{other.job.id!r} has, or is to have, one of the nodes {sorted(wanted)}"
                )

    def _known(self, job_id: str) -> Known:
        name = job_id.rpartition("!")[2]
        if name.isascii() and name.isdigit() and len(name) < 10 and int(name) < len(self.jobs):
            return self.jobs[int(name)]
        raise self._refused("unknown-job", f"there is no job {job_id!r}")

    def _refused(self, rule: str, reason: str) -> DecisionError:
        return DecisionError(reason, rule=rule, now=self.now)

    def _entry(self, entries: dict[int, dict[str, object]], known: Known) -> dict[str, object]:
        """What is said of a job: all members, as ElastiSim needs them."""
        number = int(known.job.name)
        profile = known.job.profile
        gpus = profile.gpus_least if isinstance(profile, ElasticProfile) else 0
        hosts = known.hosts if known.target is None else known.target
        usual = {
            "id": number,
            "assigned_node_ids": [*hosts],
            "assigned_num_gpus_per_node": gpus,
            "kill_flag": False,
            "modified_runtime_args": False,
        }
        return entries.setdefault(number, usual)


def serve(component: Component, endpoint: str, *, timeout: float = 600.0) -> None:
    """Connect to an ElastiSim, and answer it until it is over.

    Raises:
        ComponentError: it is not there within ``timeout`` seconds, or goes away.
        ProtocolError, DecisionError, UsageError: as :meth:`ElastisimScheduler.answer`.
    """
    wire = ElastisimScheduler(component)
    pair = Pair(endpoint, bind=False, timeout=timeout)
    pair.start()
    try:
        while True:
            answer = wire.answer(pair.receive(wire.now))
            if answer is None:
                return
            pair.send(answer, wire.now)
    finally:
        pair.stop()
