"""Delays inside compositions."""

from typing import Final

from windtunnel.engine.jobs.execution.nodes import Kind, Node, delay_done, finish, profile_as
from windtunnel.engine.state.calendar import LEAF_END, Priority
from windtunnel.engine.state.world import World
from windtunnel.model import DelayProfile
from windtunnel.vocabulary import AtomicProgress

__all__ = ["DELAY"]


def _delay(node: Node) -> float:
    return profile_as(node, DelayProfile).delay


def _begin(world: World, node: Node) -> None:
    delay = _delay(node)
    if delay < node.left:  # otherwise the walltime comes first, or at the same instant, and wins
        world.push(world.now + delay, Priority.END, LEAF_END, node, node.version)


def _over(world: World, node: Node) -> None:
    """The delay is over."""
    world.energy.sleep_ended(node.record)
    finish(world, node, node.profile.return_code, _delay(node))


def _cancel(world: World, node: Node) -> int:
    world.energy.sleep_ended(node.record)  # the version was raised, which voids the event
    return -1


def _progress(world: World, node: Node) -> AtomicProgress:
    done = (node.frozen_at if node.frozen_at >= 0 else world.now) - node.start
    return AtomicProgress(node.profile.id, delay_done(done, _delay(node)))


def _thaw(world: World, node: Node) -> None:
    if _delay(node) < node.left:
        world.push(node.start + _delay(node), Priority.END, LEAF_END, node, node.version)


DELAY: Final = Kind(_begin, _cancel, _progress, thaw=_thaw, due=_over)
