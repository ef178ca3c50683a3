"""Several runs side by side."""

import json

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.model import JobList

LOG = "lublin:150?hosts=32&seed=4"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    log = folder / "log.swf"
    assert main(["convert", LOG, str(log), "--apply", "scale_load(1.1)"]) == 0
    lines = [line.split() for line in log.read_text().splitlines() if line and line[0] != ";"]
    for rank, fields in enumerate(lines):  # users and queues by turns
        fields[11], fields[14] = str(rank % 3), str(rank % 2)
    log.write_text("; MaxProcs: 32\n" + "\n".join(" ".join(fields) for fields in lines) + "\n")
    made = {}
    for name, scheduler, operations in (
        ("easy", "easy", []),
        ("fcfs", "fcfs", []),
        ("part", "easy", ["first(100)"]),
        ("light", "easy", ["scale_load(0.5)"]),
    ):
        made[name] = folder / name
        wt.simulate("hosts:32", log, scheduler, out=made[name], operations=operations)
    return made


def loaded(runs, *names):
    return [wt.load_run(runs[name]) for name in names]


def test_figures_are_those_of_each_run(runs):
    easy, fcfs = loaded(runs, "easy", "fcfs")
    found = wt.compare_runs(easy, fcfs, easy)
    assert found.alike
    assert found.figures["makespan [s]"] == [easy.metrics.makespan, fcfs.metrics.makespan, easy.metrics.makespan]
    assert (found.gained[0], found.gained[2], found.lost[2]) == (0, 0, 0)
    both = easy.jobs.join(fcfs.jobs, on="id")
    longer = both.filter(pl.col("waiting_time_right") > pl.col("waiting_time") + 1e-6).height
    assert found.lost[1] == longer > 0


def test_who_gained_and_who_lost(runs):
    easy, fcfs = loaded(runs, "easy", "fcfs")
    found = wt.compare_runs(easy, fcfs)
    assert [group.jobs for group in found.users] == [50, 50, 50]
    assert sum(group.jobs for group in found.queues) == 150
    for group in found.users:
        means = [run.jobs.filter(pl.col("user") == group.name)["waiting_time"].mean() for run in (easy, fcfs)]
        assert group.waits == pytest.approx(means)
    changes = [abs(group.changes[1]) for group in found.users]
    assert changes == sorted(changes, reverse=True)


def test_workloads_that_differ_are_compared_by_what_they_share(runs):
    easy, part = loaded(runs, "easy", "part")
    found = wt.compare_runs(easy, part)
    assert (found.jobs, found.shared, found.moved, found.alike) == ([150, 100], 100, [0, 0], False)
    first = easy.jobs.join(part.jobs, on="id", how="semi")
    assert found.shared_figures["waiting time, mean [s]"][0] == pytest.approx(first["waiting_time"].mean())
    # The bounded slowdowns are ours: over all jobs of the shorter run they are its metric.
    assert found.shared_figures["bounded slowdown, mean"][1] == pytest.approx(part.metrics.bounded_slowdown.mean)
    assert "the workloads differ: 100 jobs ran in all of these runs" in str(found)
    light = wt.compare_runs(*loaded(runs, "easy", "light"))
    assert light.shared == 150
    assert light.moved[1] > 100
    assert "submitted at other times than in [1]: [2]" in str(light)


def test_nothing_in_common(runs):
    other = wt.simulate("hosts:8", "lublin:20?hosts=8&seed=9", "easy")
    found = wt.compare_runs(wt.load_run(runs["easy"]), other)
    assert found.shared < 20
    assert wt.compare_runs(other, other).shared_figures
    with pytest.raises(UsageError, match="at least two runs"):
        wt.compare_runs(other)
    with pytest.raises(UsageError, match="must not be negative"):
        wt.compare_runs(other, other, tolerance=-1.0)


def test_the_command(runs, capsys):
    places = [str(runs[name]) for name in ("easy", "fcfs", "part")]
    assert main(["compare", *places]) == 0
    said = capsys.readouterr().out
    assert "waited longer than in [1]" in said
    assert "by user" not in said
    assert main(["compare", *places[:2], "--groups"]) == 0
    assert "by user" in capsys.readouterr().out
    assert main(["compare", *places, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["comparison"]["users"]) == 3
    assert main(["compare", *places, "--jobs", "3"]) == 2
    assert main(["compare", places[0]]) == 2


def test_names_of_any_length_and_kind_leave_the_tables_as_they_are(tmp_path, capsys):
    odd = ["w\nnew", "x" * 3000, "\u202eabc", "日本語", "<b>&amp;"]
    profile = wt.DelayProfile(id="w0!p", delay=30.0)
    jobs = [wt.Job(id=f"w0!{name}", request=wt.Request(1), profile=profile, user=name) for name in odd]
    for scheduler in ("fcfs", "easy"):
        wt.simulate("hosts:1", JobList("w0", jobs), scheduler, out=tmp_path / scheduler)
    assert main(["compare", str(tmp_path / "fcfs"), str(tmp_path / "easy"), "--groups"]) == 0
    table = capsys.readouterr().out.partition("by user")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(table) == len(odd)
    assert {len(line) for line in table} == {max(map(len, table))}
    assert max(map(len, table)) < 100
    assert {line.split()[0] for line in table} == {r"w\nnew", "x" * 37 + "...", r"\u202eabc", "日本語", "<b>&amp;"}
    assert main(["why", str(tmp_path / "fcfs")]) == 0
    told = capsys.readouterr().out.partition("\nnext:")[0].splitlines()
    assert len(told) == len(odd)  # one of them did not wait, and the first line is a head
    assert max(map(len, told)) < 120
