"""Who hears of an action: jobs, replays and switches of hosts stand on floors above, and derive from this."""

from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord

if TYPE_CHECKING:
    from windtunnel.engine.sharing import Action, Task

__all__ = ["Owner"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Owner:
    """Whoever has started an action, and hears when it is complete: the ``tag`` of the action."""

    def complete(self, world: World, action: "Action") -> None:
        """An action is complete."""
        raise NotImplementedError

    def again(self, world: World, action: "Action") -> "Task":
        """The same task as that of an action, made under the present latencies."""
        raise NotImplementedError

    def replayed(self, world: World, action: "Action") -> None:
        """An action of a replay that it runs is complete."""
        raise NotImplementedError

    @property
    def job(self) -> JobRecord | None:
        """The job that fails when what the action uses is gone, if it belongs to one."""
        return None
