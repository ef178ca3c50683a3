"""Arranged logs on a site that shares nodes: their jobs take cores, as those of the log itself do."""

import pytest

import windtunnel as wt
from windtunnel.workloads.sizing import Sizing

HEAD = "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|State\n"
SITE = "ClusterName=x\nSelectType=select/cons_tres\nNodeName=n[1-2] CPUs=8\nPartitionName=p Nodes=ALL Default=YES\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "slurm.conf").write_text(SITE)
    rows = (
        f"{k}|u|a|p|2024-01-01T00:{k:02}:00|2024-01-01T01:00:00|2024-01-01T02:00:00|{600 * (1 + k % 5)}|120|"
        f"{1 + k % 11}|COMPLETED\n"
        for k in range(1, 31)
    )
    (tmp_path / "jobs.txt").write_text(HEAD + "".join(rows))
    lines = (f"{k} {k * 60} -1 600 3 -1 -1 3 900 -1 1 1 1 1 1 1 -1 -1\n" for k in range(1, 9))
    (tmp_path / "more.swf").write_text("".join(lines))
    return tmp_path


def started(run):
    return run.jobs.select("id", "starting_time", "finish_time", "allocated_resources").rows()


@pytest.mark.parametrize("scheduler", ["slurm", "easy", "conservative", "fcfs"])
def test_a_log_that_is_only_arranged_runs_as_it_is(files, scheduler):
    site, log = files / "slurm.conf", files / "jobs.txt"
    plain = wt.simulate(site, log, scheduler)
    arranged = wt.simulate(site, wt.arrange(wt.read_workload(log)), scheduler)
    applied = wt.simulate(site, log, scheduler, operations=["first(30)"])
    assert started(arranged) == started(applied) == started(plain)
    assert not [line for line in arranged.account if line.kind == "cores-in-vain"]


def test_sizes_that_are_changed_are_cores_too(files):
    log = wt.read_workload(files / "jobs.txt")
    half = wt.arrange(log, "to_hosts(8)") if log.hosts else wt.arrange(log)
    found = half.with_cores(8).in_parts()
    for job in found:
        cores = dict(job.request.amounts)["cores"]
        assert job.request.hosts == -(-job.request.processors // 8)
        assert cores * job.request.hosts >= job.request.processors > (cores - 1) * job.request.hosts
    assert found.cores_in_vain() is None
    assert found.first(5).sizing == Sizing()  # of what is arranged further nobody knows the hosts yet


def test_jobs_of_logs_that_take_whole_hosts_do_so_beside_the_others(files):
    merged = wt.arrange(wt.read_workload(files / "jobs.txt")).merge(wt.read_workload(files / "more.swf"))
    found = merged.with_cores(8).in_parts()
    parted = [bool(job.request.amounts) for job in found if "!1:" not in job.id]
    whole = [job.request.amounts for job in found if "!1:" in job.id]
    assert (len(parted), all(parted), len(whole), any(whole)) == (30, True, 8, False)
    vain = found.cores_in_vain()
    assert (vain.jobs, vain.number) == (8, 8 * 5)
