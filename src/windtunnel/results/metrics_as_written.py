"""The metrics that a run wrote when it ended, where they are still those of its jobs."""

from collections.abc import Callable

import msgspec

from windtunnel.model.bill import Bill
from windtunnel.results.columns import DIGITS, Columns
from windtunnel.results.job_rows import SHORTEST
from windtunnel.results.metrics import Metrics
from windtunnel.results.own_metrics import Record, figures_of

__all__ = ["bill_as_written", "joules_as_written", "metrics_as_written"]


class _Untrimmed(msgspec.Struct, frozen=True):
    """What no trim changes."""

    consumed_joules: float | None = None
    bill: Bill | None = None


def joules_as_written(read: Callable[[str], bytes | None]) -> float | None:
    """The energy of the whole run with all its digits; None where it was not simulated, or is not known so."""
    return _untrimmed(read).consumed_joules


def bill_as_written(read: Callable[[str], bytes | None]) -> Bill | None:
    """The electricity of the site; None without such an account."""
    return _untrimmed(read).bill


def _untrimmed(read: Callable[[str], bytes | None]) -> _Untrimmed:
    try:
        return msgspec.json.decode(read("metrics.json") or b"{}", type=_Untrimmed)
    except msgspec.DecodeError:
        return _Untrimmed()


def metrics_as_written(read: Callable[[str], bytes | None], columns: Columns, *, all_jobs: bool) -> Metrics | None:
    """The content of ``metrics.json``; None when it is not that of these jobs. ``all_jobs``: nothing was trimmed.

    It was computed from times with more digits than the files have. Metrics of one's own are computed anew: they
    may be others now.
    """
    data = read("metrics.json")
    try:
        written = msgspec.json.decode(data or b"", type=Metrics)
    except msgspec.DecodeError:
        return None
    if abs(written.makespan - max(max(columns.finish, default=0.0), 0.0)) > 2 * SHORTEST:
        return None
    if all_jobs and written.states != columns.states():
        return None
    chosen = columns if all_jobs else columns.within(*(round(date, DIGITS) for date in written.window))
    own = figures_of(lambda: Record(written, chosen, read))
    return msgspec.structs.replace(written, own=own)
