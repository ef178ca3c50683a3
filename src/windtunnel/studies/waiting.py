"""Which point a worker gets next: points that share an input go to one worker, as long as there are others to do."""

from collections import deque
from collections.abc import Iterable

from windtunnel.studies.trials import Trial

__all__ = ["WaitingTrials"]


class WaitingTrials:
    """Trials that are not under way, in groups that share a workload.

    A worker stays with a group, so that it makes its workload once; when no group is left that nobody is at, it helps
    with the one that has most to do.
    """

    def __init__(self, trials: Iterable[Trial]) -> None:
        groups: dict[str, deque[Trial]] = {}
        for trial in trials:
            groups.setdefault(repr(trial.input), deque()).append(trial)
        self._free = deque(groups.values())
        self._taken: dict[int, deque[Trial]] = {}
        self._count = sum(map(len, groups.values()))

    def __len__(self) -> int:
        return self._count

    def next(self, slot: int) -> Trial | None:
        """The next trial for a worker; None when there is none."""
        group = self._taken.get(slot)
        if not group:
            if self._free:
                group = self._taken[slot] = self._free.popleft()
            else:
                group = max(self._taken.values(), key=len, default=None)
        if not group:
            return None
        self._count -= 1
        return group.popleft()

    def give_back(self, trial: Trial) -> None:
        """A trial has to be done again: before others."""
        self._count += 1
        self._free.appendleft(deque([trial]))
