"""Rows of ``jobs.csv`` and ``machine_states.csv`` written digit by digit: a hot path of the compiled build.

In pure Python it is faster to make whole columns of text (:mod:`windtunnel.results.job_columns`), or to format many
rows at once (:mod:`windtunnel.results.machine_states`); this module is not loaded there.
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from librt.strings import StringWriter
from mypy_extensions import i32

from windtunnel.model.hostset import HostSet
from windtunnel.results.job_rows import SHORTEST, STATE_WIDTH, Texts, Times
from windtunnel.results.written_numbers import put_fixed, put_hosts, put_significant, put_whole

__all__ = ["job_rows", "state_rows"]

_COMMA: Final[i32] = 44
_END: Final[i32] = 10


def job_rows(known: Texts, times: Times, hosts: Sequence[HostSet], rest: Texts, omit_rejected: bool) -> str:
    """Rows from columns.

    Args:
        known: name, workload, profile, requested resources; success and final state in one.
        times: walltimes and dates.
        hosts: those of each job.
        rest: energy and metadata.
        omit_rejected: jobs that never started have no row.
    """
    names, workloads, profiles = list(known[0]), list(known[1]), list(known[2])
    requested, endings = list(known[3]), list(known[4])
    places, energy, metadata = list(hosts), list(rest[0]), list(rest[1])
    limits, submissions, starts, ends = times
    out = StringWriter()
    for rank in range(len(names)):
        start = float(starts[rank])  # numpy's too
        if start < 0.0 and omit_rejected:
            continue
        submitted = float(submissions[rank])
        walltime = float(limits[rank])
        out.write(names[rank])
        out.append(_COMMA)
        out.write(workloads[rank])
        out.append(_COMMA)
        out.write(profiles[rank])
        put_fixed(out, submitted)
        out.append(_COMMA)
        out.write(requested[rank])
        put_fixed(out, -1.0 if walltime == inf else walltime)
        out.append(_COMMA)
        out.write(endings[rank])
        if start < 0.0:
            out.write(",,,,,,,,,")
        else:
            finish = float(ends[rank])
            execution = finish - start
            if execution == 0.0:
                execution = SHORTEST
                finish = start + SHORTEST
            turnaround = finish - submitted
            put_fixed(out, start)
            put_fixed(out, execution)
            put_fixed(out, finish)
            put_fixed(out, start - submitted)
            put_fixed(out, turnaround)
            put_fixed(out, turnaround / execution)
            put_hosts(out, places[rank])
            out.append(_COMMA)
            out.write(energy[rank])
            out.append(_COMMA)
        out.write(metadata[rank])
        out.append(_END)
    return out.getvalue()


def state_rows(values: list[Any]) -> str:
    """Rows from their values, one after the other; dates have six significant digits.

    Raises:
        TypeError: a count is no ``int`` of Python (when compiled).
    """
    out = StringWriter()
    for at in range(0, len(values), STATE_WIDTH):
        put_significant(out, float(values[at]))  # numpy's too
        for place in range(at + 1, at + STATE_WIDTH):
            put_whole(out, values[place])
        out.append(_END)
    return out.getvalue()
