"""Lanes: ranks of a job that do the same at the same time, and where they are in their program.

A program is a stack of frames, each a list of steps to be done so many times. Ranks with equal amounts on hosts that
they have alone share a lane, so that they cost one action and one event; they part where their amounts differ, and
meet again at barriers. Plain data: a lane can be copied and saved at any time.
"""

from typing import TYPE_CHECKING, Any

from mypy_extensions import mypyc_attr

from windtunnel.engine.sharing.owner import Owner
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord

if TYPE_CHECKING:
    from windtunnel.engine.jobs.elastic.machine import Machine
    from windtunnel.engine.jobs.elastic.under_way import UnderWay
    from windtunnel.engine.sharing import Action, Task

__all__ = ["Frame", "Lane", "Pending", "Step", "Team"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Step:
    """One thing that the ranks of a lane do. Shared by all lanes of a job, and never changed by them."""

    def run(self, machine: "Machine", lane: "Lane") -> bool:
        """Do it; False when the lane must wait, or is no more."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Frame:
    """Steps to be done ``left`` more times, this one included."""

    def __init__(
        self, steps: tuple[Step, ...], left: int, name: str | None = None, begun: float = 0.0, *, closes: bool = False
    ) -> None:
        self.steps = steps
        self.left = left
        self.index = 0
        """The next step."""
        self.done = 0
        """Repetitions that are over."""
        self.name = name
        """Of the task whose end is told when all are done; None: nothing is told."""
        self.begun = begun
        self.closes = closes
        """What is begun within it, and not waited for, is waited for at the end of each repetition."""
        self.detached: list[Pending] = []

    def copy(self) -> "Frame":
        """The same place for another lane."""
        new = Frame(self.steps, self.left, self.name, self.begun, closes=self.closes)
        new.index, new.done = self.index, self.done
        return new

    def alike(self, other: "Frame") -> bool:
        """Whether both are at the same place, and nothing of either is under way."""
        return (
            self.steps == other.steps  # of the same steps: a compiled tuple may be made anew
            and self.index == other.index
            and self.left == other.left
            and (self.name is None or self.begun == other.begun)
            and not self.detached
            and not other.detached
        )


@mypyc_attr(allow_interpreted_subclasses=True)
class Team:
    """Ranks that wait for each other: all of a job, or those that are new."""

    def __init__(self, hosts: list[int], numbers: list[int]) -> None:
        self.hosts = hosts
        """By rank."""
        self.numbers = numbers
        """The number of each rank among all of the job."""
        self.waiting: list[Lane] = []
        self.arrived = 0


@mypyc_attr(allow_interpreted_subclasses=True)
class Lane:
    """Ranks of a team at one place of their program."""

    def __init__(self, team: Team, ranks: list[int], stack: list[Frame]) -> None:
        self.team = team
        self.ranks = ranks
        self.stack = stack
        self.waits = 0
        """What it waits for."""
        self.computing: list[Pending] = []
        """Computations that go on beside an exchange."""
        self.fresh = True
        """It has just begun or gone on: it does not stop before the next iteration of its phase."""

    def part(self, ranks: list[int]) -> "Lane":
        """Some of the ranks, at the same place."""
        lane = Lane(self.team, ranks, [frame.copy() for frame in self.stack])
        lane.fresh = self.fresh
        return lane

    def may_join(self, other: "Lane") -> bool:
        """Whether both are at the same place, with nothing of their own under way."""
        return (
            not self.computing
            and not other.computing
            and self.fresh == other.fresh
            and len(self.stack) == len(other.stack)
            and all(a.alike(b) for a, b in zip(self.stack, other.stack, strict=True))
        )

    def scope(self) -> Frame:
        """The innermost frame that waits for what is begun within it; else the outermost."""
        return next((frame for frame in reversed(self.stack) if frame.closes), self.stack[0])


@mypyc_attr(allow_interpreted_subclasses=True)
class Pending(Owner):
    """Something under way for a lane: an action of the sharing system, or a place in the queue of a device."""

    def __init__(self, machine: "UnderWay", waiter: Lane | None, spec: tuple[Any, ...] = ()) -> None:
        self.machine = machine
        self.waiter = waiter
        """The lane that goes on when it is over."""
        self.spec = spec
        """What its task is made from: kind, hosts, amounts."""
        self.over = False
        self.action: Any = None
        self.queue: tuple[int, int] | None = None
        """Host and number of the device that it waits for or uses (-1: the link between the GPUs)."""
        self.place: tuple[int, int] | None = None
        """While its job is suspended: host and number of the device that it used or waited for."""
        self.number = -1
        """Among all of its job."""
        self.seconds = 0.0
        """How long it uses the device."""

    def complete(self, world: World, action: "Action") -> None:
        """It is over: who waits for it goes on."""
        del action
        self.machine.ended(world, self)

    def again(self, world: World, action: "Action") -> "Task":
        """Its task under the present latencies."""
        del action
        return self.machine.task_for(world, self.spec)

    @property
    def job(self) -> JobRecord | None:
        """The job that it is part of."""
        return self.machine.record
