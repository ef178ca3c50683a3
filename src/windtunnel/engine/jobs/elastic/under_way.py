"""What an application has under way: actions of the sharing system and places in queues of devices.

They are started for lanes, which go on when they are over; they stand still while the job is suspended, and move with
it to other hosts.
"""

from collections import deque
from math import isfinite
from typing import TYPE_CHECKING, Any

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError
from windtunnel.engine.jobs.elastic.devices import go_on, leave, stand_still
from windtunnel.engine.jobs.elastic.lanes import Lane, Pending, Team
from windtunnel.engine.jobs.execution.nodes import Node
from windtunnel.engine.sharing.disks import disk_task
from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet, JobRecord

if TYPE_CHECKING:
    from windtunnel.engine.sharing import Task

__all__ = ["UnderWay", "relocated"]


@mypyc_attr(allow_interpreted_subclasses=True)
class UnderWay:
    """Of one running application."""

    def __init__(self, world: World, node: Node, hosts: list[int]) -> None:
        self.world = world
        self.node = node
        self.hosts = hosts
        """By rank."""
        self.moves: dict[int, int] = {}
        """Where the hosts are now for which its steps were made; empty: they are those."""
        self.newcomers: Team | None = None
        """New ranks that prepare themselves."""
        self.under_way: dict[int, Pending] = {}
        self.next_pending = 0
        self.ready: deque[Lane] = deque()
        """Lanes that can go on."""
        self.ended_already = False

    @property
    def record(self) -> JobRecord:
        """The job."""
        record: JobRecord = self.node.record
        return record

    def now(self) -> float:
        """The date (s)."""
        return self.world.now

    def fail(self, reason: str) -> SimulationError:
        """A fault of the application that shows while it runs."""
        return SimulationError(f"job {self.record.job.id!r}: {reason}", now=self.world.now)

    def drive(self) -> None:
        """All lanes that can go on do so until they must wait."""
        raise NotImplementedError

    def pending(self, waiter: Lane | None, spec: tuple[Any, ...] = ()) -> Pending:
        """Something is about to be under way."""
        pending = Pending(self, waiter, spec)
        pending.number = self.next_pending
        self.under_way[pending.number] = pending
        self.next_pending += 1
        if waiter is not None:
            waiter.waits += 1
        return pending

    def sleep(self, waiter: Lane, seconds: float) -> None:
        """Let time pass."""
        if not isfinite(seconds):
            raise self.fail(f"a delay of {seconds} s is not valid")
        pending = self.pending(waiter)
        sharing = sharing_of(self.world)
        sharing.changed = True
        pending.action = sharing.system.sleep(sharing.date(), max(0.0, seconds), pending)

    def start(self, waiter: Lane | None, spec: tuple[Any, ...]) -> Pending:
        """Start a task of the sharing system."""
        pending = self.pending(waiter, spec)
        sharing = sharing_of(self.world)
        pending.action = sharing.start(self.task_for(self.world, spec), pending)
        return pending

    def task_for(self, world: World, spec: tuple[Any, ...]) -> "Task":
        """The task of a kind, on hosts, with amounts."""
        sharing = sharing_of(world)
        kind, hosts = spec[0], spec[1]
        if kind == "alike":
            return sharing.builder.homogeneous(hosts, spec[2], spec[3])
        if kind == "flows":
            return sharing.builder.flows(hosts, spec[2])
        if kind == "disk":
            return disk_task(sharing.disks, hosts[0], spec[2], write=spec[3])
        return sharing.builder.matrices(hosts, spec[2], spec[3])

    def ended(self, world: World, pending: Pending) -> None:
        """Something is over: who waits for it goes on."""
        if pending.over:
            return
        pending.over = True
        self.under_way.pop(pending.number, None)
        if pending.queue is not None:
            leave(world, pending)
        waiter = pending.waiter
        if waiter is not None:
            waiter.waits -= 1
            if waiter.waits == 0:
                self.ready.append(waiter)
                self.drive()

    def cancel(self) -> None:
        """Stop all that is under way."""
        self.ended_already = True
        sharing = sharing_of(self.world)
        pendings = [*self.under_way.values()]
        self.under_way.clear()
        for pending in pendings:
            pending.over = True
            if pending.action is not None:
                sharing.cancel(pending.action)
        for pending in pendings:
            if pending.queue is not None:
                leave(self.world, pending)
        self.ready.clear()

    def freeze(self) -> None:
        """Let all that is under way stand still."""
        for pending in [*self.under_way.values()]:
            if pending.queue is not None:
                stand_still(self.world, pending)
            elif pending.action is not None:
                sharing_of(self.world).suspend(pending.action)

    def thaw(self) -> None:
        """Go on where it stood."""
        for pending in [*self.under_way.values()]:
            if pending.place is not None:
                go_on(self.world, pending)
            elif pending.action is not None:
                sharing_of(self.world).resume(pending.action)

    def moved(self, hosts: HostSet) -> dict[int, int]:
        """While it is suspended: its ranks go on on other hosts, in their order, and so does what is under way.

        Returns where each of its hosts is now.
        """
        where = dict(zip(sorted({*self.hosts}), hosts, strict=True))
        known = self.moves or dict(zip(where, where, strict=True))
        self.moves = {made_for: where[host] for made_for, host in known.items()}
        self.hosts[:] = [where[host] for host in self.hosts]
        if self.newcomers is not None:
            self.newcomers.hosts[:] = [where[host] for host in self.newcomers.hosts]
        for pending in self.under_way.values():
            if pending.place is not None:
                host, number = pending.place
                pending.place = where[host], number
            if pending.spec:
                self._take_along(pending, where)
        return where

    def _take_along(self, pending: Pending, where: dict[int, int]) -> None:
        """What is left of it is done on the other hosts."""
        pending.spec = spec = relocated(pending.spec, where)
        if spec[0] == "disk" and spec[1][0] not in sharing_of(self.world).disks:
            raise self.fail(f"it continues on host {spec[1][0]}, which has no burst buffer")
        action = pending.action
        action.task = self.task_for(self.world, spec)
        action.network_bound = action.task.network_bound


def relocated(spec: tuple[Any, ...], where: dict[int, int]) -> tuple[Any, ...]:
    """What a task is made from, on other hosts; those that are not named are not the job's."""
    kind, hosts, *rest = spec
    if kind == "flows":
        rest[0] = tuple((where.get(a, a), where.get(b, b), each) for a, b, each in rest[0])
    return (kind, tuple(where.get(host, host) for host in hosts), *rest)
