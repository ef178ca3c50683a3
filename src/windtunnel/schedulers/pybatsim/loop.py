"""pybatsim's loop: each event of a message by itself, in order; every one of them may decide."""

from collections.abc import Sequence

from windtunnel.model import HostSet, Job
from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import (
    Decision,
    ExecuteJob,
    Hello,
    JobCompleted,
    JobSubmitted,
    Mirror,
    Notice,
    RejectJob,
    Reply,
    RequestedCall,
    SimulationBegins,
)

__all__ = ["Pybatsim"]


class Pybatsim(Scheduler):
    """Common part: open jobs in order of arrival, running ones with their hosts and predicted ends.

    A job without walltime counts as -1 s, as in pybatsim.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        """Forget an earlier run."""
        self.site = Mirror(availability=False, power=False)
        self._open: dict[str, Job] = {}

    @property
    def _n(self) -> int:
        """How many hosts there are."""
        return self.site.size

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run. What others do is nothing to it, as upstream."""
        self._reset()
        return Hello(name=super().hello().name, features=self.features)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Event by event."""
        self._decisions: list[Decision] = []
        self._now = now
        for notice in notices:
            self.site.apply(now, (notice,))
            if isinstance(notice, JobSubmitted):
                self._open[notice.job.id] = notice.job
                self._pass()
            elif isinstance(notice, JobCompleted):
                for _, _, _, ended in self.site.left:
                    self._freed(ended.hosts)
                self._pass()
            elif isinstance(notice, RequestedCall):
                self._pass()
            elif isinstance(notice, SimulationBegins):
                self._freed(HostSet.span(self._n))
        return Reply(now, self._decisions)

    def _pass(self) -> None:
        """Start what may start now."""
        raise NotImplementedError

    def _freed(self, hosts: HostSet) -> None:
        """Hosts are free (for subclasses that keep them in another form)."""

    def _start(self, job: Job, hosts: HostSet) -> None:
        del self._open[job.id]
        self.site.free.remove(hosts)
        self.site.hold(job, hosts, self._now, self._now + walltime(job))
        self._decisions.append(ExecuteJob(job_id=job.id, hosts=hosts))

    def _reject(self, job: Job) -> None:
        del self._open[job.id]
        self._decisions.append(RejectJob(job_id=job.id))


def walltime(job: Job) -> float:
    """Pybatsim's walltime: -1 when there is none."""
    return job.walltime if job.walltime < float("inf") else -1.0
