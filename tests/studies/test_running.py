"""Running studies: results, resuming, failed points, processes that die."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.studies.executors.inline import Inline
from windtunnel.studies.journal import read_journal

WORDS = {
    "platforms": "hosts:32",
    "workloads": "lublin:60?hosts=32&seed={seed}",
    "operations": ["scale_load({load})"],
    "parameters": {"load": [0.6, 0.9]},
    "seeds": 2,
}


class Greedy(wt.Scheduler):
    """Starts whatever fits."""

    def schedule(self, view):
        free = view.free
        for job in view.queue:
            if hosts := free.pick(job.request.hosts):
                free -= hosts
                yield wt.Execute(job, hosts)


class Broken(wt.Scheduler):
    """Fails under a load of 0.9."""

    def schedule(self, view):
        if view.queue and view.now > 1000:
            raise RuntimeError("no idea")
        return ()


def small(schedulers=("easy", "fcfs"), **more):
    return wt.study("small", schedulers=list(schedulers), **(WORDS | more))


def test_figures_are_those_of_single_runs(tmp_path):
    results = small(["easy", Greedy]).run(tmp_path / "out")
    assert results.progress.done == 8
    for row in results.points.iter_rows(named=True):
        workload = wt.arrange(f"lublin:60?hosts=32&seed={row['seed']}").scale_load(row["load"])
        alone = wt.simulate("hosts:32", workload, Greedy() if row["scheduler"] == "Greedy" else "easy").metrics
        assert row["makespan"] == alone.makespan
        assert row["waiting_time_p95"] == alone.waiting_time.p95
        assert row["jobs_completed_successfully"] == alone.states["COMPLETED_SUCCESSFULLY"]


def test_two_processes_write_the_same_bytes(tmp_path):
    study = small()
    study.run(tmp_path / "one")
    study.run(tmp_path / "two", jobs=2)
    written = [(tmp_path / name / "points.parquet").read_bytes() for name in ("one", "two")]
    assert written[0] == written[1]


def test_nothing_is_done_twice_and_what_changed_is_done(tmp_path):
    told = []
    small().run(tmp_path / "out", progress=told.append)
    assert [now.done for now in told] == list(range(9))
    told.clear()
    small(seeds=3).run(tmp_path / "out", progress=told.append)
    assert (told[0].known, told[0].done, told[-1].done, len(told)) == (8, 8, 12, 5)
    small(seeds=3).run(tmp_path / "out", progress=told.append)
    assert told[-1].known == 12
    lines = (tmp_path / "out" / "journal.jsonl").read_text().splitlines()
    assert len({json.loads(line)["key"] for line in lines}) == len(lines) == 12
    results = small(seeds=3, share_hosts=True).run(tmp_path / "out", progress=told.append)
    assert told[-1].known == 0
    assert results.points.height == 12


def test_an_interrupted_study_goes_on(tmp_path):
    class EnoughError(Exception):
        pass

    def stop(now):
        if now.done == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        small().run(tmp_path / "out", progress=stop)
    assert pl.read_parquet(tmp_path / "out" / "points.parquet")["status"].to_list().count("pending") == 5
    journal = tmp_path / "out" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b'{"key":"half of a li')  # as a kill may leave it
    told = []
    small().run(tmp_path / "out", progress=told.append)
    assert told[0].known == 3
    small().run(tmp_path / "whole")
    written = [(tmp_path / name / "points.parquet").read_bytes() for name in ("out", "whole")]
    assert written[0] == written[1]
    assert len(read_journal(journal)) == 8


def test_a_failed_point_keeps_its_error_and_stops_nothing(tmp_path):
    study = small([Broken, "easy"])
    results = study.run(tmp_path / "out")
    assert (results.progress.done, results.progress.failed) == (4, 4)
    failed = results.points.filter(pl.col("status") == "failed")
    assert set(failed["scheduler"]) == {"Broken"}
    assert all("RuntimeError: no idea" in error for error in failed["error"])
    assert failed["makespan"].null_count() == 4
    told = []
    study.run(tmp_path / "out", progress=told.append)
    assert told[-1].known == 8
    study.run(tmp_path / "out", again=True, progress=told.append)
    assert told[-1].known == 4
    assert len(results.errors) >= 1


def test_what_takes_no_effect_is_told(tmp_path):
    text = "; MaxProcs: 4\n1 0 -1 10 8 -1 -1 8 20 -1 1 1 1 1 1 1 -1 -1\n2 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n"
    (tmp_path / "log.swf").write_text(text)
    alone = wt.simulate("hosts:4", tmp_path / "log.swf", "easy")
    told = [str(line) for line in alone.account if not line.note]
    results = wt.study(workloads=str(tmp_path / "log.swf"), schedulers="easy").run(tmp_path / "out")
    assert list(results.accounts) == told
    assert any("more processors than there are" in line for line in told)
    assert results.points["jobs"].to_list() == [1]


def test_tables_of_jobs_are_kept_on_request(tmp_path):
    results = small(job_tables=True).run(tmp_path / "out", jobs=2)
    jobs = results.jobs().collect()
    assert jobs.height == 8 * 60
    one = jobs.filter(pl.col("point") == 3)
    assert one["waiting_time"].mean() == pytest.approx(results.points["waiting_time_mean"][3])
    assert set(jobs["key"]) == set(results.points["key"])
    again = small(["fcfs"], job_tables=True).run(tmp_path / "out")
    assert again.jobs().collect()["point"].n_unique() == 4
    with pytest.raises(UsageError, match="keeps no tables"):
        small(["fcfs"]).run(tmp_path / "out").jobs()


def test_a_directory_has_one_writer_and_no_files_of_others(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("")
    with pytest.raises(UsageError, match="holds files, and no study"):
        small().run(tmp_path / "mine")
    wt.simulate("example:small", out=tmp_path / "run")
    with pytest.raises(UsageError, match="is the directory of a run"):
        small().run(tmp_path / "run")
    with pytest.raises(UsageError, match="it holds a run: windtunnel metrics"):
        wt.load_study(tmp_path / "run")
    small(["fcfs"]).run(tmp_path / "study")
    with pytest.raises(UsageError, match="it holds a study: windtunnel study show"):
        wt.load_run(tmp_path / "study")

    def meanwhile(now):
        if now.done == 1:
            with pytest.raises(UsageError, match="by another process"):
                small().run(tmp_path / "out")

    small().run(tmp_path / "out", progress=meanwhile)


def test_objects_are_inputs_too(tmp_path):
    jobs = wt.arrange("lublin:40?hosts=16").first(20)
    platform = wt.Platform.uniform(16)
    study = wt.study(platforms=platform, workloads=[jobs], schedulers=["easy"])
    assert study.run(tmp_path / "out", jobs=2).points["jobs"].to_list() == [20]
    other = wt.study(platforms=platform, workloads=[wt.arrange("lublin:40?hosts=16").first(19)], schedulers=["easy"])
    assert other.plan.points[0].key != study.plan.points[0].key
    same = wt.study(platforms=wt.Platform.uniform(16), workloads=[jobs], schedulers=["easy"])
    assert same.plan.points[0].key == study.plan.points[0].key


def test_failures_trims_and_options_of_the_engine_arrive(tmp_path):
    results = wt.study(
        platforms="hosts:16",
        workloads="lublin:60?hosts=16&seed={seed}",
        schedulers="easy",
        seeds=2,
        failures=[
            "",
            {"failures": "between=exponential:20000;repair=constant:600;until=400000;seed={seed}", "label": "some"},
        ],
        engine=[{"on_failure": "kill"}, {"on_failure": "requeue", "label": "again"}],
        warm_up="10%",
    )
    frame = results.run(tmp_path / "out").points
    assert frame.equals(results.run(tmp_path / "shared", jobs=2).points)
    assert set(frame["engine"]) == {"on_failure=kill", "again"}
    shares = dict(
        ((f, e), share)
        for f, e, share in frame.group_by("failures", "engine").agg(pl.col("success_rate").mean()).rows()
    )
    assert shares["some", "on_failure=kill"] < shares["", "on_failure=kill"] == 1.0
    assert frame.filter(pl.col("failures") == "some")["key"].n_unique() == 4


WORKER_KILLED = """\
import os, signal, windtunnel as wt
from windtunnel.schedulers.easy import Easy

class Deadly(Easy):
    def hello(self, *given, **more):
        if not os.path.exists("killed"):
            open("killed", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().hello(*given, **more)

class Fatal(Easy):
    def hello(self, *given, **more):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("name", "failed"), [("Deadly", 0), pytest.param("Fatal", 2, marks=pytest.mark.slow)])
def test_a_killed_worker_loses_only_its_point_which_is_done_again(name, failed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"deadly_{name.lower()}.py").write_text(WORKER_KILLED)
    (tmp_path / "study.toml").write_text(
        'workloads = "lublin:60?hosts=32&seed={seed}"\nplatforms = "hosts:32"\nseeds = 2\nschedulers = ["own", "easy"]\n'
    )
    line = [sys.executable, "-m", "windtunnel", "study", "run", "study.toml", "--jobs", "2", "--out", "out"]
    # The study makes the class once in this process to look at it; only runs say hello.
    done = subprocess.run(
        [*line, "--scheduler", f"own=deadly_{name.lower()}.py:{name}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == (1 if failed else 0), done.stderr
    assert failed or (tmp_path / "killed").exists()
    results = wt.load_study("out")
    assert (results.progress.done, results.progress.failed) == (4 - failed, failed)
    lines = (tmp_path / "out" / "journal.jsonl").read_text().splitlines()
    assert len({json.loads(line)["key"] for line in lines}) == len(lines) == 4
    if failed:
        assert list(results.errors) == ["given up after 3 attempts: its process was killed or has crashed"]


SLOW = """\
import time
from windtunnel.schedulers.easy import Easy

class Slow(Easy):
    def hello(self, *given, **more):
        time.sleep(0.2)  # so that there is time to kill somebody
        return super().hello(*given, **more)
"""


def test_a_killed_driver_loses_nothing_and_leaves_nobody_behind(tmp_path):
    study = (
        'workloads = "lublin:150?hosts=32&seed={seed}"\nplatforms = "hosts:32"\n'
        'seeds = 12\nschedulers = ["easy", "slow"]\n'
    )
    (tmp_path / "study.toml").write_text(study)
    (tmp_path / "slow.py").write_text(SLOW)
    bound = f"{tmp_path}/slow.py:Slow"
    line = [sys.executable, "-m", "windtunnel", "study", "run", "study.toml", "--jobs", "2", "--out", "out"]
    line += ["--scheduler", f"slow={bound}"]
    journal = tmp_path / "out" / "journal.jsonl"
    driver = subprocess.Popen(line, cwd=tmp_path, start_new_session=True)
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert driver.poll() is None
        time.sleep(0.01)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    before = journal.read_text().splitlines()
    assert 3 <= len(before) < 24
    gone = threading.Event()
    for _ in range(600):
        if not group(driver.pid):
            break
        gone.wait(0.05)
    assert not group(driver.pid)
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "24 of 24 points done" in done.stdout
    lines = journal.read_text().splitlines()
    assert lines[: len(before)] == before
    assert len({json.loads(line)["key"] for line in lines}) == len(lines) == 24
    whole = wt.read_study(tmp_path / "study.toml", {"slow": bound}).run(tmp_path / "whole")
    assert whole.points.equals(wt.load_study(tmp_path / "out").points)


def group(number):
    """The processes of a session that are alive, zombies apart."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == number and fields[0] != "Z":
            found.append(pid)
    return found


class Late(Inline):
    """Its one worker comes only when it has been said three times that there is none."""

    def __init__(self, context):
        super().__init__(context)
        self.asked = 0
        self.held = None

    @property
    def lacking(self):
        self.asked += 1
        if self.asked == 3:
            super().submit(*self.held)
        return "the cluster has no worker yet"

    def submit(self, trial, slot, done):
        if self.asked < 3:
            self.held = trial, slot, done
        else:
            super().submit(trial, slot, done)


def test_it_is_told_what_a_study_waits_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("windtunnel.studies.driver._PATIENCE", 0.01)
    monkeypatch.setattr("windtunnel.studies.study.executor_for", lambda context, jobs, on: lambda: Late(context))
    (tmp_path / "study.toml").write_text('workloads = "lublin:9"\nschedulers = ["easy", "fcfs"]\n')
    assert main(["study", "run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err.count("waiting: the cluster has no worker yet\n") == 1


def test_the_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text(
        'workloads = "lublin:30?hosts=16&seed={seed}"\nplatforms="hosts:16"\nseeds = 2\nschedulers = ["easy", "fcfs"]\n'
    )
    assert main(["study", "run", "sweep.toml", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "4 of 4 points done" in said
    assert "next:  windtunnel study show sweep.study" in said
    assert main(["study", "status", "sweep.study", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["done"] == 4
    assert main(["study", "status", "sweep.toml"]) == 2
    assert main(["study", "run", "sweep.toml", "--on", "kubernetes"]) == 2
    assert main(["study", "run", "sweep.toml", "--scheduler", "mine"]) == 2


def test_a_program_without_a_guard_is_told_so(tmp_path):
    (tmp_path / "program.py").write_text(
        "import windtunnel as wt\n"
        "wt.study(workloads='lublin:20?seed={seed}', seeds=2, schedulers='easy').run('out', jobs=2)\n"
    )
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "__name__ == '__main__'" in done.stderr
    assert done.returncode


def test_a_workload_alone_brings_its_hosts(tmp_path):
    results = wt.study(workloads="lublin:30?hosts=24", schedulers="easy").run(tmp_path / "out")
    alone = wt.simulate("lublin:30?hosts=24", scheduler="easy").metrics
    assert results.points["utilisation"].to_list() == [alone.utilisation]
    with pytest.raises(InputError, match="hosts:x"):
        wt.study(workloads="lublin:30", platforms="hosts:x", schedulers="easy")


def test_a_run_stops_where_it_should(tmp_path):
    results = small(until="20h").run(tmp_path / "out")
    assert results.progress.done == 8
    row = results.points.row(0, named=True)
    workload = wt.arrange("lublin:60?hosts=32&seed=1").scale_load(0.6)
    alone = wt.simulate("hosts:32", workload, "easy", until=72000)
    assert (row["makespan"], row["jobs"]) == (alone.metrics.makespan, alone.metrics.jobs)
    assert 0 < row["jobs"] < 60
    stop = alone.metrics.up_to_stop
    assert row["up_to_stop_utilisation"] == stop.utilisation
    assert row["up_to_stop_allocated_host_seconds"] == stop.allocated_host_seconds
    assert row["up_to_stop_available_host_seconds"] == stop.available_host_seconds
    assert (row["up_to_stop_running"], row["up_to_stop_waiting"]) == (stop.running, stop.waiting)
    assert "more is better" in results.differences("easy", "up_to_stop_utilisation").title
    whole = small(seeds=1).run(tmp_path / "whole").points
    assert whole["up_to_stop_utilisation"].null_count() == whole["up_to_stop_running"].null_count() == whole.height
    dated = small(until="2026-01-01").run(tmp_path / "dated")
    assert all("has no start date" in error for error in dated.errors)
    assert dated.progress.failed == 8


def test_several_workloads_run_together(tmp_path):
    (tmp_path / "log").mkdir()
    assert main(["convert", "lublin:30?hosts=16&seed=9", str(tmp_path / "log" / "other.swf")]) == 0
    texts = ["lublin:40?hosts=16&seed={seed}", str(tmp_path / "log" / "other.swf")]
    together = wt.study(
        platforms="hosts:16",
        workloads=[{"workload": texts, "label": "both"}, texts],
        operations=["first(20)"],
        seeds=2,
        schedulers="easy",
        job_tables=True,
    )
    results = together.run(tmp_path / "out", jobs=2)
    assert set(results.points["workload"]) == {"both", " + ".join([texts[0], "other.swf"])}
    assert results.points["key"].n_unique() == 2  # both entries mean the same
    alone = wt.simulate("hosts:16", ["lublin:40?hosts=16&seed=1", texts[1]], "easy", operations=["first(20)"])
    assert results.points["jobs"].to_list() == [40] * 4
    assert results.points["waiting_time_mean"][0] == alone.metrics.waiting_time.mean
    assert set(results.jobs().collect()["workload_name"]) == {"w0", "w1"}


def test_objects_run_together(tmp_path):
    named = [wt.arrange("lublin:40?hosts=16").first(20), wt.read_workload("lublin:30?hosts=16&seed=2", "w1")]
    study = wt.study(platforms="hosts:16", workloads=[named], schedulers="easy")
    assert study.run(tmp_path / "out").points["jobs"].to_list() == [50]
