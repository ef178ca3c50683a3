"""Writing Standard Workload Format: any workload, or a log with all its fields as they were read."""

from collections.abc import Iterable, Mapping
from math import inf, nextafter
from pathlib import Path

import msgspec

from windtunnel.diagnostics import Findings, counted, replacing
from windtunnel.entities.batsim_jobs import without_unknown_members
from windtunnel.formats.traces.swf_lines import SwfLines
from windtunnel.formats.traces.swf_plain import STRIDE, WIDTH
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    Job,
    ParallelTaskHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
    SequentialCompositionProfile,
    Workload,
)
from windtunnel.model.abilities import cores_per_host_of, start_date_of, waits_in

__all__ = ["SwfLog", "copy_swf_log", "outcome", "read_swf_log", "write_swf", "write_swf_log"]

Number = int | float


class SwfLog(msgspec.Struct):
    """A log as it stands: comment lines (with their ``;``) and rows of 18 numbers, in order."""

    comments: list[str]
    rows: list[tuple[Number, ...]]


def read_swf_log(path: str | Path) -> SwfLog:
    """Read all fields of a log, without any replay rule; all comments come first.

    Raises:
        InputError: the file cannot be read, or holds rows that are not SWF.
    """
    path = Path(path).absolute()
    findings = Findings(str(path))
    lines = SwfLines(path, findings)
    rows: list[tuple[Number, ...]] = []
    for chunk in lines:
        if numbers := chunk.integers:
            rows += [tuple(numbers[at : at + WIDTH]) for at in range(0, len(numbers), WIDTH)]
        else:
            texts = lines.mend(chunk).texts
            rows += [tuple(map(_number, texts[at : at + WIDTH])) for at in range(0, len(texts), STRIDE)]
    findings.raise_if_errors()
    return SwfLog(lines.header.comments, rows)


def _number(text: str) -> Number:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _text(number: Number) -> str:
    if isinstance(number, float) and number.is_integer() and abs(number) < 1 << 53:
        return str(int(number))
    return repr(number)


def write_swf_log(log: SwfLog, path: str | Path) -> None:
    """Write a log; reading it gives the same rows and comments.

    Raises:
        UsageError, SimulationError: it cannot be written; see :func:`~windtunnel.diagnostics.replacing`.
    """
    with replacing(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(comment + "\n" for comment in log.comments)
        file.writelines(" ".join(map(_text, row)) + "\n" for row in log.rows)


def copy_swf_log(source: str | Path, target: str | Path) -> None:
    """Write a log anew, all fields and comments as they are.

    Raises:
        InputError: as :func:`read_swf_log`.
        UsageError, SimulationError: as :func:`write_swf_log`.
    """
    write_swf_log(read_swf_log(source), target)


def write_swf(workload: Workload, path: str | Path) -> list[str]:
    """Write a workload as a log that can be replayed; answers what SWF could not keep, in words.

    Users, groups and queues that are not numbers are numbered; the header says which is which.
    """
    writer = _Writer(workload)
    rows = [writer.row(rank, job) for rank, job in enumerate(workload)]
    write_swf_log(SwfLog(writer.header(), rows), path)
    return writer.lost()


def outcome(profile: Profile, profiles: Mapping[str, Profile]) -> tuple[float, int] | None:
    """How long (s) a job of this profile runs and with which code it ends, if that depends on no host or network."""
    if isinstance(profile, DelayProfile):
        return profile.delay, profile.return_code
    if isinstance(profile, SequentialCompositionProfile):
        return _in_turn(profile, profiles)
    if isinstance(profile, ForkJoinCompositionProfile):
        found = [outcome(profiles[sub], profiles) if sub in profiles else None for sub in profile.profile_ids]
        parts = [part for part in found if part is not None]
        if len(parts) != len(found):
            return None
        codes = [code for _, code in parts if code]
        return max((length for length, _ in parts), default=0.0), codes[0] if codes else profile.return_code
    if isinstance(profile, ParallelTaskHomogeneousProfile):
        idle = not profile.computation_amount and not profile.communication_amount
    elif isinstance(profile, ParallelTaskProfile):
        idle = not any(profile.computation_vector or ()) and not any(profile.communication_matrix or ())
    else:
        idle = False
    return (0.0, profile.return_code) if idle else None


def _in_turn(
    profile: SequentialCompositionProfile, profiles: Mapping[str, Profile]
) -> tuple[float, int] | None:
    """The same of a sequence, which ends with the first part that fails."""
    length = 0.0
    for sub in profile.profile_ids:
        part = outcome(profiles[sub], profiles) if sub in profiles else None
        if part is None:
            return None
        length += part[0]
        if part[1]:
            return length, part[1]
    return length * profile.repetition_count, profile.return_code


class _Labels:
    """Numbers for texts: the text's own number if all texts are numbers, else one from 1 on."""

    def __init__(self, texts: Iterable[str]) -> None:
        known = dict.fromkeys(text for text in texts if text)
        self.plain = all(text.isascii() and text.isdigit() and len(text) < 19 for text in known)
        numbers = {text: int(text) if self.plain else rank for rank, text in enumerate(known, 1)}
        if len(set(numbers.values())) != len(numbers):  # 01 and 1
            self.plain = False
            numbers = {text: rank for rank, text in enumerate(known, 1)}
        self.numbers = {"": -1, **numbers}


class _Writer:
    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._profiles = workload.profiles
        self._waits = waits_in(workload)
        jobs = list(workload)
        self._names = _Labels(job.name for job in jobs)
        self._users = _Labels(job.user for job in jobs)
        self._groups = _Labels(job.group for job in jobs)
        self._queues = _Labels(job.queue for job in jobs)
        self._unknown: dict[str, int] = {}
        self._dependencies = 0
        self._submitted: set[str] = set()
        self._before_its_time = 0
        self._other = 0
        self._most = workload.hosts * cores_per_host_of(workload)
        self._too_large = self._sizeless = 0

    def row(self, rank: int, job: Job) -> tuple[Number, ...]:
        """The 18 fields of a job."""
        known = outcome(job.profile, self._profiles)
        if known is None:
            kind = type(job.profile).__name__
            self._unknown[kind] = self._unknown.get(kind, 0) + 1
            known = -1, job.profile.return_code
        run, code = known
        limit = job.walltime
        if limit == inf:
            limit = -1
        elif limit == nextafter(run, inf):  # a limit just behind the end, put there when the log was read
            limit = run
        before, think = -1, -1.0
        if len(job.dependencies) == 1 and job.dependencies[0].partition("!")[2] in self._names.numbers:
            before, think = self._names.numbers[job.dependencies[0].partition("!")[2]], job.think_time
            self._before_its_time += job.dependencies[0].partition("!")[2] not in self._submitted
        elif job.dependencies:
            self._dependencies += 1
        self._submitted.add(job.name)
        self._other += bool(job.request.amounts or job.extra_data)
        processors = job.request.processors or job.request.hosts
        self._sizeless += processors < 1
        self._too_large += 0 < self._most < processors
        return (
            self._names.numbers[job.name],
            job.submission_time,
            -1 if self._waits is None else self._waits[rank],
            run,
            -1,
            -1,
            -1,
            processors,
            limit,
            -1,
            0 if code else 1,
            self._users.numbers[job.user],
            self._groups.numbers[job.group],
            -1,
            self._queues.numbers[job.queue],
            -1,
            before,
            think,
        )

    def header(self) -> list[str]:
        """The comment lines."""
        start = start_date_of(self._workload)
        count = len(self._workload)
        lines = ["; Version: 2.2", "; Conversion: windtunnel", f"; MaxJobs: {count}", f"; MaxRecords: {count}"]
        if start is not None:
            lines.append(f"; UnixStartTime: {int(start)}")
        if self._most:
            lines.append(f"; MaxProcs: {self._most}")
        for key, labels in (("job", self._names), ("user", self._users), ("group", self._groups)):
            if not labels.plain:
                lines += [f"; Note: {key} {number} is {text!r}" for text, number in labels.numbers.items() if text]
        if not self._queues.plain:
            lines += [f"; Queue: {number} {text}" for text, number in self._queues.numbers.items() if text]
        return lines

    def lost(self) -> list[str]:
        """What the rows do not say."""
        said = [
            f"{counted(n, 'job')}: the run time of a {kind} is unknown, -1 written"
            for kind, n in self._unknown.items()
        ]
        for key, labels in (("job", self._names), ("user", self._users), ("group", self._groups)):
            if not labels.plain:
                said.append(f"{key} names are numbered; the header says which is which")
        if self._dependencies:
            said.append(f"{counted(self._dependencies, 'job')}: SWF has one preceding job at most, -1 written")
        if self._before_its_time:
            what = "their preceding job is submitted later, and whoever reads the log does not wait for it"
            said.append(f"{counted(self._before_its_time, 'job')}: {what}")
        if self._other:
            said.append(f"{counted(self._other, 'job')}: extra data and amounts of resources are left out")
        if self._too_large:
            more = f"more processors than MaxProcs, {self._most}: whoever reads the log drops them"
            said.append(f"{counted(self._too_large, 'job')} asking for {more}")
        if self._sizeless:
            said.append(f"{counted(self._sizeless, 'job')} on no processor: whoever reads the log drops them")
        return said + without_unknown_members(self._workload)
