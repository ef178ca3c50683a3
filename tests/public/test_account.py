"""Read means heard: what was read or asked for takes effect, is refused, or is told, on every path."""

import hashlib
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.diagnostics import AccountWarning, InputError
from windtunnel.model import EventList, ExternalEvent, HostSet, Request
from windtunnel.model.asks import Asks, ability_of_amount
from windtunnel.run_account import asks_of_site
from windtunnel.testing import job, platform, workload
from windtunnel.vocabulary import Ability

SOURCE = str(Path(wt.__file__).parents[1])
CLEAN = "1 0 -1 100 4 -1 -1 4 200 -1 1 7 1 -1 -1 -1 -1 -1\n"


def kinds(run):
    return {line.kind: line for line in run.account}


def told(run, kind):
    return [(line.count, line.reason) for line in run.account if line.kind == kind]


@pytest.fixture
def log(tmp_path):
    def write(*rows, head=""):
        path = tmp_path / "log.swf"
        path.write_text(head + "".join(rows))
        return path

    return write


def row(number=1, submit=0, wait=-1, run=100, given=4, cpu=-1, used=-1, wanted=4, time=200, memory=-1, queue=-1, partition=-1, before=-1, think=-1, program=-1):  # fmt: skip
    return f"{number} {submit} {wait} {run} {given} {cpu} {used} {wanted} {time} {memory} 1 7 1 {program} {queue} {partition} {before} {think}\n"


def test_a_clean_run_has_an_empty_account(log):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = wt.simulate("hosts:8", workload(job(1)))
    assert not run.account
    assert run.state.account == []


@pytest.mark.parametrize(
    ("text", "kind", "count", "said"),
    [
        (row() + row(number=2, run=-1) + row(number=3, run=-1), "dropped", 2, "no run time"),
        (row(run=300), "repaired", 1, "run time beyond requested time: walltime extended"),
        (row(memory=512) + row(number=2), "ignored", 1, "requested memory (field 10) is not simulated"),
        (row(partition=2) + row(number=2, partition=3), "ignored", 2, "partition (field 16) is not simulated"),
        (row() + row(number=2, before=1), "ignored", 1, "preceding job (field 17) is not simulated"),
        (row(submit=9) + row(number=2), "odd", 1, "rows are not in order of submit time: sorted"),
        (
            row(queue=3) + row(number=2, queue=4),
            "not-honoured",
            2,
            "jobs name a queue (field 15): easy does not honour",
        ),
        (row(wanted=9, given=9), "too-large", 1, "want more than the 8 hosts of the platform (up to 9)"),
    ],
)
def test_what_a_log_says_and_nobody_hears(log, text, kind, count, said):
    path = log(text)
    with pytest.warns(AccountWarning, match=kind):
        run = wt.simulate("hosts:8", path)
    line = kinds(run)[kind]
    assert line.count == count
    assert said in line.reason
    assert line.place
    with pytest.raises(InputError, match=kind):
        wt.simulate("hosts:8", path, strict_input=True)


def test_the_first_place_is_a_line_of_the_log(log):
    path = log(row(), row(number=2), row(number=3, run=-1), row(number=4, memory=9), head="; a comment\n")
    account = kinds(wt.simulate("hosts:8", path))
    assert account["dropped"].place == f"{path}:4"
    assert account["ignored"].place == f"{path}:5"


def test_what_tells_how_it_was_is_a_note(log):
    path = log(row(wait=5, cpu=3, used=7, program=9, think=4, partition=2, queue=3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = wt.simulate("hosts:8", path, strict_input=True)
    (line,) = run.account
    assert (line.kind, line.count, line.note) == ("history", 8, True)
    for field in (3, 5, 6, 7, 11, 14, 16, 18):
        assert f"(field {field})" in line.reason


def test_cores_that_nobody_asked_for(log):
    path = log(row(wanted=3, given=3), row(number=2, wanted=8, given=8), row(number=3, wanted=5, given=5))
    line = kinds(wt.simulate("hosts:4x4", path))["cores-in-vain"]
    assert (line.count, line.place) == (2, "w0!1")
    assert "4 cores unused" in line.reason
    assert "cores-in-vain" not in kinds(wt.simulate("hosts:4x4", path, share_hosts=True))


def test_a_log_that_is_too_large_names_the_fix(log):
    path = log(row(wanted=9, given=9), row(number=2), head="; MaxProcs: 12\n")
    line = kinds(wt.simulate("hosts:8", path))["too-large"]
    assert (line.count, line.place, line.hint) == (1, "w0!1", "run it on hosts:12")
    assert "too-large" not in kinds(wt.simulate("hosts:12", path))
    line = kinds(wt.simulate("hosts:2x4", path))["too-large"]
    assert line.hint == "run it on hosts:3x4"
    path = log(row(wanted=10**9, given=10**9))
    assert not kinds(wt.simulate("hosts:8", path))["too-large"].hint  # no platform has so many


def test_a_log_alone_runs_on_the_hosts_of_its_header(log):
    run = wt.simulate(log(row(wanted=9, given=9), head="; MaxProcs: 12\n"))
    assert run.hosts == 12
    assert run.metrics.jobs == 1
    with pytest.raises(wt.UsageError, match="does not say how many hosts it needs"):
        wt.simulate(log(row()))


def test_amounts_that_a_scheduler_does_not_look_at():
    jobs = workload(job(1))
    first = jobs[0]
    greedy = wt.Job(
        id="w0!2", request=Request(1, amounts=(("gpus", 1.0), ("memory", 5.0))), profile=first.profile, walltime=50.0
    )
    bare = platform(4)
    site = replace(bare, hosts=tuple(replace(one, resources={"gpus": 2.0, "memory": 8.0}) for one in bare.hosts))
    run = wt.simulate(site, workload(job(1), greedy), "batsched/fcfs")
    assert told(run, "not-honoured") == [
        (1, "jobs ask for gpus of each host: batsched/fcfs gives whole hosts and ignores it"),
        (1, "jobs ask for memory of each host: batsched/fcfs gives whole hosts and ignores it"),
    ]
    assert not wt.simulate(site, workload(job(1), greedy), "easy").account
    run = wt.simulate(bare, workload(job(1), greedy), "easy")
    assert told(run, "not-described") == [
        (1, "jobs ask for gpus of each host: the platform does not define gpus, so it is ignored"),
        (1, "jobs ask for memory of each host: the platform does not define memory, so it is ignored"),
    ]


def test_outages_that_a_scheduler_cannot_bear_are_told_before_the_run():
    events = EventList(
        name="e", events=(ExternalEvent(timestamp=500.0, kind="machine_unavailable", hosts=HostSet((0,))),)
    )
    lines = told(wt.simulate("hosts:4", workload(job(1)), "batsched/easy_bf", events=events), "not-honoured")
    assert lines == [(1, "hosts become unavailable: batsched/easy_bf may end the run when that happens")]
    assert not wt.simulate("hosts:4", workload(job(1)), "easy", events=events).account


def test_dates_of_a_log_are_shifted_and_those_of_events_are_not(log, tmp_path):
    path = log(row(submit=1000), row(number=2, submit=1010), head="; MaxProcs: 4\n")
    (tmp_path / "e.jsonl").write_text('{"type": "generic", "timestamp": 1005, "data": "x"}\n')
    run = wt.simulate("hosts:4", path, events=tmp_path / "e.jsonl")
    (line,) = [line for line in run.account if line.kind == "shifted-dates"]
    assert "1000 s earlier than written" in line.reason
    assert "--keep-epoch" in line.hint
    kept = wt.simulate("hosts:4", path, events=tmp_path / "e.jsonl", workload_options={"keep_epoch": True})
    assert not told(kept, "shifted-dates")
    assert kept.jobs["submission_time"].to_list() == [1000.0, 1010.0]
    assert not told(wt.simulate("hosts:4", path), "shifted-dates")


def test_an_input_is_kept_once_however_it_was_named(log, tmp_path, monkeypatch):
    path = log(row(), head="; MaxProcs: 4\n")
    monkeypatch.chdir(path.parent)
    wt.simulate("hosts:4", path.name, out=tmp_path / "out")
    inputs = json.loads((tmp_path / "out" / "run.json").read_text())["inputs"]
    assert [one["path"] for one in inputs] == [path.name]


def test_every_ask_names_an_ability():
    abilities = {ability.value for ability in Ability}
    assert {ability_of_amount(name) for name in ("cores", "memory", "gpus", "gpu:a100", "licences")} <= abilities
    asks = Asks()
    for ability in Ability:
        asks.note(ability.value, "x", "y")
    assert {Ability(ask.ability) for ask in asks.found()} == set(Ability)
    assert asks_of_site(platform(2), ()) == ()


def test_the_account_and_the_inputs_are_in_the_directory(log, tmp_path):
    path = log(row(memory=512))
    run = wt.simulate("hosts:8", path, out=tmp_path / "out")
    written = json.loads((tmp_path / "out" / "run.json").read_text())
    assert [line["kind"] for line in written["account"]] == [line.kind for line in run.account]
    content = path.read_bytes()
    assert written["inputs"] == [
        {"path": str(path), "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    ]
    loaded = wt.load_run(tmp_path / "out")
    assert loaded.account == run.account
    assert (written["facts"]["schedulers"], written["facts"]["packing"]) == (["easy"], "whole hosts")


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "windtunnel", *map(str, words)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SOURCE},
        timeout=300,
        check=False,
    )


def test_the_command_line_prints_it_on_standard_error(log, tmp_path):
    path = log(row(memory=512))
    done = command("run", "hosts:8", path)
    assert done.returncode == 0
    assert f"ignored (once, at {path}:1): requested memory (field 10) is not simulated" in done.stderr
    assert "ignored" not in done.stdout
    quiet = command("run", "hosts:8", path, "--quiet", "--out", tmp_path / "out")
    assert "ignored" not in quiet.stderr
    assert "ignored" in {line.kind for line in wt.load_run(tmp_path / "out").account}
    strict = command("run", "hosts:8", path, "--strict-input")
    assert strict.returncode == 2
    assert "error [ignored]: requested memory" in strict.stderr


def test_a_log_alone_on_the_command_line(log):
    done = command("run", log(row(), head="; MaxProcs: 12\n"), "--json")
    assert json.loads(done.stdout)["jobs"] == 1


DOWN = ExternalEvent(timestamp=500.0, kind="machine_state", hosts=HostSet([0]), attributes={"state": "FAILURE"})
UP = ExternalEvent(timestamp=500.0, kind="machine_state", hosts=HostSet([0]), attributes={"state": "ACTIVE"})
UPKEEP = ExternalEvent(timestamp=500.0, kind="machine_state", hosts=HostSet([0]), attributes={"state": "MAINTENANCE"})


@pytest.mark.parametrize(
    ("options", "events", "idle"),
    [
        ({"on_failure": "requeue"}, (), ["on-failure requeue"]),
        ({"on_failure": "requeue"}, (DOWN,), []),
        ({"on_failure": "requeue", "on_maintenance": "drain"}, (DOWN,), ["on-maintenance drain"]),
        ({"on_failure": "requeue", "on_maintenance": "drain"}, (), ["on-failure requeue", "on-maintenance drain"]),
        ({"on_maintenance": "drain"}, (UPKEEP,), []),
        ({}, (), []),
    ],
)
def test_what_is_said_of_failures_that_there_are_not(log, options, events, idle):
    simulation = wt.Simulation(
        "hosts:4",
        log(CLEAN),
        "easy",
        options=wt.Options(**options),
        events=[EventList(name="e", events=events)],
        unattended=True,
    )
    found = [reason for _, reason in told(simulation, "without-effect")]
    assert [reason.partition(" has no effect")[0] for reason in found] == idle
    if idle:
        with pytest.raises(InputError, match="has no effect"):
            wt.simulate("hosts:4", log(CLEAN), "easy", options=wt.Options(**options), strict_input=True)


def test_failures_may_be_put_into_a_simulation_that_is_strict(log):
    options = wt.Options(on_failure="requeue")
    simulation = wt.Simulation("hosts:4", log(CLEAN), "easy", options=options, strict_input=True)
    (line,) = (one for one in simulation.account if one.kind == "without-effect")
    assert line.note
    assert "has no effect unless events are put into the run while it goes on" in line.reason
    simulation.inject(DOWN, 1.0)
    simulation.inject(UP, 2.0)
    assert simulation.run().jobs["job_id"].to_list() == ["1", "1#1"]


def test_what_nobody_honours_of_an_event_that_is_put_into_a_run_is_told(log):
    simulation = wt.Simulation("hosts:4", log(CLEAN), "easy")
    simulation.inject(DOWN, 1.0)  # honoured
    simulation.inject(UP, 2.0)
    assert not told(simulation, "not-honoured")
    simulation.inject(ExternalEvent(timestamp=0.0, kind="scheduler_change", attributes={"scheduler": "fcfs"}), 3.0)
    simulation.run()
    (line,) = (one for one in simulation.account if one.kind == "not-honoured")
    assert line.reason.startswith("events change the scheduler of a datacenter: easy does not honour")
    assert line.place == "put into the run, t=3 s"


def test_profiles_of_a_platform_are_failures(log):
    (host,) = platform(1).hosts
    site = replace(platform(1), hosts=(replace(host, state_profile=((5.0, 0.0), (9.0, 1.0))),))
    simulation = wt.Simulation(site, log(CLEAN.replace(" 4 ", " 1 ")), options=wt.Options(on_failure="requeue"))
    assert not told(simulation, "without-effect")


def test_operations_that_leave_nothing_are_told(log):
    run = wt.Simulation("hosts:4", log(CLEAN), "easy", operations=["filter(user='nobody')"])
    ((_, reason),) = told(run, "nothing-left")
    assert reason.endswith("log.swf: filter(user='nobody')")
    assert not told(wt.Simulation("hosts:4", log(CLEAN), "easy", operations=["first(1)"]), "nothing-left")
