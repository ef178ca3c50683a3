"""EASY backfilling, as in the literature (Lifka 1995; Mu'alem & Feitelson, IEEE TPDS 2001)."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.model import Job
from windtunnel.schedulers.availability import LONGEST, longest_until
from windtunnel.schedulers.batch import BatchScheduler, too_large
from windtunnel.schedulers.batch_rules import Rules
from windtunnel.schedulers.orders import QueueOrder, Together
from windtunnel.schedulers.waiting import ANY
from windtunnel.vocabulary import Notice, Reply
from windtunnel.vocabulary.brief import BriefDecision, News, decisions_in_full, notices_in_full

__all__ = ["Easy"]

_HAIR: Final = 2.0**-50
"""What a length may be too long by, as a share of a date, so as to miss none that ends by this date when rounded."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Easy(BatchScheduler):
    """EASY: the queue is started from the front; its first job that does not fit gets a reservation; later ones may
    overtake it as long as they do not delay it.

    The reservation is a date and a count, not particular hosts. *Shadow time*: the earliest predicted date at which
    enough hosts are free, by the walltimes of the running jobs (all that end at one date are counted). *Extra*: the
    hosts free at that date beyond the need. A job overtakes if it fits now and either ends by the shadow time (the
    very date included) or takes no more than the extra hosts. All that happens at one instant is decided on at once.

    ``policy`` says which hosts a job gets, which has no influence on when it starts: those of the first free run of
    consecutive numbers that is long enough, and the lowest ones where there is none (``best_effort_contiguous``), or
    always the lowest ones (``basic``).

    A job without walltime is taken to run indefinitely: it overtakes on extra hosts only. A reservation that depends
    on the end of such a job lies at no known date, and delays nobody whose walltime is known.
    """

    name: ClassVar[str] = "easy"
    rules: ClassVar[Rules] = Rules(reservations=1)

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Together = "best_effort_contiguous") -> None:
        self.policy = policy
        super().__init__(queue_order)

    def _reset(self) -> None:
        super()._reset()
        self._shadow = 0.0
        self._extra = -1  # negative: shadow and extra are to be computed
        self._together = self.policy != "basic"
        self._ordered = self.queue_order != "fcfs"

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then decide."""
        return Reply(now, decisions_in_full(self.decide_briefly(now, notices)))

    def decide_briefly(self, now: float, news: Sequence[News]) -> list[BriefDecision]:
        """The decisions alone: a hot path."""
        if self._beginning and (reply := self._decided_by_host(now, notices_in_full(news, now))) is not None:
            made: list[BriefDecision] = reply.decisions
            return made
        site = self.site
        site.apply(now, news)
        decisions: list[BriefDecision] = []
        if site.refused:
            self._retry(now, decisions)
        queue = self.queue
        arrivals = site.arrived
        if self._ordered and arrivals:
            arrivals = self._join(now, decisions)
        free = site.free
        if site.changed:
            self._extra = -1
            if queue.smallest <= free.size:
                self._start_queue(now, decisions)
        if arrivals:
            for job in arrivals:
                size = job.request.hosts
                if size > site.size:
                    decisions.append(too_large(job, site.size))
                elif size > free.size or (queue.count and not self._overtakes(now, job, size)):
                    queue.add(job, now)
                else:
                    decisions.append(site.begin(job, self._together, size))
        return decisions

    def _join(self, now: float, decisions: list[BriefDecision]) -> list[Job]:
        """In an order other than that of arrival, new jobs join the queue first, all of which is looked at."""
        site = self.site
        for job in site.arrived:
            if job.request.hosts > site.size:
                decisions.append(too_large(job, site.size))
            else:
                self.queue.add(job, now)
                site.changed = True
        return []

    def _overtakes(self, now: float, job: Job, size: int) -> bool:
        """Whether a new job of this size, which fits, may start while others wait.

        Nothing was freed, so that no older job can overtake now that could not before: only this one is looked at.
        """
        if self._extra < 0:
            self._reserve(now, self.queue.foremost)
        walltime = job.walltime
        if now + walltime <= self._shadow and walltime <= ANY:
            return True
        if size > self._extra:
            return False
        self._extra -= size
        return True

    def _start_queue(self, now: float, decisions: list[BriefDecision]) -> None:
        """From the front; then whoever does not delay the first job that has to wait. The smallest job fits."""
        queue, site, together = self.queue, self.site, self._together
        free = site.free
        while queue.foremost <= free.size:
            size = queue.foremost
            decisions.append(site.begin(queue.pop(), together, size))
        if queue.smallest > free.size:
            return
        self._reserve(now, queue.foremost)
        shadow = self._shadow if self._shadow < LONGEST else LONGEST  # noqa: FURB136 -- a call costs more
        longest = shadow - now + shadow * _HAIR
        job = queue.find(free.size, self._extra, longest) if free.size else None
        while job is not None:
            size = job.request.hosts
            if now + job.walltime <= shadow:
                queue.remove(job)
                decisions.append(site.begin(job, together, size))
            elif size <= self._extra:
                self._extra -= size
                queue.remove(job)
                decisions.append(site.begin(job, together, size))
            else:  # by a hair: it hardly ever happens, and what is exact costs a call
                longest = longest_until(now, shadow)
            if not free.size:
                return
            job = queue.find_more(free.size, self._extra, longest)

    def _reserve(self, now: float, need: int) -> None:
        """Shadow time and extra hosts of a first job of this size."""
        # So many hosts will not be there before those that are absent come back, unless an end says otherwise.
        shadow = ANY
        free = self.site.free.size
        enough = False
        ending: Any = self.site.ends
        entries: Iterator[tuple[Any, ...]] = iter(ending)  # so typed, compiled code reads of each what is asked for
        for entry in entries:
            freed: int = entry[2]
            free += freed
            if free >= need:
                enough = True
                shadow = entry[0]
                break
        for entry in entries:  # all that end at that date are counted
            end: float = entry[0]
            if end != shadow:
                break
            freed = entry[2]
            free += freed
        self._shadow = shadow if shadow > now else now  # noqa: FURB136 -- a call costs more
        self._extra = free - need if enough else 0
