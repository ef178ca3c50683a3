"""The cores that a job with GPUs could have of a node whose GPUs are bound to sockets (§5.7).

A first try leaves it only the cores of as few sockets as have GPUs enough, those with most free cores first. If with
these no nodes suffice, a second one also leaves it others, as many as its tasks need. Fewer cores of a node then mean
more nodes: Slurm 22.05 rather gives a job two nodes than a core away from its GPU.
"""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.select.plain_fit import task_bounds

__all__ = ["GpuCores", "binds", "most_gpus"]


def binds(demand: Demand) -> bool:
    """Whether it matters for a job to which sockets GPUs are bound."""
    kinds = [one for one in demand.gres if one.name == "gpu"]
    return demand.asks_gres and not demand.gpus_per_socket and bool(demand.gpus_per_job or len(kinds) == 1)


def most_gpus(demand: Demand, cores: int, threads: int, with_memory: int) -> int:
    """The most GPUs of a node that a job can have there; 0: any number.

    ``cores``: those of the node that are free, ``with_memory``: the GPUs for which there is memory (0: any number).
    """
    wanted = 0 if demand.exclusive else demand.gpus_on_node() or demand.gpus_per_job
    limits = [wanted, with_memory]
    if demand.cpus_beside_gpu and not (demand.tasks_per_gpu and demand.exclusive):
        limits.append(max(1, cores * threads // demand.cpus_beside_gpu))
    return min([one for one in limits if one], default=0)


@mypyc_attr(allow_interpreted_subclasses=True)
class GpuCores:
    """What is left of the free cores of a node for one job."""

    __slots__ = ("_cores", "_most", "_near", "_threads", "_wanted", "cpus", "demand", "gpus", "sockets")

    def __init__(self, demand: Demand, sockets: list[int], cpus: int, threads: int, near: bool) -> None:
        """``sockets``: the free cores of each, ``cpus``: those that the job could use; ``near``: the first try."""
        self.demand = demand
        self.sockets = sockets[:]
        self.cpus = cpus
        """The CPUs that count; 0: the node is of no use."""
        self.gpus = -1
        """The GPUs that have CPUs, once that is looked at: at a second try there are no more; -1: any number."""
        self._threads = threads
        self._near = near
        self._wanted: set[int] = set()
        """Sockets whose GPUs the job needs."""
        self._cores = 0
        """Cores that are left."""
        self._most = 0
        """GPUs at most."""

    def narrow(self, loose: int, bound: list[int], most: int) -> "GpuCores":
        """Leave out what the job does not need beside GPUs: so many that serve any socket, and so many of each.

        ``most``: as `most_gpus` says.
        """
        demand, each = self.demand, self.demand.cpus_per_task
        least, tasks = task_bounds(demand, len(self.sockets), self.cpus // each)
        step = max(1, least)
        self._most = min(most, demand.gpus_per_job) if most and demand.gpus_per_job else most
        gpus = self._gpus_beside(loose, bound, least) if tasks else 0
        per_node, per_task, beside = demand.gpus_on_node(), demand.gpus_per_task, demand.cpus_beside_gpu
        if beside:
            gpus = min(gpus, self.cpus // beside, self._most or gpus)
        if not gpus or per_node > gpus or per_task > gpus:
            return self._useless()
        if per_task:
            tasks = min(tasks, gpus // per_task)
        tasks = tasks // step * step
        if not tasks:
            return self._useless()
        if self._near:
            for place in range(len(self.sockets)):
                if place not in self._wanted:
                    self._drop_all(place)
        tasks, cores = self._cores_for(tasks, least)
        if beside:
            wanted = (per_node or per_task * tasks or gpus) * beside
            cores = max(cores, -(-wanted // self._threads))
        if cores > self._cores:
            return self._useless()
        self._trim(cores)
        if beside:
            self.gpus = self.cpus // beside if self.gpus < 0 else min(self.gpus, self.cpus // beside)
            if self.gpus < max(per_node, per_task):
                return self._useless()
        counted = demand.cpus_per_gpu and demand.cpus_beside_gpu == demand.cpus_per_gpu  # not those of its tasks
        if not counted and (each > 1 or not demand.tasks_of_core):
            self.cpus = min(self.cpus, tasks * each)
        return self

    def _useless(self) -> "GpuCores":
        self.cpus = 0
        return self

    def _gpus_beside(self, loose: int, bound: list[int], least: int) -> int:
        """The GPUs of sockets that have cores left; those without GPUs lose theirs at the first try."""
        demand, threads = self.demand, self._threads
        per_node = demand.gpus_on_node()
        if self._most and per_node > self._most:
            return 0
        needed = -(-max(least, 1) * demand.cpus_per_task // threads)
        counts = [socket.bit_count() for socket in self.sockets]
        total, found, enough = sum(counts), loose, False
        for place in sorted(range(len(counts)), key=lambda one: -counts[one]):
            here = bound[place]
            if self._near and demand.cpus_beside_gpu:
                here = min(here, counts[place] * threads // demand.cpus_beside_gpu)
            if self._near and not loose + here:
                while self.sockets[place] and total > needed:
                    self._drop(place)
                    total -= 1
            self._cores += self.sockets[place].bit_count()
            if self._near and not self.sockets[place]:
                continue
            found += here
            if not enough:
                self._wanted.add(place)
            enough = enough or (not loose and ((0 < self._most <= found) or (0 < per_node <= found)))
        return found

    def _drop(self, place: int) -> None:
        """The last core of a socket is given up, and with it CPUs that it would take."""
        self.sockets[place] ^= 1 << (self.sockets[place].bit_length() - 1)
        if sum([socket.bit_count() for socket in self.sockets]) * self._threads < self.cpus:
            self.cpus -= self._threads

    def _drop_all(self, place: int) -> None:
        while self.sockets[place]:
            self._drop(place)
            self._cores -= 1

    def _cores_for(self, tasks: int, least: int) -> tuple[int, int]:
        """As many tasks as there are cores for, and the cores that they take."""
        demand = self.demand
        usable = 1 if demand.one_thread else self._threads
        each = demand.cpus_per_task
        if demand.tasks_per_core == 1 and each % usable:
            each = (each // usable + 1) * usable
        cores = tasks * each
        while tasks >= least:
            cores = -(-cores // usable)
            if cores <= self._cores:
                break
            tasks -= 1
            cores = tasks * each
        return tasks, cores

    def _trim(self, cores: int) -> None:
        """So many cores are enough: others go first, then the last ones of the socket with most, again and again."""
        if not self._near:
            for place in range(len(self.sockets)):
                while place not in self._wanted and self.sockets[place] and self._cores > cores:
                    self._drop(place)
                    self._cores -= 1
        wanted = sorted(self._wanted)
        while self._cores > cores:
            counts = [self.sockets[place].bit_count() for place in wanted]
            if not any(counts):
                break
            self._drop(wanted[counts.index(max(counts))])
            self._cores -= 1
