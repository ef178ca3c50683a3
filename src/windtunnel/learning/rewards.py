"""What an agent is paid for its choices."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, Protocol

from windtunnel.learning.episode import Episode

__all__ = ["REWARDS", "AtEnd", "InSteps", "Reward", "RewardName", "make_reward"]

RewardName = Literal["slowdown", "wait", "utilisation", "cqgym", "schedgym"]

_SIX_HOURS: Final = 21_600.0


class Reward(Protocol):
    """Pays for one choice; a new one is made for each episode."""

    def pay(self, episode: Episode) -> float:
        """For what has happened since the last call; ``episode.over`` at the last."""


Figure = Callable[[Episode], float]

_FIGURES: Final[Mapping[str, Figure]] = {
    "slowdown": lambda episode: -episode.mean_slowdown(),
    "wait": lambda episode: -episode.mean_wait(),
    "utilisation": Episode.utilisation,
}


class AtEnd:
    """Nothing until the end, then the figure of the whole sequence."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure

    def pay(self, episode: Episode) -> float:
        """The figure when all is over."""
        return self._figure(episode) if episode.over else 0.0


class InSteps:
    """What each choice has changed of the figure; the sum over an episode is the figure of the whole sequence."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._paid = 0.0

    def pay(self, episode: Episode) -> float:
        """The difference to the last time."""
        figure = self._figure(episode)
        change, self._paid = figure - self._paid, figure
        return change


class CQGym:
    """A third each for the machine's use, for how long the chosen job had waited, and for its size.

    After CQGym (each choice; waits as a part of the longest, of six hours at least).
    """

    def pay(self, episode: Episode) -> float:
        """For the first job that the choice has started; the machine's use alone where it has started none."""
        now = episode.now
        used = sum(
            job.request.hosts
            for job, run in zip(episode.jobs, episode.runs, strict=True)
            if job.id in episode.starts and now < episode.starts[job.id] + run
        )
        pay = used / episode.hosts
        if episode.last_started:
            job = episode.last_started[0]
            waits = [wait for one, wait in zip(episode.jobs, episode.waits(), strict=True) if one.id != job.id]
            waited = episode.starts[job.id] - job.submission_time
            pay += waited / max(*waits, waited, _SIX_HOURS) if waits else waited / max(waited, _SIX_HOURS)
            pay += job.request.hosts / episode.hosts
        return pay / 3


class Schedgym:
    """Minus 1 / run time for each job in the system and second, as schedgym (after DeepRM) pays each time step."""

    def __init__(self) -> None:
        self._until = 0.0

    def pay(self, episode: Episode) -> float:
        """For the time since the last choice."""
        since, self._until = self._until, episode.now
        pay = 0.0
        for job, run in zip(episode.jobs, episode.runs, strict=True):
            end = episode.starts.get(job.id, self._until) + run if job.id in episode.starts else self._until
            span = min(end, self._until) - max(job.submission_time, since)
            if span > 0:
                pay -= span / max(run, 1.0)
        return pay


REWARDS: Final[Mapping[str, Callable[[], Reward]]] = {"cqgym": CQGym, "schedgym": Schedgym}
"""Those that are no figure of the whole sequence, by name."""


def make_reward(name: RewardName, *, dense: bool) -> Reward:
    """The reward of this name; ``dense``: paid in steps rather than at the end."""
    if name in REWARDS:
        return REWARDS[name]()
    return InSteps(_FIGURES[name]) if dense else AtEnd(_FIGURES[name])
