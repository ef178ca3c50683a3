"""A decision component behind ElastiSim's wire: its algorithm drives our simulation.

The run must tell each notice alone (``one_by_one``): one trigger is one message, and its answer is applied before the
next is looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from windtunnel.diagnostics import DecisionError
from windtunnel.model import HostSet, JobState
from windtunnel.model.application import Elasticity
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.component import Hello, Reply
from windtunnel.vocabulary.probes import Periodic, TimeUnit
from windtunnel.wires.elastisim.answers import Entry, parse_answer
from windtunnel.wires.elastisim.codes import FINALIZE, INVOKE, Call, State, Triggers
from windtunnel.wires.elastisim.mirror import JobEntry, NodeListener, SiteMirror

__all__ = ["AlgorithmPeer", "ElastisimAlgorithm"]

_CALL: Final = "elastisim-interval"
_EPSILON: Final = 0.001
"""s; how much too early a call may be."""


class AlgorithmPeer(Protocol):
    """Carries messages to an algorithm and its answers back."""

    def start(self) -> None:
        """Be there to be reached."""

    def ask(self, message: bytes, now: float) -> bytes:
        """One message, and the answer to it."""

    def tell(self, message: bytes) -> None:
        """The last message, which has no answer."""

    def stop(self) -> None:
        """Close; does not raise."""


class ElastisimAlgorithm:
    """The component.

    Args:
        peer: how the algorithm is reached.
        triggers: when it is called.
        faithful: changes decided while a job prepares its start are forgotten when it has, as by ElastiSim; otherwise
            they stay pending.
        node_changed: hears what nodes run and expect, whenever a job comes to one or leaves it.
    """

    def __init__(
        self,
        peer: AlgorithmPeer,
        triggers: Triggers = Triggers(),  # noqa: B008 -- immutable
        *,
        faithful: bool = False,
        node_changed: NodeListener | None = None,
    ) -> None:
        self.peer = peer
        self.node_changed = node_changed
        self.triggers = triggers
        self.faithful = faithful
        self.sharing = False
        self.mirror = SiteMirror(())
        self.last_call = 0.0
        self.unsubmitted = -1
        """Jobs that are still to come; -1: not known."""
        self.alive = 0
        self.over = False

    def hello(self) -> Hello:
        """Wait for the algorithm."""
        self.peer.start()
        return Hello(name="elastisim", follow_phases=True)

    def stop(self) -> None:
        """Close."""
        self.peer.stop()

    def decide(self, now: float, notices: Sequence[n.Notice]) -> Reply:
        """What happened, and what the algorithm wants if it is called for that."""
        decisions: list[d.Decision] = []
        for notice in notices:
            hear = _HEARD.get(type(notice))
            if hear is not None:
                decisions += hear(self, notice)
        return Reply(now, decisions)

    # -- what happens -------------------------------------------------------------------------------------------

    def _begins(self, notice: n.SimulationBegins) -> list[d.Decision]:
        self.mirror = SiteMirror(notice.platform.hosts, self.node_changed)
        self.sharing = notice.allow_compute_sharing
        interval = self.triggers.interval
        if not interval:
            return []
        return [d.CallMeLater(call_me_later_id=_CALL, when=_every(interval))]

    def _submitted(self, notice: n.JobSubmitted) -> list[d.Decision]:
        mirror = self.mirror
        entry = JobEntry(len(mirror.jobs), notice.job, notice.submission_time, self.triggers.grace)
        entry.total = _phases(entry)
        mirror.jobs.append(entry)
        mirror.by_id[notice.job.id] = entry
        mirror.touch(entry)
        self.alive += 1
        if not self.triggers.submit:
            return []
        return self._call(notice.timestamp, Call.SUBMITTED, entry)

    def _completed(self, notice: n.JobCompleted) -> list[d.Decision]:
        entry = self.mirror.by_id[notice.job.id]
        self.alive -= 1
        if entry.state is State.KILLED:  # by the algorithm itself
            return self._perhaps_last()
        killed = notice.state is JobState.COMPLETED_WALLTIME_REACHED
        self._end(entry, notice.timestamp, State.KILLED if killed else State.COMPLETED)
        last = self._perhaps_last()
        if not self.triggers.finalize:
            return last
        return [*last, *self._call(notice.timestamp, Call.KILLED if killed else Call.COMPLETED, entry)]

    def _end(self, entry: JobEntry, now: float, state: State) -> None:
        mirror = self.mirror
        mirror.leave(now, entry, entry.ranks)
        mirror.unexpect(entry, entry.assigned)
        entry.ranks = [*entry.assigned]
        entry.target = None
        if state is State.COMPLETED:
            entry.phases_done = entry.total
        entry.state = state
        entry.end = now
        entry.stopped = False
        mirror.touch(entry)

    def _perhaps_last(self) -> list[d.Decision]:
        if self.unsubmitted == 0 and self.alive == 0 and self.triggers.interval and not self.over:
            self.over = True
            return [d.StopCallMeLater(call_me_later_id=_CALL)]
        return []

    def _no_more(self, notice: n.AllStaticJobsHaveBeenSubmitted) -> list[d.Decision]:
        del notice
        self.unsubmitted = 0
        return self._perhaps_last()

    def _called(self, notice: n.RequestedCall) -> list[d.Decision]:
        return self._call(notice.timestamp, Call.PERIODIC, None)

    def _point(self, notice: n.SchedulingPointReached) -> list[d.Decision]:
        entry = self.mirror.by_id[notice.job.id]
        entry.phases_done = notice.steps_done
        entry.stopped = True
        if not self.triggers.point:
            return self._answered(entry, [])
        return self._answered(entry, self._call(notice.timestamp, Call.POINT, entry))

    def _request(self, notice: n.HostsRequested) -> list[d.Decision]:
        entry = self.mirror.by_id[notice.job.id]
        entry.phases_done = notice.steps_done
        entry.stopped = True
        return self._answered(entry, self._call(notice.timestamp, Call.REQUEST, entry, notice.count))

    def _answered(self, entry: JobEntry, decisions: list[d.Decision]) -> list[d.Decision]:
        """A job that stood still goes on."""
        entry.stopped = False
        return decisions

    def _reconfigured(self, notice: n.JobReconfigured) -> list[d.Decision]:
        entry = self.mirror.by_id[notice.job.id]
        mirror = self.mirror
        mirror.unexpect(entry, entry.assigned)
        after = {*notice.hosts}
        before = {*entry.ranks}
        mirror.run_on(notice.timestamp, entry, [node for node in notice.hosts if node not in before])
        mirror.leave(notice.timestamp, entry, sorted(before - after))
        mirror.changed_nodes.update(dict.fromkeys(notice.hosts))
        entry.ranks = [*notice.hosts]
        entry.target = None
        entry.state = State.RECONFIGURING
        mirror.touch(entry)
        if notice.awaited and self.triggers.reconfiguration and not self.triggers.point:
            return self._call(notice.timestamp, Call.RECONFIGURED, entry)
        return []

    def _goes_on(self, notice: n.JobGoesOn) -> list[d.Decision]:
        entry = self.mirror.by_id[notice.job.id]
        if entry.state is State.RECONFIGURING:  # a target given meanwhile waits until the job is named again
            entry.state = State.RUNNING
        first, entry.begun = not entry.begun, True
        if first and notice.timestamp == entry.start:
            return []
        self.mirror.touch(entry)
        if self.faithful and entry.state is State.CHANGE_PENDING:
            entry.state = State.RUNNING  # forgotten by the job, while its nodes still expect it
            hosts, placement = _placed(entry.ranks)
            return [d.ResizeJob(job_id=entry.job.id, hosts=hosts, placement=placement)]
        return []

    def _progressed(self, notice: n.JobProgressed) -> list[d.Decision]:
        self.mirror.by_id[notice.job.id].phases_done = notice.steps_done
        return []

    def _gpus(self, notice: n.HostGpusChanged) -> list[d.Decision]:
        self.mirror.nodes[notice.host].gpus = [*notice.busy]
        return []

    def _ends(self, notice: n.SimulationEnds) -> list[d.Decision]:
        del notice
        self.peer.tell(_encoded({"code": FINALIZE}))
        return []

    # -- calls --------------------------------------------------------------------------------------------------

    def _call(self, now: float, why: Call, entry: JobEntry | None, wanted: int | None = None) -> list[d.Decision]:
        """Call the algorithm, unless it was called too recently; its answer as decisions."""
        if now - self.last_call < self.triggers.least_interval - _EPSILON:
            return []
        self.last_call = now
        jobs, nodes = self.mirror.taken()
        message: dict[str, Any] = {"code": INVOKE, "invocation_type": int(why), "jobs": jobs, "nodes": nodes}
        message["time"] = now
        if entry is not None:
            message["job_id"] = entry.number
        if wanted is not None:
            message["evolving_request"] = wanted
        answer = self.peer.ask(_encoded(dict(sorted(message.items()))), now)
        return self._apply(now, parse_answer(answer, now), entry)

    def _apply(self, now: float, entries: list[Entry], asking: JobEntry | None) -> list[d.Decision]:
        """An answer as decisions: first all new targets, then who stands still changes, then starts and kills."""
        targets: list[d.Decision] = []
        own: list[d.Decision] = []
        later: list[tuple[JobEntry, bool]] = []
        arguments: list[d.Decision] = []
        for one in entries:
            if not 0 <= one.job < len(self.mirror.jobs):
                raise DecisionError(f"there is no job {one.job}", rule="unknown-job", now=now)
            entry = self.mirror.jobs[one.job]
            if one.kill:
                self._check_kill(entry, now)
                self.mirror.touch(entry)
                later.append((entry, True))
                continue
            if one.arguments is not None:
                entry.runtime = dict(one.arguments)
                arguments.append(d.SetJobArguments(job_id=entry.job.id, arguments=entry.runtime))
            changed = self._take_target(entry, one, now)
            if entry.state is State.PENDING:
                if changed:
                    later.append((entry, False))
            elif entry is asking and entry.stopped:
                own = [self._resize(entry)] if changed else own
            elif changed:
                targets.append(self._resize(entry))
        if later and asking is not None and asking.stopped and not own and asking.state is State.CHANGE_PENDING:
            own = [self._resize(asking)]
        if later and own and asking is not None:  # what it gives up may start another in the same answer
            self.mirror.leave(now, asking, sorted({*asking.ranks} - {*asking.assigned}))
        done: list[d.Decision] = []
        for entry, kill in later:
            done += self._kill(entry, now) if kill else self._start(entry, now)
        return [*arguments, *targets, *own, *done]

    def _check_kill(self, entry: JobEntry, now: float) -> None:
        if entry.state in (State.COMPLETED, State.KILLED):
            raise DecisionError(f"job {entry.number} cannot be killed: it has ended", rule="state", now=now)
        if entry.state is State.PENDING and entry.walltime:
            reason = f"job {entry.number} cannot be killed: it has a walltime and has not started"
            raise DecisionError(reason, rule="state", now=now)

    def _take_target(self, entry: JobEntry, one: Entry, now: float) -> bool:
        """The nodes that a job is to have; whether these are others than it has."""
        mirror = self.mirror
        where = f"job {entry.number}"
        if entry.state in (State.COMPLETED, State.KILLED):
            raise DecisionError(f"{where} is given nodes: it has ended", rule="state", now=now)
        if entry.state is not State.PENDING and entry.kind < Elasticity.MALLEABLE:
            reason = f"{where} is given nodes: it runs, and is {entry.kind.name.lower()}"
            raise DecisionError(reason, rule="resize-kind", now=now)
        beyond = [node for node in one.nodes if not 0 <= node < len(mirror.nodes)]
        if beyond:
            raise DecisionError(f"{where} is given nodes that do not exist: {beyond}", rule="unknown-host", now=now)
        if not entry.least <= len(one.nodes) <= entry.most:
            reason = f"{where} can do with {entry.least} to {entry.most} nodes and is given {len(one.nodes)}"
            raise DecisionError(reason, rule="resize-range", now=now)
        if entry.profile is not None and entry.kind is not Elasticity.RIGID:
            if not entry.profile.gpus_least <= one.gpus <= entry.profile.gpus_most:
                limits = f"{entry.profile.gpus_least} to {entry.profile.gpus_most}"
                reason = f"{where} can do with {limits} GPUs on each node and is given {one.gpus}"
                raise DecisionError(reason, rule="resize-range", now=now)
            entry.gpus = entry.gpus_told = one.gpus
        running = entry.state is not State.PENDING
        if running:
            mirror.changed_nodes.update(dict.fromkeys(entry.assigned))
            mirror.unexpect(entry, entry.assigned)
            self._expect(entry, one.nodes, now)
        mirror.touch(entry)
        entry.target = [*one.nodes]
        if entry.target == entry.ranks:
            entry.target = None
            if entry.state is State.CHANGE_PENDING:
                entry.state = State.RUNNING
                return True
            return False
        if entry.state is State.RUNNING:
            entry.state = State.CHANGE_PENDING
        return entry.state is not State.RECONFIGURING

    def _expect(self, entry: JobEntry, nodes: Sequence[int], now: float) -> None:
        for number in nodes:
            node = self.mirror.nodes[number]
            others = {*node.running, *node.expected} - {entry.number}
            if others and not self.sharing:
                reason = f"job {entry.number} is given node {number}, which job {min(others)} has or is to have"
                raise DecisionError(reason, rule="host-busy", now=now)
        self.mirror.expect(entry, nodes)

    def _resize(self, entry: JobEntry) -> d.ResizeJob:
        hosts, placement = _placed(entry.assigned)
        return d.ResizeJob(job_id=entry.job.id, hosts=hosts, placement=placement, gpus=_gpus(entry))

    def _start(self, entry: JobEntry, now: float) -> list[d.Decision]:
        mirror = self.mirror
        nodes = entry.assigned
        for node in nodes:
            if (others := {*mirror.nodes[node].expected} - {entry.number}) and not self.sharing:
                reason = f"job {entry.number} is given node {node}, which job {min(others)} is to have"
                raise DecisionError(reason, rule="host-reserved", now=now)
        entry.ranks = [*nodes]
        entry.target = None
        mirror.run_on(now, entry, nodes)
        entry.state = State.RUNNING
        entry.start = now
        mirror.touch(entry)
        hosts, placement = _placed(nodes)
        gpus = _gpus(entry)
        amounts = {host: {"gpus": float(gpus)} for host in hosts} if gpus > 0 else None
        return [d.ExecuteJob(job_id=entry.job.id, hosts=hosts, placement=placement, amounts=amounts)]

    def _kill(self, entry: JobEntry, now: float) -> list[d.Decision]:
        if entry.state in (State.COMPLETED, State.KILLED):
            raise DecisionError(f"job {entry.number} is killed twice", rule="state", now=now)
        pending = entry.state is State.PENDING
        self._end(entry, now, State.KILLED)
        if not pending:
            return [d.KillJobs(job_ids=(entry.job.id,))]
        self.alive -= 1
        return [d.RejectJob(job_id=entry.job.id, reason="killed"), *self._perhaps_last()]


def _placed(nodes: Sequence[int]) -> tuple[HostSet, tuple[int, ...] | None]:
    """The hosts of ranks, and for each rank the place of its host among them; None where these are in order."""
    hosts = HostSet(nodes)
    ordered = [*hosts]
    if ordered == [*nodes]:
        return hosts, None
    where = {host: rank for rank, host in enumerate(ordered)}
    return hosts, tuple(where[node] for node in nodes)


def _gpus(entry: JobEntry) -> int:
    return entry.gpus if entry.profile is not None else -1


def _phases(entry: JobEntry) -> int:
    """The sum of the iterations of its phases; those that are expressions know arguments only."""
    from windtunnel.model.expressions import evaluate, substituted

    if entry.profile is None:
        return 1
    arguments = sorted(entry.profile.arguments.items())
    total = 0
    for phase in entry.profile.application.phases:
        count = phase.iterations
        total += count if isinstance(count, int) else int(evaluate(substituted(count, arguments)))
    return total


def _every(interval: float) -> Periodic:
    """A period in whole milliseconds."""
    return Periodic(period=round(interval * 1000), offset=0, time_unit=TimeUnit.Millisecond)


def _encoded(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message)


_HEARD: Final[dict[type[n.Notice], Callable[..., list[d.Decision]]]] = {
    n.SimulationBegins: ElastisimAlgorithm._begins,
    n.JobSubmitted: ElastisimAlgorithm._submitted,
    n.JobCompleted: ElastisimAlgorithm._completed,
    n.AllStaticJobsHaveBeenSubmitted: ElastisimAlgorithm._no_more,
    n.RequestedCall: ElastisimAlgorithm._called,
    n.SchedulingPointReached: ElastisimAlgorithm._point,
    n.HostsRequested: ElastisimAlgorithm._request,
    n.JobReconfigured: ElastisimAlgorithm._reconfigured,
    n.JobGoesOn: ElastisimAlgorithm._goes_on,
    n.JobProgressed: ElastisimAlgorithm._progressed,
    n.HostGpusChanged: ElastisimAlgorithm._gpus,
    n.SimulationEnds: ElastisimAlgorithm._ends,
}
"""What is done with each notice; the others change nothing that the algorithm is told."""
