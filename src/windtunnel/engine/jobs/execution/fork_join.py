"""Fork-join: sub-profiles all at once; it ends when the last one has (decisions.md 11)."""

from typing import Final

from windtunnel.engine.jobs.execution import nodes
from windtunnel.engine.jobs.execution.nodes import Kind, Node, profile_as, sub_profile
from windtunnel.engine.state.world import World
from windtunnel.model import ForkJoinCompositionProfile
from windtunnel.vocabulary import ForkJoinProgress

__all__ = ["FORK_JOIN"]


def _begin(world: World, node: Node) -> None:
    for profile_id in profile_as(node, ForkJoinCompositionProfile).profile_ids:
        nodes.begin(world, node, sub_profile(world, node, profile_id), node.left)


def _child_ended(world: World, node: Node, child: Node) -> None:
    child.index = nodes.ENDED
    node.used = max(node.used, child.used)
    expected = len(profile_as(node, ForkJoinCompositionProfile).profile_ids)
    if len(node.children) == expected and all(c.index == nodes.ENDED for c in node.children):
        failed = [c.code for c in node.children if c.code != 0]
        nodes.finish(world, node, failed[0] if failed else node.profile.return_code, node.used)


def _cancel(world: World, node: Node) -> int:
    codes = [nodes.cancel(world, child) for child in node.children if child.index != nodes.ENDED]
    return min(codes, default=-1)


def _progress(world: World, node: Node) -> ForkJoinProgress:
    return ForkJoinProgress(node.profile.id, tuple(nodes.progress(world, child) for child in node.children))


FORK_JOIN: Final = Kind(_begin, _cancel, _progress, _child_ended)
