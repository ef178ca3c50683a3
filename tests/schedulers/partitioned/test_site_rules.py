"""Other schedulers on a Slurm site: licences, MinNodes, MaxCPUsPerNode, exclusive nodes, and budgets over time."""

import random
from math import inf

import pytest
from msgspec.structs import replace

from windtunnel.api import simulate
from windtunnel.formats.registry import read_platform
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.model.slurm import Association, JobAsk, Limits
from windtunnel.schedulers.packing.forms import packing
from windtunnel.schedulers.partitioned.component import Partitioned
from windtunnel.schedulers.partitioned.foreign import Foreign
from windtunnel.schedulers.registry import make_scheduler
from windtunnel.vocabulary import ExecuteJob

CONF = """ClusterName=two
SelectType=select/cons_tres
Licenses=lic:3
AccountingStorageEnforce=limits
NodeName=n[1-3] CPUs=8 RealMemory=8000
PartitionName=main Nodes=ALL Default=YES
PartitionName=few Nodes=ALL MaxCPUsPerNode=5
PartitionName=pair Nodes=ALL MinNodes=2
PartitionName=alone Nodes=ALL OverSubscribe=EXCLUSIVE
"""


def site(tmp_path, more="", limits=None):
    (tmp_path / "slurm.conf").write_text(CONF + more)
    read = read_platform(tmp_path / "slurm.conf", format="slurm")
    if limits is None:
        return read
    members = (
        Association(account="root"),
        Association(account="lab", parent="root", limits=limits),
        Association(account="lab", user="ann"),
    )
    return replace(read, site=replace(read.site, associations=members))


def job(name, cores=1, seconds=100.0, at=0.0, walltime=600.0, **ask):
    return Job(
        id=f"w0!{name}",
        request=Request(1, processors=cores, amounts=(("cores", float(cores)),)),
        profile=DelayProfile(delay=seconds),
        submission_time=at,
        walltime=walltime,
        user="ann",
        group="lab",
        ask=JobAsk(user="ann", account="lab", tasks=cores, **ask),
    )


def played(platform, *given, scheduler="easy"):
    run = simulate(platform, JobList("w0", list(given)), scheduler)
    return run, {row["id"].removeprefix("w0!"): row for row in run.jobs.iter_rows(named=True)}


def test_licences_are_never_given_twice(tmp_path):
    given = [job(str(k), licences={"lic": 2}) for k in range(3)]
    _, rows = played(
        site(tmp_path), *given, job("four", licences={"lic": 4}), job("one", at=5.0, licences={"lic": 1})
    )
    assert [rows[str(k)]["starting_time"] for k in range(3)] == [0, 100, 200]
    assert rows["one"]["starting_time"] == 5
    assert rows["1"]["metadata"] == "Held back for a limit: Licenses"
    assert rows["four"]["final_state"] == "REJECTED"


@pytest.mark.parametrize("scheduler", ["easy", "batsched/filler"])
def test_a_job_gets_as_many_nodes_as_its_partition_requires(tmp_path, scheduler):
    named = job("named", partitions=("pair",), min_nodes=1, max_nodes=1)
    _, rows = played(site(tmp_path), job("a", 4, partitions=("pair",)), named, scheduler=scheduler)
    assert rows["a"]["allocated_resources"] == "0-1"
    assert rows["named"]["final_state"] == "REJECTED"


def test_exclusive_partitions_and_jobs_have_nodes_whole(tmp_path):
    given = [job("p", partitions=("alone",)), job("j", exclusive=True), job("a"), job("b")]
    _, rows = played(site(tmp_path), *given)
    hosts = {name: rows[name]["allocated_resources"] for name in ("p", "j", "a", "b")}
    assert hosts["a"] == hosts["b"]
    assert len({hosts["p"], hosts["j"], hosts["a"]}) == 3
    assert {row["starting_time"] for row in rows.values()} == {0}
    assert (rows["p"]["host_share"], rows["a"]["host_share"]) == (None, 0.125)  # no share: it has the host whole


class Spy:
    """Notes the starts that another component decides."""

    def __init__(self, inner):
        self.inner, self.starts, self.honours = inner, {}, inner.honours

    def hello(self):
        return self.inner.hello()

    def stop(self):
        self.inner.stop()

    def decide(self, now, notices):
        reply = self.inner.decide(now, notices)
        self.starts |= {one.job_id: one.amounts for one in reply.decisions if isinstance(one, ExecuteJob)}
        return reply


@pytest.mark.parametrize("name", ["easy", "conservative", "fcfs", "filler"])
def test_jobs_of_a_partition_never_use_more_of_a_node_than_it_may(tmp_path, name):
    platform = site(tmp_path)
    used = 0
    for seed in range(4):
        draw = random.Random(seed)
        now, given = 0.0, []
        for number in range(80):
            now += draw.choice([0, 0, 10, 60])
            where = draw.choice(["few", "main", "few", "alone"])
            cores = draw.choice([1, 2, 3, 5])
            seconds = draw.choice([30.0, 100.0, 400.0])
            given.append(job(str(number), cores, seconds, now, partitions=(where,)))
        spy = Spy(Partitioned(packing(make_scheduler(name))))
        run = simulate(platform, JobList("w0", given), spy)
        rows = {row["id"]: row for row in run.jobs.iter_rows(named=True)}
        assert {row["final_state"] for row in rows.values()} == {"COMPLETED_SUCCESSFULLY"}
        changes = []
        for one in given:
            if one.ask.partitions == ("few",):
                row = rows[one.id]
                for host, taken in spy.starts[one.id].items():
                    changes.append((row["starting_time"], 1, host, taken["cores"]))
                    changes.append((row["finish_time"], 0, host, -taken["cores"]))
        held = {}
        for _, _, host, cores in sorted(changes):
            held[host] = held.get(host, 0) + cores
            assert held[host] <= 5
            used = max(used, held[host])
    assert used == 5


def test_a_job_of_more_cores_than_its_partition_gives_of_a_node_spreads(tmp_path):
    _, rows = played(site(tmp_path), job("a", 8, partitions=("few",)))
    assert rows["a"]["allocated_resources"] == "0-1"


def test_what_others_take_counts_beyond_what_is_not_for_the_partition_anyway():
    foreign = Foreign({0: 3})  # of 8 cores it may use 5
    jobs = {name: job(name) for name in "abc"}
    told = {name: foreign.started(jobs[name], {0: {"cores": 2.0, "memory": 7.0}}) for name in "abc"}
    assert [told[name][0]["cores"] for name in "abc"] == [0, 1, 2]
    assert told["a"][0]["memory"] == 7
    changed = foreign.ended("w0!a")  # 4 are left, 1 of them in the way: it is told of one that has told more
    assert [(one.id, amounts[0]["cores"]) for one, amounts in changed] == [("w0!c", 0.0)]
    assert foreign.ended("w0!c") == [(jobs["b"], {0: {"cores": 0.0, "memory": 7.0}})]
    assert foreign.ended("w0!nobody") == []


NO_DECAY = "PriorityType=priority/multifactor\nPriorityDecayHalfLife=0\n"
DECAY = "PriorityType=priority/multifactor\nPriorityDecayHalfLife=01:00:00\nPriorityCalcPeriod=00:05:00\n"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(grp_tres_mins={"cpu": 20}), "AssocGrpCPUMinutesLimit"),
        (Limits(grp_wall=20), "AssocGrpWallLimit"),
    ],
)
def test_budgets_over_time(tmp_path, limits, reason):
    given = [job("a", seconds=1300.0, walltime=1800.0), job("late", at=2000.0, walltime=600.0)]
    if limits.grp_tres_mins:  # a request that exceeds the budget alone is refused at once
        given[0] = replace(given[0], walltime=1200.0, profile=DelayProfile(delay=1200.0))
    _, rows = played(site(tmp_path, NO_DECAY, limits), *given)
    assert (rows["a"]["starting_time"], rows["late"]["final_state"]) == (0, "REJECTED")
    assert rows["late"]["metadata"] == f"its budget is used up: {reason}"
    run, rows = played(site(tmp_path, DECAY, limits), *given)
    assert rows["late"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert not [line.reason for line in run.account if "budgets" in line.reason]


def test_a_budget_recovers_at_the_ticks_of_decay(tmp_path):
    limits = Limits(grp_wall=20)
    given = [job("a", seconds=3600.0, walltime=7200.0), job("late", at=3700.0)]
    _, rows = played(site(tmp_path, DECAY, limits), *given)
    start = rows["late"]["starting_time"]
    assert start > 3700
    assert start % 300 == 0
    assert rows["late"]["metadata"] == "Held back for a limit: AssocGrpWallLimit"
    # 60 min, less what decays by 0.693/3600 each second, are below 20 min after somewhat less than two half-lives
    assert 3600 < start < 3600 + 2 * 3600


def test_a_budget_of_nothing_lets_nothing_run(tmp_path):
    _, rows = played(site(tmp_path, DECAY, Limits(grp_wall=0)), job("a"))
    assert rows["a"]["final_state"] == "REJECTED"


def test_the_account_says_what_is_kept_and_what_is_not(tmp_path):
    platform = site(tmp_path, DECAY, Limits(grp_wall=20))
    given = [job("a", licences={"lic": 1}), job("b", exclusive=True), job("c", exclusive_user=True)]
    words = (
        "licences",
        "MinNodes",
        "MaxCPUsPerNode",
        "EXCLUSIVE",
        "budgets",
        "exclusive nodes",
        "exclusive to their",
    )
    run, _ = played(platform, *given)
    told = [line.reason for line in run.account if not line.note]
    assert [word for word in words if any(word in reason for reason in told)] == ["exclusive to their"]
    kept = next(line.reason for line in run.account if line.kind == "kept-to-site")
    assert "CPUs per node" in kept
    assert "over time" in kept
    run, _ = played(platform, *given, scheduler="batsched/filler")
    told = [line.reason for line in run.account if not line.note]
    assert any("MaxCPUsPerNode" in reason and "gives whole hosts" in reason for reason in told)


def test_jobs_without_a_time_limit_end_with_what_their_account_gives_them(tmp_path):
    _, rows = played(site(tmp_path, limits=Limits(max_wall_per_job=5)), job("a", seconds=1000.0, walltime=inf))
    assert rows["a"]["finish_time"] == 300
