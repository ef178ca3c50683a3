"""The rows of ``jobs.csv`` as text, one by one: a hot path of the compiled build.

In pure Python it is faster to make whole columns of text (:mod:`windtunnel.results.job_columns`).
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from windtunnel.model.hostset import HostSet
from windtunnel.results.texts import fixed

__all__ = ["SHORTEST", "Texts", "Times", "host_texts", "rows_one_by_one"]

SHORTEST: Final = 1e-5
"""Seconds written (and counted) for an execution that took none, so that a stretch exists."""


Texts = Sequence[Sequence[str]]
"""Columns of texts."""
Times = tuple[list[Any], list[Any], list[Any], list[Any]]
"""Walltimes of jobs, and when they were submitted, started (-1: never) and ended (s)."""


def rows_one_by_one(known: Texts, times: Times, rest: Texts, omit_rejected: bool) -> str:
    """Rows from columns.

    Args:
        known: name, workload, profile, requested resources; success and final state in one.
        times: walltimes and dates.
        rest: hosts, energy and metadata.
        omit_rejected: jobs that never started have no row.
    """
    names, workloads, profiles = list(known[0]), list(known[1]), list(known[2])
    requested, endings = list(known[3]), list(known[4])
    hosts, energy, metadata = list(rest[0]), list(rest[1]), list(rest[2])
    limits, submissions, starts, ends = times
    rows: list[str] = []
    last = -1.0
    last_text = ""
    for rank in range(len(names)):
        submitted = float(submissions[rank])  # numpy's too
        text = fixed(submitted)
        walltime = float(limits[rank])
        limit = "-1.000000" if walltime == inf else fixed(walltime)
        row = [names[rank], workloads[rank], profiles[rank], text, requested[rank], limit, endings[rank]]
        start = float(starts[rank])
        if start < 0.0:
            if not omit_rejected:
                row += ["", "", "", "", "", "", "", "", metadata[rank]]
                rows.append(",".join(row))
            continue
        finish = float(ends[rank])
        execution = finish - start
        if execution == 0.0:
            execution = SHORTEST
            finish = start + SHORTEST
        turnaround = finish - submitted
        ran = fixed(execution)
        if finish != last:  # jobs that end together
            last_text = fixed(finish)
            last = finish
        if start == submitted:
            row += [text, ran, last_text, "0.000000", ran if turnaround == execution else fixed(turnaround)]
        else:
            row += [fixed(start), ran, last_text, fixed(start - submitted), fixed(turnaround)]
        row += [fixed(turnaround / execution), hosts[rank], energy[rank], metadata[rank]]
        rows.append(",".join(row))
    return "\n".join(rows) + "\n" if rows else ""


def host_texts(sets: Sequence[HostSet]) -> list[str]:
    """Host sets as text."""
    return [hosts.text() for hosts in sets]
