"""What an environment shows an agent of a choice, as an array: rows of numbers about jobs, or as CQGym shows it."""

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from windtunnel.schedulers.learned.choosing import Choosing
from windtunnel.schedulers.learned.sights import FEATURES, PADDING, SIGHTS, Choice, ViewName, requested

if TYPE_CHECKING:
    import numpy as np
else:
    try:
        import numpy as np
    except ImportError:  # the module can be looked at all the same
        np = None

__all__ = ["VIEWS", "EnvironmentView", "NodesToo", "Observation", "Rows", "observation_for", "sight_for"]

EnvironmentView = Literal[ViewName, "cqgym"]
"""What is told of a choice; a policy that is a scheduler sees the first two."""
VIEWS: Final = (*SIGHTS, "cqgym")
"""Their names."""


class Observation(Protocol):
    """Makes arrays of one shape, each a new one."""

    shape: tuple[int, int]
    most: float
    """No number is larger; none is less than 0."""

    def of(self, choice: Choice | None, chooser: Choosing, now: float) -> Any:
        """What is seen of a choice; of None at the end of an episode."""


class Rows:
    """A row of numbers from 0 to 1 for each place of the window."""

    most = 1.0

    def __init__(self, view: ViewName, window: int) -> None:
        self._empty = np.tile(np.array(PADDING[view], dtype=np.float32), (window, 1))
        self.shape = (window, len(FEATURES[view]))

    def of(self, choice: Choice | None, chooser: Choosing, now: float) -> Any:
        """The rows of the choice, and what stands for empty places."""
        del chooser, now
        made = self._empty.copy()
        if choice is not None:
            made[: len(choice.rows)] = choice.rows
        return made


class NodesToo:
    """As CQGym shows it: two rows for each job of the window, then one for each host, nothing scaled.

    A job: processors and requested time (s); 0 and how long it has waited (s). A host: 1 and 0 if it is free, else 0
    and how long until it is expected to be (s).
    """

    most = float(2**100)

    def __init__(self, window: int, hosts: int) -> None:
        self._window = window
        self.shape = (2 * window + hosts, 2)

    def of(self, choice: Choice | None, chooser: Choosing, now: float) -> Any:
        """Jobs and hosts."""
        made = np.zeros(self.shape, dtype=np.float32)
        for place, job in enumerate(() if choice is None else choice.jobs):
            made[2 * place] = job.request.hosts, min(requested(job), self.most)
            made[2 * place + 1, 1] = now - job.submission_time
        hosts = made[2 * self._window :]
        hosts[:, 0] = 1.0
        for running in chooser.holding():
            numbers = list(running.hosts)
            hosts[numbers, 0] = 0.0
            hosts[numbers, 1] = min(max(running.end - now, 0.0), self.most)
        return made


def sight_for(view: EnvironmentView) -> str:
    """The view of the scheduler behind an environment."""
    return "windtunnel" if view == "cqgym" else view


def observation_for(view: EnvironmentView, window: int, hosts: int) -> Observation:
    """What makes the arrays of a view."""
    return NodesToo(window, hosts) if view == "cqgym" else Rows(view, window)
