"""select/cons_tres: the best fit over runs of consecutive nodes (§5.3)."""

from collections.abc import Callable, Container, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.demand import Demand

__all__ = ["Need", "best_fit", "most_cpus", "runs_of"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Need:
    """What a job still needs while nodes are picked for it."""

    __slots__ = (
        "cpus",
        "exclusive",
        "floor",
        "gpus",
        "least",
        "most_cpus",
        "most_nodes",
        "nodes",
        "slack",
        "taken",
        "taken_gpus",
        "units",
    )

    def __init__(self, demand: Demand, most_nodes: int, units: Sequence[int] = ()) -> None:
        low, high = demand.min_nodes, demand.requested_nodes
        self.nodes = max(low, high)
        """Nodes wanted still."""
        self.least = low
        """Nodes that are the minimum still."""
        self.slack = max(0, high - low)
        """Nodes wanted beyond the minimum."""
        self.cpus = demand.cpus
        self.most_cpus = demand.cpus
        self.most_nodes = most_nodes
        self.gpus = demand.gpus_per_job
        self.exclusive = demand.exclusive
        self.floor = demand.least_cpus
        self.units = units
        """CPUs of each node that are left for every node still required, where that is more than one."""
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

    def take(self, node: int, usable: int, gpus: int = 0) -> None:
        """Take a node: all that is needed of it, but something is left for each node still required."""
        count = usable
        if not self.exclusive:
            unit = self.units[node] if self.units else 1
            count = min(usable, max(self.most_cpus - max(self.least - 1, 0) * unit, self.floor))
        self.taken[node] = count
        self.nodes -= 1
        self.least -= 1
        self.most_nodes -= 1
        self.cpus -= count
        self.most_cpus -= count
        if self.gpus > 0:
            here = min(gpus, self.gpus)
            self.taken_gpus[node] = here
            self.gpus -= here


def runs_of(
    usable: dict[int, int], weights: Sequence[int] | None, taken: Container[int] = ()
) -> tuple[list[list[int]], list[int]]:
    """Usable nodes (ascending) in runs, and the CPUs of each run: it ends at a gap, and where the weight changes.

    Nodes that are taken already make gaps; without ``weights`` these do not count.
    """
    runs: list[list[int]] = []
    sums: list[int] = []
    run: list[int] = []
    cpus = weight = 0
    follower = -1
    for node, count in usable.items():
        if node in taken:
            continue
        own = weights[node] if weights is not None else 0
        if node != follower or own != weight:
            if run:
                runs.append(run)
                sums.append(cpus)
            run, cpus, weight = [], 0, own
        run.append(node)
        cpus += count
        follower = node + 1
    if run:
        runs.append(run)
        sums.append(cpus)
    return runs, sums


def best_fit(
    need: Need,
    usable: dict[int, int],
    weights: Sequence[int],
    gpus: Callable[[int], int],
    contiguous: bool = False,
) -> dict[int, int] | None:
    """Pick nodes for a job from those usable (in ascending order); None when they do not suffice.

    ``need.taken`` may hold named nodes already.
    """
    if need.done:
        return need.taken
    if need.taken and not contiguous:
        _beside(need, usable, weights, gpus)
        if need.done:
            return need.taken
    left, cpus = runs_of(usable, None if contiguous else weights, need.taken)
    while left and need.most_nodes > 0:
        place = _choose_run(need, left, cpus, weights, gpus, contiguous)
        if place is None:
            break
        run = left.pop(place)
        del cpus[place]
        if need.nodes <= 1:  # one node that holds all that is left: the tightest, the first of equal ones
            holding = [node for node in run if usable[node] >= need.cpus and gpus(node) >= need.gpus]
            if holding:
                run = [min(holding, key=lambda node: (usable[node], node))]
        for node in run:
            if need.most_nodes <= 0 or need.done:
                break
            if need.most_nodes == 1 and not (usable[node] >= need.cpus and gpus(node) >= need.gpus):
                continue
            need.take(node, usable[node], gpus(node))
        if need.done:
            return need.taken
        if contiguous:
            break
    return need.taken if need.enough else None


def most_cpus(usable: dict[int, int], nodes: int) -> int:
    """The CPUs that so many nodes could give at best: where these are too few, no choice of nodes suffices."""
    if nodes >= len(usable):
        return sum(usable.values())
    return sum(sorted(usable.values(), reverse=True)[:nodes])


def _beside(need: Need, usable: dict[int, int], weights: Sequence[int], gpus: Callable[[int], int]) -> None:
    """Of jobs that name nodes: the run that holds the first of them, up from it, then down."""
    named = min(need.taken)
    run = next((run for run in runs_of(usable, weights)[0] if named in run), [])
    for node in (*(node for node in run if node > named), *(node for node in reversed(run) if node < named)):
        if need.done or need.most_nodes <= 0:
            return
        if node not in need.taken:
            need.take(node, usable[node], gpus(node))


def _choose_run(
    need: Need,
    runs: list[list[int]],
    cpus_of: Sequence[int],
    weights: Sequence[int],
    gpus: Callable[[int], int],
    contiguous: bool,
) -> int | None:
    """The lightest; of equal ones the smallest that suffices, else the largest."""
    best: int | None = None
    best_cpus = best_weight = 0
    best_suffices = False
    wanted, least = need.cpus, need.nodes - need.slack
    for place, run in enumerate(runs):
        cpus = cpus_of[place]
        suffices = cpus >= wanted and len(run) >= least
        if suffices and need.gpus > 0:
            suffices = sum([gpus(node) for node in run]) >= need.gpus
        if contiguous and not suffices:
            continue
        heavy = 0 if contiguous else weights[run[0]]
        better = best is None or heavy < best_weight
        if not better and heavy == best_weight:
            # A larger run that does not suffice (too few nodes) wins even over one that does: Slurm's own.
            better = (not best_suffices or cpus < best_cpus) if suffices else cpus > best_cpus
        if better:
            best, best_cpus, best_weight, best_suffices = place, cpus, heavy, suffices
    return best
