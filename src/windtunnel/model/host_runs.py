"""Sorted, disjoint, maximal intervals of host numbers: out of bits and texts; what is in one, both, or either."""

from collections.abc import Iterable
from typing import Final

__all__ = [
    "SHIFTS",
    "Run",
    "bits_of_runs",
    "intersect",
    "joined",
    "merged",
    "runs_of_bits",
    "runs_of_text",
    "shifts_for",
    "size_of",
    "subtract",
]

Run = tuple[int, int]
"""A closed interval of host numbers."""

_MOST_BITS: Final = 1 << 26
"""Sets with hosts above this number never become bits, which would fill the memory."""

_MOST: Final = 1 << 31
"""No site has this many hosts: strings with such numbers are wrong, and may be long."""

_LONGEST: Final = 64
"""Characters of an interval, zeros before its numbers counted."""


def runs_of_bits(bits: int) -> tuple[Run, ...]:
    """The intervals of the bits that are set."""
    low = bits & -bits
    after = bits + low
    if not bits & after:  # one interval (or none): by far the most common case
        return ((low.bit_length() - 1, after.bit_length() - 2),) if bits else ()
    runs = []
    while bits:
        low = bits & -bits
        after = bits + low
        first = low.bit_length() - 1
        rest = bits & after
        runs.append((first, first + (bits ^ rest).bit_count() - 1))
        bits = rest
    return tuple(runs)


def bits_of_runs(runs: tuple[Run, ...]) -> int:
    """An integer with the bits of these intervals set.

    Raises:
        OverflowError: a host has a number that no site has (above 2**26).
    """
    if runs and runs[-1][1] > _MOST_BITS:
        raise OverflowError(f"a set with host {runs[-1][1]} is not kept as bits")
    bits = 0
    for first, last in runs:
        bits |= ((1 << (last - first + 1)) - 1) << first
    return bits


def size_of(runs: Iterable[Run]) -> int:
    """How many hosts there are in intervals that do not overlap."""
    return sum([last - first + 1 for first, last in runs])


def merged(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Sort and join intervals that overlap or touch."""
    out: list[Run] = []
    for first, last in sorted(runs):
        if out and first <= out[-1][1] + 1:
            if last > out[-1][1]:
                out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return tuple(out)


def _plain_runs(text: str) -> tuple[Run, ...] | None:
    """The intervals of a text such as ``0-3 5 7-8``, in order; None if it has to be looked at more closely."""
    if not text.isascii():
        return None
    runs: list[Run] = []
    first = number = -1
    before = -2
    for code in text.encode() + b" ":
        if 48 <= code <= 57:
            if number <= 0:
                if number == 0:  # zeros before a number
                    return None
                number = code - 48
            else:
                number = 10 * number + code - 48
                if number >= _MOST:
                    return None
        elif code == 45 and first < 0 <= number:
            first = number
            number = -1
        elif code == 32 and number >= 0:
            if first < 0:
                first = number
            if first <= before or number < first:
                return None
            if first == before + 1 and runs:
                runs[-1] = (runs[-1][0], number)
            else:
                runs.append((first, number))
            before = number
            first = number = -1
        else:
            return None
    return tuple(runs)


def joined(ordered: list[int]) -> tuple[Run, ...]:
    """The intervals of ascending numbers."""
    if not ordered:
        return ()
    out: list[Run] = []
    first = last = ordered[0]
    for host in ordered:
        if host > last + 1:
            out.append((first, last))
            first = host
        last = host
    out.append((first, last))
    return tuple(out)


def subtract(mine: tuple[Run, ...], other: tuple[Run, ...]) -> tuple[Run, ...]:
    """The intervals of what is in the first but not in the other."""
    out: list[Run] = []
    k = 0
    for first, last in mine:
        start = first
        while k < len(other) and other[k][1] < start:
            k += 1
        i = k
        while i < len(other) and other[i][0] <= last:
            if other[i][0] > start:
                out.append((start, other[i][0] - 1))
            start = other[i][1] + 1
            i += 1
        if start <= last:
            out.append((start, last))
    return tuple(out)


def intersect(mine: tuple[Run, ...], other: tuple[Run, ...]) -> tuple[Run, ...]:
    """The intervals of what is in both."""
    out: list[Run] = []
    i = j = 0
    while i < len(mine) and j < len(other):
        first = max(mine[i][0], other[j][0])
        last = min(mine[i][1], other[j][1])
        if first <= last:
            out.append((first, last))
        if mine[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(out)


def runs_of_text(text: str) -> tuple[Run, ...]:
    """The intervals of ``0-3 5 7-8``; items may be unsorted or overlap, and commas also separate them.

    Raises:
        ValueError: the string is not an interval set, or no site has such hosts; the message names the item.
    """
    plain = _plain_runs(text)
    if plain is not None:
        return plain
    runs = []
    for item in text.replace(",", " ").split():
        first, dash, last = item.partition("-")
        if not (first.isascii() and first.isdigit()) or (dash and not (last.isascii() and last.isdigit())):
            raise ValueError(f"{item!r} is not a host number or an interval such as 0-3")
        if len(item) > _LONGEST:
            raise ValueError(f"{item:.24}... is larger than any host number")
        low, high = int(first), int(last) if dash else int(first)
        if low > high:
            raise ValueError(f"{item!r} is an empty interval: {low} > {high}")
        if high >= _MOST:
            raise ValueError(f"{item!r} is larger than any host number")
        runs.append((low, high))
    return merged(runs)


SHIFTS: Final[dict[int, tuple[int, ...]]] = {}
"""What :func:`shifts_for` has answered."""


def shifts_for(count: int) -> tuple[int, ...]:
    """How far to shift bits in turn, each time keeping those that meet, so as to leave the begins of so many."""
    shifts = SHIFTS.get(count)
    if shifts is None:
        length = 1  # the bits that are left say from where on so many hosts are there
        left = count - 1
        found = []
        while left > length:
            found.append(length)
            left -= length
            length += length
        if left:
            found.append(left)
        shifts = SHIFTS[count] = tuple(found)
    return shifts
