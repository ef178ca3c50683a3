"""Which free cores of a node a job gets (§5.4).

Where cores are counted, tasks of one CPU go round the sockets core by core; tasks of several CPUs fill one socket
after another as long as whole tasks fit. Where CPUs are counted, or the site wants blocks, the socket that fits best
goes first. So the cores of recorded jobs show it.
"""

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.nodes.nodesets import lowest

__all__ = [
    "cores_of",
    "fullest_trimmed",
    "open_cores",
    "pick_cores",
    "round_the_sockets",
    "whole_sockets",
    "without_avoided",
]


def _usable_threads(demand: Demand, threads: int) -> int:
    """How many threads of each core tasks use."""
    if demand.one_thread:
        return 1
    return min(threads, demand.tasks_per_core * demand.cpus_per_task) if demand.tasks_per_core else threads


def cores_of(demand: Demand, cpus: int, threads: int) -> int:
    """The cores that tasks with so many CPUs take."""
    return -(-cpus // _usable_threads(demand, threads))


def open_cores(demand: Demand, sockets: list[int], threads: int) -> list[int]:
    """Of the free cores of each socket those that the job may have at all (§5.2)."""
    least = demand.cores_per_socket or 1
    sockets = [socket if socket.bit_count() >= least else 0 for socket in sockets]
    if demand.tasks_per_socket:
        most = -(-demand.tasks_per_socket * demand.cpus_per_task // _usable_threads(demand, threads))
        sockets = [lowest(socket, most) for socket in sockets]
    return sockets


def fullest_trimmed(sockets: list[int], count: int) -> list[int]:
    """So many cores in all: the last ones of the socket with most are given up, again and again."""
    sockets = sockets[:]
    total = sum([socket.bit_count() for socket in sockets])
    while total > count:
        most = max(range(len(sockets)), key=lambda place: (sockets[place].bit_count(), -place))
        sockets[most] ^= 1 << (sockets[most].bit_length() - 1)
        total -= 1
    return sockets


def pick_cores(
    demand: Demand, sockets: list[int], count: int, threads: int, block: bool, laid_out: int = 0
) -> int:
    """So many of the free cores of each socket; ``laid_out``: for so many CPUs of tasks (0: for all of them)."""
    if block:
        return _best_sockets(sockets, count)
    taken = 0
    if demand.tasks_per_socket:
        sockets = without_avoided(demand, sockets, laid_out or count * _usable_threads(demand, threads), threads)
    elif demand.cpus_per_task > 1:
        left = []
        for socket in sockets:
            own = lowest(socket, min(count, _of_whole_tasks(demand, socket.bit_count(), threads)))
            taken |= own
            count -= own.bit_count()
            left.append(socket ^ own)
        sockets = left
    return taken | round_the_sockets(sockets, count)


def round_the_sockets(sockets: list[int], count: int) -> int:
    """A core of each socket in turn."""
    taken = 0
    sockets = sockets[:]
    while count > 0:
        before = count
        for place, socket in enumerate(sockets):
            if socket and count > 0:
                first = socket & -socket
                sockets[place] = socket ^ first
                taken |= first
                count -= 1
        if count == before:
            break
    return taken


def whole_sockets(
    demand: Demand, sockets: list[int], left: list[int], cpus: int, threads: int, block: bool
) -> int:
    """The sockets that tasks with so many CPUs are laid out on, of whose cores some are ``left`` to a job with GPUs.

    Those of which a further core was looked for in vain keep what is left of them; the others are taken whole.
    """
    count = cores_of(demand, cpus, threads)
    open_places = [place for place, own in enumerate(left) if own]
    taken = [0] * len(left)
    for place in open_places if demand.cpus_per_task > 1 else ():
        taken[place] = min(count, _of_whole_tasks(demand, left[place].bit_count(), threads))
        count -= taken[place]
    ended: set[int] = set()
    while count > 0 and len(ended) < len(open_places):
        for place in open_places:
            if count > 0 and taken[place] < left[place].bit_count():
                taken[place] += 1
                count -= 1
            elif count > 0:
                ended.add(place)
    found = 0
    for place in open_places:
        if taken[place]:
            found |= left[place] if place in ended and not block else sockets[place]
    return found


def _of_whole_tasks(demand: Demand, cores: int, threads: int) -> int:
    """The cores of a socket that are taken for tasks of several CPUs that fit on it."""
    usable, each = _usable_threads(demand, threads), demand.cpus_per_task
    tasks = cores * usable // each
    if demand.tasks_per_core == 1 and each > usable:
        return tasks * -(-each // usable)
    return -(-tasks * each // usable)


def without_avoided(demand: Demand, sockets: list[int], wanted: int, threads: int) -> list[int]:
    """The sockets but those that ``--ntasks-per-socket`` does not need for so many CPUs of tasks."""
    usable = _usable_threads(demand, threads)
    most = (demand.tasks_per_socket or 0) * demand.cpus_per_task
    cpus = [socket.bit_count() * usable for socket in sockets]
    total = sum(cpus)
    for place, own in enumerate(cpus):
        if total > wanted and own > most:
            total -= own - most
            cpus[place] = most
    left = sockets[:]
    for place, own in enumerate(cpus):
        if total > wanted and own <= most and total - own >= wanted:
            total -= own
            left[place] = 0
    return left


def _best_sockets(sockets: list[int], count: int) -> int:
    """All from the smallest socket that has them; else the largest socket, and again for what is left."""
    taken, wanted = 0, count
    sockets = sockets[:]
    while count > 0:
        best, enough, fits = 0, False, -1
        for place, socket in enumerate(sockets):
            cores = socket.bit_count()
            suffices = cores >= wanted
            smaller = suffices and cores < best
            larger = not suffices and cores > best
            if best == 0 or (suffices and not enough) or smaller or larger:
                best, enough, fits = cores, suffices, place
        if best == 0:
            break
        own = lowest(sockets[fits], count)
        taken |= own
        sockets[fits] ^= own
        count -= own.bit_count()
    return taken
