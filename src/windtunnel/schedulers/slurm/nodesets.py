"""Sets of nodes as integers, one bit for each node in the order of the site."""

from collections.abc import Iterable, Iterator

__all__ = ["bits", "mask_of"]


def bits(mask: int) -> Iterator[int]:
    """The numbers of the nodes in a set, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def mask_of(nodes: Iterable[int]) -> int:
    """The set of some nodes."""
    mask = 0
    for node in nodes:
        mask |= 1 << node
    return mask
