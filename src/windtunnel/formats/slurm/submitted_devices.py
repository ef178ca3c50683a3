"""The devices that a submit line asks for: ``--gres=gpu:a100:2``, ``--gpus=4``, ``--gpus-per-task=a100:1``."""

import re
from collections.abc import Mapping
from typing import Any, Final

from windtunnel.formats.slurm.values import gres_counts
from windtunnel.model.slurm import GresAsk, JobAsk

__all__ = ["DEVICES", "devices_in", "unread_devices"]

_FIELDS: Final = {
    "gres": "gres_per_node",
    "gpus-per-node": "gres_per_node",
    "gpus": "gres_per_job",
    "gpus-per-task": "gres_per_task",
    "gpus-per-socket": "gres_per_socket",
}
DEVICES: Final = frozenset(_FIELDS)
"""The options, by long name."""
_COUNT: Final = re.compile(r"(?:([^:,\s]+):)?(\d{1,9})", re.ASCII)


def devices_in(given: Mapping[str, str], ask: JobAsk) -> dict[str, Any]:
    """What options say of devices, as fields of a request.

    What the request says already, from totals, stays of those devices that the options do not name.
    """
    found: dict[str, tuple[GresAsk, ...]] = {}
    for option in _FIELDS:
        asked = _asked(option, given[option]) if option in given else None
        if asked:
            found[_FIELDS[option]] = (*found.get(_FIELDS[option], ()), *asked)
    if not found:
        return {}
    named = {one.name for asked in found.values() for one in asked}
    for field in ("gres_per_node", "gres_per_job"):
        kept = tuple(one for one in getattr(ask, field) if one.name not in named)
        found[field] = (*kept, *found.get(field, ()))
    return found


def unread_devices(given: Mapping[str, str]) -> frozenset[str]:
    """The options that cannot be read."""
    return frozenset(option for option in DEVICES & given.keys() if _asked(option, given[option]) is None)


def _asked(option: str, text: str) -> tuple[GresAsk, ...] | None:
    """What an option asks for; None: it cannot be read. ``--gres=none`` asks for nothing."""
    try:
        counts = gres_counts(text) if option == "gres" else [_gpus(part) for part in text.split(",")]
    except ValueError:
        return None
    if text == "":
        return None
    wanted = [one for one in counts if one[0] != "none" and one[2]]
    return tuple(GresAsk(name=name, type=kind, count=count) for name, kind, count in wanted)


def _gpus(text: str) -> tuple[str, str, int]:
    """Of ``a100:2`` or ``2``.

    Raises:
        ValueError: it is neither.
    """
    found = _COUNT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a valid number of GPUs")
    return "gpu", found[1] or "", int(found[2])
