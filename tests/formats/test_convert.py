"""Conversion is reading and writing; what is lost is said."""

import json
from math import inf, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import windtunnel as wt
from shared import shared
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.examples import find
from windtunnel.formats.batsim.workload import read_batsim
from windtunnel.formats.batsim.write import write_batsim
from windtunnel.formats.convert import convert, target_format, write_workload
from windtunnel.formats.registry import read_workload
from windtunnel.formats.traces.swf import read_swf
from windtunnel.formats.traces.swf_write import SwfLog, read_swf_log, write_swf, write_swf_log
from windtunnel.inputs import arrange
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    Job,
    JobList,
    ParallelTaskProfile,
    Request,
    SendProfile,
    SequentialCompositionProfile,
)

integers = st.integers(-1, 10**9)
times = st.integers(-1, 10**9) | st.floats(0, 1e9)
columns = [integers, times, times, times, integers, times, times, integers, times, times, *[integers] * 7, times]
rows = st.lists(st.tuples(*columns), min_size=1, max_size=5)


@given(rows, st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=9), max_size=3))
def test_writing_a_log_that_was_read_keeps_its_fields(tmp_path_factory, rows, comments):
    path = tmp_path_factory.mktemp("swf") / "log.swf"
    log = SwfLog([f"; {text}".rstrip() for text in comments], rows)
    write_swf_log(log, path)
    assert read_swf_log(path) == log
    second = path.with_name("again.swf")
    write_swf_log(read_swf_log(path), second)
    assert second.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["accasim_test", "easy_mediumWL_smallPF"])
def test_real_logs_keep_their_fields(tmp_path, name):
    source = shared(f"traces/{name}.swf")
    assert convert(source, tmp_path / "copy.swf") == []
    assert read_swf_log(tmp_path / "copy.swf") == read_swf_log(source)
    assert list(read_swf(tmp_path / "copy.swf")) == list(read_swf(source))


def test_there_and_back_again(tmp_path):
    source = shared("traces/KTH-SP2-1996-2.swf.gz")
    lost = ["the calendar date of the start is left out"]
    assert convert(source, tmp_path / "5.json") == lost
    assert convert(tmp_path / "5.json", tmp_path / "4.json", to="batsim4") == []
    assert convert(tmp_path / "4.json", tmp_path / "back.swf") == []
    assert list(read_swf(tmp_path / "back.swf")) == list(read_swf(source))


numbers = st.integers(0, 10**6).map(float) | st.floats(0.001, 1e6)
jobs = st.lists(
    st.builds(
        Job,
        id=st.integers(0, 10**6).map("w0!{}".format),
        request=st.integers(1, 64).map(lambda n: Request(n, n)),
        profile=numbers.map(lambda run: DelayProfile(delay=run)),
        submission_time=numbers,
        walltime=numbers.map(lambda limit: limit + 1e6 + 1),  # longer than any run: what is as long is repaired
        user=st.integers(0, 99).map(str),
        group=st.integers(0, 99).map(str),
        queue=st.integers(0, 99).map(str),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda job: job.id,
)


def text_of(run):
    return str(int(run)) if run.is_integer() else repr(run)


@settings(max_examples=20)
@given(jobs)
def test_swf_to_batsim_and_back(tmp_path_factory, jobs):
    folder = tmp_path_factory.mktemp("convert")
    base = min(job.submission_time for job in jobs)
    jobs = [
        replace(
            job,
            submission_time=job.submission_time - base,
            profile=replace(job.profile, id=f"w0!{text_of(job.profile.delay)}"),
        )
        for job in jobs
    ]
    write_swf(JobList("w0", jobs, hosts=64), folder / "a.swf")
    first = list(read_swf(folder / "a.swf"))
    assert sorted(first, key=lambda job: job.id) == sorted(jobs, key=lambda job: job.id)
    for generation in (4, 5):
        order = [job.id for job in sorted(first, key=lambda job: (job.submission_time, job.id))]
        moved = sum(job.id != other for job, other in zip(first, order, strict=True))
        lost = convert(folder / "a.swf", folder / "b.json", to=f"batsim{generation}")
        assert [int(line.split()[0]) for line in lost if "in another order" in line] == ([moved] if moved else [])
        assert len(lost) == bool(moved)
        assert [job.id for job in read_batsim(folder / "b.json")] == order
        assert convert(folder / "b.json", folder / "c.swf") == []
        again = list(read_swf(folder / "c.swf"))
        assert sorted(again, key=lambda job: job.id) == sorted(first, key=lambda job: job.id)


def test_jobs_without_work_end_at_once_in_batsim(tmp_path):
    jobs = [Job(id="w0!1", request=Request(1), profile=DelayProfile(id="w0!0", delay=0.0), walltime=5)]
    for generation, kind in ((4, "parallel_homogeneous"), (5, "ParallelTaskHomogeneousProfile")):
        assert write_batsim(JobList("w0", jobs), tmp_path / "w.json", generation=generation) == []
        document = json.loads((tmp_path / "w.json").read_text())
        assert (document["nb_res"], document["profiles"]["0"]["type"]) == (1, kind)
    write_swf(read_batsim(tmp_path / "w.json"), tmp_path / "w.swf")
    assert [job.profile.delay for job in read_swf(tmp_path / "w.swf")] == [0]


def test_what_swf_cannot_keep_is_said(tmp_path):
    task = ParallelTaskProfile(id="w0!t", computation_vector=(1.0,))
    short = DelayProfile(id="w0!s", delay=2.0, return_code=1)
    loop = SequentialCompositionProfile(id="w0!q", profile_ids=("w0!s", "w0!f"), repetition_count=3)
    fork = ForkJoinCompositionProfile(id="w0!f", profile_ids=("w0!s", "w0!s"))
    jobs = [
        Job(id="w0!a", request=Request(1), profile=task, user="ann", queue="night"),
        Job(id="w0!b", request=Request(2), profile=loop, user="bob", dependencies=("w0!a",), think_time=4.0),
        Job(id="w0!c", request=Request(1), profile=short, dependencies=("w0!a", "w0!b"), extra_data="x"),
    ]
    profiles = {profile.id: profile for profile in (task, short, loop, fork)}
    assert write_swf(JobList("w0", jobs, profiles), tmp_path / "w.swf") == [
        "1 job: the run time of a ParallelTaskProfile is unknown, -1 written",
        "job names are numbered; the header says which is which",
        "user names are numbered; the header says which is which",
        "1 job: SWF has one preceding job at most, -1 written",
        "1 job: extra data and amounts of resources are left out",
    ]
    log = read_swf_log(tmp_path / "w.swf")
    assert "; Note: user 2 is 'bob'" in log.comments
    assert "; Queue: 1 night" in log.comments
    a, b, c = log.rows
    assert (a[3], b[3], c[3]) == (-1, 2, 2)
    assert (a[8], a[10], b[10], c[10]) == (-1, 1, 0, 0)
    assert (b[16], b[17], c[16]) == (1, 4, -1)
    assert (a[11], b[11], c[11]) == (1, 2, -1)


def test_a_log_says_how_compositions_end(tmp_path):
    """What SWF says of the run time and the status of a composition is what a simulation of it comes to."""
    parts = [
        DelayProfile(id="w0!long", delay=5.0),
        DelayProfile(id="w0!fails", delay=2.0, return_code=3),
        ParallelTaskProfile(id="w0!work", computation_vector=(1e9,)),
        SequentialCompositionProfile(id="w0!loop", profile_ids=("w0!long", "w0!long"), repetition_count=3),
        SequentialCompositionProfile(id="w0!stops", profile_ids=("w0!long", "w0!fails", "w0!work"), repetition_count=2),
        ForkJoinCompositionProfile(id="w0!fork", profile_ids=("w0!fails", "w0!long")),
        SequentialCompositionProfile(id="w0!deep", profile_ids=("w0!long", "w0!fork"), repetition_count=2),
        SequentialCompositionProfile(id="w0!own", profile_ids=("w0!long",), return_code=1),
    ]
    jobs = [Job(id=f"w0!{n}", request=Request(1), profile=one) for n, one in enumerate(parts[3:])]
    work = JobList("w0", jobs, {one.id: one for one in parts}, hosts=1)
    assert write_swf(work, tmp_path / "w.swf") == []
    assert [(row[3], row[10]) for row in read_swf_log(tmp_path / "w.swf").rows] == [
        (30, 1), (7, 0), (5, 0), (10, 0), (5, 0)
    ]  # fmt: skip
    run, again = (wt.simulate("hosts:1", one, "easy").jobs for one in (work, tmp_path / "w.swf"))
    assert run["execution_time"].to_list() == again["execution_time"].to_list()
    assert [state.endswith("FAILED") for state in run["final_state"]] == [False, True, True, True, True]


def test_jobs_of_one_submission_time_that_batsim_takes_in_another_order_are_told(tmp_path):
    """Ids are texts there: job 10 came before job 2, which changes the schedule."""
    row = "{} {} -1 5 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    (tmp_path / "a.swf").write_text("".join(row.format(number, number // 12) for number in (1, 2, 3, 10, 11, 12, 13)))
    told = "4 jobs in another order: Batsim takes those of one submission time by their ids"
    assert convert(tmp_path / "a.swf", tmp_path / "a.json") == [told]
    assert [job.name for job in read_batsim(tmp_path / "a.json")] == ["1", "10", "11", "2", "3", "12", "13"]


def test_jobs_that_wait_for_a_later_one_are_told(tmp_path):
    """SWF knows preceding jobs: a reader does not wait for one that is submitted later."""
    delay = DelayProfile(id="w0!d", delay=5.0)
    jobs = [
        Job(id="w0!1", request=Request(1), profile=delay, dependencies=("w0!3",)),
        Job(id="w0!2", request=Request(1), profile=delay, dependencies=("w0!1",)),
        Job(id="w0!3", request=Request(1), profile=delay, submission_time=7.0),
    ]
    told = "1 job: their preceding job is submitted later, and whoever reads the log does not wait for it"
    assert write_swf(JobList("w0", jobs), tmp_path / "w.swf") == [told]
    assert [job.dependencies for job in read_swf(tmp_path / "w.swf", dependencies=True)] == [(), ("w0!1",), ()]


def test_jobs_that_readers_of_a_log_drop_are_told(tmp_path):
    delay = DelayProfile(id="w0!d", delay=5.0)
    jobs = [Job(id=f"w0!{size}", request=Request(size), profile=delay) for size in (0, 2, 4)]
    assert write_swf(JobList("w0", jobs, hosts=2), tmp_path / "w.swf") == [
        "1 job asking for more processors than MaxProcs, 2: whoever reads the log drops them",
        "1 job on no processor: whoever reads the log drops them",
    ]
    assert [job.request.hosts for job in read_swf(tmp_path / "w.swf")] == [2]
    assert write_swf(JobList("w0", jobs[1:]), tmp_path / "w.swf") == []


def test_what_batsim_cannot_keep_is_said(tmp_path):
    profile = DelayProfile(id="w0!d", delay=1.0)
    jobs = [Job(id="w0!1", request=Request(1), profile=profile, dependencies=("w0!0",), walltime=inf)]
    assert write_batsim(JobList("w0", jobs), tmp_path / "w.json") == [
        "1 job: Batsim has no dependencies, they are left out"
    ]
    talking = [Job(id="w0!1", request=Request(1), profile=SendProfile(id="w0!s", message={}))]
    with pytest.raises(UsageError, match="Batsim 5 has no form for a SendProfile"):
        write_batsim(JobList("w0", talking), tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize("name", ["test_various_profile_types", "test_sequence_delay", "test_tuto_stencil"])
def test_files_of_batsim_4_survive_unchanged(tmp_path, name):
    source = shared(f"golden/batsim4/inputs/workloads/{name}.json")
    assert convert(source, tmp_path / "copy.json", to="batsim4") == []
    first, second = read_batsim(source), read_batsim(tmp_path / "copy.json")
    for job in second:
        job.source["id"] = next(j for j in first if j.id == job.id).source["id"]
    assert list(second) == list(first)
    assert second.profiles == first.profiles


def test_traces_are_named_from_the_new_place(tmp_path):
    source = shared("golden/batsim4/inputs/workloads/test_usage_trace.json")
    (tmp_path / "sub").mkdir()
    convert(source, tmp_path / "sub" / "copy.json")
    copy = read_batsim(tmp_path / "sub" / "copy.json")
    first = read_batsim(source)
    assert copy.generation == 5
    assert [job.name for job in copy] == [job.name for job in first]
    traces = {profile.name: getattr(profile, "traces", None) for profile in first.profiles.values()}
    assert {profile.name: getattr(profile, "traces", None) for profile in copy.profiles.values()} == traces


def test_the_target_says_the_format(tmp_path):
    assert target_format(tmp_path / "x.SWF").name == "swf"
    assert target_format(tmp_path / "x.json").name == "batsim5"
    with pytest.raises(UsageError, match="the suffix does not name a format to write"):
        target_format(tmp_path / "x.txt")
    with pytest.raises(
        UsageError, match="there is no format 'batsim' to write workloads in\n  hint: did you mean 'batsim"
    ):
        target_format(tmp_path / "x.json", "batsim")


@pytest.mark.parametrize("to", ["", "swf"])
def test_no_text_is_written_into_a_file_that_is_called_compressed(tmp_path, to):
    (tmp_path / "a.swf").write_text("1 0 -1 5 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    with pytest.raises(UsageError, match=r"not compressed\n  hint: write b.swf and compress it"):
        convert(tmp_path / "a.swf", tmp_path / "b.swf.gz", to=to)
    assert not (tmp_path / "b.swf.gz").exists()


def test_options_go_to_the_reader(tmp_path):
    (tmp_path / "a.swf").write_text("1 50 -1 30 2 -1 -1 2 20 -1 1 3 4 -1 1 -1 -1 -1\n")
    convert(tmp_path / "a.swf", tmp_path / "b.swf", walltime="kill", keep_epoch=True)
    assert read_swf_log(tmp_path / "b.swf").rows[0][1:9] == (50, -1, 30, -1, -1, -1, 2, 20)
    assert len(read_workload(tmp_path / "b.swf")) == 1


def test_the_command_line(tmp_path, capsys):
    (tmp_path / "a.swf").write_text("; UnixStartTime: 843480031\n1 50 -1 30 2 -1 -1 2 20 -1 1 3 4 -1 1 -1 -1 -1\n")
    source, target = str(tmp_path / "a.swf"), str(tmp_path / "b.json")
    assert main(["convert", source, target, "--to", "batsim4", "-o", "walltime=kill", "-o", "keep-epoch=true"]) == 0
    assert capsys.readouterr().out == "lost: the calendar date of the start is left out\n"
    [job] = read_batsim(target)
    assert (job.submission_time, job.walltime, read_batsim(target).generation) == (50, 20, 4)
    assert main(["convert", source, target, "--to", "batsim6"]) == 2
    assert "did you mean 'batsim" in capsys.readouterr().err


LOG = """; MaxProcs: 4
1  0 -1 100 2 -1 -1  2  60 -1 1 7 1 -1 1 -1 -1 -1
2  5 -1  50 4 -1 -1  4  90 -1 1 8 1 -1 1 -1  1  5
3 10 -1  -1 4 -1 -1  4  90 -1 5 8 1 -1 1 -1 -1 -1
"""


@pytest.mark.parametrize("target", ["made.json", "made.lwf", "made4.json --to batsim4"])
def test_what_is_dropped_and_repaired_on_the_way_is_told(tmp_path, monkeypatch, capsys, target):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)
    assert main(["convert", "log.swf", *target.split()]) == 0
    said = capsys.readouterr()
    assert "3 rows read, 2 kept" in said.err
    for what in ("cancelled before it ran", "walltime extended", "preceding job (field 17)"):
        assert what in said.err
    assert ("groups or queues" in said.out) is target.endswith(".lwf")


def test_a_copy_has_nothing_to_tell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)
    assert main(["convert", "log.swf", "copy.swf"]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_is_converted_is_not_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)
    (tmp_path / "link.swf").symlink_to("log.swf")
    (tmp_path / "other.swf").write_text(LOG)
    for line in (
        ["log.swf", "log.swf", "-o", "walltime=kill"],
        ["log.swf", "link.swf", "--apply", "first(1)"],
        ["log.swf", "other.swf", "--apply", "merge('other.swf')"],
    ):
        assert main(["convert", *line]) == 2
        assert "it would be overwritten" in capsys.readouterr().err
    assert [path.read_text() for path in sorted(tmp_path.glob("*.swf"))] == [LOG, LOG, LOG]
    with pytest.raises(UsageError, match="it would be overwritten"):
        convert("log.swf", "log.swf", to="batsim5")


def test_the_platform_of_elastisims_jobs_is_not_written_over_the_one_that_was_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)
    line = ["convert", "log.swf", "jobs.json", "--to", "elastisim", "--platform"]
    assert main([*line, "hosts:4"]) == 0
    (tmp_path / "jobs.json").unlink()
    before = (tmp_path / "platform.xml").read_bytes()
    assert main([*line, "platform.xml"]) == 2
    assert "it would be overwritten" in capsys.readouterr().err
    assert (tmp_path / "platform.xml").read_bytes() == before
    assert not (tmp_path / "jobs.json").exists()


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("platform.xml", "<platform version='4.1'/>"),
        ("configuration.json", '{"jobs_file": "mine.json", "platform_file": "platform.xml"}'),
        ("configuration.json", "[1]"),
    ],
)
def test_what_lies_beside_elastisims_jobs_is_not_replaced(tmp_path, monkeypatch, capsys, name, there):
    """Only the file of jobs is named on the command line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)
    line = ["convert", "log.swf", "jobs.json", "--to", "elastisim", "--platform", "hosts:4"]
    (tmp_path / name).write_text(there)
    assert main(line) == 2
    assert f"{name} is there and holds something else" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == there
    assert not (tmp_path / "jobs.json").exists()
    (tmp_path / name).unlink()
    assert main(line) == main(line) == 0  # the same may be written again


def test_a_table_is_converted_by_its_mapping(tmp_path, monkeypatch, capsys):
    """The option that chooses the format was not looked at: no CSV could be converted, or run without a platform."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.csv").write_text("at,seconds,cores\n0,10,2\n5,20,1\n")
    (tmp_path / "map.toml").write_text('[columns]\nsubmit = "at"\nrun = "seconds"\nprocessors = "cores"\n')
    assert main(["convert", "jobs.csv", "made.swf", "-o", "mapping=map.toml"]) == 0
    assert [job.profile.delay for job in read_swf(tmp_path / "made.swf")] == [10.0, 20.0]
    assert convert("jobs.csv", "made.json", mapping="map.toml") == []
    capsys.readouterr()
    assert main(["run", "jobs.csv", "--workload-option", "mapping=map.toml"]) == 2
    said = capsys.readouterr().err
    assert "jobs.csv is a workload that does not say how many hosts it needs" in said
    assert "name a platform before it, such as hosts:" in said


@pytest.mark.parametrize("target", ["made.swf", "made.json", "made.lwf", "made4.json"])
def test_what_jobs_request_from_slurm_is_said_to_be_lost(tmp_path, target):
    """Memory, GPUs, QOS: it was left out silently."""
    to = "batsim4" if target == "made4.json" else ""
    lost = convert(find("slurm").workloads[0], tmp_path / target, to=to, change=lambda work: arrange(work).first(200))
    assert "200 jobs ask for memory" in lost
    assert any(line.endswith("jobs name a QOS") for line in lost)
    work = read_workload(find("slurm").workloads[0])
    assert "5,000 jobs ask for memory" in write_workload(work, tmp_path / target, format=to)


ODD = {
    "nb_res": 4,
    "jobs": [{"id": "1", "subtime": 0, "res": 2, "profile": "d", "walltime": 99, "deadline": 7, "user": "1"}],
    "profiles": {"d": {"type": "delay", "delay": 10}},
}


@pytest.mark.parametrize("generation", [4, 5])
def test_members_that_only_schedulers_know_are_kept_for_batsim(tmp_path, generation):
    (tmp_path / "odd.json").write_text(json.dumps(ODD))
    target = tmp_path / "new.json"
    assert convert(tmp_path / "odd.json", target, to=f"batsim{generation}", change=arrange) == []
    assert json.loads(target.read_text())["jobs"] == ODD["jobs"]


@pytest.mark.parametrize("target", ["new.swf", "new.lwf", "elastisim"])
def test_members_that_only_schedulers_know_are_told_to_be_lost(tmp_path, target):
    (tmp_path / "odd.json").write_text(json.dumps(ODD))
    to = "elastisim" if target == "elastisim" else ""
    lost = convert(tmp_path / "odd.json", tmp_path / target, to=to)
    assert "1 job: members that Batsim does not know are left out" in lost


def test_the_calendar_is_told_to_be_lost(tmp_path):
    """Of SWF alone it is kept."""
    (tmp_path / "log.swf").write_text("; UnixStartTime: 844122600\n1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n")
    for target, to in (("new.lwf", "lwf"), ("new.json", "batsim5"), ("jobs", "elastisim")):
        lost = convert(tmp_path / "log.swf", tmp_path / target, to=to)
        assert "the calendar date of the start is left out" in lost


def test_what_leases_cannot_keep_of_jobs_is_told(tmp_path):
    jobs = [
        Job(
            id="w0!1",
            request=Request(1, amounts=(("cores", 2.0),)),
            profile=DelayProfile(id="w0!a", delay=1.005, return_code=2),
            walltime=9.0,
            extra_data="{}",
        ),
        Job(
            id="w0!2",
            request=Request(1),
            profile=DelayProfile(id="w0!b", delay=1.25),
            walltime=nextafter(1.25, inf),
            submission_time=86400.01,
        ),
    ]
    assert write_workload(JobList("w0", jobs), tmp_path / "new.lwf") == [
        "1 job whose times are rounded to hundredths of a second",
        "1 job taking parts of hosts: their leases take whole CPUs",
        "1 job with a return code or extra data: leases have none",
    ]
