"""A scheduler that leaves its choices to somebody else: to a policy at once, or to an agent between two rounds."""

from collections import deque
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from windtunnel.model import Job
from windtunnel.schedulers.batch import BatchScheduler, too_large
from windtunnel.schedulers.learned.rules import RULES, Rules, RulesName
from windtunnel.schedulers.learned.sights import SIGHTS, Choice, ViewName
from windtunnel.vocabulary import HONOURED_BY_ALL, CallMeLater, Decision, Notice, OneShot, Reply, Running

__all__ = ["Choosing"]

_TWO_DAYS: Final = 172_800.0


class Choosing(BatchScheduler):
    """Goes on by its rules until there is a choice, and asks to be called again at once if nobody makes it.

    Who chooses overrides :meth:`chosen`, or looks at :attr:`choice` after a round and sets :attr:`answer`: the places
    of visible jobs, the preferred first; none of them: let all wait, where the rules allow it.

    Args:
        rules: when there is a choice and what it means (:mod:`windtunnel.schedulers.learned.rules`).
        view: what is told of the jobs (:mod:`windtunnel.schedulers.learned.sights`).
        window: how many jobs can be chosen from.
        backfill: whether others overtake a chosen job that does not fit.
        longest: the longest requested time there is (s); times are told as parts of it.
    """

    name = "learned/choosing"
    honours = HONOURED_BY_ALL

    def __init__(
        self,
        *,
        rules: RulesName = "chosen-stays",
        view: ViewName = "windtunnel",
        window: Annotated[int, Meta(ge=1)] = 128,
        backfill: bool = False,
        longest: Annotated[float, Meta(gt=0)] = _TWO_DAYS,
    ) -> None:
        self.rules_name: RulesName = rules
        self.view_name: ViewName = view
        self.window = window
        self.backfill = backfill
        self.longest = longest
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._rule: Rules = RULES[self.rules_name]()
        self.waiting: list[Job] = []
        """The jobs that can be chosen, usually in the order of their arrival."""
        self.numbers: dict[str, tuple[float, ...]] = {}
        """What the view has computed of jobs that does not change, by id."""
        self.started: list[Job] = []
        """The jobs that the last message has started."""
        self.choice: Choice | None = None
        """What there is to choose from, while nobody has chosen."""
        self.answer: Sequence[int] | None = None
        self._events: deque[Job | Running] = deque()
        self._unseen = 0  # hosts of jobs whose end is not looked at yet

    @property
    def hosts(self) -> int:
        """How many hosts there are."""
        return self.site.size

    @property
    def unused(self) -> int:
        """How many of them are free, as far as events have been looked at."""
        return len(self.site.free) - self._unseen

    def holding(self) -> list[Running]:
        """The jobs that hold hosts, as far as events have been looked at."""
        return [*self.site.running.values(), *(one for one in self._events if isinstance(one, Running))]

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then go on as far as there are choices."""
        site = self.site
        site.apply(now, notices)
        decisions: list[Decision] = []
        self.started = []
        if site.refused:
            self._retry(now, decisions)
        for job in site.arrived:
            if job.request.hosts > site.size:
                decisions.append(too_large(job, site.size))
            else:
                self.queue.add(job, now)
                self._events.append(job)
        if site.left:
            ended = [one[3] for one in site.left if isinstance(one[3], Running)]
            ended.sort(key=_rank)
            self._events.extend(ended)
            self._unseen += sum(running.hosts.size for running in ended)
        self._go_on(now, decisions, asked=self.choice is not None or (site.changed and not self._events))
        if self.choice is not None:
            decisions.append(CallMeLater(call_me_later_id="choice", when=OneShot(now)))
        return Reply(now, decisions)

    def _go_on(self, now: float, decisions: list[Decision], *, asked: bool) -> None:
        """Look at event after event. ``asked``: there was a choice to make, or hosts have come back."""
        rule, events = self._rule, self._events
        while asked or events:
            while events and not asked:
                event = events.popleft()
                if isinstance(event, Running):
                    self._unseen -= event.hosts.size
                else:
                    self.waiting.append(event)
                asked = rule.one_by_one or not events
            asked = False
            if not rule.go_on(self, now, decisions):
                return

    def ask(self, now: float) -> list[Job] | None:
        """The waiting jobs that are preferred, the most first; None when nobody has chosen."""
        if self.choice is None:
            self.choice = SIGHTS[self.view_name](self, now)
        choice, answer = self.choice, self.chosen(self.choice)
        if answer is None:
            return None
        self.choice = self.answer = None
        return [choice.jobs[place] for place in answer]

    def chosen(self, choice: Choice) -> Sequence[int] | None:
        """Places of visible jobs, the preferred first; None: nobody has chosen yet."""
        del choice
        return self.answer

    def begin(self, job: Job, decisions: list[Decision]) -> None:
        """Start a job that fits."""
        self.waiting.remove(job)
        self.queue.remove(job)
        self.numbers.pop(job.id, None)
        self.started.append(job)
        decisions.append(self.site.run(job, together=False))

    def _again(self, now: float, running: Running) -> None:
        super()._again(now, running)
        self._events.append(running.job)


def _rank(running: Running) -> int:
    return running.rank
