"""Leases as jobs and jobs as leases."""

from math import inf, nextafter

import msgspec
import pytest

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.formats.convert import convert
from windtunnel.formats.haizea.lwf import read_lwf
from windtunnel.formats.haizea.lwf_jobs import read_lwf_jobs, write_lwf_jobs
from windtunnel.formats.haizea.lwf_write import write_lwf
from windtunnel.formats.registry import read_platform
from windtunnel.model.job import Job, Request
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseSite, LeaseWorkload, NodeSet, When
from windtunnel.model.lease_batch import as_batch
from windtunnel.model.profiles import DelayProfile, ParallelTaskHomogeneousProfile
from windtunnel.model.workload import JobList
from windtunnel.testing import job, workload

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
        "5 leases may be preempted",
        "2 leases start at a given time, jobs then or later",
        "1 leases have a deadline",
        "1 leases start at once or never, as jobs they may wait",
        "1 leases need a disk image",
    ]


def test_leases_survive_the_way_through_jobs(lwf, tmp_path):
    assert write_lwf_jobs(read_lwf_jobs(lwf), tmp_path / "again.lwf") == []
    assert read_lwf(tmp_path / "again.lwf").leases == WORK.leases


def test_a_scheduler_that_knows_leases_sees_them(lwf):
    run = wt.simulate("hosts:8", lwf, "leases")
    starts = {name: float(row["starting_time"]) for name, row in rows(run).items() if row["starting_time"]}
    assert starts["2"] == 500.0
    assert wt.simulate("hosts:8", lwf, "easy").metrics.jobs == 5


def test_a_batch_scheduler_sees_walltimes_earliest_starts_and_amounts(lwf):
    """decisions.md 32."""
    jobs = {job.name: job for job in as_batch(read_lwf_jobs(lwf))}
    assert (jobs["1"].walltime, jobs["1"].profile.delay) == (100, 60.5)
    assert jobs["2"].walltime == nextafter(100.0, inf)  # what lasts just as long is not killed
    assert [jobs[name].submission_time for name in "12345"] == [0, 500, 50, 20, 20]
    assert dict(jobs["1"].request.amounts) == {"cores": 1.0, "memory": 512 * 2.0**20}
    assert dict(jobs["4"].request.amounts) == {"cores": 0.5}
    for scheduler in ("easy", "conservative", "filler"):
        run = wt.simulate("hosts:8", lwf, scheduler)
        starts = {name: float(row["starting_time"]) for name, row in rows(run).items()}
        assert (starts["2"], starts["3"]) == (500.0, 50.0)
        assert {float(row["requested_time"]) for row in rows(run).values()} == {100.0, 9.0}
        kinds = {"not-honoured", "not-described"}
        asked = {line.reason.partition(":")[0] for line in run.account if line.kind in kinds}
        assert {
            "leases start at a given time, jobs then or later",
            "leases start at once or never, as jobs they may wait",
            "leases have a deadline",
            "leases may be preempted",
            "leases need a disk image",
            "leases ask for memory of each host",
        } <= asked


def test_leases_backfill_by_their_walltime(tmp_path):
    """The fourth lease fits before the third, which waits for all nodes: it is known when it ends."""
    work = LeaseWorkload(
        name="w",
        site=LeaseSite((CPU, MEMORY), (NodeSet(2, NODE),)),
        leases=[
            Lease(id=1, submit=0.0, nodes=(NodeSet(1, NODE),), duration=100.0),
            Lease(id=2, submit=1.0, nodes=(NodeSet(2, NODE),), duration=100.0),
            Lease(id=3, submit=2.0, nodes=(NodeSet(1, NODE),), duration=50.0),
        ],
    )
    write_lwf(work, tmp_path / "w.lwf")
    starts = {
        name: row["starting_time"] for name, row in rows(wt.simulate(tmp_path / "w.lwf", scheduler="easy")).items()
    }
    assert starts == {"1": "0.000000", "2": "100.000000", "3": "2.000000"}


def test_leases_are_planned_as_leases_unless_told_otherwise(lwf):
    run = wt.simulate(lwf)
    assert run.state.facts["schedulers"] == ["leases"]
    assert run.hosts == 8
    assert {name: row["starting_time"] for name, row in rows(run).items()}["2"] == "500.000000"


def test_the_site_of_a_workload_comes_back_whole(tmp_path):
    ponies = {CPU: (100, 100), MEMORY: (1024,), "Ponies": (4,)}
    work = msgspec.structs.replace(
        WORK, description="why", attributes={"a": "b"}, site=LeaseSite((CPU, MEMORY, "Ponies"), (NodeSet(4, ponies),))
    )
    write_lwf(work, tmp_path / "a.lwf")
    assert convert(tmp_path / "a.lwf", tmp_path / "b.lwf") == []
    assert (tmp_path / "b.lwf").read_bytes() == (tmp_path / "a.lwf").read_bytes()


def test_a_site_is_a_platform(tmp_path):
    nodes = '<nodes><node-set numnodes="2"><res type="CPU" amount="200"/><res type="Memory" amount="1024"/></node-set></nodes>'
    (tmp_path / "nodes.xml").write_text(nodes)
    (tmp_path / "site.xml").write_text(f'<site><resource-types names="CPU Memory"/>{nodes}</site>')
    for name in ("nodes.xml", "site.xml"):
        platform = read_platform(tmp_path / name)
        assert [(host.name, host.cores, host.resources["memory"]) for host in platform.hosts] == [
            ("node1", 2, 2.0**30),
            ("node2", 2, 2.0**30),
        ]
        assert wt.simulate(tmp_path / name, workload(job(1))).metrics.jobs == 1


def rows(run):
    import csv
    import io

    return {row["job_id"]: row for row in csv.DictReader(io.StringIO(run.read("jobs.csv").decode()))}


def test_swf_becomes_leases(tmp_path):
    log = tmp_path / "log.swf"
    log.write_text("; MaxProcs: 4\n7 0 -1 50 2 -1 -1 2 60 -1 1 9 1 -1 1 -1 -1 -1\n")
    assert convert(log, tmp_path / "log.lwf") == ["1 job in groups or queues: leases have none"]
    (lease,) = read_lwf(tmp_path / "log.lwf").leases
    assert (lease.numnodes, lease.duration, lease.real_duration, lease.user) == (2, 60, 50, 9)
    assert lease.nodes[0].amounts == {CPU: (100,)}


def test_what_leases_cannot_say_of_jobs(tmp_path):
    delay = DelayProfile(id="w!d", delay=5.0)
    work = ParallelTaskHomogeneousProfile(id="w!p", computation_amount=1e9)
    jobs = [
        Job(id="w!1", request=Request(hosts=1), profile=delay, user="ada"),
        Job(id="w!2", request=Request(hosts=1), profile=work, walltime=60.0, dependencies=("w!1",)),
        Job(id="w!4", request=Request(hosts=1), profile=delay, walltime=4.0),
        Job(id="w!5", request=Request(hosts=1), profile=delay, walltime=6.0),
    ]
    assert write_lwf_jobs(JobList("w", jobs), tmp_path / "w.lwf") == [
        "1 job without walltime: the lease's duration is what they run",
        "1 job of users whose name is not a number",
        "1 job whose profile is not a delay: they run as long as their walltime",
        "1 job with dependencies: they are submitted without waiting",
        "1 job that run into their walltime: their leases end then as others do",
    ]
    endless = Job(id="w!3", request=Request(hosts=1), profile=work)
    with pytest.raises(UsageError, match="job w!3 has neither a walltime nor a delay"):
        write_lwf_jobs(JobList("w", [endless]), tmp_path / "w.lwf")


def test_times_that_no_lease_lasts_are_refused(tmp_path):
    """They were written, and nobody could read them; or the writer broke."""
    for walltime in (1e200, 1.7e308):
        endless = Job(id="w!1", request=Request(1), profile=DelayProfile(5.0), walltime=walltime)
        with pytest.raises(UsageError, match=r"job w!1: no time of a lease lasts 1\.\d{3}e\+\d+ seconds"):
            write_lwf_jobs(JobList(name="w", jobs=(endless,)), tmp_path / "w.lwf")
    assert not list(tmp_path.iterdir())


def test_names_that_xml_cannot_hold_are_left_out(tmp_path):
    odd = Job(id="w!a\0b", request=Request(1), profile=DelayProfile(5.0), walltime=9.0)
    lost = write_lwf_jobs(JobList(name="w", jobs=(odd,)), tmp_path / "w.lwf")
    assert lost == ["1 job whose names have characters that XML cannot hold: the names are left out"]
    assert [lease.extras for lease in read_lwf(tmp_path / "w.lwf").leases] == [{}]
