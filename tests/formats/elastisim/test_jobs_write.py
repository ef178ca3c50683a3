"""Jobs written for ElastiSim: what was read comes out as it was, and other workloads run as before."""

import json

import pytest
from msgspec.structs import replace
from tests.engine.star import star

import windtunnel as wt
from elastic_jobs import job as elastic
from elastic_jobs import pause, work
from shared import cases
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats.convert import convert
from windtunnel.formats.elastisim.jobs import read_jobs
from windtunnel.formats.elastisim.jobs_write import write_jobs
from windtunnel.model import (
    DelayProfile,
    GenerationStrategy,
    Job,
    JobList,
    ParallelTaskHomogeneousProfile,
    ParallelTaskProfile,
    Request,
    SendProfile,
    SequentialCompositionProfile,
)
from windtunnel.model.application import Elasticity, Phase
from windtunnel.testing import platform

CASES = [path.parent for path in cases("golden/elastisim", "*/*/jobs.json")]


def plain(jobs):
    """Jobs without the names of the files of their applications."""
    return [replace(job, profile=replace(job.profile, id="")) for job in jobs]


SOME = [pytest.param(one, marks=() if rank % 5 == 0 else pytest.mark.slow) for rank, one in enumerate(CASES)]


@pytest.mark.parametrize("folder", SOME, ids=lambda path: path.name)
def test_what_was_read_comes_out_as_it_was(folder, tmp_path):
    try:
        jobs = read_jobs(folder / "jobs.json")
    except InputError:
        assert folder.name.startswith("refuse")
        return
    lost = write_jobs(jobs, tmp_path / "again.json")
    assert lost == []
    assert plain(read_jobs(tmp_path / "again.json")) == plain(jobs)


def rigid(number, profile, hosts=2, **more):
    return Job(id=f"w0!{number}", request=Request(hosts), profile=profile, **more)


SPREAD = GenerationStrategy.DefinedAmountsSpreadUniformly
PROFILES = [
    DelayProfile(id="w0!d", delay=0.123456789),
    ParallelTaskProfile(id="w0!p", computation_vector=(2e9, 1e9), communication_matrix=(0.0, 1e8, 2e7, 0.0)),
    ParallelTaskProfile(id="w0!v", computation_vector=(2e9, 1e9)),
    ParallelTaskHomogeneousProfile(id="w0!h", computation_amount=1e9, communication_amount=3e7),
    ParallelTaskHomogeneousProfile(
        id="w0!t", computation_amount=1e9, communication_amount=3e7, generation_strategy=SPREAD
    ),
    ParallelTaskHomogeneousProfile(
        id="w0!b",
        computation_amount=1e9,
        communication_amount=3e7,
        generation_strategy=GenerationStrategy.Batsim4Total,
    ),
    SequentialCompositionProfile(id="w0!s", profile_ids=("w0!d", "w0!p"), repetition_count=3),
]


def test_other_workloads_last_as_long_as_before(tmp_path):
    profiles = {profile.id: profile for profile in PROFILES}
    jobs = [rigid(rank, one, submission_time=20.0 * rank) for rank, one in enumerate(PROFILES)]
    work = JobList("w0", jobs, profiles)
    assert write_jobs(work, tmp_path / "jobs.json") == []
    assert len(list((tmp_path / "jobs.models").iterdir())) == len(PROFILES)
    again = read_jobs(tmp_path / "jobs.json")
    before, after = (wt.simulate(star(2), one, "fcfs").jobs["execution_time"].to_list() for one in (work, again))
    assert after == pytest.approx(before, abs=2e-6)
    assert min(before) > 0.1


def test_a_log_of_delays_shares_one_model(tmp_path, capsys):
    assert main(["convert", "poisson:40?hosts=8&seed=1", str(tmp_path / "j.json"), "--to", "elastisim"]) == 0
    assert [path.name for path in (tmp_path / "j.models").iterdir()] == ["0.json"]
    log = wt.read_workload("poisson:40?hosts=8&seed=1")
    again = wt.read_workload(tmp_path / "j.json")
    one, other = (wt.simulate(platform(8), work, "fcfs").jobs for work in (log, again))
    assert other["starting_time"].to_list() == pytest.approx(one["starting_time"].to_list(), abs=1e-5)
    assert convert(tmp_path / "j.json", tmp_path / "k.json", to="elastisim") == []
    assert plain(wt.read_workload(tmp_path / "k.json")) == plain(again)


def test_a_log_made_elastic_runs_the_same_from_files(tmp_path):
    log = wt.arrange("lublin:60?hosts=32&seed=3").with_elasticity(0.5, speedup="downey", average=0.8, cost=3.0)
    lost = write_jobs(log, tmp_path / "jobs.json")
    assert all("jobs: " in text for text in lost)
    again = read_jobs(tmp_path / "jobs.json")
    one, other = (wt.simulate("hosts:32", work, "elastic/average-steal").jobs for work in (log, again))
    names = [name.split("!")[1] for name in one["id"]]
    ranks = {job.name: rank for rank, job in enumerate(log)}
    ends = dict(zip((ranks[name] for name in names), one["finish_time"], strict=True))
    assert {int(name): end for name, end in zip(other["job_id"], other["finish_time"], strict=True)} == pytest.approx(
        ends
    )


def test_amounts_keep_all_their_digits(tmp_path):
    phase = Phase(tasks=(pause(1e-7), pause(1.123456789), work(3.0)), iterations=2)
    jobs = [elastic("0", phase), elastic("1", phase, kind=Elasticity.RIGID, most=1)]
    write_jobs(JobList("w0", jobs), tmp_path / "jobs.json")
    phases = [one.profile.application.phases[0] for one in read_jobs(tmp_path / "jobs.json")]
    found = [[task.load.amount for task in one.tasks[:2]] for one in phases]
    assert found == [["1e-07", "1.123456789"], [1e-7, 1.123456789]]


def test_what_is_lost_is_said(tmp_path):
    jobs = [
        rigid("a", DelayProfile(id="w0!d", delay=3.0, return_code=2), walltime=4.5, user="ann"),
        rigid("b", DelayProfile(id="w0!d", delay=3.0), dependencies=("w0!a",)),
    ]
    lost = write_jobs(JobList("w0", jobs), tmp_path / "jobs.json")
    words = sorted(text.split(": ")[1].split()[0] for text in lost)
    assert words == ["ElastiSim", "ElastiSim", "return", "users,", "walltimes"]
    assert json.loads((tmp_path / "jobs.json").read_text())["jobs"][0]["walltime"] == 5


def test_what_has_no_form_is_refused_and_nothing_is_written(tmp_path):
    jobs = [rigid("a", SendProfile(id="w0!s", message={}))]
    with pytest.raises(UsageError, match="'w0!s' has no form in ElastiSim: Send"):
        write_jobs(JobList("w0", jobs), tmp_path / "jobs.json")
    with pytest.raises(UsageError, match="asks for no hosts"):
        write_jobs(JobList("w0", [rigid("a", PROFILES[0], hosts=0)]), tmp_path / "jobs.json")
    assert list(tmp_path.iterdir()) == []
