"""What is written and counted of jobs that are over, straight from what was noted of them: the compiled build's way.

In pure Python it is faster to make columns of a batch first (:class:`windtunnel.results.batch.Batch`), and columns of
text of those (:mod:`windtunnel.results.job_columns`); this module is not loaded there.
"""

from math import inf
from typing import Any, Final

from librt.strings import BytesWriter, StringWriter, write_f64_le, write_i32_le
from mypy_extensions import i32

from windtunnel.model.hostset import HostSet
from windtunnel.results.batch import NOTED
from windtunnel.results.job_rows import ENDINGS, SHORTEST, quoted
from windtunnel.results.written_numbers import put_fixed, put_hosts, put_whole

__all__ = ["codes_of", "dates_of", "extra_rows", "job_rows", "sizes_of"]

_COMMA: Final[i32] = 44
_END: Final[i32] = 10


Owners = tuple[list[str], list[str], list[str]]
"""Users, groups and queues of jobs, or nothing at all."""
Names = tuple[list[str], list[str]]
"""Fields of jobs: their names, and those of their workloads."""
Known = tuple[list[str], list[float], list[Any], list[float]]
"""What jobs say of themselves: profiles as fields, submissions (s), hosts requested, walltimes (s)."""


def job_rows(names: Names, known: Known, noted: list[Any], v5: bool, omit_rejected: bool) -> str:
    """Rows of ``jobs.csv``, for Batsim 5's reader or Batsim 4's.

    Args:
        names: which jobs they are.
        known: the columns of what jobs say (interpreted code reads that ten times faster).
        noted: what was noted of each job (see :class:`~windtunnel.results.batch.Batch`).
        v5: Batsim 5 has no metadata.
        omit_rejected: jobs that never started have no row.
    """
    ids, workloads = names
    profiles, submissions, requested, walltimes = known
    out = StringWriter()
    for rank in range(len(ids)):
        at = rank * NOTED
        start: float = noted[at + 2]
        if start < 0.0 and omit_rejected:
            continue
        submitted = submissions[rank]
        walltime = walltimes[rank]
        out.write(ids[rank])
        out.append(_COMMA)
        out.write(workloads[rank])
        out.append(_COMMA)
        out.write(profiles[rank])
        put_fixed(out, submitted)
        hosts_asked = requested[rank]
        put_whole(out, hosts_asked if isinstance(hosts_asked, int) else int(hosts_asked))  # numpy's too
        put_fixed(out, -1.0 if walltime == inf else walltime)
        out.append(_COMMA)
        state: int = noted[at + 1]
        out.write(ENDINGS[state])
        if start < 0.0:
            out.write(",,,,,,,,,")
        else:
            finish: float = noted[at + 3]
            _put_times(out, submitted, start, finish)
            hosts: HostSet = noted[at + 4]
            put_hosts(out, hosts)
            joules: float = noted[at + 6]
            _put_joules(out, 0.0 if v5 and joules < 0.0 and noted[at + 9] else joules)
            out.append(_COMMA)
        if not v5:
            metadata: str = noted[at + 7]
            out.write('""' if metadata == "" else quoted(metadata))
        out.append(_END)
    return out.getvalue()


def _put_times(out: StringWriter, submitted: float, start: float, finish: float) -> None:
    """From the start to the stretch."""
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


def _put_joules(out: StringWriter, joules: float) -> None:
    if joules == -1.0:
        out.write(",-1.000000")
    elif joules > 0.0:
        put_fixed(out, joules)
    else:
        out.write(f",{joules:f}")


def extra_rows(names: Names, owners: Owners, noted: list[Any], shares: list[str]) -> str:
    """Rows of ``jobs_extra.csv``, for jobs of which there is something to say.

    Args:
        names: which jobs they are.
        owners: whose they are, as fields.
        noted: what was noted of each job.
        shares: the share of hosts of each, or nothing at all.
    """
    ids, workloads = names
    users, groups, queues = owners
    shared = len(shares) > 0
    out = StringWriter()
    for rank in range(len(ids)):
        share = shares[rank] if shared else ""
        code: int = noted[rank * NOTED + 8]
        user, group, queue = users[rank], groups[rank], queues[rank]
        if code != 0 or share != "" or user != "" or group != "" or queue != "":
            out.write(ids[rank])
            out.append(_COMMA)
            out.write(workloads[rank])
            out.append(_COMMA)
            out.write(user)
            out.append(_COMMA)
            out.write(group)
            out.append(_COMMA)
            out.write(queue)
            put_whole(out, code)
            out.append(_COMMA)
            out.write(share)
            out.append(_END)
    return out.getvalue()


def dates_of(submissions: list[float], noted: list[Any]) -> tuple[bytes, bytes, bytes]:
    """Dates of submission, start and end (s): floats of 8 bytes, the lowest first."""
    submitted, start, finish = BytesWriter(), BytesWriter(), BytesWriter()
    for rank in range(len(submissions)):
        at = rank * NOTED
        write_f64_le(submitted, submissions[rank])
        write_f64_le(start, noted[at + 2])
        write_f64_le(finish, noted[at + 3])
    return submitted.getvalue(), start.getvalue(), finish.getvalue()


def sizes_of(noted: list[Any]) -> list[int]:
    """How many hosts each job had."""
    sizes: list[int] = []
    for at in range(4, len(noted), NOTED):
        hosts: HostSet = noted[at]
        sizes.append(hosts.size)
    return sizes


def codes_of(owners: Owners, noted: list[Any], known: dict[tuple[str, str], int]) -> bytes:
    """What ``known`` has for the user and queue of each job, plus how it ended: 4 bytes each, the lowest first."""
    users, _, queues = owners
    out = BytesWriter()
    last_queue = ""
    codes: dict[str, int] = {}  # of users with that queue
    for rank in range(len(users)):
        user, queue = users[rank], queues[rank]
        if queue != last_queue:
            codes.clear()
            last_queue = queue
        code = codes.get(user)
        if code is None:
            code = codes[user] = known[user, queue]
        state: int = noted[rank * NOTED + 1]
        write_i32_le(out, i32(code + state))
    return out.getvalue()
