"""Policies that differ in how they share hosts among running jobs and the queue."""

from collections.abc import Iterator
from typing import ClassVar

from windtunnel.model import Job
from windtunnel.model.application import sizes_of
from windtunnel.schedulers.elastic.base import ElasticPolicy, give_up, preferred, resizable
from windtunnel.vocabulary import ResizeJob, Running, View

__all__ = [
    "AverageSteal",
    "Equipartition",
    "ExpandIntoIdle",
    "KeepPreferred",
    "ShrinkToStart",
    "StealAndAgree",
]


class ShrinkToStart(ElasticPolicy):
    """Jobs start small; when the first of the queue does not fit, malleable jobs shrink at their next points.

    Those with most to give are asked first, to their least size. With nobody waiting, stops change nothing. (The rule
    of the shrinking half of FPSMA: J. Buisson, O. Sonmez, H. Mohamed, W. Lammers, D. Epema: Scheduling malleable
    applications in multicluster systems. CLUSTER 2007; order and sizes are ours.)
    """

    name: ClassVar[str] = "elastic/shrink-to-start"

    def squeeze(self, view: View, job: Job, free: int) -> Iterator[ResizeJob]:
        """Ask for what is missing."""
        least, _ = sizes_of(job)
        yield from give_up(view, least - free, without=self.changed)


class ExpandIntoIdle(ElasticPolicy):
    """Jobs start at their preferred size if it is free, else smaller; at points they take what nobody waits for.

    (Greedy expansion, as in G. Utrera, S. Tabik, J. Corbalan, J. Labarta: A job scheduling approach for multi-core
    clusters based on virtual malleability. Euro-Par 2012; the rule is ours.)
    """

    name: ClassVar[str] = "elastic/expand-into-idle"

    def start_size(self, view: View, job: Job, free: int) -> int:
        """The preferred size, or what is left of it."""
        del view
        least, _ = sizes_of(job)
        return min(preferred(job), free) if least <= free else 0

    def size_at_stop(self, view: View, running: Running, wanted: int, free: int) -> int:
        """All that is idle, when the queue is empty."""
        if wanted:
            return super().size_at_stop(view, running, wanted, free)
        return len(running.hosts) + (free if not view.waiting else 0)


class StealAndAgree(ExpandIntoIdle):
    """Idle hosts are used by who comes to a point first, and stolen back, down to preferred sizes, for the queue.

    Requests of jobs are agreed to as far as hosts are free. (Common pool agreement and stealing: S. Prabhakaran,
    M. Neumann, S. Rinke, F. Wolf, A. Gupta, L. Kale: A batch system with efficient adaptive scheduling for malleable
    and evolving applications. IPDPS 2015; the rule is a simple form of theirs.)
    """

    name: ClassVar[str] = "elastic/steal-and-agree"

    def size_at_stop(self, view: View, running: Running, wanted: int, free: int) -> int:
        """What is asked for, as far as it is there."""
        if wanted:
            return min(wanted, len(running.hosts) + free)
        return super().size_at_stop(view, running, wanted, free)

    def squeeze(self, view: View, job: Job, free: int) -> Iterator[ResizeJob]:
        """Back to preferred sizes, if that is enough; else to the least."""
        least, _ = sizes_of(job)
        stolen = [*give_up(view, least - free, "preferred", self.changed)]
        yield from stolen or give_up(view, least - free, without=self.changed)


class Equipartition(ElasticPolicy):
    """Every job, running or waiting, is to have an equal part of the hosts.

    A waiting job starts with its part or what is left of it; a running one comes to its part at its points.
    (C. McCann, R. Vaswani, J. Zahorjan: A dynamic processor allocation policy for multiprogrammed shared-memory
    multiprocessors. ACM TOCS 11(2), 1993; the limits of jobs are ours.)
    """

    name: ClassVar[str] = "elastic/equipartition"

    def _part(self, view: View) -> int:
        hosts = len(view.hosts) - len(view.unavailable)
        rigid = sum(len(one.hosts) for one in view.running.values() if not resizable(one.job))
        sharing = sum(resizable(one.job) for one in view.running.values()) + len(view.waiting)
        return max(1, (hosts - rigid) // max(1, sharing))

    def start_size(self, view: View, job: Job, free: int) -> int:
        """Its part, within its limits."""
        least, most = sizes_of(job)
        return min(max(self._part(view), least), most, free) if least <= free else 0

    def size_at_stop(self, view: View, running: Running, wanted: int, free: int) -> int:
        """Its part; growing only into what is free."""
        if wanted:
            return super().size_at_stop(view, running, wanted, free)
        return min(self._part(view), len(running.hosts) + free)


class KeepPreferred(ElasticPolicy):
    """Jobs start at their preferred size only, and come back to it: what is beyond is lent.

    At a point, with nobody waiting, a job takes idle hosts; with somebody waiting it goes back to its preferred size,
    and if the first of the queue still does not fit, jobs beyond theirs are asked to come back at their next points.
    Nobody shrinks below its preferred size. (The idea of arXiv 2602.17318, which we could not read: the rule is
    ours.)
    """

    name: ClassVar[str] = "elastic/keep-preferred"

    def _usual(self, view: View, job: Job) -> int:
        """The preferred size, or all hosts if there are fewer."""
        return min(preferred(job), len(view.hosts))

    def start_size(self, view: View, job: Job, free: int) -> int:
        """The preferred size or nothing."""
        size = self._usual(view, job)
        return size if size <= free else 0

    def size_at_stop(self, view: View, running: Running, wanted: int, free: int) -> int:
        """The preferred size when somebody waits, else all there is."""
        if wanted:
            return super().size_at_stop(view, running, wanted, free)
        now = len(running.hosts)
        if not view.waiting:
            return now + free
        return min(now, self._usual(view, running.job))

    def squeeze(self, view: View, job: Job, free: int) -> Iterator[ResizeJob]:
        """Back to preferred sizes."""
        yield from give_up(view, self._usual(view, job) - free, "preferred", self.changed)


class AverageSteal(ExpandIntoIdle):
    """When somebody waits, a job with more hosts than running jobs have on average comes down to that at its point.

    (A simple rule of ours in the spirit of equipartition by stealing: no job below the average ever gives.)
    """

    name: ClassVar[str] = "elastic/average-steal"

    def size_at_stop(self, view: View, running: Running, wanted: int, free: int) -> int:
        """The average when somebody waits, else all there is."""
        now = len(running.hosts)
        if wanted or not view.waiting:
            return super().size_at_stop(view, running, wanted, free)
        held = [len(one.hosts) for one in view.running.values()]
        average = sum(held) // len(held)
        return min(now, average)
