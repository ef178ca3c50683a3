"""What a job in Slurm's accounting asked for, as far as its record tells.

``ReqTRES`` holds totals: memory becomes memory per CPU where that divides evenly (as with ``--mem-per-cpu`` and
defaults), else per node; GRES per node where that divides evenly, else per job. Nodes and tasks are the counts of the
request, one CPU each. A submit line, where there is one, says it better.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, tzinfo
from math import inf
from typing import Final

import msgspec

from windtunnel.formats.slurm.submit_line import not_followed, options_in
from windtunnel.formats.slurm.submitted_columns import licences_of
from windtunnel.formats.slurm.values import megabytes
from windtunnel.model.slurm import GresAsk, JobAsk
from windtunnel.model.slurm.cluster import FOR_EVER

__all__ = ["Asked", "ask_of", "history", "later", "minutes_of", "not_heard"]

_SIZES: Final = frozenset({"cpu", "mem", "node", "billing", "energy"})
"""TRES of every job; the size of a job is taken from them."""
_MEMORY: Final = re.compile(r"(\d[\d.]*[KMGTP]?)([nc]?)", re.ASCII)


class Asked(msgspec.Struct, kw_only=True):
    """What a record says of a request; TRES in all, memory in MB."""

    name: str = ""
    user: str = ""
    account: str = ""
    partition: str = ""
    qos: str = ""
    reservation: str = ""
    constraints: str = ""
    tres: Mapping[str, int] = {}
    cpus: int = 0
    nodes: int = 0
    memory: str = ""
    """``ReqMem`` as written."""
    limit: int | None = None
    """Minutes, as :func:`minutes_of` has them."""
    begin: int | None = None
    """When it became eligible, if that was later than its submission."""
    licences: str = ""
    """As in the column ``Licenses``."""
    submit_line: str = ""
    lacking: frozenset[str] = frozenset()
    """The options for which the log has no column."""
    submitted: float | None = None
    """When (seconds since 1970)."""
    zone: tzinfo = UTC
    """Of dates in the submit line."""
    array_limit: int | None = None
    component: int = 0
    """Which part of a heterogeneous job it is."""


def not_heard(asked: Asked) -> tuple[str, ...]:
    """What a record asks for and nothing comes of: options of its submit line, licences that cannot be read."""
    unread = () if asked.licences == "" or licences_of(asked.licences) is not None else ("Licenses",)
    if not asked.submit_line:
        return unread
    devices = any(name.startswith("gres/") for name in asked.tres)
    return unread + not_followed(asked.submit_line, asked.component, devices=devices, lacking=_lacking(asked))


def ask_of(asked: Asked) -> JobAsk:
    """The request of a record."""
    cpus = max(1, asked.tres.get("cpu", 0) or asked.cpus)
    nodes = max(1, asked.tres.get("node", 0) or asked.nodes)
    per_cpu, per_node = _memory(asked, cpus, nodes)
    gres_node, gres_job = _gres(asked.tres, nodes)
    ask = JobAsk(
        name=asked.name,
        user=asked.user,
        account=asked.account,
        partitions=tuple(filter(None, asked.partition.split(","))),
        qos=asked.qos,
        reservation=asked.reservation,
        min_nodes=nodes if nodes > 1 else None,
        tasks=max(cpus, nodes),
        memory_per_cpu=per_cpu,
        memory_per_node=per_node,
        gres_per_node=gres_node,
        gres_per_job=gres_job,
        licences=_licences(asked),
        features=asked.constraints,
        time_limit=asked.limit,
        begin=asked.begin,
        array_limit=asked.array_limit,
    )
    if not asked.submit_line:
        return ask
    return options_in(asked.submit_line, ask, asked.component, asked.submitted, asked.zone, _lacking(asked))


def _lacking(asked: Asked) -> frozenset[str]:
    """The options that only the submit line tells: accounting knows of licences on sites that track them."""
    return asked.lacking if _licences(asked) else asked.lacking | {"licenses"}


def _licences(asked: Asked) -> dict[str, int]:
    """Those of ``ReqTRES``, where the site tracks them, else of the column."""
    found = {name[8:]: count for name, count in asked.tres.items() if count and name.startswith("license/")}
    return found or licences_of(asked.licences) or {}


def _memory(asked: Asked, cpus: int, nodes: int) -> tuple[int | None, int | None]:
    """Per CPU and per node; None where it is not said so."""
    found = _MEMORY.fullmatch(asked.memory) if asked.memory else None
    if found is not None and found[2]:
        amount = megabytes(found[1])
        return (amount, None) if found[2] == "c" else (None, amount)
    total = asked.tres.get("mem", 0) or (megabytes(found[1]) if found is not None else 0)
    if not total:
        return None, None
    return (total // cpus, None) if total % cpus == 0 else (None, -(-total // nodes))


def _gres(tres: Mapping[str, int], nodes: int) -> tuple[tuple[GresAsk, ...], tuple[GresAsk, ...]]:
    """Per node and per job; of a resource that is counted with and without its types, the types."""
    found: dict[tuple[str, str], int] = {}
    for key, count in tres.items():
        if key.startswith("gres/") and count:
            name, _, kind = key.removeprefix("gres/").partition(":")
            found[name, kind] = count
    if not found:
        return (), ()
    typed = {name for name, kind in found if kind}
    asks = [(name, kind, count) for (name, kind), count in found.items() if kind or name not in typed]
    even = all(count % nodes == 0 for _, _, count in asks)
    made = tuple(GresAsk(name=name, type=kind, count=count // nodes if even else count) for name, kind, count in asks)
    return (made, ()) if even else ((), made)


def history(*, start: float | None, nodes: object, allocated: Iterable[str]) -> tuple[str, ...]:
    """What tells how it was: compared with a simulation, and not simulated."""
    told = ["when it started"] * (start is not None) + ["the nodes it ran on"] * bool(nodes)
    return (*told, *(f"allocated {name}" for name in allocated if name not in _SIZES))


def minutes_of(limit: float | None) -> int | None:
    """Minutes of a time limit in seconds; ``UNLIMITED`` is one of its own, so that no default takes its place."""
    return None if limit is None else FOR_EVER if limit == inf else int(limit // 60)


def later(eligible: float | None, submit: float | None) -> int | None:
    """When it might start at the earliest, if that was not when it was submitted."""
    return int(eligible) if eligible and submit and eligible > submit else None
