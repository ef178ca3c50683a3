"""Operations on Batsim's files: merged profiles are told apart, and what is written or told says what is simulated."""

import json
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.formats.convert import convert
from windtunnel.formats.registry import read_workload
from windtunnel.inputs import changed
from windtunnel.model import JobList, Workload
from windtunnel.model.checkpoints import with_checkpoints

LOG = (
    "1 0 -1 {run} 1 -1 -1 1 200 -1 1 7 1 -1 1 -1 -1 -1\n"  # one that the other waits for
    "2 5 -1 10 1 -1 -1 1 200 -1 1 7 1 -1 1 -1 1 3\n"
)


def batsim(path, profiles, *jobs):
    made = [
        {"id": str(rank), "subtime": rank * 100, "res": 4, "walltime": 100, **job} for rank, job in enumerate(jobs)
    ]
    path.write_text(json.dumps({"nb_res": 4, "jobs": made, "profiles": profiles}))
    return str(path)


def both(tmp_path, profiles, job):
    """Two files in which the delay of ``d`` differs."""
    for name, delay in (("a", 5), ("b", 9)):
        batsim(tmp_path / f"{name}.json", profiles | {"d": {"type": "delay", "delay": delay}}, {"res": 1, **job})
    return str(tmp_path / "a.json"), f"merge({str(tmp_path / 'b.json')!r})"


@pytest.mark.parametrize(
    ("profiles", "used", "lasts"),
    [
        ({}, "d", {"0": 5, "1:0": 9}),
        ({"s": {"type": "composed", "seq": ["d"], "repeat": 2}}, "s", {"0": 10, "1:0": 18}),
        ({"s": {"type": "composed", "seq": ["t"]}, "t": {"type": "composed", "seq": ["d"]}}, "s", {"0": 5, "1:0": 9}),
        ({"r": {"type": "recv", "regex": "x", "timeout": "d"}}, "r", {"0": 5, "1:0": 9}),
    ],
)
def test_profiles_of_one_name_in_merged_files_are_two(tmp_path, profiles, used, lasts):
    first, merge = both(tmp_path, profiles, {"profile": used})
    run = wt.simulate("hosts:4", first, operations=[merge])
    found = {row["job_id"]: row["execution_time"] for row in run.jobs.iter_rows(named=True)}
    assert found == lasts

    target = tmp_path / "both.json"
    convert(first, target, to="batsim4", change=lambda workload: changed(workload, [merge]))
    again = wt.simulate("hosts:4", target)
    assert {row["job_id"]: row["execution_time"] for row in again.jobs.iter_rows(named=True)} == lasts


def test_equal_profiles_of_merged_files_are_one(tmp_path):
    path = batsim(tmp_path / "a.json", {"d": {"type": "delay", "delay": 5}}, {"profile": "d"})
    merged = changed(read_workload(path), [f"merge({path!r})"])
    assert list(merged.profiles) == ["w0!d"]
    assert [job.profile.id for job in merged] == ["w0!d", "w0!d"]


def test_what_operations_changed_is_written_and_told(tmp_path):
    """The object of the file, as it was read, was written and sent to schedulers behind the JSON protocol."""
    path = batsim(tmp_path / "a.json", {"d": {"type": "delay", "delay": 5}}, *[{"profile": "d", "mine": 1}] * 2)
    target = tmp_path / "b.json"
    operations = ["scale_load(0.05)", "to_hosts(2)", "with_estimates('f-model')"]
    convert(path, target, to="batsim4", change=lambda workload: changed(workload, operations))
    made = list(changed(read_workload(path), operations))
    written = json.loads(target.read_text())["jobs"]
    assert [one["subtime"] for one in written] == [job.submission_time for job in made] != [0, 100]
    assert [one["res"] for one in written] == [job.request.hosts for job in made] == [2, 2]
    assert [one["walltime"] for one in written] == [job.walltime for job in made] != [100, 100]
    assert [one["mine"] for one in written] == [1, 1]


def test_checkpoints_are_told(tmp_path):
    path = batsim(tmp_path / "a.json", {"d": {"type": "delay", "delay": 50}}, {"profile": "d"})
    [job] = read_workload(path)
    longer = with_checkpoints(job, 20.0, 3.0)
    assert longer.source == {"id": "0", "subtime": 0, "res": 4, "walltime": 106, "profile": "d"}
    assert longer.profile.source == {"type": "delay", "delay": 56.0}


def test_profiles_that_no_job_uses_are_kept(tmp_path):
    """A scheduler may register jobs of them."""
    profiles = {"d": {"type": "delay", "delay": 5}, "spare": {"type": "delay", "delay": 6}}
    path = batsim(tmp_path / "a.json", profiles, {"profile": "d"})
    for change in (None, lambda workload: changed(workload, ["first(1)"])):
        convert(path, tmp_path / "b.json", to="batsim4", change=change)
        assert json.loads((tmp_path / "b.json").read_text())["profiles"] == profiles


def merged_logs(tmp_path) -> Workload:
    for name, run in (("a", 100), ("b", 50)):
        (tmp_path / f"{name}.swf").write_text(LOG.format(run=run))
    options = {"dependencies": True}
    return changed(read_workload(tmp_path / "a.swf", **options), [f"merge({str(tmp_path / 'b.swf')!r})"], **options)


def test_merged_jobs_wait_for_jobs_of_their_own_log(tmp_path):
    merged = merged_logs(tmp_path)
    assert {job.id: job.dependencies for job in merged if job.dependencies} == {
        "w0!2": ("w0!1",),
        "w0!1:2": ("w0!1:1",),
    }
    run = wt.simulate("hosts:4", merged)
    begins = {row["job_id"]: row["starting_time"] for row in run.jobs.iter_rows(named=True)}
    assert begins == {"1": 0.0, "1:1": 0.0, "2": 103.0, "1:2": 53.0}


def test_merged_logs_are_read_with_the_same_options(tmp_path, monkeypatch):
    merged_logs(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "hosts:4", "a.swf", "--apply", "merge('b.swf')", "--dependencies", "--out", "o", "-q"]) == 0
    rows = [row.split(",") for row in (tmp_path / "o" / "jobs.csv").read_text().splitlines()]
    assert {row[0]: row[8] for row in rows[1:]}["1:2"] == "53.000000"


DATED = "; UnixStartTime: {start}\n; MaxProcs: 2\n1 0 0 10 1 -1 -1 1 20 -1 1 7 1 -1 1 -1 -1 -1\n2 30 0 10 1 -1 -1 1 20 -1 1 7 1 -1 1 -1 -1 -1\n"


def test_logs_are_merged_by_their_dates(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.swf").write_text(DATED.format(start=840_000_000))
    Path("b.swf").write_text(DATED.format(start=840_000_020))
    for first, other, submitted, later in (
        ("a", "b", {"1": 0.0, "1:1": 20.0, "2": 30.0, "1:2": 50.0}, "later"),
        ("b", "a", {"1": 20.0, "1:1": 0.0, "2": 50.0, "1:2": 30.0}, "earlier"),
    ):
        merged = wt.arrange(f"{first}.swf", f"merge('{other}.swf', by_date=True)")
        assert {job.name: job.submission_time for job in merged} == submitted
        assert merged.start_date == 840_000_000
        (told,) = [note.message for note in merged.warnings if note.code == "arranged"]
        assert told == (
            f"merge(other='{other}.swf', by_date=True): 2 jobs added by date: the other begins 20 s {later}, "
            "and time 0 is 1996-08-14 05:20 UTC"
        )
    assert [*wt.arrange("a.swf").merge(wt.read_workload("b.swf"))][1].submission_time == 0.0


def test_logs_without_dates_are_not_merged_by_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.swf").write_text(DATED.format(start=840_000_000))
    Path("b.swf").write_text(DATED.format(start=0))
    assert main(["run", "hosts:4", "a.swf", "--apply", "merge('b.swf', by_date=True)", "--out", "o", "-q"]) == 2
    assert "b.swf does not say when it starts" in capsys.readouterr().err
    assert not Path("o").exists()


def test_no_job_of_a_drawn_week_waits_for_one_of_a_later_week():
    week = 7 * 86_400.0
    jobs = [
        wt.Job(
            id=f"w0!{number}",
            request=wt.Request(hosts=1),
            profile=wt.DelayProfile(id="w0!d", delay=5.0),
            submission_time=number * week / 2,
            user="ann",
            dependencies=(f"w0!{number - 1}",) if number else (),
        )
        for number in range(24)
    ]
    drawn = list(wt.arrange(JobList("w0", jobs, hosts=1)).resample(3, weeks=30))
    ranks = {job.id: rank for rank, job in enumerate(drawn)}
    waits = [(rank, ranks[one]) for rank, job in enumerate(drawn) for one in job.dependencies]
    assert len(waits) >= 30  # within the weeks
    assert all(before < rank for rank, before in waits)
