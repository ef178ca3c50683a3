"""What is written and counted of jobs that are over, straight from what was noted of them: the compiled build's way.

In pure Python it is faster to make columns of a batch first (:class:`windtunnel.results.batch.Batch`), and columns of
text of those (:mod:`windtunnel.results.job_columns`); this module is not loaded there.
"""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

from librt.strings import BytesWriter, StringWriter, isalnum, write_f64_le
from mypy_extensions import i32, i64

from windtunnel.model.hostset import HostSet
from windtunnel.results.batch import NOTED
from windtunnel.results.fields import plain
from windtunnel.results.job_rows import ENDINGS, SHORTEST, quoted
from windtunnel.results.written_numbers import put_fixed, put_hosts, put_whole

__all__ = ["codes_of", "dates_of", "extra_rows", "job_rows", "sizes_of"]

_COMMA: Final[i32] = 44
_END: Final[i32] = 10


Owners = tuple[list[str], list[str], list[str]]
"""Users, groups and queues of jobs, or nothing at all."""
Known = tuple[list[str], list[str], list[float], list[Any], list[float]]
"""What jobs say of themselves: ids, profiles, submissions (s), hosts requested, walltimes (s)."""


def job_rows(known: Known, noted: list[Any], v5: bool, omit_rejected: bool) -> str:
    """Rows of ``jobs.csv``, for Batsim 5's reader or Batsim 4's.

    Args:
        known: the columns of what jobs say (interpreted code reads that ten times faster).
        noted: what was noted of each job (see :class:`~windtunnel.results.batch.Batch`).
        v5: Batsim 5 names profiles by their full ids, and has no metadata.
        omit_rejected: jobs that never started have no row.
    """
    ids, profiles, submissions, requested, walltimes = known
    out = StringWriter()
    names = _Names(ids[0])
    for rank in range(len(ids)):
        at = rank * NOTED
        start = float(noted[at + 2])  # numpy's too
        if start < 0.0 and omit_rejected:
            continue
        submitted = float(submissions[rank])
        walltime = float(walltimes[rank])
        names.put_job(out, ids[rank])
        names.put_profile(out, profiles[rank], v5)
        put_fixed(out, submitted)
        put_whole(out, int(requested[rank]))
        put_fixed(out, -1.0 if walltime == inf else walltime)
        out.append(_COMMA)
        out.write(ENDINGS[noted[at + 1]])
        if start < 0.0:
            out.write(",,,,,,,,,")
        else:
            finish = float(noted[at + 3])
            _put_times(out, submitted, start, finish)
            hosts: HostSet = noted[at + 4]
            put_hosts(out, hosts)
            joules = float(noted[at + 6])
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


def extra_rows(ids: list[str], owners: Owners, noted: list[Any], shares: list[str]) -> str:
    """Rows of ``jobs_extra.csv``, for jobs of which there is something to say.

    Args:
        ids: full ids.
        owners: whose they are.
        noted: what was noted of each job.
        shares: the share of hosts of each, or nothing at all.
    """
    users, groups, queues = owners
    out = StringWriter()
    names = _Names(ids[0])
    for rank in range(len(ids)):
        share = shares[rank] if shares else ""
        code: int = noted[rank * NOTED + 8]
        user, group, queue = users[rank], groups[rank], queues[rank]
        if code != 0 or share != "" or user != "" or group != "" or queue != "":
            names.put_job(out, ids[rank])
            _put_owner(out, user)
            _put_owner(out, group)
            _put_owner(out, queue)
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
        write_f64_le(submitted, float(submissions[rank]))
        write_f64_le(start, float(noted[at + 2]))
        write_f64_le(finish, float(noted[at + 3]))
    return submitted.getvalue(), start.getvalue(), finish.getvalue()


def sizes_of(noted: list[Any]) -> list[int]:
    """How many hosts each job had."""
    sizes: list[int] = []
    for at in range(4, len(noted), NOTED):
        hosts: HostSet = noted[at]
        sizes.append(hosts.size)
    return sizes


def codes_of(owners: Owners, noted: list[Any], known: Mapping[tuple[str, str], int]) -> list[int]:
    """What ``known`` has for the user and queue of each job, plus how it ended."""
    users, _, queues = owners
    codes: list[int] = []
    last_user = last_queue = ""
    code: int = known["", ""]
    for rank in range(len(users)):
        user, queue = users[rank], queues[rank]
        if user != last_user or queue != last_queue:
            code = known[user, queue]
            last_user, last_queue = user, queue
        state: int = noted[rank * NOTED + 1]
        codes.append(code + state)
    return codes


def _put_owner(out: StringWriter, text: str) -> None:
    """A comma and a text."""
    out.append(_COMMA)
    out.write(text if _is_word(text) else plain(text))


class _Names:
    """Names of jobs and profiles as fields; those of one workload are written fastest."""

    def __init__(self, full_id: str) -> None:
        workload = full_id.partition("!")[0]
        self._prefix = f"{workload}!"
        self._behind: i64 = len(self._prefix)
        self._workload = plain(workload)
        self._usual = _is_word(workload)

    def put_job(self, out: StringWriter, full_id: str) -> None:
        """The name of a job, a comma and that of its workload."""
        if full_id.startswith(self._prefix):
            name = full_id[self._behind :]
            out.write(name if _is_word(name) else plain(name))
            out.append(_COMMA)
            out.write(self._workload)
            return
        parts = full_id.partition("!")
        out.write(plain(parts[2]))
        out.append(_COMMA)
        out.write(plain(parts[0]))

    def put_profile(self, out: StringWriter, full_id: str, whole: bool) -> None:
        """A comma and the id of a profile, or the part behind its workload."""
        out.append(_COMMA)
        if full_id.startswith(self._prefix):
            name = full_id[self._behind :]
            if _is_word(name) and (self._usual or not whole):
                out.write(full_id if whole else name)
                return
        out.write(plain(full_id if whole else full_id.rpartition("!")[2]))


def _is_word(text: str) -> bool:
    """Whether it is nothing but letters and digits, which stand in a field as they are."""
    count = i64(len(text))
    at: i64 = 0
    while at < count:
        if not isalnum(i32(ord(text[at]))):
            return False
        at += 1
    return True
