"""GPUs and the links between those of a host: each serves one at a time, first come first served.

Burst buffers are constraints of the sharing system (see :mod:`windtunnel.engine.sharing.disks`).
"""

from collections import deque
from typing import Any

from mypy_extensions import mypyc_attr

from windtunnel.engine.jobs.elastic.lanes import Pending
from windtunnel.engine.jobs.elastic.telling import tell_followers
from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import HostGpusChanged

__all__ = ["GpuQueues", "enqueue", "go_on", "leave", "queues_of", "stand_still"]

LINK = -1


@mypyc_attr(allow_interpreted_subclasses=True)
class GpuQueues:
    """What waits for each device, the one that is served first at the head."""

    def __init__(self) -> None:
        self.waiting: dict[tuple[int, int], deque[Pending]] = {}
        self.busy: dict[int, list[bool]] = {}
        """By host: which GPUs are told to be in use."""

    def choose(self, host: int, count: int, wanted: int) -> list[int]:
        """So many of the GPUs of a host: first those that are free, in order, then busy ones."""
        numbers = range(count)
        free = [number for number in numbers if not self.waiting.get((host, number))]
        return (free + [number for number in numbers if self.waiting.get((host, number))])[:wanted]


def queues_of(world: World) -> GpuQueues:
    """The queues of all devices, made on first use."""
    if world.gpus is None:
        world.gpus = GpuQueues()
    found: Any = world.gpus
    queues: GpuQueues = found
    return queues


def enqueue(world: World, pending: Pending, host: int, number: int, seconds: float) -> None:
    """Use a device for so many seconds, when it is free."""
    queues = queues_of(world)
    pending.queue = (host, number)
    pending.seconds = seconds
    queue = queues.waiting.setdefault(pending.queue, deque())
    queue.append(pending)
    if number != LINK:
        _tell(world, queues, host, number, busy=True)
    if len(queue) == 1:
        _serve(world, pending)


def leave(world: World, pending: Pending) -> None:
    """It is served, or no longer wants to be: the next one is."""
    if pending.queue is None:
        return
    queues = queues_of(world)
    host, number = pending.queue
    queue = queues.waiting[pending.queue]
    first = queue[0] is pending
    queue.remove(pending)
    pending.queue = None
    if number != LINK:
        _tell(world, queues, host, number, busy=False)
    if queue and first:
        _serve(world, queue[0])


def stand_still(world: World, pending: Pending) -> None:
    """Its job is suspended: it keeps what is left to be done, and others use the device meanwhile."""
    if pending.queue is None:
        return
    pending.place = pending.queue
    action = pending.action
    if action is not None:
        pending.action = None
        sharing = sharing_of(world)
        pending.seconds = max(0.0, action.due - sharing.date())
        sharing.cancel(action)
    leave(world, pending)


def go_on(world: World, pending: Pending) -> None:
    """Its job has been resumed: it uses the link of its host, or a GPU there, as before.

    Raises:
        SimulationError: the host has none.
    """
    if pending.place is None:
        return
    host, number = pending.place
    pending.place = None
    count = int(world.platform.hosts[host].resources.get("gpus", 0.0))
    if not count:
        raise pending.machine.fail(f"it continues on host {host}, which has no GPUs")
    chosen = LINK if number == LINK else queues_of(world).choose(host, count, 1)[0]
    enqueue(world, pending, host, chosen, pending.seconds)


def _serve(world: World, pending: Pending) -> None:
    sharing = sharing_of(world)
    sharing.changed = True
    pending.action = sharing.system.sleep(sharing.date(), pending.seconds, pending)


def _tell(world: World, queues: GpuQueues, host: int, number: int, *, busy: bool) -> None:
    count = int(world.platform.hosts[host].resources.get("gpus", 0.0))
    states = queues.busy.setdefault(host, [False] * count)
    states[number] = busy
    tell_followers(world, HostGpusChanged(world.now, host, tuple(states)))
