"""Whose an action of a replay is, and what it is for."""

from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.replay.ranks import Message
from windtunnel.engine.sharing import Action, Task
from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.sharing.owner import Owner
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord

__all__ = ["ENDING", "ReplayTag"]

ENDING: Final = -1
"""The subject of the message with which a rank tells that it has ended."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ReplayTag(Owner):
    """The tag of the actions that a replay starts: whose replay it is, and for which rank or message."""

    def __init__(self, owner: Any, subject: int | Message) -> None:
        self.owner = owner
        self.subject = subject

    def complete(self, world: World, action: Action) -> None:
        """The replay goes on."""
        self.owner.replayed(world, action)

    def again(self, world: World, action: Action) -> Task:
        """The same message, one flow, under the present latencies."""
        task = action.task
        assert task is not None
        weight = task.links[0][1]
        assert isinstance(weight, float)
        return sharing_of(world).builder.flows(task.hosts, ((task.hosts[0], task.hosts[-1], weight),))

    @property
    def job(self) -> JobRecord | None:
        """The job whose traces are replayed."""
        record: JobRecord | None = self.owner.job
        return record
