"""Collective operations as the messages that SimGrid's default algorithms send (execution-model.md 4.1)."""

from typing import Final, NamedTuple

__all__ = ["Exchange", "all_at_once", "alltoall", "barrier", "bcast", "from_root", "to_root"]


class Exchange(NamedTuple):
    """Post messages to and from other ranks all at once; wait for all of them, or (``isend``...) go on."""

    sends: tuple[tuple[int, float], ...]
    """(rank, bytes) each."""
    receives: tuple[int, ...]
    """The ranks they come from."""
    tag: int
    """The traces' own tags are not negative, those of collectives are."""
    waits: bool = True


# Messages of one kind of collective do not meet those of another.
_BARRIER, _BCAST, _TO_ROOT, _FROM_ROOT, _ALL = range(-5, 0)


def barrier(rank: int, ranks: int) -> list[Exchange]:
    """All tell rank 0, then it tells all."""
    return [*to_root(rank, ranks, 0, 0.0, _BARRIER), *from_root(rank, ranks, 0, 0.0, _BARRIER)]


def bcast(rank: int, ranks: int, root: int, size: float) -> list[Exchange]:
    """Down a binomial tree; each node sends to the root of the largest subtree first, one after the other."""
    place = (rank - root) % ranks
    span = 1
    steps = []
    while span < ranks:
        if place & span:
            steps.append(Exchange((), ((rank - span) % ranks,), _BCAST))
            break
        span *= 2
    while (span := span // 2) > 0:
        if place + span < ranks:
            steps.append(Exchange((((rank + span) % ranks, size),), (), _BCAST))
    return steps


def to_root(rank: int, ranks: int, root: int, size: float, tag: int = _TO_ROOT) -> list[Exchange]:
    """All send to one at once (reduce, gather)."""
    if rank != root:
        return [Exchange(((root, size),), (), tag)]
    return [Exchange((), _others(rank, ranks), tag)]


def from_root(rank: int, ranks: int, root: int, size: float, tag: int = _FROM_ROOT) -> list[Exchange]:
    """One sends to all at once (scatter)."""
    if rank != root:
        return [Exchange((), (root,), tag)]
    return [Exchange(tuple((other, size) for other in _others(rank, ranks)), (), tag)]


def all_at_once(rank: int, ranks: int, size: float) -> list[Exchange]:
    """Each sends the same to each other, all at once (allgather, linear alltoall)."""
    others = _others(rank, ranks)
    return [Exchange(tuple((other, size) for other in others), others, _ALL)]


def alltoall(rank: int, ranks: int, size: float) -> list[Exchange]:
    """By the algorithm that the size of a block (bytes) and the number of ranks select."""
    algorithm = _selected(ranks, size)
    if algorithm == _PAIRS:
        return [Exchange(((to, size),), (by,), _ALL) for to, by in _partners(rank, ranks)]
    if algorithm == _BRUCK:
        steps = []
        span = 1
        while span < ranks:
            blocks = sum(1 for block in range(ranks) if block & span)
            steps.append(Exchange((((rank + span) % ranks, blocks * size),), ((rank - span) % ranks,), _ALL))
            span *= 2
        return steps
    return all_at_once(rank, ranks, size)


def _others(rank: int, ranks: int) -> tuple[int, ...]:
    return tuple(other for other in range(ranks) if other != rank)


def _partners(rank: int, ranks: int) -> list[tuple[int, int]]:
    """Whom to send to and receive from in each round. SimGrid refuses other numbers of ranks than powers of two."""
    if ranks & (ranks - 1) == 0:
        return [(rank ^ step, rank ^ step) for step in range(1, ranks)]
    return [((rank + step) % ranks, (rank - step) % ranks) for step in range(1, ranks)]


_LINEAR, _PAIRS, _BRUCK = "linear", "pairs", "bruck"
_KIB: Final = 1024
# Which algorithm Open MPI 4 takes as SimGrid 3.32 has it: (fewer ranks than, ((blocks smaller than, algorithm)...)).
# Its "linear with sync" and "two processes" are plain linear there; so is whatever is not listed.
_BIG: Final = float("inf")
_TABLE: Final = (
    (2, ()),
    (
        3,
        (
            *((2, _PAIRS), (4, _LINEAR), (16, _PAIRS), (64, _LINEAR), (256, _PAIRS), (4 * _KIB, _LINEAR)),
            *((32 * _KIB, _PAIRS), (_KIB * _KIB, _LINEAR), (_BIG, _PAIRS)),
        ),
    ),
    (8, ((512 * _KIB, _LINEAR), (_KIB * _KIB, _PAIRS))),
    (16, ()),
    (32, ((4, _LINEAR), (512, _BRUCK))),
    (64, ((512, _BRUCK),)),
    (256, ((_KIB, _BRUCK), (256 * _KIB, _LINEAR), (_BIG, _PAIRS))),
    (512, ((_KIB, _BRUCK), (32 * _KIB, _LINEAR), (_BIG, _PAIRS))),
    (1024, ((512, _BRUCK), (256 * _KIB, _LINEAR), (_BIG, _PAIRS))),
    (2048, ((512, _BRUCK),)),
    (4096, ((_KIB, _BRUCK),)),
    (_BIG, ((2 * _KIB, _BRUCK),)),
)


def _selected(ranks: int, size: float) -> str:
    sizes = next(sizes for most, sizes in _TABLE if ranks < most)
    return next((algorithm for limit, algorithm in sizes if size < limit), _LINEAR)
