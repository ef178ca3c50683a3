"""How the engine drives the application of a job that may change size."""

from typing import Final

from windtunnel.engine.jobs.elastic.machine import Machine
from windtunnel.engine.jobs.elastic.resizing import settle
from windtunnel.engine.jobs.elastic.starting import begin
from windtunnel.engine.jobs.execution.nodes import Kind, Node
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import AtomicProgress

__all__ = ["ELASTIC"]


def _machine(node: Node) -> Machine:
    machine = node.action
    assert isinstance(machine, Machine)
    return machine


def _cancel(world: World, node: Node) -> int:
    machine = _machine(node)
    machine.cancel()
    if machine.kept:
        world.hosts.give_back(machine.kept)
    return -1


def _progress(world: World, node: Node) -> AtomicProgress:
    del world
    return AtomicProgress(node.profile.id, _machine(node).progress)


def _freeze(world: World, node: Node) -> None:
    del world
    _machine(node).freeze()


def _thaw(world: World, node: Node) -> None:
    machine = _machine(node)
    if {*machine.hosts} != {*node.record.hosts}:
        machine.moved(node.record.hosts)
    machine.thaw()
    world.sharing.changed = True


def _answered(world: World, node: Node) -> None:
    """What it has told while it stood still was answered."""
    settle(world, _machine(node))


ELASTIC: Final = Kind(begin, _cancel, _progress, freeze=_freeze, thaw=_thaw, due=_answered)
