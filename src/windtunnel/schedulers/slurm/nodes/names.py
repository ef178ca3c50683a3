"""Lists of node names as Slurm writes them."""

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["folded"]

_NUMBERED: Final = re.compile(r"(.*?)(\d+)")


def folded(names: Iterable[str]) -> str:
    """Names with consecutive numbers folded into brackets: ``n[1-3,8],login``."""
    groups: dict[tuple[str, int], list[int]] = {}
    plain = []
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match is None:
            plain.append(name)
            continue
        width = len(match[2]) if match[2].startswith("0") else 0
        groups.setdefault((match[1], width), []).append(int(match[2]))
    parts = [_group(prefix, width, sorted(numbers)) for (prefix, width), numbers in groups.items()]
    return ",".join(parts + plain)


def _group(prefix: str, width: int, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{prefix}{numbers[0]:0{width}d}"
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    texts = [f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}" for low, high in spans]
    return f"{prefix}[{','.join(texts)}]"
