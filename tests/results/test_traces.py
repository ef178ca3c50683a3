"""Machine states, power states, energy and the Pajé trace, against recorded files."""

import csv
import io
import json
import re

import pytest
from tests.golden_outputs import assert_same_csv, text_of
from tests.results.remade import records
from tests.shared import cases, shared

from windtunnel.formats.sites.simgrid_xml.reader import read_platform
from windtunnel.model import HostSet, JobState, Platform
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.paje import colour_of
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording

ENERGY = cases("golden/batsim4", "energy_bf_idle_sleeper--e128nonet--*")
PAJE = [
    p.parent
    for p in cases("golden/batsim4", "*/schedule.trace")
    if (p.parent / "jobs.csv").stat().st_size and not p.parent.name.startswith("nosched")
]


def recording(**options) -> Recording:
    return Recording(Layout(None, Dialect.BATSIM4), RecordingOptions(**options))


def fields(path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text_of(path))))[1:]


@pytest.mark.golden
@pytest.mark.parametrize("case", ENERGY, ids=lambda p: p.name)
def test_machine_and_power_states_come_out_again(case):
    made = recording(pstates=True)
    for observer in made.observers:
        observer.on_begin(0.0, Platform.uniform(128), [])
    for time, *counts in fields(case / "machine_states.csv"):
        for observer in made.observers:
            observer.on_machine_states(float(time), [int(n) for n in counts])
    assert made.read("machine_states.csv") == (case / "machine_states.csv").read_bytes()
    first, *changes = fields(case / "pstate_changes.csv")
    assert first == ["0", "0-127", "0"]  # the recorder itself writes what hosts start in
    for time, hosts, pstate in changes:
        for observer in made.observers:
            observer.on_pstate(float(time), HostSet.parse(hosts), int(pstate))
    assert made.read("pstate_changes.csv") == (case / "pstate_changes.csv").read_bytes()


@pytest.mark.golden
@pytest.mark.parametrize("case", ENERGY, ids=lambda p: p.name)
def test_energy_comes_out_again(case):
    made = recording(energy=True)
    for time, joules, kind, watts, _ in fields(case / "consumed_energy.csv"):
        for observer in made.observers:
            observer.on_energy(float(time), float(joules), kind, float(watts))
    ours = made.read("consumed_energy.csv") or b""
    # The mean power divides a difference of printed values by one of printed dates.
    assert_same_csv(ours, case / "consumed_energy.csv", ignore={"epower"})


def test_no_power_without_time():
    made = recording(energy=True)
    for joules in (10.0, 10.0, 25.0):
        for observer in made.observers:
            observer.on_energy(joules / 5, joules, "s", 95.0)
    assert (made.read("consumed_energy.csv") or b"").decode().splitlines()[1:] == [
        "2.000000,10.000000,s,95.000000,5.000000",
        "2.000000,10.000000,s,95.000000,NA",
        "5.000000,25.000000,s,95.000000,5.000000",
    ]


def without_colours(text: str) -> list[str]:
    return [re.sub(r'^(5 j.*) "[0-9. ]+"$', r"\1", line) for line in text.splitlines()]


def happenings(text: str):
    """Ends, then starts, as an engine would tell them."""
    for rank, record in enumerate(records(text)):
        if record.state is not JobState.REJECTED:
            killed = record.state in (JobState.COMPLETED_WALLTIME_REACHED, JobState.COMPLETED_KILLED)
            record.kill_requests = int(record.state is JobState.COMPLETED_KILLED)
            yield (record.finish_time, 0, rank, killed, record)
            yield (record.starting_time, 1, rank, False, record)


@pytest.mark.golden
@pytest.mark.parametrize("case", PAJE, ids=lambda p: p.name)
def test_the_paje_trace_comes_out_again_but_for_colours(case):
    command = json.loads((case / "case.json").read_text())["batsim_command"]
    platform = read_platform(shared("golden/batsim4/inputs") / re.findall(r"-p (\S+)", command)[0])
    made = recording(paje=True)
    theirs = (case / "schedule.trace").read_text()
    for observer in made.observers:
        observer.on_begin(0.0, platform, [])
    for date, starts, _, killed, record in sorted(happenings(text_of(case / "jobs.csv")), key=lambda h: h[:3]):
        for observer in made.observers:
            if starts:
                observer.on_job_started(date, record)
            elif killed and f'kk k "{record.job.id}"' in theirs:  # not those whose actors Batsim kills
                record.kill_requests = 0
                observer.on_kill(date, record)
        if not starts:
            for observer in made.observers:
                observer.on_job_ended(date, record)
    end = float(re.findall(r"^3 (\S+) root", theirs, re.MULTILINE)[0])
    for observer in made.observers:
        observer.on_end(end, "complete", {})
    ours = (made.read("schedule.trace") or b"").decode()
    assert sorted(without_colours(ours)) == sorted(without_colours(theirs))
    assert without_colours(ours)[:80] == without_colours(theirs)[:80]


def test_colours_follow_from_the_id():
    assert colour_of("w0!1") == colour_of("w0!1")
    seen = {colour_of(f"w0!{i}") for i in range(2000)}
    assert len(seen) == 64
    assert "1.000000 0.093750 0.000000" in seen  # one of Batsim's
