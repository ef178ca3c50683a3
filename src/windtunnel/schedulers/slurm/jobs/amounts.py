"""What a job that starts takes of each host, in the engine's words: cores, memory, generic resources."""

from collections.abc import Mapping, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model import Host, HostSet, Job
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.vocabulary import Mirror

__all__ = ["Takings"]

_MIB: Final = 1024 * 1024
_NAMES: Final = {"gpu": "gpus"}
"""Generic resources that platforms call otherwise."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Takings:
    """Says what jobs take of the hosts of one site."""

    def __init__(self, site: Mirror) -> None:
        self.site = site
        self.threads: Sequence[int] = ()
        """Of each node the threads of a core, where whole sockets count: jobs may get fewer cores than is said."""
        self._counted: dict[int, int] = {}
        """Of each node the cores that are taken already: those that several jobs have count once."""
        self._own: dict[str, dict[int, int]] = {}
        """Of each job that may share cores those that count as its own, by node."""
        self._had: dict[int, dict[str, dict[str, float]]] = {}
        """Of each node what jobs that may share cores were given of it, by job."""
        self._at: dict[str, list[int]] = {}
        """Of each such job its nodes."""
        self._kinds: list[tuple[int, int]] = []
        """The nodes whose hosts have equal cores and resources, as sets, and one of each."""

    def begin(self, hosts: Sequence[Host]) -> None:
        """The hosts of the site are known."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for host in hosts:
            groups.setdefault((host.cores, *host.resources.items()), []).append(host.id)
        self._kinds = [(mask_of(group), group[0]) for group in groups.values()]

    def of(self, parts: Sequence[Holding], job: Job, hosts: HostSet) -> Mapping[int, Mapping[str, float]]:
        """What a job takes of each of its hosts, as far as the host has it: cores, memory (bytes), generic resources.

        A heterogeneous job takes what all its components take; no two of them share a host.
        """
        if not self.threads and all(bool(held.alike) for held in parts):
            return AlikeAmounts(hosts, [group for held in parts for group in self._in_groups(held, job)])
        found: dict[int, dict[str, float]] = {}
        for held in parts:
            for node in bits(held.nodes):
                taken = self._of_host(self.site.hosts[node], held, node, job)
                if self.threads:
                    own = held.cores.get(node, 0).bit_count() * self.threads[node]
                    taken["cores"] = min(taken["cores"], float(own))
                if held.shares:
                    taken["cores"] *= self._part_of_own(held, node)
                    self._leave_the_others(held.job, node, taken)
                found[node] = taken
        return found

    def give_back(self, job: str) -> None:
        """A job has ended or is suspended: the cores that counted as its own count no more."""
        for node, own in self._own.pop(job, {}).items():
            self._counted[node] &= ~own
        for node in self._at.pop(job, ()):
            self._had[node].pop(job, None)

    def _leave_the_others(self, job: str, node: int, taken: dict[str, float]) -> None:
        """A job gets no more of a host than others leave there: whole hosts may be shared, too."""
        host = self.site.hosts[node]
        had = self._had.setdefault(node, {})
        for name, amount in taken.items():
            has = float(host.cores) if name == "cores" else host.resources[name]
            left = has - sum([given.get(name, 0.0) for given in had.values()])
            taken[name] = min(amount, max(0.0, left))
        had[job] = taken
        self._at.setdefault(job, []).append(node)

    def _part_of_own(self, held: Holding, node: int) -> float:
        """How much of its cores on a node a job has that nobody else takes already; they count as its own."""
        cores = held.cores.get(node, 0)
        if not cores:
            return 1.0
        taken = self._counted.get(node, 0)
        self._own.setdefault(held.job, {})[node] = own = cores & ~taken
        self._counted[node] = taken | own
        return own.bit_count() / cores.bit_count()

    def _in_groups(self, held: Holding, job: Job) -> list[tuple[HostSet, dict[str, float]]]:
        groups = []
        for part in held.alike:
            for kind, one in self._kinds:
                nodes = part.nodes & kind
                if nodes:
                    taken = _taken(self.site.hosts[one], held.exclusive, part.cpus, part.memory, job)
                    groups.append((HostSet.of_bits(nodes), taken))
        return groups

    @staticmethod
    def _of_host(host: Host, held: Holding, node: int, job: Job) -> dict[str, float]:
        gres = {_NAMES.get(name, name): float(own.bit_count()) for name, own in held.gres.get(node, {}).items()}
        return _taken(host, held.exclusive, held.cpus.get(node, 0), held.memory.get(node, 0), job, gres)


def _taken(
    host: Host, whole: bool, cpus: int, memory: int, job: Job, gres: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Of one host so many CPUs and so much memory (MB), or all of it; and what else the job names."""
    has = host.resources
    taken = {"cores": float(host.cores if whole else min(host.cores, cpus))}
    if "memory" in has:
        bytes_taken = has["memory"] if whole else min(has["memory"], float(memory * _MIB))
        if bytes_taken:
            taken["memory"] = bytes_taken
    if gres:
        taken |= {name: count for name, count in gres.items() if name in has}
    for name, amount in job.request.amounts:
        if name in has and name not in taken:
            taken[name] = amount
    return taken
