"""schedule.csv and schedule.json: Batsim's figures from the jobs of recorded files."""

import json

import pytest
from tests.golden_outputs import assert_same_schedule, schedule, text_of
from tests.results.remade import replay
from tests.shared import cases

from windtunnel.model import Platform
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording
from windtunnel.results.schedule import TOTALS

V4 = [
    p
    for p in (*cases("golden/batsim4", "*nonet*/schedule.csv"), *cases("golden/generated", "*/v4-*/schedule.csv"))
    if p.stat().st_size
]
V5 = [p for p in cases("golden/batsim5", "*/out/schedule.json") if p.stat().st_size]


def made(path, dialect: Dialect) -> str:
    """Our file for the jobs of a recorded one, with the engine's part taken from there."""
    recorded = schedule(path)
    totals = {name: float(recorded.get(name, 0.0)) for name in TOTALS}
    recording = Recording(Layout(None, dialect), RecordingOptions(version=recorded["batsim_version"]))
    platform = Platform.uniform(int(recorded["nb_computing_machines"]))
    replay(recording, text_of(path.with_name("jobs.csv")), platform)
    recording.on_end(0.0, "complete", totals)
    name = "schedule.json" if dialect is Dialect.BATSIM5 else "schedule.csv"
    return (recording.read(name) or b"").decode()


@pytest.mark.golden
@pytest.mark.parametrize("path", V4, ids=lambda p: f"{p.parent.parent.name}-{p.parent.name}")
def test_batsim4(path):
    ours = made(path, Dialect.BATSIM4)
    # A slowdown divides by an execution time of which six decimals are printed.
    assert_same_schedule(ours, path, ignore={"max_slowdown", "mean_slowdown"}, tolerance=3e-6)
    assert_same_schedule(ours, path, tolerance=0.05)
    assert ours.splitlines()[0] == text_of(path).splitlines()[0]


@pytest.mark.golden
@pytest.mark.parametrize("path", V5, ids=lambda p: p.parents[1].name)
def test_batsim5(path):
    ours = made(path, Dialect.BATSIM5)
    assert_same_schedule(ours, path, ignore={"max_slowdown", "mean_slowdown"}, tolerance=3e-6)
    json.loads(ours)
    ours_lines, theirs = ours.splitlines(), text_of(path).splitlines()
    assert [line.split(":")[0] for line in ours_lines] == [line.split(":")[0] for line in theirs]


@pytest.mark.parametrize(
    ("dialect", "name", "text"),
    [(Dialect.BATSIM4, "schedule.csv", ",-nan,"), (Dialect.WINDTUNNEL, "schedule.csv", ",nan,")],
)
def test_without_jobs(dialect, name, text):
    recording = Recording(Layout(None, dialect))
    recording.close()
    assert text in (recording.read(name) or b"").decode()


def test_json_without_jobs_stays_valid():
    recording = Recording(Layout(None, Dialect.BATSIM5))
    recording.close("the scheduler is gone")
    assert json.loads(recording.read("schedule.json") or b"")["mean_slowdown"] is None
    assert recording.state.reason == "the scheduler is gone"
    assert set(json.loads(recording.read("real_exec_info.json") or b"")) == {
        "memory_VmHWM_kB",
        "memory_VmPeak_kB",
        "time_in_edc_seconds",
        "time_in_simu_seconds",
    }
