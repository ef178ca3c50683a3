"""Sequences: sub-profiles one after the other at the same date, the whole list repeated."""

from typing import Final

from windtunnel.diagnostics import LivelockError
from windtunnel.engine.jobs.execution import nodes
from windtunnel.engine.jobs.execution.nodes import Kind, Node, profile_as, sub_profile
from windtunnel.engine.state.world import World
from windtunnel.model import SequentialCompositionProfile
from windtunnel.vocabulary import SequentialProgress

__all__ = ["SEQUENCE"]

_IDLE_STEPS: Final = 100_000
"""As many as rounds that keep an instant alive (decisions.md 1)."""


def _sequence(node: Node) -> SequentialCompositionProfile:
    return profile_as(node, SequentialCompositionProfile)


def _begin(world: World, node: Node) -> None:
    profile_ids = _sequence(node).profile_ids
    node.children.clear()
    profile = sub_profile(world, node, profile_ids[node.index % len(profile_ids)])
    nodes.begin(world, node, profile, node.left - node.used)


def _child_ended(world: World, node: Node, child: Node) -> None:
    profile = _sequence(node)
    node.used += child.used
    node.index += 1
    node.idle_steps = 0 if child.used > 1e-9 else node.idle_steps + 1
    if node.idle_steps > _IDLE_STEPS:
        raise LivelockError(
            f"job {node.record.job.id!r}: the sequence {profile.id!r} has done {_IDLE_STEPS:,} steps "
            "without time passing",
            now=world.now,
        )
    if child.code != 0:
        nodes.finish(world, node, child.code, node.used)
    elif node.index == len(profile.profile_ids) * profile.repetition_count:
        nodes.finish(world, node, profile.return_code, node.used)
    else:
        _begin(world, node)


def _cancel(world: World, node: Node) -> int:
    return nodes.cancel(world, node.children[0])


def _progress(world: World, node: Node) -> SequentialProgress:
    length = len(_sequence(node).profile_ids)
    repetition, index = divmod(node.index, length)
    return SequentialProgress(node.profile.id, repetition, index, nodes.progress(world, node.children[0]), length)


SEQUENCE: Final = Kind(_begin, _cancel, _progress, _child_ended)
