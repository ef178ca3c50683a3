"""Small elastic jobs, a scripted scheduler for them, and an observer that checks what must never happen."""

from math import inf

from windtunnel.model import Host, Job, Platform, PowerState, Request
from windtunnel.model.application import (
    Application,
    ComputeTask,
    DelayTask,
    Elasticity,
    ElasticProfile,
    Load,
    Pattern,
    Phase,
)
from windtunnel.vocabulary import (
    Execute,
    Hello,
    HostsRequested,
    JobSubmitted,
    Observer,
    Reply,
    Resize,
    SchedulingPointReached,
)

SPEED = 1e9


def site(hosts: int, **given) -> Platform:
    state = (PowerState(SPEED, 100.0, 120.0, 200.0),)
    return Platform(name="site", hosts=tuple(Host(id=i, name=f"n{i}", pstates=state, **given) for i in range(hosts)))


def work(seconds: float) -> ComputeTask:
    """As long as ``seconds`` on one host, divided by the number of hosts."""
    return ComputeTask(flops=Load(f"{seconds * SPEED!r} / num_nodes", Pattern.UNIFORM), name="work")


def pause(seconds: float | str) -> DelayTask:
    return DelayTask(load=Load(seconds, Pattern.UNIFORM), name="pause")


def job(name: str, *phases: Phase, kind=Elasticity.MALLEABLE, least=1, most=8, at=0.0, walltime=inf, **more) -> Job:
    application = Application(phases=phases, **more)
    profile = ElasticProfile(id=f"w0!{name}", application=application, elasticity=kind, least=least, most=most)
    return Job(id=f"w0!{name}", request=Request(least), profile=profile, submission_time=at, walltime=walltime)


class Scripted:
    """Starts each job on the next free hosts, and answers stops as it is told."""

    def __init__(self, sizes, resizes=(), at_submission=()) -> None:
        self.sizes = sizes
        self.resizes = list(resizes)
        self.at_submission = dict(at_submission)
        self.told = []

    def hello(self) -> Hello:
        return Hello(name="scripted")

    def decide(self, now, notices) -> Reply:
        decisions = []
        for notice in notices:
            self.told.append(notice)
            if isinstance(notice, JobSubmitted):
                decisions += self.at_submission.get(notice.job.id, ())
                hosts = self.sizes.get(notice.job.id)
                if hosts is not None:
                    decisions.append(Execute(notice.job, hosts))
            elif isinstance(notice, SchedulingPointReached | HostsRequested) and self.resizes:
                hosts = self.resizes.pop(0)
                if hosts is not None:
                    decisions.append(Resize(notice.job, hosts))
        return Reply(now, decisions)

    def stop(self) -> None:
        pass

    def of(self, kind):
        return [notice for notice in self.told if isinstance(notice, kind)]


class Watching(Observer):
    """Keeps what became of jobs, and checks that no host runs two at once."""

    def __init__(self) -> None:
        self.on = {}
        self.resizes = []
        self.ends = {}
        self.area = 0.0
        self.since = {}

    def _take(self, now, record, hosts) -> None:
        for host in set(hosts):
            assert host not in self.on, f"{host} has {self.on.get(host)} and {record.job.id}"
            self.on[host] = record.job.id
        self.since[record.job.id] = now

    def _leave(self, now, record) -> None:
        mine = [host for host, owner in self.on.items() if owner == record.job.id]
        self.area += len(mine) * (now - self.since[record.job.id])
        for host in mine:
            del self.on[host]

    def on_job_started(self, now, record) -> None:
        self._take(now, record, record.hosts)

    def on_job_resized(self, now, record, before, after) -> None:
        self.resizes.append((now, record.job.id, list(before), list(after)))
        self._leave(now, record)
        self._take(now, record, after)

    def on_job_suspended(self, now, record) -> None:
        self._leave(now, record)

    def on_job_resumed(self, now, record) -> None:
        self._take(now, record, record.hosts)

    def on_job_ended(self, now, record) -> None:
        self._leave(now, record)
        self.ends[record.job.id] = (now, record.state)
