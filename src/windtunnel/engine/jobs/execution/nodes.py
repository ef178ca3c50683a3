"""Nodes: one running profile each; compositions have children. Plain data, driven by functions per kind."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import DecisionError, SimulationError
from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.sharing.owner import Owner
from windtunnel.engine.state.world import World
from windtunnel.model import (
    JobRecord,
    JobState,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskProfile,
    Profile,
    SequentialCompositionProfile,
)
from windtunnel.model.profiles import parts_of
from windtunnel.vocabulary import KillProgress

if TYPE_CHECKING:
    from windtunnel.engine.sharing import Action, Task

__all__ = [
    "ENDED",
    "KINDS",
    "LATER",
    "Kind",
    "Node",
    "begin",
    "cancel",
    "check_io",
    "delay_done",
    "finish",
    "freeze",
    "kind_of",
    "leaf_due",
    "profile_as",
    "progress",
    "sub_node",
    "sub_profile",
    "thaw",
]

ENDED: Final = -1
"""The index of a part of a fork-join that has ended, while others have not."""

_TAKES_IO: Final = (
    ParallelTaskProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    SequentialCompositionProfile,
)

P = TypeVar("P", bound=Profile)


@mypyc_attr(allow_interpreted_subclasses=True)
class Node(Owner):
    """One running profile of a job."""

    def __init__(
        self,
        record: JobRecord,
        profile: Profile,
        parent: "Node | None",
        left: float,
        start: float,
        decision: Any,
        io: Profile | None = None,
    ) -> None:
        self.record = record
        self.profile = profile
        self.parent = parent
        self.left = left
        """Seconds of walltime left when it began."""
        self.start = start
        self.decision = decision
        """The ``ExecuteJob`` that started the job: mappings, storages, overrides."""
        self.io = io
        """A further task that is added to this one (additional_io_job)."""
        self.version = 0
        self.index = 0
        """Compositions: the rank of the present child, counted over all repetitions."""
        self.children: list[Node] = []
        self.used = 0.0
        """Seconds of walltime used, set when it ends."""
        self.code = 0
        self.action: Any = None
        """What the sharing system or a replay knows it by."""
        self.frozen_at = -1.0
        """When it was suspended; -1 when it runs."""
        self.idle_steps = 0
        """Sequences: how many steps in a row have taken no time."""

    def complete(self, world: World, action: "Action") -> None:
        """The sharing system has finished what it did for this node."""
        act = kind_of(world, self.profile).complete
        assert act is not None
        act(world, self, action)

    def replayed(self, world: World, action: "Action") -> None:
        """The sharing system has finished something of the replay that this node runs."""
        self.complete(world, action)

    def again(self, world: World, action: "Action") -> "Task":
        """The node's task under the present latencies."""
        del action
        act = kind_of(world, self.profile).again
        assert act is not None
        return act(world, self)

    @property
    def job(self) -> JobRecord | None:
        """The job that it is part of."""
        return self.record


class Kind(NamedTuple):
    """What the engine must know to run one kind of profile."""

    begin: Callable[[World, Node], None]
    cancel: Callable[[World, Node], int]
    """Stop it; returns the return code of a job killed in it."""
    progress: Callable[[World, Node], KillProgress]
    child_ended: Callable[[World, Node, Node], None] | None = None
    freeze: Callable[[World, Node], None] | None = None
    """Suspend it, keeping its progress; None when its children and its events are all there is to suspend."""
    thaw: Callable[[World, Node], None] | None = None
    """Let it go on; what it has begun at has been moved by the time that it stood still."""
    due: Callable[[World, Node], None] | None = None
    """A date that it has put into the calendar has come."""
    complete: "Callable[[World, Node, Action], None] | None" = None
    """An action that it has started, or that its replay has, is complete."""
    again: "Callable[[World, Node], Task] | None" = None
    """Its task, made anew."""


KINDS: Final[dict[type[Profile], Kind]] = {}
"""The functions for each kind of profile, filled by :mod:`windtunnel.engine.jobs.execution.kinds`."""
LATER: Final[dict[type[Profile], Callable[[], Kind]]] = {}
"""Where the functions come from for kinds whose code is loaded when the first of them runs."""


def profile_as(node: Node, kind: type[P]) -> P:
    """The node's profile, which is of this kind by the table of kinds."""
    if not isinstance(node.profile, kind):
        raise TypeError(f"a node for {kind.__name__} runs a {type(node.profile).__name__}")
    return node.profile


def kind_of(world: World, profile: Profile) -> Kind:
    """The functions for a profile."""
    kind = KINDS.get(type(profile))
    if kind is None and (load := LATER.get(type(profile))) is not None:
        kind = KINDS[type(profile)] = load()
    if kind is None:
        raise SimulationError(f"profile {profile.id!r}: {type(profile).__name__} cannot be run", now=world.now)
    return kind


def leaf_due(world: World, node: Node) -> None:
    """A timed leaf has come to its end."""
    due = kind_of(world, node.profile).due
    assert due is not None
    due(world, node)


def begin(world: World, parent: Node, profile: Profile, left: float) -> Node:
    """Start a sub-profile."""
    child = sub_node(world, parent, profile, left)
    parent.children.append(child)
    kind_of(world, profile).begin(world, child)
    return child


def sub_node(world: World, parent: Node, profile: Profile, left: float) -> Node:
    """The node of a sub-profile, not begun yet."""
    io = _io_of_child(world, parent)
    child = Node(parent.record, profile, parent, left, world.now, parent.decision, io=io)
    check_io(world, child)
    return child


def check_io(world: World, node: Node) -> None:
    """Additional I/O is added to a parallel task, or step by step to a sequence of them (batsim-protocol.md 6)."""
    if node.io is not None and not isinstance(node.profile, _TAKES_IO):
        raise DecisionError(
            f"job {node.record.job.id!r}: the additional I/O {node.io.id!r} cannot be added to {node.profile.id!r}, "
            f"a {type(node.profile).__name__}",
            rule="additional-io",
            now=world.now,
        )


def _io_of_child(world: World, parent: Node) -> Profile | None:
    """The additional task of a step: the same step of an additional sequence, which must be as long."""
    io = parent.io
    if io is None:
        return None
    steps, mine = parts_of(io), parts_of(parent.profile)
    if len(steps) != len(mine):
        raise DecisionError(
            f"job {parent.record.job.id!r}: the additional I/O profile {io.id!r} must be a sequence of {len(mine)} "
            f"tasks, like the job's own, and has {len(steps)}",
            rule="additional-io",
            now=world.now,
        )
    return sub_profile(world, parent, steps[parent.index % len(mine)])


def cancel(world: World, node: Node) -> int:
    """Stop a node."""
    node.version += 1
    return kind_of(world, node.profile).cancel(world, node)


def freeze(world: World, node: Node) -> None:
    """Let a node and all it consists of stand still; the events that it waits for are void."""
    node.version += 1
    node.frozen_at = world.now
    for child in node.children:
        if child.index != ENDED:
            freeze(world, child)
    act = kind_of(world, node.profile).freeze
    if act is not None:
        act(world, node)


def thaw(world: World, node: Node) -> None:
    """Let a suspended node go on, as if it had begun so much later."""
    node.start += world.now - node.frozen_at
    node.frozen_at = -1.0
    for child in node.children:
        if child.index != ENDED:
            thaw(world, child)
    act = kind_of(world, node.profile).thaw
    if act is not None:
        act(world, node)


def progress(world: World, node: Node) -> KillProgress:
    """How far a node has come."""
    return kind_of(world, node.profile).progress(world, node)


def delay_done(passed: float, delay: float) -> float:
    """How much of a delay is done, in [0, 1]: of one without length, all."""
    return min(1.0, max(0.0, passed / delay)) if delay > 0 else 1.0


def finish(world: World, node: Node, code: int, used: float | None = None) -> None:
    """A node has ended by itself: its parent goes on, or its job ends."""
    node.version += 1
    node.code = code
    node.used = world.now - node.start if used is None else used
    parent = node.parent
    if parent is None:
        state = JobState.COMPLETED_SUCCESSFULLY if code == 0 else JobState.COMPLETED_FAILED
        end_job(world, node.record, state, code)
        return
    child_ended = kind_of(world, parent.profile).child_ended
    if child_ended is None:
        raise AssertionError("only compositions have children")
    child_ended(world, parent, node)


def sub_profile(world: World, node: Node, profile_id: str) -> Profile:
    """A profile named by a composition."""
    profile = world.profiles.get(profile_id)
    if profile is None:
        raise SimulationError(f"profile {node.profile.id!r} uses {profile_id!r}, which does not exist", now=world.now)
    return profile
