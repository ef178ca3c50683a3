"""Runs whose columns are on disk write the same bytes as those that have them in memory."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.model.failures import parse_failures
from windtunnel.results import own_metrics
from windtunnel.results.recorders import RecordingOptions
from windtunnel.testing import job, workload

JOBS = st.lists(
    st.tuples(
        st.integers(0, 20),  # seconds after the one before
        st.integers(0, 60) | st.floats(0.1, 60),  # run time
        st.integers(1, 9),  # processors: 9 are more than there are
        st.integers(1, 80),  # requested time
        st.integers(1, 3),  # user
        st.integers(-1, 2),  # queue
    ),
    min_size=1,
    max_size=12,
)
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "platform": st.sampled_from(["hosts:8", "hosts:4x2"]),
        "scheduler": st.sampled_from(["easy", "fcfs", "conservative", "batsched/rejecter"]),
        "share_hosts": st.booleans(),
        "warm_up": st.sampled_from([5.0, "10%"]),
        "cool_down": st.sampled_from([5.0, "10%"]),
        "until": st.integers(1, 60),
        "workload_options": st.sampled_from([{"walltime": "kill"}, {"keep_epoch": True}]),
        "failures": st.just(parse_failures("between=exponential:50;repair=exponential:9;until=200")),
        "options": st.sampled_from([wt.Options(on_failure="requeue"), wt.Options(checkpoint_interval=7.0)]),
    },
)
CLOCKS = ("scheduling_time", "simulation_time")


def log_of(jobs: list[tuple[Any, ...]], path: Path) -> Path:
    submit = 100
    rows = ["; Version: 2.2\n; MaxProcs: 9\n; UnixStartTime: 1000000000\n"]
    for number, (later, run, processors, time, user, queue) in enumerate(jobs):
        submit += later
        rows.append(
            f"{number} {submit} -1 {run} {processors} -1 -1 {processors} {time} -1 1 {user} 1 -1 {queue} -1 -1 -1\n"
        )
    path.write_text("".join(rows))
    return path


def tables(folder: Path) -> dict[str, Any]:
    """All files of a run; figures of the wall clock apart."""
    found: dict[str, Any] = {path.name: path.read_bytes() for path in folder.iterdir()}
    names, values = (line.split(",") for line in found["schedule.csv"].decode().splitlines())
    found["schedule.csv"] = {name: text for name, text in zip(names, values, strict=True) if name not in CLOCKS}
    del found["real_exec_info.json"]
    return found


@settings(max_examples=25)
@given(JOBS, CHOICES)
def test_every_file_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, jobs: list[tuple[Any, ...]], chosen: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    log = log_of(jobs, folder / "log.swf")
    platform = chosen.pop("platform", "hosts:8")
    outcomes = []
    for stream in (False, True):
        out = folder / f"out-{stream}"
        try:
            simulation = wt.Simulation(
                platform, log, record=recorded(chosen), **given_of(chosen), out=out, stream=stream
            )
        except UsageError as fault:
            outcomes.append((str(fault), {}, []))
            continue
        try:
            run = simulation.run()
            trimmed = str(run.metrics), str(simulation.recording.metrics(1.0, "5%"))
        except wt.WindtunnelError as fault:
            trimmed = (str(fault), "")
        outcomes.append((trimmed, tables(out), [str(line) for line in simulation.account]))
    assert outcomes[0] == outcomes[1]


def recorded(chosen: dict[str, Any]) -> RecordingOptions:
    return RecordingOptions(**{name: chosen[name] for name in ("warm_up", "cool_down") if name in chosen})


def given_of(chosen: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in chosen.items() if name not in ("warm_up", "cool_down")}


def test_metrics_of_ones_own_see_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_metrics, "_METRICS", {})
    wt.metric("longest")(lambda record: max(one.finish - one.start for one in record.ran()))
    wt.metric("last")(lambda record: record.columns.finish[-1])
    log = log_of([(3, 7.25, 2, 20, 1, 1)] * 20, tmp_path / "log.swf")
    found = [
        wt.simulate("hosts:8", log, out=tmp_path / f"{stream}", stream=stream).metrics.own for stream in (False, True)
    ]
    assert found[0] == found[1]
    assert found[0]["longest"].value == 7.25


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return log_of([(5, 10, 2, 20, 1, 1)] * 4, tmp_path / "log.swf")


def test_what_cannot_be_streamed_is_refused_and_nothing_is_written(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    generated, plain = "lublin:10?hosts=8", wt.read_workload(log)
    for what, asked, more in (
        ("writes its rows to files", log, {"out": None}),
        ("operations", log, {"operations": ["first(2)"]}),
        ("in memory already", plain, {}),
        ("in memory already", [log, workload(job(1))], {}),
        ("its format is lublin", generated, {}),
        ("cannot honour dependencies", log, {"workload_options": {"dependencies": True}}),
    ):
        with pytest.raises(UsageError, match=what):
            wt.Simulation("hosts:8", asked, **{"out": out, "stream": True, **more})  # type: ignore[arg-type]
        assert not out.exists()


def test_a_log_alone_is_streamed_on_the_hosts_that_it_needs(log: Path, tmp_path: Path) -> None:
    run = wt.simulate(log, out=tmp_path / "out", stream=True)
    assert (run.hosts, run.metrics.jobs) == (9, 4)
    with pytest.raises(UsageError, match="its format is lublin"):
        wt.simulate("lublin:10?hosts=8", out=tmp_path / "other", stream=True)


def test_a_streamed_run_is_neither_saved_nor_forked_nor_watched(log: Path, tmp_path: Path) -> None:
    simulation = wt.Simulation("hosts:8", log, out=tmp_path / "out", stream=True)
    simulation.run_until(12.0)
    with pytest.raises(UsageError, match="neither saved nor forked"):
        simulation.fork(tmp_path / "fork")
    with pytest.raises(UsageError, match="neither saved nor forked"):
        simulation.save(tmp_path / "saved")
    with pytest.raises(UsageError, match="cannot be watched live"):
        simulation.live()
    assert not (tmp_path / "saved").exists()
    assert not (tmp_path / "fork").exists()
    assert simulation.run().metrics.jobs == 4


def test_the_command_line(log: Path, tmp_path: Path) -> None:
    def windtunnel(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "windtunnel", "run", "hosts:8", str(log), "--stream", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = windtunnel("--out", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["jobs"] == 4
    live = windtunnel("--out", str(tmp_path / "out"), "--live")
    assert (live.returncode, "--live" in live.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="not run: the peak of memory is read from /proc")
def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    """At most 41 bytes a job: ten million in 500 MB, if one million takes 130."""
    took = []
    for size in (50_000, 150_000):
        log = log_of([(50, 10 + n % 700, 1 + n % 8, 2000, 1 + n % 3, 1) for n in range(size)], tmp_path / "log.swf")
        text = (
            "import sys, windtunnel as wt\n"
            "wt.simulate('hosts:64', sys.argv[1], 'easy', out=sys.argv[2], stream=True)\n"
            "[peak] = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
            "print(int(peak.split()[1]) * 1024)"
        )
        command = [sys.executable, "-W", "ignore", "-c", text, str(log), str(tmp_path / "out")]
        took.append(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    assert (took[1] - took[0]) / 100_000 < 41
