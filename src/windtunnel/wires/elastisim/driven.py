"""A decision component behind ElastiSim's wire: its algorithm drives our simulation.

The run must tell each notice alone (``one_by_one``): one trigger is one message, and its answer is applied before the
next is looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from windtunnel.model import JobState
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.component import Hello
from windtunnel.vocabulary.probes import Periodic, TimeUnit
from windtunnel.vocabulary.reply import Reply
from windtunnel.vocabulary.site_notices import HostGpusChanged
from windtunnel.wires.elastisim.answers import parse_answer
from windtunnel.wires.elastisim.codes import FINALIZE, INVOKE, PERIODIC_CALL, Call, State, Triggers
from windtunnel.wires.elastisim.granting import Granting, placed
from windtunnel.wires.elastisim.mirror import JobEntry, NodeListener, SiteMirror

__all__ = ["AlgorithmPeer", "ElastisimAlgorithm"]

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


class ElastisimAlgorithm(Granting):
    """The component.

    Args:
        peer: how the algorithm is reached.
        triggers: when it is called.
        faithful: changes decided while a job prepares its start are forgotten when it has, as by ElastiSim; otherwise
            they stay pending.
        nodes_changed: hears of nodes whenever a job comes to them or leaves them.
    """

    def __init__(
        self,
        peer: AlgorithmPeer,
        triggers: Triggers = Triggers(),  # noqa: B008 -- immutable
        *,
        faithful: bool = False,
        nodes_changed: NodeListener | None = None,
    ) -> None:
        super().__init__(triggers)
        self.peer = peer
        self.nodes_changed = nodes_changed
        self.faithful = faithful
        self.last_call = 0.0

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
        self.mirror = SiteMirror(notice.platform.hosts, self.nodes_changed)
        self.sharing = notice.allow_compute_sharing
        interval = self.triggers.interval
        if not interval:
            return []
        return [d.CallMeLater(call_me_later_id=PERIODIC_CALL, when=_every(interval))]

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
            return self.perhaps_last()
        killed = notice.state is JobState.COMPLETED_WALLTIME_REACHED
        self.end(entry, notice.timestamp, State.KILLED if killed else State.COMPLETED)
        last = self.perhaps_last()
        if not self.triggers.finalize:
            return last
        return [*last, *self._call(notice.timestamp, Call.KILLED if killed else Call.COMPLETED, entry)]

    def _no_more(self, notice: n.AllStaticJobsHaveBeenSubmitted) -> list[d.Decision]:
        del notice
        self.unsubmitted = 0
        return self.perhaps_last()

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
        self.mirror.touch(entry)
        if self.faithful and entry.state is State.CHANGE_PENDING:
            entry.state = State.RUNNING  # forgotten by the job, while its nodes still expect it
            hosts, placement = placed(entry.ranks)
            return [d.ResizeJob(job_id=entry.job.id, hosts=hosts, placement=placement)]
        return []

    def _progressed(self, notice: n.JobProgressed) -> list[d.Decision]:
        self.mirror.by_id[notice.job.id].phases_done = notice.steps_done
        return []

    def _gpus(self, notice: HostGpusChanged) -> list[d.Decision]:
        self.mirror.nodes[notice.host].gpus = [*notice.busy]
        return []

    def _ends(self, notice: n.SimulationEnds) -> list[d.Decision]:
        del notice
        self.peer.tell(_encode({"code": FINALIZE}))
        return []

    # -- calls --------------------------------------------------------------------------------------------------

    def _call(self, now: float, why: Call, entry: JobEntry | None, wanted: int | None = None) -> list[d.Decision]:
        """Call the algorithm, unless it was called too recently; its answer as decisions."""
        if now - self.last_call < self.triggers.least_interval - _EPSILON:
            return []
        self.last_call = now
        jobs, nodes = self.mirror.taken()
        head: dict[str, Any] = {"code": INVOKE}  # keys in order
        if wanted is not None:
            head["evolving_request"] = wanted
        head["invocation_type"] = why
        if entry is not None:
            head["job_id"] = entry.number
        head["jobs"] = jobs
        rest = f',"nodes":[{",".join(nodes)}],"time":'.encode()
        message = b"".join((_encode(head)[:-1], rest, _encode(now), b"}"))
        return self.granted(now, parse_answer(self.peer.ask(message, now), now), entry)


def _phases(entry: JobEntry) -> int:
    """The sum of the iterations of its phases; those that are expressions know arguments only."""
    if entry.profile is None:
        return 1
    total = 0
    for phase in entry.profile.application.phases:
        count = phase.iterations
        total += count if isinstance(count, int) else _evaluated(count, entry.profile.arguments)
    return total


def _evaluated(count: str, arguments: Mapping[str, str]) -> int:
    from windtunnel.model.expressions import evaluate, substituted

    return int(evaluate(substituted(count, sorted(arguments.items()))))


def _every(interval: float) -> Periodic:
    """A period in whole milliseconds."""
    return Periodic(period=round(interval * 1000), offset=0, time_unit=TimeUnit.Millisecond)


_encode: Final = msgspec.json.Encoder().encode


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
    HostGpusChanged: ElastisimAlgorithm._gpus,
    n.SimulationEnds: ElastisimAlgorithm._ends,
}
"""What is done with each notice; the others change nothing that the algorithm is told."""
