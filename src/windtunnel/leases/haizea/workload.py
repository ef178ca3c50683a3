"""Preparing lease workloads as Haizea does: injecting, annotating, and describing a site in one line."""

import re
from collections.abc import Sequence

from msgspec import UNSET, structs

from windtunnel.diagnostics import UsageError
from windtunnel.model.lease import (
    MOST_AMOUNT,
    MOST_NODES,
    Lease,
    LeaseAnnotation,
    LeaseAnnotations,
    LeaseSite,
    NodeSet,
    When,
)

__all__ = ["annotate", "inject", "site_from_text"]

INJECTED = 1_000_000
"""What is added to the ids of injected leases."""


def inject(leases: Sequence[Lease], injected: Sequence[Lease]) -> list[Lease]:
    """Add leases of another workload; their ids get a million more, and all are in order of submission."""
    added = [structs.replace(lease, id=(lease.id or 0) + INJECTED) for lease in injected]
    return sorted([*leases, *added], key=lambda lease: lease.submit)


def annotate(leases: Sequence[Lease], annotations: LeaseAnnotations) -> list[Lease]:
    """Put what annotations say in place of the leases' own: by id, or else in order."""
    entries = annotations.entries
    if entries and entries[0].id is not None:
        by_id = {entry.id: entry for entry in entries}
        return [_annotated(lease, by_id[lease.id]) if lease.id in by_id else lease for lease in leases]
    changed = [_annotated(lease, entry) for lease, entry in zip(leases, entries, strict=False)]
    return [*changed, *leases[len(changed) :]]


def _annotated(lease: Lease, entry: LeaseAnnotation) -> Lease:
    start, deadline = lease.start, lease.deadline
    if entry.start is not UNSET:
        start = entry.start if isinstance(entry.start, When) else lease.submit + entry.start
    if entry.deadline is not UNSET:
        deadline = lease.submit + entry.deadline
    return structs.replace(
        lease,
        start=start,
        deadline=deadline,
        software=lease.software if entry.software is UNSET else entry.software,
        extras={**lease.extras, **entry.extras},
    )


def site_from_text(text: str) -> LeaseSite:
    """A site of equal nodes: ``<n> <type>:<amount>`` with types separated by commas or blanks.

    Raises:
        UsageError: it has another form.
    """
    count, *rest = text.split(None, 1)
    pairs = [part.partition(":") for part in re.split(r"[,\s]+", rest[0].strip())] if rest else []
    try:
        amounts = {kind: (int(amount),) for kind, _, amount in pairs}
        site = LeaseSite(tuple(amounts), (NodeSet(int(count), amounts),))
    except ValueError:
        raise UsageError(f"not a site: {text!r}", "write for example '4 CPU:100,Memory:1024'") from None
    if site.numnodes > MOST_NODES or not all(0 <= amount <= MOST_AMOUNT for (amount,) in amounts.values()):
        raise UsageError(f"a site has 1 to {MOST_NODES} nodes, and amounts from 0 to {MOST_AMOUNT}: {text!r:.200}")
    if "CPU" not in amounts or "Memory" not in amounts or site.numnodes < 1:
        raise UsageError(f"a site needs nodes with CPU and Memory: {text!r}")
    return site
