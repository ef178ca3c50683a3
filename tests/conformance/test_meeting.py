"""The meeting of worlds: every input under every scheduler honours what is asked, or its account names it.

One table: input -> what it asks for -> scheduler -> what becomes of it. It is complete (a test), and every entry is
carried out.
"""

import csv
import io
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from tests.conformance.worlds import SCHEDULERS, WORLDS, simulate

from windtunnel.api import Run
from windtunnel.diagnostics import InputError, UsageError

Rows = dict[str, dict[str, str]]


class Honoured(msgspec.Struct, frozen=True):
    """The outcome shows it: a check of the rows of jobs.csv, by job."""

    check: Callable[[Rows], bool]


class Told(msgspec.Struct, frozen=True):
    """A line of the account names it: its kind, how often it counts, and what its reason says."""

    kind: str
    count: int
    says: str


class Refused(msgspec.Struct, frozen=True):
    """The run ends before it begins, by name."""

    says: str


Verdict = Honoured | Told | Refused
OURS = ("easy", "conservative", "stage-scheduler")
ALL = tuple(SCHEDULERS)
NO_ENVIRONMENT = Refused("needs an environment: this platform has no datacenters")
NO_WALLTIME = Refused("has no walltime: leases need a duration")


def by(*given: tuple[Iterable[str], Verdict]) -> dict[str, Verdict]:
    """What becomes of something under each scheduler."""
    return {name: verdict for names, verdict in given for name in names}


def honoured(check: Callable[[Rows], bool], names: Iterable[str] = OURS) -> tuple[Iterable[str], Verdict]:
    return names, Honoured(check)


def told(kind: str, count: int, says: str, names: Iterable[str] = OURS) -> tuple[Iterable[str], Verdict]:
    return names, Told(kind, count, says)


def not_honoured(count: int, says: str, names: Iterable[str]) -> tuple[Iterable[str], Verdict]:
    return told("not-honoured", count, says, names)


# -- what can be seen in rows ---------------------------------------------------------------------------------------


def start(rows: Rows, job: str) -> float:
    return float(rows[job]["starting_time"])


def end(rows: Rows, job: str) -> float:
    return float(rows[job]["finish_time"])


def rejected(job: str, *says: str) -> Callable[[Rows], bool]:
    """A job is rejected, with a reason that says this."""
    return lambda rows: rows[job]["final_state"] == "REJECTED" and all(text in rows[job]["metadata"] for text in says)


def starts(**dates: float) -> Callable[[Rows], bool]:
    return lambda rows: all(start(rows, job.removeprefix("job_")) == date for job, date in dates.items())


def together(*jobs: str) -> Callable[[Rows], bool]:
    """Jobs share a host at the same time."""
    return lambda rows: (
        len({rows[job]["allocated_resources"] for job in jobs}) == 1
        and max(start(rows, job) for job in jobs) < min(end(rows, job) for job in jobs)
    )


def apart(one: str, other: str) -> Callable[[Rows], bool]:
    """Jobs are never on the same host at the same time."""
    return lambda rows: (
        rows[one]["allocated_resources"] not in rows[other]["allocated_resources"]
        or start(rows, one) >= end(rows, other)
        or start(rows, other) >= end(rows, one)
    )


NOWHERE = (("datacenters",), NO_ENVIRONMENT)
OTHERS = ("leases", "own")

LWF = {
    "exact start": by(
        honoured(starts(job_3=7200), ("leases",)),
        not_honoured(1, "leases start at a given time, jobs then or later", (*OURS, "own")),
        NOWHERE,
    ),
    "start now or never": by(
        honoured(starts(job_4=3), ("leases",)),
        not_honoured(1, "leases start at once or never, as jobs they may wait", (*OURS, "own")),
        NOWHERE,
    ),
    "deadline": by(
        honoured(lambda rows: end(rows, "3") <= 14400, ("leases",)),
        not_honoured(1, "leases have a deadline", (*OURS, "own")),
        NOWHERE,
    ),
    "preemptability": by(not_honoured(1, "leases may be preempted", (*OURS, *OTHERS)), NOWHERE),
    "disk image": by(not_honoured(1, "leases need a disk image", (*OURS, *OTHERS)), NOWHERE),
    "shares": by(
        honoured(lambda rows: start(rows, "4") == 3 and not apart("4", "1")(rows), (*OURS, "leases")),
        not_honoured(5, "leases ask for cores of each host", ("own",)),
        NOWHERE,
    ),
    "memory": by(
        honoured(starts(job_2=3600), (*OURS, "leases")),
        not_honoured(2, "leases ask for memory of each host", ("own",)),
        NOWHERE,
    ),
    "named resource": by(
        honoured(rejected("5", "Licence"), OURS),
        honoured(rejected("5", "more than"), ("leases",)),
        not_honoured(2, "leases ask for Licence of each host", ("own",)),
        NOWHERE,
    ),
    "duration": by(honoured(lambda rows: end(rows, "2") - start(rows, "2") == 600, (*OURS, *OTHERS)), NOWHERE),
}

_PLANNED = "jobs without walltime may be running when an outage begins"
ENVIRONMENT = {
    "described scheduler": by(
        # Worst fit: b goes to the machine with more free cores, which is not that of a.
        honoured(lambda rows: apart("a", "b")(rows) and together("b", "c")(rows), ("datacenters",)),
        not_honoured(1, "datacenters describe their scheduler", (*OURS, "own")),
        (("leases",), NO_WALLTIME),
    ),
    "scheduler change": by(
        honoured(together("g", "h"), ("datacenters",)),  # first fit by then
        not_honoured(1, "events change the scheduler of a datacenter", (*OURS, "own")),
        (("leases",), NO_WALLTIME),
    ),
    "shares": by(
        honoured(together("a", "b"), OURS),
        honoured(together("b", "c"), ("datacenters",)),
        not_honoured(9, "jobs ask for cores of each host", ("own",)),
        (("leases",), NO_WALLTIME),
    ),
    "memory": by(
        honoured(apart("a", "c"), (*OURS, "datacenters")),
        not_honoured(4, "jobs ask for memory of each host", ("own",)),
        (("leases",), NO_WALLTIME),
    ),
    "more than there is": by(
        honoured(rejected("huge", "5e+09 memory"), (*OURS, "datacenters")),
        not_honoured(4, "jobs ask for memory of each host", ("own",)),
        (("leases",), NO_WALLTIME),
    ),
    "dependencies": by(
        honoured(lambda rows: start(rows, "d") == end(rows, "a"), (*OURS, "datacenters")),
        honoured(lambda rows: start(rows, "d") >= end(rows, "a"), ("own",)),
        (("leases",), NO_WALLTIME),
    ),
    "availability to come": by(
        not_honoured(9, _PLANNED, (*OURS, "datacenters", "own")),
        (("leases",), NO_WALLTIME),
    ),
    "outages": by(
        honoured(lambda rows: end(rows, "f") == 500, (*OURS, "datacenters")),
        not_honoured(1, "machines fail, halt or are maintained: OWN may end the run", ("own",)),
        (("leases",), NO_WALLTIME),
    ),
}

SSS = {
    "shares": by(
        honoured(together("a", "c"), OURS), not_honoured(7, "jobs ask for cores of each host", OTHERS), NOWHERE
    ),
    "memory": by(
        honoured(apart("a", "b"), OURS), not_honoured(2, "jobs ask for memory of each host", OTHERS), NOWHERE
    ),
    "GPUs": by(honoured(apart("c", "d"), OURS), not_honoured(2, "jobs ask for gpus of each host", OTHERS), NOWHERE),
    "named resource": by(
        honoured(starts(e=0), OURS), not_honoured(1, "jobs ask for License:M of each host", OTHERS), NOWHERE
    ),
    "more than there is": by(
        honoured(rejected("f", "9 cores"), OURS), not_honoured(7, "jobs ask for cores of each host", OTHERS), NOWHERE
    ),
    "what the site does not describe": by(
        told("not-described", 1, "tapes", (*OURS, *OTHERS)),
        NOWHERE,
    ),
    "availability": by(
        honoured(lambda rows: all("2" not in row["allocated_resources"] for row in rows.values()), (*OURS, "leases")),
        not_honoured(1, "machines fail, halt or are maintained", ("own",)),
        NOWHERE,
    ),
}

SWF = {
    "processors": by(
        honoured(together("1", "2"), ("stage-scheduler",)),
        told("cores-in-vain", 2, "4 cores unused", ("easy", "conservative", *OTHERS)),
        NOWHERE,
    ),
    "memory": by(told("ignored", 1, "requested memory (field 10)", (*OURS, *OTHERS)), NOWHERE),
    "queues": by(not_honoured(3, "jobs name a queue", (*OURS, *OTHERS)), NOWHERE),
    "partitions": by(told("ignored", 4, "partition (field 16)", (*OURS, *OTHERS)), NOWHERE),
    "dependencies": by(told("ignored", 1, "preceding job (field 17)", (*OURS, *OTHERS)), NOWHERE),
    "limits": by(told("repaired", 1, "walltime extended", (*OURS, *OTHERS)), NOWHERE),
    "more than there is": by(told("dropped", 1, "more processors than there are", (*OURS, *OTHERS)), NOWHERE),
}


def batsim(unknown: str) -> dict[str, dict[str, Verdict]]:
    """What both generations ask for; an unknown member of a job becomes something else in each."""
    return {
        "limits": by(honoured(lambda rows: end(rows, "a") == 50.0, (*OURS, *OTHERS)), NOWHERE),
        "hosts": by(honoured(apart("a", "c"), (*OURS, *OTHERS)), NOWHERE),
        "more than there is": by(told("too-large", 1, "want more than the 4 hosts", (*OURS, *OTHERS)), NOWHERE),
        "queues": by(not_honoured(2, "jobs name a queue", (*OURS, *OTHERS)), NOWHERE),
        "unknown members": by(
            told("unknown-member", 1, f"'colour', which is not known: {unknown}", (*OURS, *OTHERS)), NOWHERE
        ),
    }


SLURM = {
    "shares": by(
        honoured(together("1", "2"), OURS), not_honoured(3, "jobs ask for cores of each host", OTHERS), NOWHERE
    ),
    "memory": by(not_honoured(3, "jobs ask for memory", (*OURS, *OTHERS)), NOWHERE),
    "GPUs": by(not_honoured(1, "jobs ask for gpu", (*OURS, *OTHERS)), NOWHERE),
    "partitions": by(
        honoured(lambda rows: rows["2"]["allocated_resources"] == "0"),
        not_honoured(3, "jobs name a queue", OTHERS),
        NOWHERE,
    ),
    "limits of partitions": by(
        honoured(lambda rows: all(end(rows, job) - start(rows, job) <= 3600 for job in rows)),
        not_honoured(2, "limit what jobs may ask for", OTHERS),
        NOWHERE,
    ),
    "limits": by(told("repaired", 1, "walltime extended", (*OURS, *OTHERS)), NOWHERE),
    "availability": by(told("left-out", 1, "node 'n3' is left out", (*OURS, *OTHERS)), NOWHERE),
}

TABLE: dict[str, dict[str, dict[str, Verdict]]] = {
    "LWF": LWF,
    "environment": ENVIRONMENT,
    "SSS": SSS,
    "SWF": SWF,
    "Batsim 4": batsim("it is passed on"),
    "Batsim 5": batsim("it has no effect"),
    "Slurm": SLURM,
}


# -- carrying it out -------------------------------------------------------------------------------------------------


@cache
def outcome(world: str, scheduler: str) -> "tuple[Run | None, Rows, str]":
    """A run of a world under a scheduler, made once: itself and its rows by job; or why it was refused."""
    with TemporaryDirectory() as folder:
        try:
            run = simulate(WORLDS[world], SCHEDULERS[scheduler], Path(folder))
        except UsageError as error:
            return None, {}, str(error)
    rows = csv.DictReader(io.StringIO((run.read("jobs.csv") or b"").decode()))
    return run, {row["job_id"]: row for row in rows}, ""


def test_the_table_is_complete():
    assert set(TABLE) == set(WORLDS)
    for world, facets in TABLE.items():
        for facet, cells in facets.items():
            assert set(cells) == set(ALL), (world, facet)


@pytest.mark.parametrize(
    ("world", "facet", "scheduler"),
    [
        pytest.param(world, facet, scheduler, id=f"{world} x {scheduler}: {facet}")
        for world, facets in TABLE.items()
        for facet in facets
        for scheduler in ALL
    ],
)
def test_what_is_asked_is_honoured_or_named(world: str, facet: str, scheduler: str):
    verdict = TABLE[world][facet][scheduler]
    run, rows, refusal = outcome(world, scheduler)
    if isinstance(verdict, Refused):
        assert run is None
        assert verdict.says in refusal
        return
    assert run is not None, refusal
    if isinstance(verdict, Honoured):
        assert verdict.check(rows), rows
        return
    lines = [line for line in run.account if line.kind == verdict.kind and verdict.says in line.reason]
    assert [line.count for line in lines] == [verdict.count], list(run.account)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_account_names_nothing_that_is_honoured(world: str, scheduler: str):
    """Every line that says that something is not honoured is in the table: nothing is told that is not so."""
    run, _, _ = outcome(world, scheduler)
    if run is None:
        return
    told_of = [cells[scheduler] for cells in TABLE[world].values() if isinstance(cells[scheduler], Told)]
    for line in run.account:
        if not line.note:
            named = any(one.kind == line.kind and one.says in line.reason for one in told_of)
            assert named or line.kind in REPEATED, line


REPEATED = {"ignored", "not-honoured"}
"""Kinds of which an input has more lines than facets: columns beside TRES, schedulers beside their changes."""


@pytest.mark.parametrize("world", WORLDS)
def test_whatever_is_told_is_an_error_in_strict_input(world: str, tmp_path: Path):
    run, _, _ = outcome(world, "easy")
    assert run is not None
    assert [line for line in run.account if not line.note]
    with pytest.raises(InputError) as caught:
        simulate(WORLDS[world], "easy", tmp_path, strict_input=True)
    assert len(caught.value.findings) == len([line for line in run.account if not line.note])


@pytest.mark.parametrize(
    ("world", "scheduler", "packing"),
    [
        ("LWF", "easy", "parts of hosts"),
        ("LWF", "leases", "parts of hosts"),
        ("environment", "datacenters", "parts of hosts"),
        ("environment", "own", "whole hosts"),
        ("SSS", "conservative", "parts of hosts"),
        ("SSS", "leases", "whole hosts"),
        ("SWF", "easy", "whole hosts"),
        ("SWF", "stage-scheduler", "parts of hosts"),
        ("Batsim 5", "easy", "whole hosts"),
        ("Slurm", "easy", "parts of hosts"),
        ("Slurm", "own", "whole hosts"),
    ],
)
def test_how_hosts_are_given_is_noted(world: str, scheduler: str, packing: str):
    run, _, _ = outcome(world, scheduler)
    assert run is not None
    assert run.state.facts["packing"] == packing
    assert run.state.facts["schedulers"] == ["OWN" if scheduler == "own" else scheduler]


@pytest.mark.parametrize(
    ("world", "chosen"), [("LWF", "leases"), ("environment", "datacenters"), ("SSS", "easy"), ("SWF", "easy")]
)
def test_without_a_scheduler_the_input_decides(world: str, chosen: str, tmp_path: Path):
    run = simulate(WORLDS[world], None, tmp_path)
    assert run.state.facts["schedulers"] == [chosen]
    expected, _, _ = outcome(world, chosen)
    assert expected is not None
    assert run.read("jobs.csv") == expected.read("jobs.csv")


def test_dependencies_of_logs_are_honoured_when_asked_for(tmp_path: Path):
    for scheduler in ("easy", "conservative", "stage-scheduler"):
        run = simulate(WORLDS["SWF"], scheduler, tmp_path, workload_options={"dependencies": True})
        rows = {row["job_id"]: row for row in csv.DictReader(io.StringIO((run.read("jobs.csv") or b"").decode()))}
        assert start(rows, "3") >= end(rows, "1") + 20
        assert not [line for line in run.account if "preceding job" in line.reason]


def test_preemption_is_honoured_where_the_policy_preempts(tmp_path: Path):
    options: dict[str, Any] = {"scheduler_options": {"policy_preemption": "ar-preempts-everything"}}
    run = simulate(WORLDS["LWF"], "leases", tmp_path, **options)
    assert not [line for line in run.account if "preempted" in line.reason]
