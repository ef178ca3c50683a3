"""The application of a job begins, or begins anew on other hosts."""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.jobs.elastic.lanes import Frame, Lane, Step, Team
from windtunnel.engine.jobs.elastic.machine import Machine
from windtunnel.engine.jobs.elastic.program import Program, once
from windtunnel.engine.jobs.elastic.steps import BARRIER, Begin, JoinAll
from windtunnel.engine.jobs.execution.nodes import Node, profile_as
from windtunnel.engine.state.world import World
from windtunnel.model.application import ElasticProfile
from windtunnel.vocabulary import ExecuteJob

__all__ = ["begin", "gpus_of", "restart"]

_BEGIN: Final = Begin()
_JOIN: Final = JoinAll()


@mypyc_attr(allow_interpreted_subclasses=True)
class _Enter(Step):
    """On to the phases; new ranks prepare themselves before."""

    def __init__(self, new: list[int], steps: tuple[Step, ...]) -> None:
        self.new = new
        """Ranks."""
        self.steps = steps
        """What they do before."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """The others go on meanwhile."""
        assert machine.program is not None
        new = [rank for rank in lane.ranks if rank in self.new] if self.steps else []
        old = [rank for rank in lane.ranks if rank not in new]
        team = machine.program.team
        if new:
            own = machine.newcomers = Team([team.hosts[rank] for rank in self.new], self.new)
            prepared = Lane(own, [*range(len(self.new))], [Frame((*self.steps, _JOIN), 1)])
            machine.ready.append(prepared)
        if old:
            machine.ready.appendleft(Lane(team, old, machine.program.phases_from(*machine.place)))
        return False


def begin(world: World, node: Node) -> None:
    """The application of a job begins."""
    profile = profile_as(node, ElasticProfile)
    decision = node.decision
    ranked = [*node.record.hosts]
    placement = None if decision is None else decision.placement
    hosts = [ranked[rank] for rank in placement] if isinstance(placement, tuple) else ranked
    machine = Machine(world, node, profile, hosts, gpus_of(decision, profile))
    machine.arguments = world.arguments.pop(node.record.job.id, {})
    node.action = machine
    machine.program = Program(machine)
    first = once(machine, profile.application.on_init, machine.hosts)
    _launch(machine, first, [], ())


def gpus_of(decision: object, profile: ElasticProfile) -> int:
    """The GPUs of each host that a decision gives; else as few as the job takes."""
    amounts = decision.amounts if isinstance(decision, ExecuteJob) and decision.amounts is not None else {}
    given = {int(one.get("gpus", profile.gpus_least)) for one in amounts.values()}
    return max(given, default=profile.gpus_least)


def restart(machine: Machine, before: list[int] | None) -> None:
    """The job goes on after it stood still; ``before``: the hosts that it had, if it has others now."""
    if before is None:
        _launch(machine, (), [], ())
        return
    machine.program = Program(machine)
    application = machine.profile.application
    first = once(machine, application.on_reconfiguration, machine.hosts)
    had = {*before}
    new = [rank for rank, host in enumerate(machine.hosts) if host not in had]
    expansion = once(machine, application.on_expansion, [machine.hosts[rank] for rank in new])
    _launch(machine, first, new, expansion)


def _launch(machine: Machine, first: tuple[Step, ...], new: list[int], expansion: tuple[Step, ...]) -> None:
    assert machine.program is not None
    machine.ranks_over = 0
    outer = Frame((*first, BARRIER, _BEGIN, _Enter(new, expansion)), 1)
    machine.launch([Lane(machine.program.team, [*range(len(machine.hosts))], [outer])])
