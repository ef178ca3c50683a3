"""Leases as jobs and jobs as leases."""

import pytest

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.formats.convert import convert
from windtunnel.formats.haizea.lwf import read_lwf
from windtunnel.formats.haizea.lwf_jobs import read_lwf_jobs, write_lwf_jobs
from windtunnel.formats.haizea.lwf_write import write_lwf
from windtunnel.model.job import Job, Request
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseSite, LeaseWorkload, NodeSet, When
from windtunnel.model.profiles import DelayProfile, ParallelTaskHomogeneousProfile
from windtunnel.model.workload import JobList

NODE = {CPU: (100,), MEMORY: (512,)}
WORK = LeaseWorkload(
    name="w",
    site=LeaseSite((CPU, MEMORY), (NodeSet(8, NODE),)),
    leases=[
        Lease(id=1, submit=0.0, nodes=(NodeSet(2, NODE),), duration=100.0, real_duration=60.5, user=3),
        Lease(id=2, submit=10.0, nodes=(NodeSet(4, NODE),), start=500.0, duration=100.0),
        Lease(id=3, submit=10.0, nodes=(NodeSet(1, NODE),), start=50.0, duration=100.0, deadline=900.0),
        Lease(id=4, submit=20.0, nodes=(NodeSet(1, {CPU: (50,)}),), start=When.NOW, duration=9.0),
        Lease(id=5, submit=20.0, nodes=(NodeSet(1, NODE),), duration=9.0, software=DiskImage("a", 1)),
    ],
)


@pytest.fixture
def lwf(tmp_path):
    path = tmp_path / "w.lwf"
    write_lwf(WORK, path)
    return path


def test_leases_as_jobs_say_what_is_lost(lwf, tmp_path):
    jobs = read_lwf_jobs(lwf)
    assert [(job.id, job.request.hosts, job.profile.delay) for job in jobs][:2] == [
        ("w0!1", 2, 60.5),
        ("w0!2", 4, 100),
    ]
    assert (jobs.hosts, len(jobs), jobs[0].user) == (8, 5, "3")
    assert convert(lwf, tmp_path / "w.json") == [
        "1 advance reservations are jobs that may start as soon as they are submitted",
        "1 deadline leases are jobs without start and deadline",
        "1 immediate leases are jobs that may wait",
        "1 leases with a disk image are jobs without",
        "1 leases have less than a whole node (or differing nodes): their jobs have whole hosts",
    ]


def test_leases_survive_the_way_through_jobs(lwf, tmp_path):
    assert write_lwf_jobs(read_lwf_jobs(lwf), tmp_path / "again.lwf") == []
    assert read_lwf(tmp_path / "again.lwf").leases == WORK.leases


def test_a_scheduler_that_knows_leases_sees_them(lwf):
    run = wt.simulate("hosts:8", lwf, "leases")
    starts = {name: float(row["starting_time"]) for name, row in rows(run).items() if row["starting_time"]}
    assert starts["2"] == 500.0
    assert wt.simulate("hosts:8", lwf, "easy").metrics.jobs == 5


def rows(run):
    import csv
    import io

    return {row["job_id"]: row for row in csv.DictReader(io.StringIO(run.read("jobs.csv").decode()))}


def test_swf_becomes_leases(tmp_path):
    log = tmp_path / "log.swf"
    log.write_text("; MaxProcs: 4\n7 0 -1 50 2 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1\n")
    assert convert(log, tmp_path / "log.lwf") == []
    (lease,) = read_lwf(tmp_path / "log.lwf").leases
    assert (lease.numnodes, lease.duration, lease.real_duration, lease.user) == (2, 60, 50, 9)
    assert lease.nodes[0].amounts == {CPU: (100,)}


def test_what_leases_cannot_say_of_jobs(tmp_path):
    delay = DelayProfile(id="w!d", delay=5.0)
    work = ParallelTaskHomogeneousProfile(id="w!p", computation_amount=1e9)
    jobs = [
        Job(id="w!1", request=Request(hosts=1), profile=delay, user="ada"),
        Job(id="w!2", request=Request(hosts=1), profile=work, walltime=60.0, dependencies=("w!1",)),
    ]
    assert write_lwf_jobs(JobList("w", jobs), tmp_path / "w.lwf") == [
        "1 jobs without walltime: the lease's duration is what they run",
        "1 users whose name is not a number",
        "1 jobs whose profile is not a delay: they run as long as their walltime",
        "1 jobs with dependencies: they are submitted without waiting",
    ]
    endless = Job(id="w!3", request=Request(hosts=1), profile=work)
    with pytest.raises(UsageError, match="job w!3 has neither a walltime nor a delay"):
        write_lwf_jobs(JobList("w", [endless]), tmp_path / "w.lwf")
