"""The steps that take time: delays, computations, exchanges, storage, GPUs.

What each is in terms of the sharing system follows SimGrid and ElastiSim (see docs/explanation/elastic.md).
"""

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from windtunnel.engine.jobs.elastic.devices import LINK, enqueue, queues_of
from windtunnel.engine.jobs.elastic.lanes import Lane, Pending, Step
from windtunnel.engine.jobs.elastic.machine import Machine
from windtunnel.engine.jobs.elastic.under_way import relocated
from windtunnel.engine.sharing.model import sharing_of

__all__ = ["Buffer", "Compute", "Delay", "Exchange", "Files", "Kernels", "groups_of"]


def groups_of(lane: Lane, values: Sequence[object]) -> list[list[int]]:
    """The ranks of a lane by their values, in order of the first of each."""
    if values.count(values[lane.ranks[0]]) == len(values):  # nearly always
        return [lane.ranks]
    alike: dict[object, list[int]] = {}
    for rank in lane.ranks:
        alike.setdefault(values[rank], []).append(rank)
    return [*alike.values()]


def parts_of(machine: Machine, lane: Lane, groups: list[list[int]]) -> list[Lane]:
    """A lane for each group: itself if there is one group."""
    return [lane] if len(groups) == 1 else machine.split(lane, groups)


@mypyc_attr(allow_interpreted_subclasses=True)
class Delay(Step):
    """Ranks let time pass."""

    def __init__(self, seconds: list[float]) -> None:
        self.seconds = seconds

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Ranks with the same delay as one."""
        groups = groups_of(lane, self.seconds)
        if len(groups) == 1:
            seconds = self.seconds[lane.ranks[0]]
            if seconds <= 0.0:
                return True
            machine.sleep(lane, seconds)
            return False
        for part in machine.split(lane, groups):
            seconds = self.seconds[part.ranks[0]]
            if seconds <= 0.0:
                machine.ready.append(part)
            else:
                machine.sleep(part, seconds)
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class Compute(Step):
    """Ranks compute, each on its host, with one core of it; ``beside``: while something else goes on."""

    def __init__(self, flops: list[float], *, beside: bool = False, busy: bool = False) -> None:
        self.flops = flops
        self.beside = beside
        self.busy = busy
        """Amounts are seconds, at the speed of each host."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Ranks that compute the same on hosts of the same speed that they have alone, as one."""
        system = sharing_of(machine.world).system
        hosts = lane.team.hosts
        speeds = system.speeds
        shared = machine.world.options.compute_sharing
        amounts = self.flops
        if self.busy:
            amounts = [amount * speeds[hosts[rank]] for rank, amount in enumerate(amounts)]
        keys = [(a, speeds[hosts[rank]], rank if shared and a > 0.0 else -1) for rank, a in enumerate(amounts)]
        parts = parts_of(machine, lane, groups_of(lane, keys))
        for part in parts:
            amount = amounts[part.ranks[0]]
            if amount > 0.0:
                spec = ("alike", tuple(hosts[rank] for rank in part.ranks), amount, 0.0)
                pending = machine.start(None if self.beside else part, spec)
                if self.beside:
                    part.computing.append(pending)
            if len(parts) == 1:
                return self.beside or amount <= 0.0
            if self.beside or amount <= 0.0:
                machine.ready.append(part)
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class Exchange(Step):
    """The first rank runs one parallel task for all."""

    def __init__(self, spec: tuple[object, ...] | None) -> None:
        self.spec = spec
        """None: there is nothing to exchange."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """The others go on to the barrier behind it."""
        if self.spec is None or 0 not in lane.ranks:
            return True
        machine.start(lane, relocated(self.spec, machine.moves) if machine.moves else self.spec)
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class Files(Step):
    """Ranks read from or write to the parallel file system, each for itself."""

    def __init__(self, amounts: list[float], *, write: bool, detached: bool) -> None:
        self.amounts = amounts
        self.write = write
        self.detached = detached

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Every rank is a lane of its own from here on: each flow competes for itself."""
        parts = machine.split(lane, [[rank] for rank in lane.ranks]) if len(lane.ranks) > 1 else [lane]
        goes_on = False
        for part in parts:
            pendings = self.begin(machine, part)
            for pending in pendings:
                if self.detached:
                    part.scope().detached.append(pending)
                else:
                    pending.waiter = part
                    part.waits += 1
            if self.detached or not pendings:
                if part is lane:
                    goes_on = True
                else:
                    machine.ready.append(part)
        return goes_on

    def begin(self, machine: Machine, lane: Lane) -> list[Pending]:
        """The transfers of one rank."""
        rank = lane.ranks[0]
        amount = self.amounts[rank]
        host = lane.team.hosts[rank]
        targets = machine.file_hosts(host)
        if amount <= 0.0 or not targets:
            return []
        each = amount / len(targets)
        flows = tuple((host, target, each) if self.write else (target, host, each) for target in targets)
        return [machine.start(None, ("flows", (host, *targets), flows))]


@mypyc_attr(allow_interpreted_subclasses=True)
class Buffer(Files):
    """Ranks read from or write to burst buffers: of their own host, or striped over those of all hosts of the job."""

    def begin(self, machine: Machine, lane: Lane) -> list[Pending]:
        """The transfers of one rank."""
        rank = lane.ranks[0]
        amount = self.amounts[rank]
        hosts = lane.team.hosts
        host = hosts[rank]
        resources = machine.world.platform.hosts[host].resources
        if host not in sharing_of(machine.world).disks:
            raise machine.fail(f"host {host} has no burst buffer")
        if amount <= 0.0:
            return []
        if not resources.get("wide_striping"):
            return [machine.start(None, ("disk", (host,), amount, self.write))]
        each = amount / len(hosts)
        found = [machine.start(None, ("disk", (other,), each, self.write)) for other in hosts]
        flops = resources.get("flops_per_byte", 0.0) * each
        sent = [[0.0] * len(hosts) for _ in hosts]
        for other in range(len(hosts)):
            if other != rank:
                source, target = (rank, other) if self.write else (other, rank)
                sent[source][target] = each
        moves = len(hosts) > 1
        if flops or moves:
            spec = ("matrices", tuple(hosts), [flops] * len(hosts), sent if moves else None)
            found.append(machine.start(None, spec))
        return found


@mypyc_attr(allow_interpreted_subclasses=True)
class Kernels(Step):
    """Each rank computes on GPUs of its host, and these exchange data within it."""

    def __init__(self, flops: list[float] | None, inside: float) -> None:
        self.flops = flops
        self.inside = inside
        """Bytes on the busiest pair of GPUs of each host, both ways."""

    def run(self, machine: Machine, lane: Lane) -> bool:
        """Ranks with different amounts, or on hosts that others use, are lanes of their own."""
        world = machine.world
        gpus = machine.gpus
        hosts = lane.team.hosts
        flops = self.flops or [0.0] * len(hosts)
        shared = world.options.compute_sharing
        keys = [(amount, rank if shared else -1) for rank, amount in enumerate(flops)]
        parts = parts_of(machine, lane, groups_of(lane, keys))
        for part in parts:
            for rank in part.ranks:
                part.computing += self._begin(machine, hosts[rank], flops[rank], gpus)
            if part is not lane:
                machine.ready.append(part)
        return len(parts) == 1

    def _begin(self, machine: Machine, host: int, flops: float, gpus: int) -> list[Pending]:
        world = machine.world
        resources = world.platform.hosts[host].resources
        count = int(resources.get("gpus", 0.0))
        if not 1 <= gpus <= count:
            raise machine.fail(f"a GPU task needs 1 to {count} GPUs on host {host}, the job has {gpus} there")
        found = []
        if flops > 0.0:
            seconds = flops / gpus / resources.get("flops_per_gpu", 0.0)
            for number in queues_of(world).choose(host, count, gpus):
                pending = machine.pending(None)
                enqueue(world, pending, host, number, seconds)
                found.append(pending)
        if self.inside > 0.0:
            pending = machine.pending(None)
            enqueue(world, pending, host, LINK, self.inside / resources["gpu_to_gpu_bw"])
            found.append(pending)
        return found
