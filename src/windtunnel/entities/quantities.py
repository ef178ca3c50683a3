"""Quantities as people write them: ``10MB``, ``55s``, ``1.5 h``. Prefixes are decimal; bytes and seconds come out."""

import re
from typing import Final

__all__ = ["quantity"]

_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*", re.ASCII)
_BYTES: Final[dict[str, float]] = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "pb": 10**15}
_BYTES_BINARY: Final[dict[str, float]] = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "pib": 2**50}
_SECONDS: Final[dict[str, float]] = {"ms": 1e-3, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_UNITS: Final[dict[str, dict[str, float]]] = {"bytes": _BYTES | _BYTES_BINARY, "seconds": _SECONDS}


def quantity(text: str, kind: str) -> float | None:
    """An amount of ``bytes`` or ``seconds``; a bare number is taken as such. None if it is none."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    factor = _UNITS[kind].get(match[2].lower()) if match[2] else 1
    return None if factor is None else float(match[1]) * factor
