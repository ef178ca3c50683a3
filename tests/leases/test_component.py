"""The lease manager as a decision component on the common engine: the same outcomes as in its own loop."""

import csv
import io

import pytest

import haizea_cases
import windtunnel as wt
from shared import cases
from some_cases import some_slow
from windtunnel.leases.component import LeaseManager
from windtunnel.leases.jobs import site_of
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, LeaseState, NodeSet
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_platform import platform_of_site

LEFT_OUT = ("immediate_suspended",)
"""It stops before its leases are over."""
CASES = [path for path in cases("golden/haizea", "*.json.gz") if not any(part in path.name for part in LEFT_OUT)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("haizea")


def rows(run):
    found = {}
    for row in csv.DictReader(io.StringIO(run.read("jobs.csv").decode())):
        found.setdefault(int(row["job_id"].partition("#")[0]), []).append(row)
    return found


@pytest.mark.golden
@pytest.mark.parametrize("path", some_slow(CASES, every=3), ids=lambda path: path.name.removesuffix(".json.gz"))
def test_recorded_cases_on_the_engine(path, folder):
    case, config, site, leases = haizea_cases.load(path, folder)
    if case["error"] is not None:
        return  # told in test_haizea_outcomes.py
    work = LeaseJobs(leases)
    found = rows(wt.simulate(platform_of_site(site), work, LeaseManager(config.options)))
    for lease in case["leases"]:
        last = found[lease["id"]][-1]
        if lease["start"] is None:
            assert last["final_state"] == "REJECTED"
            continue
        ran = lease["vms"][-1]
        assert float(last["starting_time"]) == lease["start"]
        assert float(last["finish_time"]) == ran["end"]
        assert haizea_cases.hosts(last["allocated_resources"]) == ran["pnodes"]


def test_any_workload_can_be_scheduled_as_leases():
    theirs = rows(wt.simulate("hosts:4", batch(), "conservative"))
    ours = rows(wt.simulate("hosts:4", batch(), LeaseManager(backfilling="conservative")))
    assert {n: row[0]["starting_time"] for n, row in ours.items()} == {
        n: row[0]["starting_time"] for n, row in theirs.items()
    }


def test_a_lease_is_requested_anew_whatever_became_of_it_elsewhere():
    site = LeaseSite((CPU, MEMORY), (NodeSet(1, {CPU: (100,), MEMORY: (1024,)}),))
    over = Lease(id=1, nodes=(NodeSet(1, {CPU: (100,)}),), duration=60, state=LeaseState.MIGRATING)
    (row,) = rows(wt.simulate(platform_of_site(site), LeaseJobs([over]), LeaseManager()))[1]
    assert (row["final_state"], float(row["finish_time"])) == ("COMPLETED_SUCCESSFULLY", 60.0)


def batch():
    from windtunnel.model import DelayProfile, Job, JobList, Request

    jobs = [
        Job(
            id=f"w!{n}",
            request=Request(hosts=1 + n % 3),
            profile=DelayProfile(id=f"w!{n}", delay=50.0 + n),
            submission_time=10.0 * n,
            walltime=100.0,
        )
        for n in range(12)
    ]
    return JobList("w", jobs)


def test_jobs_without_walltime_are_named():
    from windtunnel.model import DelayProfile, Job, JobList, Request

    job = Job(id="w!1", request=Request(hosts=1), profile=DelayProfile(id="w!1", delay=1.0))
    with pytest.raises(wt.WindtunnelError, match="job w!1 has no walltime"):
        wt.simulate("hosts:4", JobList("w", [job]), "leases")


def test_virtual_nodes_of_a_lease_may_share_a_host():
    site = LeaseSite((CPU, MEMORY), (NodeSet(1, {CPU: (100,), MEMORY: (1024,)}),))
    work = [
        Lease(id=1, nodes=(NodeSet(2, {CPU: (30,), MEMORY: (512,)}),), duration=60),
        Lease(id=2, nodes=(NodeSet(1, {CPU: (40,), MEMORY: (0,)}),), duration=60),
    ]
    run = wt.simulate(platform_of_site(site), LeaseJobs(work), LeaseManager())
    found = [(float(row["starting_time"]), row["allocated_resources"]) for (row,) in rows(run).values()]
    assert found == [(0.0, "0")] * 2
    shares = list(csv.DictReader(io.StringIO(run.read("shares.csv").decode())))
    assert [row["shares"] for row in shares] == ["0:cores=0.6", "0:cores=0.4"]


def test_options_are_checked():
    with pytest.raises(wt.UsageError, match="no option 'backfiling'"):
        LeaseManager(backfiling="off")
    with pytest.raises(wt.UsageError, match=r"backfilling must be one of off, aggressive, .*, not 'on'"):
        LeaseManager(backfilling="on")
    assert LeaseManager(**{"shutdown-time": "12.5"}).options.shutdown_time == 12.5


def test_a_site_comes_back_from_its_platform():
    site = LeaseSite((CPU, MEMORY), (NodeSet(2, {CPU: (200,), MEMORY: (512,)}),))
    assert site_of(platform_of_site(site)) is site
    plain = site_of(wt.Platform.uniform(3, 2))
    assert (plain.numnodes, plain.nodes[0].amounts[CPU]) == (3, (200,))


def test_whatever_hosts_have_is_there_to_be_leased():
    has = {"memory": 1.5 * 2**30, "disk": 2.0**40, "gpu:a100": 2.0}
    hosts = tuple(wt.model.Host(id=n, name=f"n{n}", cores=2, resources=has) for n in range(2))
    platform = wt.Platform(name="mixed", hosts=hosts)
    site = site_of(platform)
    assert site.resource_types == (CPU, MEMORY, "Disk", "gpu:a100")
    assert site.nodes == (NodeSet(2, {CPU: (200,), MEMORY: (1536,), "Disk": (2**20,), "gpu:a100": (2,)}),)
    assert site_of(wt.Platform(name="again", hosts=platform_of_site(site).hosts)) == site
    half = NodeSet(1, {CPU: (50,), MEMORY: (1024,), "gpu:a100": (1,)})
    leases = [Lease(id=n, nodes=(half,), duration=60.0) for n in (1, 2, 3)]
    run = wt.simulate(platform, LeaseJobs(leases), LeaseManager())
    assert [float(row["starting_time"]) for (row,) in rows(run).values()] == [0.0, 0.0, 60.0]
