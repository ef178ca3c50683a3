"""The lease tables of a run: ``leases.csv``, ``reservations.csv``, ``counters.csv`` and ``statistics.json``.

Rows stream while the run goes on; the last two are written at its end. Nodes are numbered from 1, as in Haizea. A run
in which no lease manager reports anything has none of them.
"""

import io
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, get_args, get_type_hints

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import HostSet
from windtunnel.model.lease import LeaseState, When
from windtunnel.results.fields import bare
from windtunnel.results.layout import Layout
from windtunnel.results.lease_rows import line, sample_lines, short
from windtunnel.results.lease_shares import requested_text
from windtunnel.results.rows import Recorder
from windtunnel.vocabulary.lease_facts import LeaseFact, LeaseOver, ReservationOver

if TYPE_CHECKING:
    from windtunnel.results.lease_accounting import LeaseAccounting

__all__ = ["LeaseRow", "LeasesCsv", "ReservationRow", "ReservationsCsv", "counters_csv", "read_rows", "statistics"]


class LeaseRow(NamedTuple):
    """A lease that is over. Dates and durations in seconds; empty (``None``) where there is none."""

    lease_id: int
    type: str
    state: str
    submitted: float
    requested_start: str
    deadline: float | None
    started: float | None
    ended: float | None
    requested_duration: float
    ran: float
    waiting: float | None
    slowdown: float | None
    nodes: int
    hosts: str
    suspensions: int
    migrations: int
    transfers: int
    preemptible: bool
    user: int | None
    price: float | None
    reason: str
    requested: str = ""
    """What each of its nodes asks for, as ``2 CPU:100,Memory:512``; groups of nodes that differ stand behind each
    other, separated by ``|``."""


class ReservationRow(NamedTuple):
    """Something that was carried out: ``kind`` is VM, Suspension, Resumption, Shutdown, a migration or a transfer."""

    lease_id: int
    kind: str
    start: float
    end: float
    hosts: str


class LeasesCsv(Recorder):
    """Writes ``leases.csv``: a row for each lease that is over."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("leases.csv", line(LeaseRow._fields), lazy=True)

    def on_leases(self, now: float, facts: Sequence[LeaseFact]) -> None:  # noqa: ARG002  their own dates count
        """Write the rows of leases that are over."""
        for fact in facts:
            if type(fact) is LeaseOver:
                self.rows.add(line(_lease_row(fact)))


class ReservationsCsv(Recorder):
    """Writes ``reservations.csv``: a row for all that was carried out."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("reservations.csv", line(ReservationRow._fields), lazy=True)

    def on_leases(self, now: float, facts: Sequence[LeaseFact]) -> None:  # noqa: ARG002  as above
        """Write the rows of what was carried out."""
        for fact in facts:
            if type(fact) is ReservationOver:
                dates = f"{short(fact.start)},{short(fact.end)}"
                self.rows.add(f"{fact.lease_id},{fact.kind},{dates},{_nodes(fact.hosts)}\n")


def _lease_row(fact: LeaseOver) -> LeaseRow:
    lease = fact.lease
    done = fact.state is LeaseState.DONE
    start, submitted = lease.start, round(lease.submit * 100)
    return LeaseRow(
        lease.id or 0,
        str(lease.kind),
        fact.state.label,
        submitted / 100,
        start.value if isinstance(start, When) else short(float(start)),
        None if lease.deadline is None else round(lease.deadline * 100) / 100,
        fact.started,
        fact.ended,
        fact.requested,
        fact.ran,
        None if fact.started is None else (round(fact.started * 100) - submitted) / 100,
        (round(fact.ended * 100) - submitted) / max(round(fact.actual * 100), 1000) if done else None,
        lease.numnodes,
        _nodes(HostSet(fact.hosts)),
        fact.suspensions,
        fact.migrations,
        fact.transfers,
        lease.preemptible,
        lease.user,
        fact.price,
        fact.reason,
        requested_text(lease.nodes),
    )


def _nodes(hosts: HostSet) -> str:
    """Nodes by their numbers from 1, as ranges: ``1-4 7``."""
    return " ".join(f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in hosts.runs)


# --- at the end of a run --------------------------------------------------------------------------------------------


def counters_csv(accounting: "LeaseAccounting") -> bytes:
    """``counters.csv``: the value of each counter whenever it changed, and its running average."""
    lines = ["counter,time,lease_id,value,average\n"]
    lines += [sample_lines(name, accounting.samples(name)) for name in accounting.counters]
    return "".join(lines).encode()


def statistics(accounting: "LeaseAccounting", attributes: Mapping[str, str]) -> bytes:
    """``statistics.json``: totals of the run, statistics of each lease, and what the workload says of itself."""
    found = {"attributes": attributes, "run": accounting.stats, "leases": accounting.lease_stats}
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


# --- reading --------------------------------------------------------------------------------------------------------

Row = TypeVar("Row", LeaseRow, ReservationRow)
_READERS: Final[Mapping[Any, Any]] = {int: int, float: float, str: bare, bool: lambda text: text == "True"}


def read_rows(kind: type[Row], data: bytes) -> list[Row]:
    """The rows of a table.

    Raises:
        UsageError: it is not such a table.
    """
    import csv

    if not data:
        return []
    readers = [_reader(hint) for hint in get_type_hints(kind).values()]
    rows = csv.reader(io.StringIO(data.decode()))
    try:
        if tuple(next(rows, ())) != kind._fields:
            raise ValueError("it has other columns")
        return [kind(*[read(text) for read, text in zip(readers, row, strict=True)]) for row in rows]
    except ValueError as error:
        raise UsageError(f"not a table of {kind.__name__}s: {error}") from error


def _reader(hint: Any) -> Any:
    kinds = get_args(hint) or (hint,)
    read = next(_READERS[kind] for kind in kinds if kind is not NoneType)
    return (lambda text: None if text == "" else read(text)) if NoneType in kinds else read
