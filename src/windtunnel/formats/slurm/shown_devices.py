"""What ``scontrol show job`` says of devices: ``TresPerJob=gres/gpu:4``, ``TresPerTask=cpu=4,gres/gpu=1``."""

from typing import Any, Final

from windtunnel.diagnostics import Severity
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.values import gres_counts, megabytes
from windtunnel.model.slurm import GresAsk, JobAsk

__all__ = ["DEVICE_KEYS", "devices_shown"]

_FIELDS: Final = {
    "TresPerNode": "gres_per_node",
    "TresPerJob": "gres_per_job",
    "TresPerTask": "gres_per_task",
    "TresPerSocket": "gres_per_socket",
}
_OF_GPUS: Final = {"CpusPerTres": "cpus_per_gpu", "MemPerTres": "memory_per_gpu"}
DEVICE_KEYS: Final = (*_FIELDS, *_OF_GPUS)


def devices_shown(line: Line, ask: JobAsk) -> dict[str, Any]:
    """The fields of a request that a record tells, besides those of its totals; what cannot be read is noted."""
    found: dict[str, Any] = {}
    for key, field in _FIELDS.items():
        asked = _asked(line, key)
        if asked:
            found[field] = asked
    if found:
        named = {one.name for asked in found.values() for one in asked}
        for field in ("gres_per_node", "gres_per_job"):  # totals, which say less
            kept = tuple(one for one in getattr(ask, field) if one.name not in named)
            found[field] = (*kept, *found.get(field, ()))
    for key, field in _OF_GPUS.items():
        amount = _of_gpu(line, key)
        if amount is not None:
            found[field] = amount
    if "memory_per_gpu" in found:  # totals say less
        found |= {"memory_per_cpu": None, "memory_per_node": None}
    return found


def _words(line: Line, key: str) -> list[str]:
    """``gpu:2`` of ``gres/gpu=2`` and ``gres:gpu:2``; CPUs of tasks stand under ``CPUs/Task``."""
    words = [word.replace("=", ":").removeprefix("gres/").removeprefix("gres:") for word in line.words(key)]
    return [word for word in words if word.partition(":")[0] != "cpu"]


def _asked(line: Line, key: str) -> tuple[GresAsk, ...]:
    made: list[GresAsk] = []
    for word in _words(line, key):
        try:
            counts = gres_counts(word)
        except ValueError:
            counts = []
        if not counts or word.partition(":")[0] in {"mem", "node", "billing"} or "/" in word:
            _tell(line, key)
        else:
            made += [GresAsk(name=name, type=kind, count=count) for name, kind, count in counts]
    return tuple(made)


def _of_gpu(line: Line, key: str) -> int | None:
    """The number behind ``gpu:``."""
    for word in _words(line, key):
        name, _, text = word.rpartition(":")
        try:
            if name == "gpu":
                return megabytes(text) if key == "MemPerTres" else int(text)
        except ValueError:
            pass
        _tell(line, key)
    return None


def _tell(line: Line, key: str) -> None:
    line.note(f"{key}={line.text(key)} of a job is not simulated", "ignored", Severity.WARNING)
