"""The slurm scheduler on the engine: its clocks, what it gives, what it refuses, and what it tells."""

import sys
from pathlib import Path

import msgspec
import pytest

import windtunnel as wt
from windtunnel.engine import Options
from windtunnel.model import EventList, ExternalEvent, HostSet
from windtunnel.model.slurm import (
    Association,
    Dependency,
    GresAsk,
    Limits,
    MainLoopSettings,
    OverSubscribe,
    Partition,
    PreemptSettings,
    PrioritySettings,
    Qos,
    SelectSettings,
)

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload


def rows(described, *jobs):
    """(start, hosts, state) of each job by name."""
    run = wt.simulate(platform(described), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


def starts(described, *jobs):
    return {name: row["starting_time"] for name, row in rows(described, *jobs).items()}


@pytest.mark.filterwarnings("ignore::windtunnel.diagnostics.AccountWarning")
@pytest.mark.parametrize("scheduler", ["slurm", "easy"])
def test_limits_that_jobs_ask_of_slurm_do_not_grow_by_checkpoints(scheduler):
    """550 s of work and five checkpoints of 20 s are more than the ten minutes asked for: that is told."""
    jobs = job("asks", 550, walltime=600, time_limit=10), job("asks-not", 550, walltime=600)
    options = Options(checkpoint_interval=100.0, checkpoint_cost=20.0)
    run = wt.simulate(platform(site()), workload(*jobs), scheduler, options=options)
    ended = {row["job_id"]: row["execution_time"] for row in run.jobs.to_dicts()}
    told = [line.count for line in run.account if "do not lengthen the time limits" in line.reason]
    assert (ended, told) == ({"asks": 600 if scheduler == "slurm" else 650, "asks-not": 650}, [1] * (scheduler == "slurm"))


def test_a_batch_job_waits_for_the_next_run_of_the_main_loop():
    described = site(main=MainLoopSettings(batch_sched_delay=3))
    assert starts(described, job("a", 100), job("b", 100, submit=1)) == {"a": 0.0, "b": 3.0}


def test_nodes_are_shared_by_cores_and_memory():
    found = rows(site(nodes=1), job("a", 100, tasks=4), job("b", 100, tasks=4), job("c", 100, tasks=1))
    assert [found[name]["starting_time"] for name in "ab"] == [0.0, 0.0]
    assert found["c"]["starting_time"] >= 100.0


def test_backfill_starts_what_delays_nobody():
    found = starts(
        site(nodes=2),
        job("long", 600, tasks=8),
        job("wide", 600, submit=1, tasks=16, walltime=600),
        job("short", 60, submit=2, tasks=8, walltime=60),
        job("too long", 1200, submit=2, tasks=8, walltime=1200),
    )
    assert found["short"] < 60
    assert found["wide"] == pytest.approx(600, abs=5)
    assert found["too long"] >= found["wide"] + 600


def test_gpus_are_given_where_they_are():
    from windtunnel.model.slurm import GresItem, SlurmNode

    nodes = (
        SlurmNode(name="n1", cpus=8, cores_per_socket=8, memory=8000, state="IDLE"),
        SlurmNode(
            name="n2", cpus=8, cores_per_socket=8, memory=8000, state="IDLE", gres=(GresItem(name="gpu", count=2),)
        ),
    )
    asks = {"tasks": 1, "gres_per_node": (GresAsk(name="gpu", count=1),)}
    found = rows(msgspec.structs.replace(site(), nodes=nodes), *(job(name, 100, **asks) for name in "abc"))
    assert {row["allocated_resources"] for row in found.values()} == {"1"}
    assert sorted(row["starting_time"] for row in found.values())[:2] == [0.0, 0.0]
    assert max(row["starting_time"] for row in found.values()) >= 100


def test_jobs_stay_in_their_partitions_and_tiers_go_first():
    parts = (
        Partition(name="main", nodes=("n1",), default=True),
        Partition(name="fast", nodes=("n1",), priority_tier=10),
    )
    found = starts(
        site(nodes=1, partitions=parts),
        job("running", 100, tasks=8),
        job("slow", 100, submit=1, tasks=8),
        job("quick", 100, submit=2, tasks=8, partitions=("fast",)),
    )
    assert found["quick"] < found["slow"]


def test_nodes_whose_memory_is_not_given_may_have_any():
    nodes = tuple(msgspec.structs.replace(node, memory=1) for node in site(nodes=2).nodes)
    described = site(nodes=2, select=SelectSettings(counts="CORE", memory=False))
    described = msgspec.structs.replace(described, nodes=nodes)
    found = starts(
        described,
        job("a", 100, tasks=16, memory_per_node=4000),
        job("b", 100, submit=1, tasks=8, memory_per_cpu=900),
        job("c", 100, submit=1, min_nodes=2, memory_per_cpu=900, min_cpus_per_node=8),
    )
    assert found["a"] == 0.0
    assert found["b"] >= 100
    assert found["c"] > found["b"]


def test_what_no_node_can_hold_is_refused_with_slurms_reason():
    jobs = job("a", 10, tasks=9, cpus_per_task=1, max_nodes=1, min_nodes=1), job("b", 10), job("c", 10, tasks=17)
    run = wt.simulate(platform(site(nodes=2)), workload(*jobs), "slurm")
    found = {row["job_id"]: row for row in run.jobs.to_dicts()}
    assert "Slurm refuses it: BadConstraints" in found["a"]["metadata"]
    assert "Slurm never starts it: PartitionConfig" in found["c"]["metadata"]
    assert found["b"]["starting_time"] == 0.0


def test_limits_keep_jobs_waiting_and_the_record_says_why():
    members = (
        Association(account="root"),
        Association(account="a", parent="root", limits=Limits(grp_jobs=1)),
        Association(account="a", user="ann", default=True),
    )
    described = site(associations=members, qos=(Qos(name="normal"),), enforce=("associations", "limits"))
    found = rows(described, job("a", 100), job("b", 100))
    assert found["a"]["starting_time"] == 0.0
    assert found["b"]["starting_time"] >= 100
    assert "AssocGrpJobsLimit" in found["b"]["metadata"]


def test_fair_share_prefers_who_has_used_less():
    members = (
        Association(account="root"),
        Association(account="a", parent="root"),
        Association(account="b", parent="root"),
        Association(account="a", user="ann", default=True, usage=1e6),
        Association(account="b", user="bob", default=True),
    )
    described = site(nodes=1, associations=members, priority=PrioritySettings(weight_fair_share=1000))
    found = starts(
        described,
        job("running", 100, tasks=8),
        job("of ann", 100, submit=1, tasks=8),
        job("of bob", 100, submit=2, tasks=8, user="bob"),
    )
    assert found["of bob"] < found["of ann"]


def test_fair_tree_ranks_users_at_ticks_and_not_when_jobs_end():
    members = (
        Association(account="root"),
        Association(account="a", parent="root"),
        Association(account="a", user="ann", default=True),
        Association(account="a", user="bob", default=True),
    )
    shares = PrioritySettings(weight_fair_share=1000, calc_period=300)
    described = site(nodes=1, associations=members, priority=shares, enforce=("associations", "limits"))

    def order(first):
        found = starts(
            described,
            job("used", 50, tasks=8),  # of ann, whose share is spent from the tick on
            job("running", 100, submit=first, tasks=8, user="eve"),
            job("of ann", 10, submit=first + 1, tasks=8),
            job("of bob", 10, submit=first + 2, tasks=8, user="bob"),
        )
        return sorted(("of ann", "of bob"), key=found.get)

    assert order(60) == ["of ann", "of bob"]
    assert order(310) == ["of bob", "of ann"]


@pytest.mark.parametrize("mode", ["CANCEL", "REQUEUE"])
def test_preempted_jobs_end_or_wait_again(mode):
    kinds = (Qos(name="normal"), Qos(name="low"), Qos(name="high", priority=10, preempt=("low",)))
    described = site(nodes=1, qos=kinds, preempt=PreemptSettings(type="qos", mode=(mode,)))
    found = rows(
        described,
        job("victim", 600, tasks=8, qos="low"),
        job("urgent", 60, submit=30, tasks=8, qos="high"),
    )
    assert found["victim"]["finish_time"] < 40
    assert found["urgent"]["starting_time"] < 40
    assert len(found) == (3 if mode == "REQUEUE" else 2)
    if mode == "REQUEUE":
        again = found["victim#2"]
        assert again["execution_time"] == 600
        assert again["starting_time"] >= found["victim"]["finish_time"] + 121


@pytest.mark.parametrize("where", ["nowhere", "cluster", "qos"])
def test_jobs_of_one_qos_preempt_each_other_by_priority_where_the_site_says_within(where):
    kinds = (Qos(name="normal", preempt_mode=("CANCEL", "WITHIN") if where == "qos" else None),)
    mode = ("CANCEL", "WITHIN") if where == "cluster" else ("CANCEL",)
    parts = (Partition(name="main", default=True), Partition(name="first", priority_job_factor=9))
    described = site(
        nodes=1,
        qos=kinds,
        partitions=parts,
        preempt=PreemptSettings(type="qos", mode=mode),
        priority=PrioritySettings(weight_partition=1000),
    )
    found = rows(
        described,
        job("victim", 600, tasks=8, qos="normal"),
        job("equal", 60, submit=10, tasks=8, qos="normal"),
        job("urgent", 60, submit=30, tasks=8, qos="normal", partitions=("first",)),
    )
    victim_ends, equal, urgent = (
        found["victim"]["finish_time"],
        *(found[n]["starting_time"] for n in ("equal", "urgent")),
    )
    if where == "nowhere":
        assert victim_ends == 600
        assert 600 <= urgent < equal
    else:
        assert 30 <= victim_ends <= urgent < 40 < equal


def test_a_suspended_job_goes_on_after_its_preemptor():
    parts = (Partition(name="lo", default=True), Partition(name="hi", priority_tier=10))
    described = site(
        nodes=1, partitions=parts, preempt=PreemptSettings(type="partition_prio", mode=("SUSPEND", "GANG"))
    )
    found = rows(
        described, job("victim", 600, tasks=8), job("urgent", 60, submit=30, tasks=8, partitions=("hi",), walltime=60)
    )
    assert 30 <= found["urgent"]["starting_time"] < 35
    assert found["victim"]["finish_time"] == pytest.approx(660, abs=5)


def test_a_victim_has_its_grace():
    kinds = (Qos(name="normal"), Qos(name="low", grace_time=20), Qos(name="high", priority=10, preempt=("low",)))
    described = site(nodes=1, qos=kinds, preempt=PreemptSettings(type="qos", mode=("CANCEL",)))
    found = rows(described, job("victim", 600, tasks=8, qos="low"), job("urgent", 60, submit=30, tasks=8, qos="high"))
    assert 50 <= found["victim"]["finish_time"] < 55
    assert found["urgent"]["starting_time"] >= found["victim"]["finish_time"]


def test_hosts_without_a_slurm_site_are_one_partition():
    run = wt.simulate("hosts:4x2", "lublin:50?hosts=8&seed=1", "slurm")
    assert run.complete
    assert len(run.jobs) == 50


def test_a_slurm_site_runs_under_slurm_by_default():
    run = wt.simulate(platform(site()), workload(job("a", 10)))
    assert run.state.facts["schedulers"] == ["slurm"]


def test_where_no_partition_is_the_default_jobs_go_to_the_first():
    parts = (Partition(name="one", nodes=("n1",)), Partition(name="two", nodes=("n2",)))
    assert rows(site(nodes=2, partitions=parts), job("a", 10))["a"]["allocated_resources"] == "0"


@pytest.mark.parametrize("settings", [{}, {"sched_interval": -1}])
def test_no_more_tasks_of_an_array_run_at_once_than_its_limit(settings):
    """By the main loop and by backfill: other jobs are not kept waiting, the record says why the tasks are."""
    tasks = [job(f"7_{k}", 100, array_limit=2, tasks=1) for k in range(6)]
    described = site(nodes=2, main=MainLoopSettings(batch_sched_delay=1, **settings))
    found = rows(described, *tasks, job("other", 50, tasks=1))
    begun = sorted(found[f"7_{k}"]["starting_time"] for k in range(6))
    assert begun[1] < 60
    assert begun[2] >= begun[0] + 100
    assert begun[4] >= begun[2] + 100
    assert found["other"]["starting_time"] < 60
    assert "JobArrayTaskLimit" in found["7_5"]["metadata"]


def test_partitions_for_root_and_for_reservations_alone_take_no_other_jobs():
    parts = (
        Partition(name="main", default=True),
        Partition(name="admin", root_only=True),
        Partition(name="kept", require_reservation=True),
    )
    found = rows(
        site(partitions=parts),
        job("a", 10, partitions=("admin",)),
        job("b", 10, partitions=("admin",), user="root"),
        job("c", 10, partitions=("kept",)),
        job("d", 10, partitions=("kept", "main")),
    )
    assert {name for name, row in found.items() if row["final_state"] == "REJECTED"} == {"a", "c"}
    assert "RootOnly" in found["a"]["metadata"]
    assert "ReservationRequired" in found["c"]["metadata"]


@pytest.mark.parametrize("scheduler", ["easy", "fcfs"])
def test_shared_cores_are_told_by_those_who_do_not_share_them(scheduler):
    parts = (Partition(name="main", default=True, over_subscribe=OverSubscribe.FORCE), Partition(name="other"))
    run = wt.simulate(platform(site(partitions=parts)), workload(job("a", 10)), scheduler)
    told = [line for line in run.account if "OverSubscribe=FORCE" in line.reason]
    assert len(told) == 1
    assert f"{scheduler} does not honour cores that jobs share" in told[0].reason


ASKS = {
    "array_limit": (2, "arrays limit how many of their tasks run at once"),
    "qos": ("high", "jobs name a QOS"),
    "exclude": (("n1",), "jobs name nodes, or exclude some"),
    "exclusive": (True, "jobs ask for exclusive nodes"),
    "contiguous": (True, "jobs ask for contiguous"),
    "begin": (50, "jobs have an earliest start time"),
    "nice": (5, "jobs ask for a priority"),
}


@pytest.mark.parametrize("field", ASKS)
def test_what_jobs_ask_a_slurm_for_is_told_under_others(field):
    value, reason = ASKS[field]
    work = workload(job("7_1", 10, **{field: value}))
    told = any(line.reason.startswith(reason) for line in wt.simulate(platform(site()), work, "easy").account)
    assert told is (field != "exclusive")  # kept to the site, easy gives whole nodes where that is asked
    assert not wt.simulate(platform(site()), work, "slurm").account


def waits(kind, array):
    return {"dependencies": (Dependency(kind=kind, job=array),), "tasks": 1}


def test_jobs_wait_for_all_tasks_of_an_array_or_for_their_own():
    tasks = [job(f"7_{k}", 100 * (k + 1), tasks=1) for k in range(3)]
    later = [job("any", 10, **waits("afterany", "7")), job("begun", 10, **waits("after", "7"))]
    own = [job(f"8_{k}", 10, **waits("aftercorr", "7")) for k in range(2)]
    found = starts(site(nodes=2), *tasks, *later, *own)
    assert 300 <= found["any"] < 310
    assert found["begun"] < 10
    assert 100 <= found["8_0"] < 110
    assert 200 <= found["8_1"] < 210


def test_limits_of_several_arrays_are_their_own():
    """Of each at most one task runs; jobs that are no tasks by name have a limit for themselves."""
    asked = {"array_limit": 1, "tasks": 1}
    found = starts(site(), *(job(name, 100, **asked) for name in ("7_1", "7_2", "9_1", "9_2", "x", "y")))
    assert sorted(when >= 100 for when in found.values()) == [False] * 4 + [True] * 2


def test_what_never_starts_is_rejected_when_nothing_can_happen(tmp_path):
    (tmp_path / "slurm.conf").write_text("NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2] MaxTime=60\n")
    (tmp_path / "log").write_text(
        "JobID|Submit|ElapsedRaw|NCPUS|NNodes|TimelimitRaw|Partition\n1|0|100|4|1|90|p\n2|10|100|4|1|30|p\n"
    )
    rows = wt.simulate(tmp_path / "slurm.conf", tmp_path / "log").jobs.sort("job_id").rows(named=True)
    assert [row["final_state"] for row in rows] == ["REJECTED", "COMPLETED_SUCCESSFULLY"]
    assert rows[0]["metadata"] == "Slurm never starts it: PartitionTimeLimit"
    # A job that waits for nodes to come back is not given up before they do.
    events = [(50.0, "machine_unavailable"), (5000.0, "machine_available")]
    outage = [ExternalEvent(timestamp=date, kind=kind, hosts=HostSet([0, 1])) for date, kind in events]
    there = EventList(name="e", events=tuple(outage))
    (tmp_path / "log").write_text("JobID|Submit|ElapsedRaw|NCPUS|NNodes|Partition\n1|0|20|4|1|p\n2|60|100|4|1|p\n")
    rows = wt.simulate(tmp_path / "slurm.conf", tmp_path / "log", events=[there]).jobs.sort("job_id").rows(named=True)
    assert [row["starting_time"] for row in rows] == [0, 5000]


def test_a_job_gets_what_its_request_comes_to_whatever_its_record_says_it_had():
    more = msgspec.structs.replace(job("more", 100, tasks=2), request=wt.model.Request(hosts=1, processors=8))
    found = rows(site(nodes=1), more, job("beside", 100, submit=1, tasks=6))
    assert found["more"]["host_share"] == 0.25
    assert found["beside"]["starting_time"] < 100


def test_a_job_that_cannot_meet_its_deadline_is_cancelled():
    # as recorded: six nodes for a minute by 70 s from now; they are not free, and after 10 s it is too late
    found = rows(
        site(nodes=1),
        job("long", 600, tasks=8, walltime=600),
        job("late", 10, submit=1, tasks=8, walltime=60, time_limit=1, deadline=71),
        job("next", 10, submit=2, tasks=8, dependencies=(Dependency(kind="afternotok", job="late"),)),
        job("in time", 10, submit=3, tasks=8, walltime=60, time_limit=1, deadline=700),
    )
    assert found["late"]["final_state"] == "REJECTED"
    assert found["late"]["metadata"] == "Slurm cancels it: DeadLine"
    assert found["next"]["final_state"] == "COMPLETED_SUCCESSFULLY"
    assert found["in time"]["starting_time"] == 610  # after next, which came before it


def test_a_job_without_a_limit_gets_what_is_left_until_its_deadline():
    from windtunnel.schedulers.slurm.jobs.pending import PendingJob
    from windtunnel.schedulers.slurm.loops.cancelling import cut, drop_hopeless, last_start
    from windtunnel.schedulers.slurm.loops.main_loop import main_pass
    from windtunnel.schedulers.slurm.state import State

    state = State(site(nodes=1), 1000)
    waiting = PendingJob(
        "a", 1, msgspec.structs.replace(job("a", 1).ask, tasks=1, deadline=1000 + 725), 1000, state.cluster
    )
    state.pending["a"] = waiting
    assert last_start(waiting) == 1725 - 60  # it runs for a minute at least
    state.watched.add("a")
    assert not drop_hopeless(state)
    assert cut(waiting.records[0], 30, 1700) == 1
    (started,) = main_pass(state).started
    assert (started.limit, started.holding.end) == (12, 1720)
    part = Partition(name="main", default=True, default_time=5)
    state = State(site(nodes=1, partitions=(part,)), 1000)
    assert last_start(PendingJob("b", 2, waiting.ask, 1000, state.cluster)) == 1725 - 300


@pytest.mark.parametrize("kills", [False, True])
def test_what_waits_in_vain_is_cancelled_where_the_site_says_so(kills):
    main = MainLoopSettings(batch_sched_delay=1, kill_invalid_depend=kills)
    found = rows(
        site(main=main),
        job("a", 10, tasks=1),
        job("b", 10, submit=1, tasks=1, dependencies=(Dependency(kind="afternotok", job="a"),)),
        job("c", 10, submit=2, tasks=1, dependencies=(Dependency(kind="afterany", job="b"),)),
        job("d", 10, submit=400, tasks=1),
    )
    told = "Slurm cancels it" if kills else "Slurm never starts it"
    assert found["b"]["metadata"] == f"{told}: DependencyNeverSatisfied"
    assert (found["c"]["final_state"] == "COMPLETED_SUCCESSFULLY") is kills


@pytest.mark.parametrize("where", ["none", "qos", "account"])
def test_jobs_below_a_threshold_of_priority_keep_no_nodes_from_others(where):
    limits = Limits(min_priority=4294901759)  # above that of all but the first
    described = site(
        nodes=2,
        enforce=("associations", "limits", "qos"),
        qos=(Qos(name="normal", limits=limits if where == "qos" else Limits()),),
        associations=(
            Association(account="root"),
            Association(account="lab", parent="root", limits=limits if where == "account" else Limits()),
            Association(account="lab", user="ann", default=True),
        ),
    )
    found = starts(
        described,
        job("long", 600, tasks=8, walltime=600),
        job("wide", 600, submit=1, tasks=16, walltime=600),
        job("longer", 1200, submit=2, tasks=8, walltime=1200),
    )
    assert (found["longer"] < 10) is (where != "none")  # it delays the wide one, which has no plan then


def test_why_tells_slurms_reasons_with_their_times():
    run = wt.simulate(
        platform(site(nodes=1)),
        workload(job("a", 600, tasks=8), job("b", 60, submit=1, tasks=8), job("c", 60, submit=2, tasks=8)),
        "slurm",
    )
    assert "the scheduler says: Slurm's Reason: Resources from 1 s\n" in str(run.why("b"))
    told = str(run.why("c"))
    assert "the scheduler says: Slurm's Reason: Priority from 2 s" in told
    assert "Resources from 600 s" in told
    assert "the scheduler says" not in str(run.why("a"))
