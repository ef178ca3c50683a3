"""A scheduler that keeps what it is told and says what it is given to say."""

from collections.abc import Sequence

from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import Decision, Notice, Reply


class Spy(Scheduler):
    """All that were made are in ``made``."""

    name = "spy"
    made: list["Spy"] = []  # noqa: RUF012 -- shared on purpose

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Notice] = []
        self.to_say: list[Decision] = []
        self.made.append(self)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        self.told = [*notices]
        said, self.to_say = self.to_say, []
        return Reply(now, said)
