"""Suspension, resumption and shutdown of the machines of a lease: which nodes work when."""

from collections.abc import Callable
from typing import Final, TypeVar

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.record import LeaseRecord, VirtualMachines
from windtunnel.leases.planner.reservations import Resumption, Shutdown, Suspension
from windtunnel.leases.planner.space import Vector
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import CPU, DISK, MEMORY
from windtunnel.model.lease_options import Exclusion

__all__ = ["NoTimeError", "SuspendResume"]

# Bound once: an enumeration looks its members up anew each time.
_EXCLUSION_GLOBAL: Final = Exclusion.GLOBAL

_Operation = tuple[int, int, dict[int, list[int]]]
"""Start, end, virtual nodes by node."""
_Kind = TypeVar("_Kind", Suspension, Resumption)
_Length = Callable[[int], int]


class NoTimeError(Exception):
    """Machines cannot be suspended or resumed in the time there is; internal, never seen by users."""


@mypyc_attr(allow_interpreted_subclasses=True)
class SuspendResume:
    """Plans suspensions (backward from a deadline), resumptions (forward) and shutdowns."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def shutdown(self, vm: VirtualMachines, length: int) -> None:
        """Let the machines shut down in the last part of their time."""
        start, end = vm.end - length, vm.end
        everyone = tuple(range(vm.lease.numnodes))
        shutdown = Shutdown(vm, start, end, vm.parts, everyone)
        vm.end = start
        self._replace_post(vm, [shutdown])

    def suspend(self, vm: VirtualMachines, by: int) -> None:
        """Let the machines be saved by a time; they stop when the first save begins.

        Raises:
            NoTimeError: there is not enough time for it since the machines started; nothing was changed.
        """
        operations = self._operations(vm, by, self.plan.times.one_suspend, forward=False)
        saves = self._reservations(vm, operations, Suspension)
        least = 1 if self.plan.rules.needs_time_to_suspend else 0  # machines that are saved at once do nothing
        if by < vm.start or by > vm.end or saves[0].start < vm.start + least:
            raise NoTimeError(f"it cannot be suspended between {vm.start / TICKS:g} and {by / TICKS:g} s")
        if saves[0].start < self.plan.now:
            self.plan.overdue[vm.lease] = by
        vm.end = saves[0].start
        self._replace_post(vm, list(saves))

    def resume(self, vm: VirtualMachines, at: int) -> None:
        """Let the machines be restored from a time on; they start when the last is restored.

        Raises:
            NoTimeError: the machines' time ends before they are restored; nothing was changed.
        """
        operations = self._operations(vm, at, self.plan.times.one_resume, forward=True)
        restores = self._reservations(vm, operations, Resumption)
        if restores[-1].end > vm.end:
            raise NoTimeError(f"it cannot be resumed between {at / TICKS:g} and {vm.end / TICKS:g} s")
        vm.start = restores[-1].end
        vm.pre.extend(restores)

    def can_suspend(self, lease: LeaseRecord, time: int, now: int | None = None) -> bool:
        """Whether the machines that run at a time will have run long enough to be worth suspending.

        With ``now``, what they run from now on counts (for deadline leases).
        """
        vm = lease.vm_at(time)
        if vm is None or time <= vm.start:
            return False
        by = min(time, vm.end)
        running = by - vm.start if now is None else min(by - vm.start, by - now)
        times = self.plan.times
        if self.plan.rules.needs_time_to_suspend:
            left = by - max(vm.start, self.plan.now)
            if left < times.suspend_estimate(lease):
                return False
        return running >= times.threshold(lease)

    def preempt(self, vm: VirtualMachines, time: int) -> bool:
        """Suspend scheduled or running machines by a time; ``False`` if there is no time for it (Haizea crashes)."""
        try:
            self.suspend(vm, time)
        except NoTimeError:
            return False
        self.plan.table.move(vm)
        self.plan.table.add_all(vm.post)
        return True

    def _replace_post(self, vm: VirtualMachines, post: list[Suspension] | list[Shutdown]) -> None:
        for old in vm.post:
            self.plan.table.discard(old)
        vm.post = list(post)

    def _reservations(self, vm: VirtualMachines, operations: list[_Operation], kind: type[_Kind]) -> list[_Kind]:
        made = []
        for start, end, where in operations:
            parts: dict[Vector, int] = {}
            for node, vnodes in where.items():
                amount = self._amount(vm, vnodes)
                parts[amount] = parts.get(amount, 0) | (1 << node)
            vnodes_here = tuple(v for vnodes in where.values() for v in vnodes)
            made.append(kind(vm, start, end, tuple(parts.items()), vnodes_here))
        return sorted(made, key=lambda r: r.start)

    def _amount(self, vm: VirtualMachines, vnodes: list[int]) -> Vector:
        """What saving these virtual nodes holds on their node: CPU, and memory and disk for their memory."""
        space, lease = self.plan.space, vm.lease
        cpu, memory = self.plan.rules.saving(
            [space.cpu(lease.needs[v]) for v in vnodes],
            sum(lease.memories[v] for v in vnodes),
            instances=space.position[CPU] >= space.singles,
        )
        return space.vector({CPU: cpu, MEMORY: (memory,), DISK: (memory,)})

    def _operations(self, vm: VirtualMachines, time: int, length: _Length, *, forward: bool) -> list[_Operation]:
        if self.plan.options.suspendresume_exclusion is _EXCLUSION_GLOBAL:
            return self._one_by_one(vm, time, length, forward=forward)
        return self._node_by_node(vm, time, length, forward=forward)

    def _one_by_one(self, vm: VirtualMachines, time: int, length: _Length, *, forward: bool) -> list[_Operation]:
        operations: list[_Operation] = []
        for vnode, node in enumerate(vm.hosts):
            takes = length(vm.lease.memories[vnode]) + self.plan.times.overhead
            start = time if forward else time - takes
            operations.append((start, start + takes, {node: [vnode]}))
            time = start + takes if forward else start
        return operations

    def _node_by_node(self, vm: VirtualMachines, time: int, length: _Length, *, forward: bool) -> list[_Operation]:
        """Nodes in parallel, one virtual node at a time on each; what coincides becomes one operation."""
        reached: dict[int, int] = {}
        together: dict[tuple[int, int], dict[int, list[int]]] = {}
        for vnode, node in enumerate(vm.hosts):
            takes = length(vm.lease.memories[vnode])
            start = reached.get(node, time) if forward else reached.get(node, time) - takes
            reached[node] = start + takes if forward else start
            together.setdefault((start, start + takes), {}).setdefault(node, []).append(vnode)
        spans = []
        for (start, end), where in sorted(together.items()):
            overhead = self.plan.times.overhead * sum(map(len, where.values()))
            spans.append((start, end + overhead, where) if forward else (start - overhead, end, where))
        return _apart(spans, forward=forward)


def _apart(spans: list[_Operation], *, forward: bool) -> list[_Operation]:
    """Operations that overlap are shifted apart, away from the time they are planned from."""
    spans = sorted(spans, key=lambda s: s[0]) if forward else sorted(spans, key=lambda s: s[1])[::-1]
    placed: list[_Operation] = []
    for start, end, where in spans:
        shift = 0
        if placed and forward:
            shift = max(0, placed[-1][1] - start)
        elif placed:
            shift = -max(0, end - placed[-1][0])
        placed.append((start + shift, end + shift, where))
    return placed
