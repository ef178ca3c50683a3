"""What is written and counted of jobs that are over, straight from their records: the compiled build's way.

In pure Python it is faster to make columns of text of a batch (:mod:`windtunnel.results.job_columns`); this module is
not loaded there.
"""

from math import inf
from typing import Final

from librt.strings import BytesWriter, write_f64_le, write_i32_le
from mypy_extensions import i32, i64, u8

from windtunnel.model.job import Job
from windtunnel.model.job_record import JobRecord
from windtunnel.results.fields import plain
from windtunnel.results.job_rows import ENDINGS, SHORTEST, quoted
from windtunnel.results.written_numbers import put_fixed, put_hosts, put_whole

__all__ = ["codes_of", "dates_of", "extra_rows", "job_rows", "jobs_of", "put_field", "shared", "sizes_of"]

_COMMA: Final[u8] = 44
_END: Final[u8] = 10
_MARK: Final[i64] = 33
"""``!``, between the workload and the name of a job."""
_ENDINGS: Final = [f"{ending},".encode() for ending in ENDINGS]
_NEVER_RAN: Final = b",,,,,,,,"
_NO_METADATA: Final = b'""'
_NO_JOULES: Final = b"-1.000000,"

Owners = tuple[list[str], list[str], list[str]]
"""Users, groups and queues of jobs, or nothing at all."""


def job_rows(records: list[JobRecord], profiles: list[str], v5: bool, omit_rejected: bool) -> bytes:
    """Rows of ``jobs.csv``, for Batsim 5's reader or Batsim 4's.

    Args:
        records: of jobs that are over.
        profiles: their ids (interpreted code reads what is no class of ours ten times faster).
        v5: Batsim 5 names workload and profile, and has no metadata.
        omit_rejected: jobs that never started have no row.
    """
    out = BytesWriter()
    for rank, record in enumerate(records):
        start = record.starting_time
        if start < 0.0 and omit_rejected:
            continue
        submitted = record.submission
        walltime = record.walltime
        _put_names(out, record.job_id)
        profile = profiles[rank]
        put_field(out, profile, 0 if v5 else _behind_last_mark(profile), len(profile))
        put_fixed(out, submitted)
        put_whole(out, record.size)
        out.append(_COMMA)
        put_fixed(out, -1.0 if walltime == inf else walltime)
        state: int = record.state
        out.write(_ENDINGS[state])
        if start < 0.0:
            out.write(_NEVER_RAN)
        else:
            _put_times(out, submitted, start, record.finish_time)
            put_hosts(out, record.hosts)
            out.append(_COMMA)
            joules = record.consumed_energy
            _put_joules(out, 0.0 if v5 and joules < 0.0 and record.dynamic else joules)
        if not v5:
            metadata = record.metadata
            out.write(_NO_METADATA if metadata == "" else _encoded(quoted(metadata)))
        out.append(_END)
    return out.getvalue()


def _put_times(out: BytesWriter, submitted: float, start: float, finish: float) -> None:
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


def _put_joules(out: BytesWriter, joules: float) -> None:
    if joules == -1.0:
        out.write(_NO_JOULES)
    elif joules > 0.0:
        put_fixed(out, joules)
    else:
        out.write(f"{joules:f},".encode())


def _put_names(out: BytesWriter, job_id: str) -> None:
    """The name of a job, and that of its workload."""
    size: i64 = len(job_id)
    mark: i64 = 0
    while mark < size and ord(job_id[mark]) != _MARK:
        mark += 1
    put_field(out, job_id, mark + 1, size)
    put_field(out, job_id, 0, mark)


def _behind_last_mark(text: str) -> i64:
    """The place behind the last ``!``; 0 if there is none."""
    place: i64 = len(text)
    while place > 0 and ord(text[place - 1]) != _MARK:
        place -= 1
    return place


def put_field(out: BytesWriter, text: str, first: i64, stop: i64) -> None:
    """A part of a text as a field (see :func:`~windtunnel.results.fields.plain`), and a comma.

    One of nothing but digits, letters of English and ``! . / _`` is written as it is.
    """
    begin = i64(len(out))
    at = first
    while at < stop:
        code: i64 = ord(text[at])
        if 46 <= code <= 57 or 95 <= code <= 122 or 64 < code < 91 or code == _MARK:
            out.append(u8(code))
            at += 1
            continue
        out.truncate(begin)
        out.write(_encoded(plain(text[first:stop])))
        break
    out.append(_COMMA)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def jobs_of(records: list[JobRecord]) -> list[Job]:
    """Their jobs."""
    return [record.job for record in records]


def extra_rows(records: list[JobRecord], owners: Owners, shares: list[str]) -> bytes:
    """Rows of ``jobs_extra.csv``, for jobs of which there is something to say.

    Args:
        records: of jobs that are over.
        owners: whose they are.
        shares: the share of hosts of each, or nothing at all.
    """
    users, groups, queues = owners
    out = BytesWriter()
    for rank in range(len(records)):
        share = shares[rank] if len(shares) > 0 else ""
        record = records[rank]
        code = record.return_code
        user, group, queue = users[rank], groups[rank], queues[rank]
        if code != 0 or share != "" or user != "" or group != "" or queue != "":
            _put_names(out, record.job_id)
            put_field(out, user, 0, len(user))
            put_field(out, group, 0, len(group))
            put_field(out, queue, 0, len(queue))
            put_whole(out, code)
            out.append(_COMMA)
            if share != "":
                out.write(share.encode())
            out.append(_END)
    return out.getvalue()


def dates_of(records: list[JobRecord]) -> tuple[bytes, bytes, bytes]:
    """Dates of submission, start and end (s): floats of 8 bytes, the lowest first."""
    submitted, start, finish = BytesWriter(), BytesWriter(), BytesWriter()
    for record in records:
        write_f64_le(submitted, record.submission)
        write_f64_le(start, record.starting_time)
        write_f64_le(finish, record.finish_time)
    return submitted.getvalue(), start.getvalue(), finish.getvalue()


def sizes_of(records: list[JobRecord]) -> list[int]:
    """How many hosts each job had."""
    return [record.hosts.size for record in records]


def shared(records: list[JobRecord]) -> bool:
    """Whether any job took amounts of its hosts instead of whole ones."""
    for record in records:  # noqa: SIM110 -- a generator costs more
        if record.amounts is not None:
            return True
    return False


def codes_of(records: list[JobRecord], owners: Owners, known: dict[tuple[str, str], int]) -> bytes:
    """What ``known`` has for the user and queue of each job, plus how it ended: 4 bytes each, the lowest first."""
    users, _, queues = owners
    out = BytesWriter()
    last_queue = ""
    codes: dict[str, int] = {}  # of users with that queue
    for rank in range(len(records)):
        user, queue = users[rank], queues[rank]
        if queue != last_queue:
            codes.clear()
            last_queue = queue
        code = codes.get(user)
        if code is None:
            code = codes[user] = known[user, queue]
        state: int = records[rank].state
        write_i32_le(out, i32(code + state))
    return out.getvalue()
