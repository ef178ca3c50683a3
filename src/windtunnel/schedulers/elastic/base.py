"""What the policies for elastic jobs share: stops are answered first, then the queue is started from the front.

A policy says how large a job starts, how large one that stands still goes on, and what it asks of running jobs when
the first of the queue does not fit. Rigid jobs are started at their size, and never change.
"""

from collections.abc import Container, Iterable, Iterator
from math import inf

from windtunnel.diagnostics import too_many
from windtunnel.model import HostPool, HostSet, Job
from windtunnel.model.application import ElasticProfile, sizes_of
from windtunnel.model.expressions import ExpressionError, evaluate, substituted
from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import Decision, Execute, Reject, Resize, ResizeJob, Running, View

__all__ = ["ElasticPolicy", "estimate", "give_up", "preferred", "resizable", "surplus"]


def resizable(job: Job) -> bool:
    """Whether its hosts may change while it runs."""
    return isinstance(job.profile, ElasticProfile) and job.profile.resizable


def preferred(job: Job) -> int:
    """The size that a job prefers: what it says, else the fewest hosts that it takes."""
    least, most = sizes_of(job)
    attributes = job.profile.attributes if isinstance(job.profile, ElasticProfile) else {}
    text = attributes.get("preferred", "")
    return min(max(int(text), least), most) if text.isascii() and text.isdigit() and len(text) < 10 else least


def estimate(job: Job, size: int) -> float:
    """How long a job may take (s) on so many hosts: its walltime, by its speed-up (linear if it names none)."""
    if not isinstance(job.profile, ElasticProfile) or job.walltime == inf:
        return job.walltime
    attributes = job.profile.attributes
    usual = preferred(job)
    try:
        speedup = attributes.get("speedup", "num_nodes")
        here = evaluate(substituted(speedup, [("num_nodes", str(size))]))
        there = evaluate(substituted(speedup, [("num_nodes", str(usual))]))
        asked = float(attributes.get("walltime", job.walltime))
    except (ExpressionError, ValueError):
        return job.walltime
    return asked * there / here if here > 0.0 else inf


class ElasticPolicy(Scheduler):
    """Answers stops, then starts jobs in the order of the queue as long as the first fits.

    Jobs whose least size is larger than the machine are rejected.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: dict[str, int] = {}
        """Sizes to which running jobs were asked to come, by id, until they have come to a point."""
        self.changed: set[str] = set()
        """Jobs that stood still and have got other hosts in this round: the view has them as they were."""

    def schedule(self, view: View) -> Iterable[Decision]:
        """The decisions of one round."""
        free = view.free
        self.changed = set()
        for job_id, wanted in view.stopped.items():
            running = view.running.get(job_id)
            self.asked.pop(job_id, None)
            if running is not None:
                yield from self._answer(view, running, wanted, free)
        yield from self._too_large(view)
        yield from self._of_no_host(view)
        yield from self.start_jobs(view, free)

    def _too_large(self, view: View) -> list[Decision]:
        """Reject new jobs that nothing here could hold; they leave the queue at once."""
        there = len(view.hosts)
        least = [(job, sizes_of(job)[0]) for job in view.mirror.arrived]
        rejected: list[Decision] = [
            Reject(job, too_many(size, "host", there)) for job, size in least if size > there
        ]
        view.decided(rejected)
        return rejected

    def _of_no_host(self, view: View) -> list[Decision]:
        """Start new jobs that ask for no host, as those that only move data; they leave the queue at once."""
        started: list[Decision] = [Execute(job, HostSet()) for job in view.mirror.arrived if not sizes_of(job)[1]]
        view.decided(started)
        return started

    def start_jobs(self, view: View, free: HostPool) -> Iterator[Decision]:
        """Start from the front."""
        for job in view.queue:
            size = self.start_size(view, job, len(free))
            if not size:
                yield from self._asked_once(self.squeeze(view, job, len(free)))
                return
            hosts = free.take(size)
            assert hosts is not None, "so many are free"
            yield Execute(job, hosts)

    def _asked_once(self, decisions: Iterable[ResizeJob]) -> Iterator[Decision]:
        """Nobody is asked again for what it was asked already."""
        for decision in decisions:
            size = len(decision.hosts)
            if self.asked.get(decision.job_id) != size:
                self.asked[decision.job_id] = size
                yield decision

    def _answer(self, view: View, running: Running, wanted: int, free: HostPool) -> Iterator[Decision]:
        """One job that stands still goes on with as many hosts as the policy says."""
        job = running.job
        least, most = sizes_of(job)
        had = running.hosts
        kept = view.kept.get(job.id, HostSet())
        size = self.size_at_stop(view, running, wanted, len(free) + len(kept))
        size = min(max(size, least), most, len(had) + len(free) + len(kept))
        if size == len(had):
            if kept:
                free.add(kept)
                yield Resize(job, had)
            return
        free.add(kept)
        if size < len(had):
            hosts = HostSet([*had][:size])
            free.add(had - hosts)
        else:
            more = free.take(size - len(had))
            assert more is not None, "so many are free"
            hosts = had | more
        self.changed.add(job.id)
        yield Resize(job, hosts)

    def start_size(self, view: View, job: Job, free: int) -> int:
        """On how many hosts a job starts now; 0: not yet."""
        del view
        least, _ = sizes_of(job)
        return least if least <= free else 0

    def size_at_stop(self, view: View, running: Running, wanted: int, free: int) -> int:
        """On how many hosts a job that stands still goes on: what it asks for if that is there, else as it is."""
        del view
        now = len(running.hosts)
        return wanted if wanted and wanted - now <= free else now

    def squeeze(self, view: View, job: Job, free: int) -> Iterator[ResizeJob]:
        """What is asked of running jobs, so that the first of the queue can start."""
        del view, job, free
        return iter(())


def surplus(view: View, floor: str = "least", without: Container[str] = ()) -> list[tuple[int, Running]]:
    """Malleable running jobs with more hosts than they need, and how many more; the largest first.

    ``without``: ids of jobs that are not looked at.
    """
    found = []
    for running in view.running.values():
        profile = running.job.profile
        if isinstance(profile, ElasticProfile) and profile.has_points and running.job.id not in without:
            need = profile.least if floor == "least" else preferred(running.job)
            if len(running.hosts) > need:
                found.append((len(running.hosts) - need, running))
    return sorted(found, key=lambda one: -one[0])


def give_up(view: View, needed: int, floor: str = "least", without: Container[str] = ()) -> Iterator[ResizeJob]:
    """Running jobs are asked to give up so many hosts at their next points, the one with most to give first.

    Nothing is asked if all of them together have less.
    """
    giving = surplus(view, floor, without)
    if sum(count for count, _ in giving) < needed:
        return
    for count, running in giving:
        if needed <= 0:
            return
        given = min(count, needed)
        needed -= given
        yield Resize(running.job, HostSet([*running.hosts][: len(running.hosts) - given]))
