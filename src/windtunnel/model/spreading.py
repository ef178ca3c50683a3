"""How an amount is spread over the ranks of a job, over pairs of them, and over the GPUs of each (elastic jobs).

The rules, with their totals, are those of ElastiSim: ``gather`` and ``scatter`` leave out what the root keeps, and
``master_worker`` moves four times the amount.
"""

from collections.abc import Iterator
from typing import Final

from windtunnel.model.application import Pattern

__all__ = ["AMONG_GPUS", "PAIRS", "RANKS", "on_gpus", "pairs", "ranks"]

RANKS: Final = frozenset(
    {
        Pattern.UNIFORM,
        Pattern.ALL_RANKS,
        Pattern.ROOT_ONLY,
        Pattern.EVEN_RANKS,
        Pattern.ODD_RANKS,
        Pattern.VECTOR,
    }
)
"""Patterns of amounts that ranks have."""
PAIRS: Final = frozenset(Pattern) - RANKS
"""Patterns of amounts that pairs of ranks exchange."""
AMONG_GPUS: Final = frozenset(
    {Pattern.ALL_TO_ALL, Pattern.RING, Pattern.RING_CLOCKWISE, Pattern.RING_COUNTER_CLOCKWISE}
)
"""Patterns of what several GPUs of each host exchange."""

Flow = tuple[int, int, float]
"""From a rank to a rank, so many bytes."""


def ranks(pattern: Pattern, amount: float, count: int) -> list[float]:
    """What each of ``count`` ranks has of an amount."""
    if pattern is Pattern.UNIFORM:
        return [amount] * count
    if pattern is Pattern.ALL_RANKS:
        return [amount / count] * count if count else []
    shares = [0.0] * count
    if pattern is Pattern.ROOT_ONLY:
        shares[:1] = [amount] if count else []
        return shares
    first = 0 if pattern is Pattern.EVEN_RANKS else 1
    chosen = range(first, count, 2)
    for rank in chosen:
        shares[rank] = amount / len(chosen)
    return shares


def pairs(pattern: Pattern, amount: float, count: int) -> Iterator[Flow]:
    """What ranks send to each other; nothing if there is one. All to all is not listed here: all pairs are alike."""
    if count < 2:
        return
    others = range(1, count)
    if pattern is Pattern.GATHER:
        yield from ((rank, 0, amount / count) for rank in others)
    elif pattern is Pattern.SCATTER:
        yield from ((0, rank, amount / count) for rank in others)
    elif pattern is Pattern.MASTER_WORKER:
        each = 2.0 * amount / (count - 1)
        for rank in others:
            yield 0, rank, each
            yield rank, 0, each
    elif pattern is Pattern.RING:
        each = amount / (2.0 * count)
        for rank in range(count):
            yield rank, (rank + 1) % count, each
            yield rank, (rank - 1) % count, each
    elif pattern is Pattern.RING_CLOCKWISE:
        yield from ((rank, (rank + 1) % count, amount / count) for rank in range(count))
    elif pattern is Pattern.RING_COUNTER_CLOCKWISE:
        yield from ((rank, (rank - 1) % count, amount / count) for rank in range(count))
    else:
        each = amount / (count * count - count)
        yield from ((a, b, each) for a in range(count) for b in range(count) if a != b)


def on_gpus(pattern: Pattern, amount: float, count: int, gpus: int) -> tuple[float, float]:
    """What of an amount that all GPUs of ``count`` hosts exchange stays within each host, and what goes between them.

    Both are amounts to be spread by the same pattern: over the GPUs of a host, and over the hosts.
    """
    if gpus == 1:
        return 0.0, amount
    total = count * gpus
    if pattern is Pattern.ALL_TO_ALL:
        each = amount / (total * (total - 1))
        return total * (gpus - 1) * each / count, total * (total - gpus) * each
    both = 2.0 if pattern is Pattern.RING else 1.0
    each = amount / (both * total)
    if count == 1:
        return both * gpus * each, 0.0
    return both * (gpus - 1) * each, both * count * each
