"""select/cons_tres: the best fit over runs of consecutive nodes (§5.3)."""

from collections.abc import Callable, Container, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand

__all__ = ["Need", "Run", "best_fit", "most_cpus", "runs_of"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Need:
    """What a job still needs while nodes are picked for it."""

    __slots__ = (
        "again",
        "beside",
        "cpus",
        "exclusive",
        "floor",
        "gpus",
        "least",
        "most_cpus",
        "most_nodes",
        "nodes",
        "per_gpu",
        "slack",
        "taken",
        "taken_gpus",
        "units",
    )

    def __init__(self, demand: Demand, most_nodes: int, units: Sequence[int] = ()) -> None:
        low, high = demand.min_nodes, demand.requested_nodes
        self.nodes = min(low, high) if demand.gpus_per_job else max(low, high)
        """Nodes wanted still: of a range the least where GPUs are counted for the whole job."""
        self.least = low
        """Nodes that are the minimum still."""
        self.slack = max(0, high - low)
        """Nodes wanted beyond the minimum."""
        self.cpus = demand.cpus
        self.most_cpus = max(demand.cpus, demand.floor_of_gpus * self.nodes, demand.cpus_of_gpus)
        self.most_nodes = most_nodes
        self.again: dict[int, int] = {}
        """Nodes that were looked at more than once, and the CPUs that each counted for when that was done last."""
        self.gpus = demand.gpus_per_job
        self.per_gpu = demand.most_per_gpu if demand.gpus_per_job else 0
        """CPUs of a node that are taken for each of its GPUs, and no others (``--cpus-per-gpu``); 0: any."""
        self.exclusive = demand.exclusive
        self.floor = max(demand.least_cpus, demand.floor_of_gpus)
        self.units = units
        """CPUs of each node that are left for every node still required, where that is more than one."""
        self.beside: dict[int, int] = {}
        """The CPUs of nodes of which only those for each GPU counted: its tasks may have them all."""
        self.taken: dict[int, int] = {}
        self.taken_gpus: dict[int, int] = {}

    @property
    def done(self) -> bool:
        """Whether nodes, CPUs and GPUs suffice."""
        return self.nodes <= 0 and self.cpus <= 0 and self.gpus <= 0

    @property
    def enough(self) -> bool:
        """Whether at least the minimum of nodes and all CPUs are there."""
        return bool(self.taken) and self.nodes - self.slack <= 0 and self.cpus <= 0 and self.gpus <= 0

    def suffices(self, nodes: int, cpus: int, gpus: int = 0) -> bool:
        """Whether so much would do for what is left."""
        return cpus >= self.cpus and nodes >= self.nodes - self.slack and gpus >= self.gpus

    def count(self, node: int, usable: int) -> int:
        """The CPUs that are taken of a node: all that is needed, but some are left for each node still required."""
        if self.exclusive:
            return usable
        unit = self.units[node] if self.units else 1
        return min(usable, max(self.most_cpus - max(self.least - 1, 0) * unit, self.floor))

    def take(self, node: int, usable: int, gpus: int = 0, all_count: bool = False) -> None:
        """Take a node; ``all_count``: the CPUs that are left over by those for each GPU are found for it, too."""
        found = count = self.count(node, usable)
        if self.per_gpu:
            gpus = min(gpus, count // self.per_gpu)
            self.beside[node] = count
            count = gpus * self.per_gpu or count
        self.taken[node] = count
        count = found if all_count else count
        self.nodes -= 1
        self.least -= 1
        self.most_nodes -= 1
        self.cpus -= count
        self.most_cpus -= count
        if self.gpus > 0:
            here = min(gpus, self.gpus)
            self.taken_gpus[node] = here
            self.gpus -= here


@mypyc_attr(allow_interpreted_subclasses=True)
class Run:
    """Consecutive nodes of one weight; those that the job names are among them, but counted apart."""

    __slots__ = ("cpus", "named", "others", "weight")

    def __init__(self, weight: int = -1) -> None:
        self.others: list[int] = []
        self.cpus = 0
        """Of the others."""
        self.named = -1
        """The first named node; -1 without."""
        self.weight = weight
        """Of the last of the others; -1: of none yet."""


def runs_of(
    usable: dict[int, int], weights: Sequence[int] | None, named: Container[int] = (), whole: bool = False
) -> list[Run]:
    """Usable nodes (ascending) in runs: one ends at a gap and, unless ``whole``, where the weight (if given) changes.

    A whole run has the weight of its last node.
    """
    runs: list[Run] = []
    run = Run()
    follower = -1
    for node, count in usable.items():
        if node != follower:
            if run.others:
                runs.append(run)
            run = Run()
        elif weights is not None and not whole and run.weight >= 0 and weights[node] != run.weight:
            if run.others:
                runs.append(run)
                run = Run(0)  # Slurm's own: a named node at its begin is forgotten with the next
            else:
                run.named = -1
        follower = node + 1
        if node in named:
            if run.named < 0:
                run.named = node
            continue
        run.others.append(node)
        run.cpus += count
        run.weight = weights[node] if weights is not None else 0
    if run.others:
        runs.append(run)
    return runs


def best_fit(
    need: Need,
    usable: dict[int, int],
    weights: Sequence[int],
    gpus: Callable[[int], int],
    contiguous: bool = False,
) -> dict[int, int] | None:
    """Pick nodes for a job from those usable (in ascending order); None when they do not suffice.

    ``need.taken`` may hold named nodes already. With a range of nodes ``contiguous`` ones may be followed by others.
    """
    if need.done:
        return need.taken
    named = frozenset(need.taken)
    left = runs_of(usable, weights, named, whole=contiguous)
    if contiguous and named:
        left = [run for run in left if run.named >= 0]
        left = left if len(left) == 1 else []
    while left and need.most_nodes > 0:
        run = _choose_run(need, left, gpus, contiguous)
        left.remove(run)
        if contiguous and not _suffices(need, run, gpus):
            break
        _take_run(need, run, usable, gpus)
        if need.done:
            return need.taken
    return need.taken if need.enough else None


def _take_run(need: Need, run: Run, usable: dict[int, int], gpus: Callable[[int], int]) -> None:
    """Nodes of a run in their order; beside named ones up from the first of these, then down."""
    if run.named >= 0:
        up = [node for node in run.others if node > run.named]
        for node in (*up, *(node for node in reversed(run.others) if node < run.named)):
            if need.done or need.most_nodes <= 0:
                return
            need.take(node, usable[node], gpus(node))
        return
    nodes = run.others
    if need.nodes <= 1:  # one node that holds all that is left: the tightest, the first of equal ones
        holding = [
            node for node in nodes if usable[node] >= need.cpus and (need.gpus <= 0 or gpus(node) >= need.gpus)
        ]
        if holding:
            nodes = [min(holding, key=lambda node: (usable[node], node))]
    for node in nodes:
        if need.most_nodes <= 0 or need.done:
            return
        if need.most_nodes == 1 and usable[node] < need.cpus:  # whatever GPUs it has
            continue
        need.take(node, usable[node], gpus(node))


def most_cpus(usable: dict[int, int], nodes: int) -> int:
    """The CPUs that so many nodes could give at best: where these are too few, no choice of nodes suffices."""
    if nodes >= len(usable):
        return sum(usable.values())
    return sum(sorted(usable.values(), reverse=True)[:nodes])


def _suffices(need: Need, run: Run, gpus: Callable[[int], int]) -> bool:
    if run.cpus < need.cpus or len(run.others) < need.nodes - need.slack:
        return False
    return need.gpus <= 0 or sum([gpus(node) for node in run.others]) >= need.gpus


def _choose_run(need: Need, runs: Sequence[Run], gpus: Callable[[int], int], contiguous: bool) -> Run:
    """The lightest, or one with named nodes; of equal weight the smallest that suffices, else the largest.

    Where nodes have to be ``contiguous``, the first that suffices goes before lighter ones that do not.
    """
    best = runs[0]
    enough = _suffices(need, best, gpus)
    for run in runs[1:]:
        suffices = _suffices(need, run, gpus)
        better = (best.named < 0 <= run.named) or run.weight < best.weight
        if not better and run.weight == best.weight:
            # A larger run that does not suffice (too few nodes) wins even over one that does: Slurm's own.
            better = (not enough or run.cpus < best.cpus) if suffices else run.cpus > best.cpus
        if better or (contiguous and suffices and not enough):
            best, enough = run, suffices
    return best
