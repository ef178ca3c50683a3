"""Sets of nodes as integers, one bit for each node in the order of the site."""

from collections.abc import Iterable, Iterator
from struct import unpack
from typing import Final

from mypy_extensions import i64

__all__ = ["bits", "blocks_of", "bounds", "first_of", "lowest", "mask_of", "runs_above", "spans", "union", "without"]

_FEW: Final = 8
"""So many nodes far apart are found faster one by one than by their text."""
_FEW_RUNS: Final = 4
"""And so many runs."""
_BLOCK: Final = 6
"""Digits of a node's number within its block,"""
_BLOCKS: Final = 62
"""and blocks that are told apart."""
_ALL_BLOCKS: Final = (1 << _BLOCKS) - 1
_SINGLE: Final = [1 << block for block in range(_BLOCKS)]
"""Each block as a set; looked up, as compiled code would shift a constant as a number of 32 digits."""
_DIGITS: Final = (1 << 32) - 1
_DE_BRUIJN: Final = 0x077CB531
"""Times a single digit of 32, the first five of the product tell which digit it is."""
_PLACES: Final = [0] * 32
for _place in range(32):
    _PLACES[((1 << _place) * _DE_BRUIJN & _DIGITS) >> 27] = _place


def bits(mask: int) -> Iterator[int]:
    """The numbers of the nodes in a set, ascending; runs of consecutive ones cost least."""
    if not mask:
        return iter(())
    low = (mask & -mask).bit_length() - 1
    mask >>= low
    if not mask & (mask + 1):
        return iter(range(low, low + mask.bit_length()))
    found: list[int] = []
    if mask.bit_count() <= _FEW:
        while mask:
            first = mask & -mask
            found.append(low + first.bit_length() - 1)
            mask ^= first
        return iter(found)
    for begin, end in _pairs(_bounds_from(low, mask)):
        found.extend(range(begin, end))
    return iter(found)


def lowest(mask: int, count: int) -> int:
    """The first so many members of a set."""
    taken = 0
    while count > 0 and mask:
        first = mask & -mask
        mask ^= first
        taken |= first
        count -= 1
    return taken


def spans(mask: int) -> list[tuple[int, int]]:
    """The runs of consecutive nodes in a set, ascending: each its first node, and the one behind its last."""
    return _pairs(bounds(mask))


def bounds(mask: int) -> list[int]:
    """The runs of consecutive nodes in a set, one number after the other: first node, the one behind the last..."""
    if not mask:
        return []
    low = (mask & -mask).bit_length() - 1
    mask >>= low
    if not mask & (mask + 1):
        return [low, low + mask.bit_length()]
    return _bounds_from(low, mask)


def blocks_of(mask: int) -> int:
    """In which blocks of 64 consecutive nodes a set has members; every 62nd block counts as the same one.

    Sets without a block in common have no node in common, which takes little time to see.
    """
    found: i64 = 0
    runs = bounds(mask)
    for at in range(0, len(runs), 2):
        begin: i64 = runs[at]
        end: i64 = runs[at + 1]
        first = begin >> _BLOCK
        last = (end - 1) >> _BLOCK
        if last - first >= _BLOCKS - 1:
            return _ALL_BLOCKS
        while first <= last:
            found |= _SINGLE[first % _BLOCKS]
            first += 1
    return found


def runs_above(mask: int, length: int) -> int:
    """The nodes of a set that are in runs of more than so many consecutive ones."""
    found, done = mask, 1
    while done <= length and found:  # the nodes at which runs of so many begin
        step = min(done, length + 1 - done)
        found &= found >> step
        done += step
    done = 1
    while done <= length and found:
        step = min(done, length + 1 - done)
        found |= found << step
        done += step
    return found


def _pairs(found: list[int]) -> list[tuple[int, int]]:
    """The runs that some bounds say, each for itself."""
    return [(found[at], found[at + 1]) for at in range(0, len(found), 2)]


def _bounds_from(low: int, mask: int) -> list[int]:
    """The bounds of a set that begins with its first node, which is ``low``."""
    edges = mask ^ mask << 1  # a one where a run begins, and one behind its end
    found: list[int] = []
    if edges.bit_count() <= 2 * _FEW_RUNS:
        while edges:  # from the last one: to find the first takes a pass over all
            last = edges.bit_length() - 1
            edges ^= 1 << last
            found.append(low + last)
        found.reverse()
        return found
    at: i64 = low
    for word in _words(edges):
        left: i64 = word
        while left:
            place: i64 = _PLACES[((left & -left) * _DE_BRUIJN & _DIGITS) >> 27]
            found.append(at + place)
            left &= left - 1
        at += 32
    return found


def _words(mask: int) -> tuple[int, ...]:
    """The digits of a set, 32 in each number, the first ones first."""
    count = (mask.bit_length() + 511) // 512 * 16  # not many formats: they are read once each
    return unpack(f"<{count}I", mask.to_bytes(4 * count, "little"))


def first_of(mask: int, count: int) -> int:
    """The lowest nodes of a set, so many."""
    excess = mask.bit_count() - count
    if excess <= 0:
        return mask
    if count == 1:
        return mask & -mask
    found = 0
    while count:
        low = (mask & -mask).bit_length() - 1
        run = mask >> low
        length = min((~run & (run + 1)).bit_length() - 1, count)
        part = ((1 << length) - 1) << low
        found |= part
        mask ^= part
        count -= length
    return found


def mask_of(nodes: Iterable[int]) -> int:
    """The set of some nodes."""
    mask = 0
    for node in nodes:
        mask |= 1 << node
    return mask


def without(nodes: int, others: int) -> int:
    """The nodes of a set that are not in another; cheaper than with the complement, which is a negative number."""
    return nodes ^ (nodes & others) if others else nodes


def union(sets: Iterable[int]) -> int:
    """The nodes of several sets."""
    found = 0
    for one in sets:
        found |= one
    return found
