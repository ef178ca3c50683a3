"""Schedulers kept to the partitions and limits of a Slurm site: no job elsewhere, no limit exceeded at any time."""

import random
import sys
from math import inf

import pytest
from msgspec.structs import replace

from windtunnel.api import Simulation, simulate
from windtunnel.diagnostics import ComponentError
from windtunnel.formats.registry import read_platform
from windtunnel.model import DelayProfile, EventList, ExternalEvent, HostSet, Job, JobList, Request
from windtunnel.model.slurm import Association, JobAsk, Limits, Qos
from windtunnel.schedulers.packing.forms import packing
from windtunnel.schedulers.partitioned.component import Partitioned, can_be_partitioned
from windtunnel.schedulers.registry import make_scheduler
from windtunnel.vocabulary import ExecuteJob, RejectJob, Reply, TurnOnOffHosts

SCHEDULERS = ["easy", "conservative", "fcfs", "filler", "batsched/filler"]
CONF = """ClusterName=two
SelectType=select/{select}
AccountingStorageEnforce=limits
NodeName=n[1-6] CPUs=4 RealMemory=4000
NodeName=g[1-3] CPUs=8 RealMemory=8000 Gres=gpu:2
GresTypes=gpu
PartitionName=main Nodes=n[1-6] Default=YES MaxTime=60 MaxNodes=4 PriorityTier=2
PartitionName=all Nodes=ALL MaxTime=120 DenyAccounts=guests
PartitionName=short Nodes=n[1-6] MaxTime=10 PriorityTier=3
PartitionName=gpu Nodes=g[1-3] AllowQos=normal,fast
PartitionName=shut Nodes=n1 State=DRAIN
"""
MEMBERS = (
    Association(account="root"),
    Association(account="phys", parent="root", limits=Limits(grp_tres={"cpu": 24, "node": 5})),
    Association(account="bio", parent="root", limits=Limits(grp_jobs=4, max_wall_per_job=50)),
    Association(account="guests", parent="root", limits=Limits(grp_tres_run_mins={"cpu": 900})),
    Association(account="phys", user="ann", limits=Limits(max_jobs=2)),
    Association(account="bio", user="bob"),
    Association(account="bio", user="cid", limits=Limits(max_tres_per_job={"cpu": 8})),
    Association(account="guests", user="dan"),
)
QOS = (
    Qos(name="normal"),
    Qos(name="fast", limits=Limits(max_tres_per_user={"cpu": 16}, max_jobs_per_user=3, grp_tres={"gres/gpu": 4})),
    Qos(name="slow", limits=Limits(max_wall_per_job=30, max_submit_jobs_per_user=6)),
)
ACCOUNTS = {"ann": "phys", "bob": "bio", "cid": "bio", "dan": "guests", "eve": ""}


def site(tmp_path, select="linear"):
    (tmp_path / "slurm.conf").write_text(CONF.format(select=select))
    read = read_platform(tmp_path / "slurm.conf", format="slurm")
    return replace(read, site=replace(read.site, associations=MEMBERS, qos=QOS))


def jobs(seed, parts):
    draw = random.Random(seed)
    made, now = [], 0.0
    for number in range(120):
        now += draw.choice([0, 0, 20, 90, 300])
        user = draw.choice([*ACCOUNTS])
        hosts = draw.choice([1, 1, 2, 3, 5])
        amounts = []
        if parts:
            amounts = [("cores", float(draw.choice([1, 2, 4])))]
            amounts += [("gpus", float(draw.choice([1, 2])))] * (draw.random() < 0.2)
        minutes = draw.choice([5, 10, 30, 45, 70, None])
        partitions = draw.choice([(), ("main",), ("all",), ("short",), ("gpu",), ("short", "main"), ("shut",)])
        ask = JobAsk(
            user=user, account=ACCOUNTS[user], partitions=partitions, qos=draw.choice(["", "normal", "fast", "slow"])
        )
        made.append(
            Job(
                id=f"w0!{number}",
                request=Request(hosts, amounts=tuple(amounts)),
                profile=DelayProfile(delay=draw.choice([30.0, 200.0, 900.0, 2600.0, 9000.0])),
                submission_time=now,
                walltime=inf if minutes is None else minutes * 60.0,
                user=user,
                group=ACCOUNTS[user],
                ask=ask,
            )
        )
    return JobList("w0", made)


class Spy:
    """A component that notes the starts another decides."""

    def __init__(self, inner):
        self.inner, self.starts = inner, {}

    @property
    def honours(self):
        return self.inner.honours

    def hello(self):
        return self.inner.hello()

    def stop(self):
        self.inner.stop()

    def decide(self, now, notices):
        reply = self.inner.decide(now, notices)
        for one in reply.decisions:
            if isinstance(one, ExecuteJob):
                self.starts[one.job_id] = now, one
        return reply


def held_by(job, decision, platform):
    """Independent of the gate: what a job has on the hosts it got."""
    hosts, amounts = decision.hosts, decision.amounts
    whole = sum(platform.hosts[host].cores for host in hosts)
    cores = whole if amounts is None else sum(taken["cores"] for taken in amounts.values())
    gpus = dict(job.request.amounts).get("gpus", 0.0) * len(hosts)
    return {"cpu": cores, "gres/gpu": gpus}, set(hosts)


def groups_of(job):
    """The names under which a job counts."""
    account, qos = ACCOUNTS[job.user], job.ask.qos or "normal"
    found = {("qos", qos), ("user", qos, job.user)}
    if account:
        found |= {("account", account), ("member", job.user)}
    return found


def limits_now(name):
    """Limits of what one of these holds at once: jobs, then TRES."""
    if name[0] == "qos":
        limits = next(one.limits for one in QOS if one.name == name[1])
        return limits.grp_jobs, limits.grp_tres
    if name[0] == "user":
        limits = next(one.limits for one in QOS if one.name == name[1])
        return limits.max_jobs_per_user, limits.max_tres_per_user
    members = [one for one in MEMBERS if (one.account == name[1] and not one.user) or one.user == name[-1]]
    limits = members[0].limits
    if name[0] == "account":
        return limits.grp_jobs, limits.grp_tres
    return limits.max_jobs, {}


def check_laws(run, spy, platform, workload):
    """Every start against the partition, and every instant against the limits."""
    parts = {one.name: one for one in platform.site.partitions}
    rows = {row["id"]: row for row in run.jobs.iter_rows(named=True)}
    known = {job.id: job for job in workload}
    changes = []
    for job_id, (start, decision) in spy.starts.items():
        job, end = known[job_id], rows[job_id]["finish_time"]
        names = {platform.hosts[host].name for host in decision.hosts}
        allowed = job.ask.partitions or ("main",)
        assert any(_fits(parts[name], names, end - start, job) for name in allowed), job_id
        tres, hosts = held_by(job, decision, platform)
        bio = ACCOUNTS[job.user] == "bio"
        given = 30 if job.ask.qos == "slow" else 50 if bio else None  # MaxWall: of jobs that ask for no time
        limit = given if given and job.walltime == inf else (
            min((parts[name].max_time for name in allowed if parts[name].max_time is not None), default=10**6)
            if job.walltime == inf
            else job.walltime / 60
        )
        for name in groups_of(job):
            changes += [(start, 1, name, 1, tres, hosts, limit), (end, 0, name, -1, tres, hosts, limit)]
        if bio:
            assert limit <= 50
        assert end - start <= (given or inf) * 60
        if job.user == "cid":
            assert tres["cpu"] <= 8
    held = {}
    for _, _, name, sign, tres, hosts, limit in sorted(changes, key=lambda change: change[:2]):
        count, table, nodes = held.setdefault(name, [0, {}, []])
        held[name][0] = count + sign
        for key, amount in {**tres, "run": tres["cpu"] * limit}.items():
            table[key] = table.get(key, 0) + sign * amount
        nodes.append(hosts) if sign > 0 else nodes.remove(hosts)
        most, most_tres = limits_now(name)
        assert most is None or held[name][0] <= most
        for key, amount in most_tres.items():
            assert (len(set().union(*nodes)) if key == "node" else table.get(key, 0)) <= amount, (name, key)
        if name == ("account", "guests"):
            assert table["run"] <= 900
    return len(spy.starts)


def _fits(part, names, ran, job):
    inside = part.nodes is None or names <= set(part.nodes)
    short = part.max_time is None or ran <= part.max_time * 60 + 1e-6
    few = part.max_nodes is None or len(names) <= part.max_nodes
    account, qos = ACCOUNTS[job.user], job.ask.qos or "normal"
    let_in = account not in part.deny_accounts and (part.allow_qos is None or qos in part.allow_qos)
    return inside and short and few and let_in and part.state == "UP"


@pytest.mark.parametrize("select", ["linear", "cons_tres"])
@pytest.mark.parametrize("name", SCHEDULERS)
def test_laws(tmp_path, name, select):
    platform = site(tmp_path, select)
    parts = select == "cons_tres" and name != "batsched/filler"
    started = 0
    for seed in range(3):
        workload = jobs(seed, parts)
        scheduler = make_scheduler(name)
        spy = Spy(Partitioned(packing(scheduler) if parts else scheduler))
        run = simulate(platform, workload, spy)
        started += check_laws(run, spy, platform, workload)
        states = set(run.jobs["final_state"].to_list())
        assert states <= {"COMPLETED_SUCCESSFULLY", "COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED", "REJECTED"}
    assert started > 90


@pytest.mark.parametrize("name", ["easy", "conservative"])
def test_laws_where_no_limit_counts_nodes(tmp_path, monkeypatch, name):
    """Jobs that have what they were charged with are not charged anew."""
    limits = Limits(grp_tres={"cpu": 24})
    fewer = tuple(replace(one, limits=limits) if "node" in one.limits.grp_tres else one for one in MEMBERS)
    monkeypatch.setattr(sys.modules[__name__], "MEMBERS", fewer)
    test_laws(tmp_path, name, "cons_tres")


def test_the_laws_are_broken_without_partitions(tmp_path):
    platform, workload = site(tmp_path), jobs(0, parts=False)
    spy = Spy(make_scheduler("easy"))
    run = simulate(platform, workload, spy)
    with pytest.raises(AssertionError):
        check_laws(run, spy, platform, workload)


def job(name, hosts=1, minutes=None, seconds=100.0, at=0.0, user="eve", **ask):
    account = ACCOUNTS[user]
    return Job(
        id=f"w0!{name}",
        request=Request(hosts),
        profile=DelayProfile(delay=seconds),
        submission_time=at,
        walltime=inf if minutes is None else minutes * 60.0,
        user=user,
        group=account,
        ask=JobAsk(user=user, account=account, **ask),
    )


def played(platform, *given, events=(), scheduler="easy"):
    run = simulate(platform, JobList("w0", list(given)), scheduler, events=events)
    return run, {row["id"].removeprefix("w0!"): row for row in run.jobs.iter_rows(named=True)}


def test_a_scheduler_by_name_is_kept_to_the_site_and_the_account_says_to_what(tmp_path):
    run, rows = played(site(tmp_path), job("a", 2, 5, partitions=("gpu",)), job("b", 3, 20, partitions=("main",)))
    assert (rows["a"]["allocated_resources"], rows["b"]["allocated_resources"]) == ("6-7", "0-2")
    told = {line.kind: line for line in run.account}
    assert told["kept-to-site"].note
    assert told["kept-to-site"].reason.startswith("easy decides, restricted to the site's partitions")
    rest = [line.reason for line in run.account if "the other rules of Slurm" in line.reason]
    assert [reason.partition(" (")[0] for reason in rest] == [
        "partitions have precedence over others",
    ]
    assert not [line for line in run.account if "partitions have nodes of their own" in line.reason]


REFUSED = [
    ({"partitions": ("shut",)}, "partition shut: it is DRAIN"),
    ({"minutes": 30, "partitions": ("short",)}, "partition short: PartitionTimeLimit"),
    ({"hosts": 5}, "partition main: PartitionNodeLimit"),
    ({"hosts": 4, "partitions": ("gpu",)}, "partition gpu: asks for 4 hosts, there are 3"),
    (
        {"partitions": ("gpu",), "qos": "slow"},
        "partition gpu: Job's QOS not permitted to use this partition (gpu allows",
    ),
    (
        {"partitions": ("all",), "user": "dan"},
        "partition all: Job's account not permitted to use this partition (all de",
    ),
    ({"user": "cid", "hosts": 3, "minutes": 10}, "partition main: AssocMaxCpuPerJobLimit"),
    ({"user": "bob", "minutes": 55}, "partition main: AssocMaxWallDurationPerJobLimit"),
    (
        {"partitions": ("short", "gpu"), "hosts": 7, "minutes": 5},
        "partition short: asks for 7 hosts, there are 6; partit",
    ),
]


@pytest.mark.parametrize(("asked", "reason"), REFUSED, ids=[one[1][10:32] for one in REFUSED])
def test_what_can_never_run_is_refused_with_the_reason(tmp_path, asked, reason):
    platform = site(tmp_path)
    spy = Spy(Partitioned(make_scheduler("easy")))
    decided = []
    inner = spy.decide
    spy.decide = lambda now, notices: (reply := inner(now, notices), decided.extend(reply.decisions))[0]
    simulate(platform, JobList("w0", [job("a", **asked), job("b")]), spy)
    assert [one.reason[: len(reason)] for one in decided if isinstance(one, RejectJob)] == [reason]


def test_a_job_of_several_partitions_goes_where_it_can(tmp_path):
    _, rows = played(site(tmp_path), job("a", minutes=90, partitions=("short", "all")), job("b", minutes=5))
    assert rows["a"]["final_state"] == rows["b"]["final_state"] == "COMPLETED_SUCCESSFULLY"


def test_without_a_limit_of_its_own_a_job_ends_at_that_of_its_partition(tmp_path):
    _, rows = played(site(tmp_path), job("a", seconds=5000.0), job("b", seconds=5000.0, partitions=("all",)))
    assert (rows["a"]["finish_time"], rows["a"]["final_state"]) == (3600, "COMPLETED_KILLED")
    assert (rows["b"]["finish_time"], rows["b"]["final_state"]) == (5000, "COMPLETED_SUCCESSFULLY")


def test_who_is_held_back_says_why_and_others_pass(tmp_path):
    """ann has two jobs at once; her third waits though nodes are free, and eve's goes before it."""
    mine = [job(str(k), minutes=5, user="ann") for k in range(3)]
    run, rows = played(site(tmp_path), *mine, job("e", minutes=5, at=10.0))
    starts = [rows[name]["starting_time"] for name in ("0", "1", "2", "e")]
    assert starts == [0, 0, 100, 10]
    assert rows["2"]["metadata"] == "Held back for a limit: AssocMaxJobsLimit"
    assert not run.jobs["success"].to_list().count(0)


def test_hosts_that_go_and_come_back(tmp_path):
    platform = site(tmp_path)
    went = ExternalEvent(timestamp=50.0, kind="machine_unavailable", hosts=HostSet([0, 1, 2, 3, 4, 5, 6]))
    back = ExternalEvent(timestamp=500.0, kind="machine_available", hosts=HostSet([0, 6]))
    given = [job("m", at=60.0, minutes=5), job("g", at=60.0, minutes=5, partitions=("gpu",), hosts=3)]
    _, rows = played(platform, *given, events=[EventList(name="x", events=(went, back))])
    assert (rows["m"]["starting_time"], rows["m"]["allocated_resources"]) == (500, "0")
    assert (rows["g"]["starting_time"], rows["g"]["allocated_resources"]) == (500, "6-8")


@pytest.mark.parametrize(
    ("name", "can"), [("easy", True), ("slurm", False), ("datacenters", False), ("leases", False)]
)
def test_who_can_be_kept(name, can):
    assert can_be_partitioned(make_scheduler(name)) == can


class Switcher(type(make_scheduler("easy"))):
    def schedule(self, view):
        yield TurnOnOffHosts(hosts=HostSet([0]), state=0)

    def decide(self, now, notices):
        return Reply(now, list(self.schedule(None)))


def test_hosts_are_not_switched(tmp_path):
    with pytest.raises(ComponentError, match="hosts are switched that belong to other partitions too"):
        simulate(site(tmp_path), JobList("w0", [job("a")]), Switcher())


def test_a_run_is_forked_and_goes_on(tmp_path):
    workload = jobs(1, parts=False)
    whole = simulate(site(tmp_path), workload, "easy").jobs
    half = Simulation(platform=site(tmp_path), workload=workload, scheduler="easy")
    half.run_until(3000.0)
    assert half.fork().run().jobs["starting_time"].to_list() == whole["starting_time"].to_list()
