"""Packing by cores: any scheduler of whole hosts, with cores shown to it as hosts."""

import json
from bisect import bisect_right
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import windtunnel as wt
from environments import machine
from windtunnel.api import Options, Simulation
from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.model import EventList, ExternalEvent, Host, HostSet, JobState, Platform, PowerState, Request
from windtunnel.schedulers.by_core import ByCore
from windtunnel.testing import InvariantChecker, Scripted, job, platform, workload
from windtunnel.vocabulary import (
    CallMeLater,
    ChangeHostsPState,
    Execute,
    ExecuteJob,
    JobCompleted,
    JobResumed,
    JobSubmitted,
    JobSuspended,
    OneShot,
    RequestedCall,
    ResumeJob,
    SimulationBegins,
    SuspendJob,
)


def by_processors(name, processors, run=10.0, at=0.0, walltime=20.0):
    made = job(name, 1, run, at, walltime)
    return replace(made, request=Request(hosts=-(-processors // 4), processors=processors))


def run(jobs, scheduler="easy", hosts=2, **options):
    checker = InvariantChecker(sharing=True)
    simulation = Simulation(
        platform(hosts, cores=4), workload(*jobs), scheduler, share_hosts=True, observers=[checker], **options
    )
    simulation.run()
    return {row[0].partition("!")[2]: row[1:] for row in checker.rows}


def test_jobs_share_a_host_by_cores_and_no_core_is_given_twice():
    rows = run([by_processors("a", 3), by_processors("b", 1), by_processors("c", 4), by_processors("d", 2)])
    assert rows["a"][1:] == (0.0, 10.0, "0")
    assert rows["b"][1:] == (0.0, 10.0, "0")
    assert rows["c"][1:] == (0.0, 10.0, "1")
    assert rows["d"][1:] == (10.0, 20.0, "0")


def test_without_sharing_each_has_hosts_of_its_own():
    checker = InvariantChecker()
    jobs = [by_processors("a", 3), by_processors("b", 1), by_processors("c", 4)]
    Simulation(platform(2, cores=4), workload(*jobs), "easy", observers=[checker]).run()
    assert {row[0]: row[2] for row in checker.rows} == {"w0!a": 0.0, "w0!b": 0.0, "w0!c": 10.0}


def test_a_job_may_be_spread_and_whole_host_jobs_count_all_cores():
    rows = run([by_processors("a", 6), job("whole", 1, 5.0, walltime=9.0)])
    assert rows["a"][1:] == (0.0, 10.0, "0-1")
    assert rows["whole"][1] == 10.0


def test_a_whole_host_job_on_cores_of_several_hosts_is_refused_with_the_reason():
    with pytest.raises(SimulationError, match="is given 2 in parts: only a job that counts processors can be spread"):
        run([by_processors("a", 3, 40.0, walltime=50.0), by_processors("b", 2), job("whole", 1, 5.0, 1.0, 9.0)])


@pytest.mark.parametrize("scheduler", ["fcfs", "conservative", "filler", "batsched/easy_bf", "batsim5/easy"])
def test_other_schedulers_pack_too(scheduler):
    rows = run([by_processors(str(i), 1 + i % 4, run=3.0 + i, walltime=99.0) for i in range(30)], scheduler)
    assert len(rows) == 30
    assert all(row[0] is JobState.COMPLETED_SUCCESSFULLY for row in rows.values())


def test_unavailable_hosts_take_their_cores_with_them():
    events = EventList(
        name="we0",
        events=(
            ExternalEvent(timestamp=0.0, kind="machine_unavailable", hosts=HostSet.parse("0")),
            ExternalEvent(timestamp=50.0, kind="machine_available", hosts=HostSet.parse("0")),
        ),
    )
    rows = run([by_processors("a", 4, at=1.0), by_processors("b", 1, at=2.0)], events=[events], options=Options())
    assert rows["a"][3] == "1"
    assert rows["b"][1] == 11.0


# -- environments ---------------------------------------------------------------------------------------------------


def environment(folder, schedulers, cores=(4, 2), events=()):
    """A datacenter for each scheduler, with one machine for each number of cores."""
    datacenters = []
    for rank, scheduler in enumerate(schedulers):
        cpus = [[{"clock-rate": 1e9, "cores": number}] for number in cores]
        units = [machine(10 * rank + number, cpus=cpu) for number, cpu in enumerate(cpus)]
        rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": units}]}]
        datacenters.append({"id": rank, "rooms": rooms, "operational": {"scheduler": {"name": scheduler}}})
    path = folder / "e.json"
    path.write_text(json.dumps({"environment": {"datacenters": datacenters}, "events": list(events)}))
    return path


def swf(folder, *jobs):
    """``jobs`` are (submission, run, processors); all ask for 20 s."""
    lines = [
        f"{number} {at} -1 {run} {size} -1 -1 {size} 20" + " -1" * 9 for number, (at, run, size) in enumerate(jobs, 1)
    ]
    path = folder / "w.swf"
    path.write_text("\n".join(lines) + "\n")
    return path


def rows_of(site, jobs, scheduler, **options):
    checker = InvariantChecker(sharing=True)
    Simulation(site, jobs, scheduler, share_hosts=True, observers=[checker], **options).run()
    return {row[0].partition("!")[2]: row[2:] for row in checker.rows}


def test_an_environment_is_packed_by_the_cores_of_its_machines(tmp_path):
    """Machines of four and two cores; the second fails from 4 s to 6 s. 2 had a core of each, 3 the last one."""
    events = [
        {"type": "MACHINE_STATE_CHANGE", "time": 4, "machine": 1, "state": "FAILURE"},
        {"type": "MACHINE_STATE_CHANGE", "time": 6, "machine": 1, "state": "ACTIVE"},
    ]
    site = environment(tmp_path, ["easy"], events=events)
    rows = rows_of(
        site, swf(tmp_path, (0, 10, 3), (0, 10, 2), (0, 5, 1)), "easy", options=Options(on_failure="requeue")
    )
    assert rows == {
        "1": (0, 10, "0"),
        "2": (0, 4, "0-1"),
        "3": (0, 4, "1"),
        "3#1": (4, 9, "0"),  # on the one core that is left, while 2#1 waits for two
        "2#1": (6, 16, "1"),
    }


def test_the_stage_scheduler_packs_by_cores_anyway(tmp_path):
    site, jobs = environment(tmp_path, ["easy"]), swf(tmp_path, (0, 10, 3), (0, 10, 2), (0, 5, 1))
    rows = rows_of(site, jobs, "stage-scheduler")
    assert rows == {"1": (0, 10, "0"), "2": (0, 10, "1"), "3": (0, 5, "0")}


def test_the_schedulers_of_all_datacenters_pack_by_cores(tmp_path):
    """One machine of four cores each; the second datacenter goes over to first come, first served at 3 s."""
    events = [
        {
            "type": "DATACENTER_SCHEDULER_CHANGE",
            "time": 3,
            "datacenter": 1,
            "scheduler": {"name": "fcfs"},
        }
    ]
    site = environment(tmp_path, ["stage-scheduler", "easy"], cores=(4,), events=events)
    jobs = swf(tmp_path, (0, 10, 2), (0, 10, 2), (0, 10, 2), (0, 10, 2), (1, 5, 4), (1, 5, 2), (1, 5, 2))
    rows = rows_of(site, jobs, "datacenters", scheduler_options={"dispatch": "round-robin"})
    # Odd numbers go to the first datacenter, even ones to the second; two by two.
    assert {name: row[0] for name, row in rows.items()} == {"1": 0, "3": 0, "2": 0, "4": 0, "5": 10, "7": 15, "6": 10}
    assert {row[2] for name, row in rows.items() if name in "246"} == {"1"}


def test_what_is_about_machines_is_refused_by_name():
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            return [ChangeHostsPState(hosts=HostSet([5]), pstate=0)]
        return []

    with pytest.raises(UsageError, match="has no ChangeHostsPState: it is about machines"):
        run([by_processors("a", 2)], Scripted(script))


def test_suspended_jobs_keep_their_cores_in_mind():
    """a has cores 0 to 2 of host 0 for 2 s; from 5 s on it has cores of both hosts for the other 8."""
    seen = []

    def script(now, notices):
        made = []
        for n in notices:
            if isinstance(n, JobSubmitted):
                made += [Execute(n.job, HostSet([0, 1, 2])), CallMeLater(call_me_later_id="2", when=OneShot(2.0))]
            elif isinstance(n, JobSuspended | JobResumed | JobCompleted):
                seen.append((type(n).__name__, now, str(n.hosts)))
            elif isinstance(n, RequestedCall) and now == 2.0:
                made += [SuspendJob(job_id="w0!a"), CallMeLater(call_me_later_id="5", when=OneShot(5.0))]
            elif isinstance(n, RequestedCall):
                made.append(ResumeJob(job_id="w0!a", hosts=HostSet([3, 4, 5])))
        return made

    assert run([by_processors("a", 3)], Scripted(script))["a"][1:] == (0.0, 13.0, "0-1")
    assert seen == [("JobSuspended", 2.0, "0-2"), ("JobResumed", 5.0, "3-5"), ("JobCompleted", 13.0, "3-5")]


def test_jobs_that_ask_for_amounts_are_refused_by_name_for_others_schedulers():
    asking = job("a")
    asking = replace(asking, request=Request(1, amounts=(("gpus", 1.0),)))
    with pytest.raises(UsageError, match="packing by cores does not support"):
        run([asking], "batsched/easy_bf")


def test_a_job_of_no_hosts_has_no_part_of_any():
    """Else it would depend on when rows are written, so on forks, whether it has an (empty) row of shares."""
    work = workload(job(1, hosts=0, run=5.0, user="a"), job(2, hosts=1, run=20.0, user="b"), job(3, hosts=2, at=1.0))
    whole = wt.simulate("hosts:4x2", work, "easy", share_hosts=True)
    forked = wt.Simulation("hosts:4x2", work, "easy", share_hosts=True)
    forked.run_until(6.0)
    other = forked.fork()
    for run in (forked.run(), other.run()):
        for name in ("jobs.csv", "jobs_extra.csv", "shares.csv"):
            assert run.read(name) == whole.read(name)
    assert [line.split(",")[0] for line in whole.read("shares.csv").decode().splitlines()[1:]] == ["3", "2"]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.data())
def test_cores_are_counted_on_every_host(cores, data):
    """Whatever hosts have, and however scattered the cores are."""
    first = [0, *accumulate(cores)]
    given_out = data.draw(st.sets(st.integers(0, first[-1] - 1)))
    hosts = tuple(Host(id=i, name=f"host{i}", cores=count) for i, count in enumerate(cores))
    packed = ByCore(Scripted(lambda now, notices: [ExecuteJob("a", HostSet(given_out))] if now else None))
    packed.decide(0.0, [SimulationBegins(0.0, Platform(name="site", hosts=hosts))])
    counted = {}
    for number in sorted(given_out):
        host = bisect_right(first, number) - 1
        counted[host] = counted.get(host, 0) + 1
    (decision,) = packed.decide(1.0, []).decisions
    assert decision.hosts == HostSet(counted)
    assert {host: dict(taken) for host, taken in (decision.amounts or {}).items()} == {
        host: {"cores": count} for host, count in counted.items()
    }


def test_more_cores_than_fit_in_memory_are_refused():
    site = Platform(name="large", hosts=(Host(id=0, name="h", cores=10**12, pstates=(PowerState(1e9),)),))
    with pytest.raises(UsageError, match=r"1,000,000,000,000 are too many"):
        Simulation(site, workload(by_processors("a", 1)), "easy", share_hosts=True).run()


@pytest.mark.parametrize("policy", ["easy", "literature/sjf"])
def test_whole_hosts_that_differ_are_refused_by_name(policy):
    """As many cores as the largest host has were cores of two, which the engine refused without saying why."""
    site = Platform(name="s", hosts=tuple(Host(id=rank, name=f"h{rank}", cores=2 + 2 * rank) for rank in range(3)))
    with pytest.raises(UsageError, match="'w0!1' asks for whole hosts, and the hosts of this site differ in cores"):
        wt.simulate(site, workload(job(1, 1)), policy, share_hosts=True)
    everything = wt.simulate(site, workload(job(1, 3), job(2, 4)), policy, share_hosts=True)
    assert sorted(everything.jobs["final_state"]) == ["COMPLETED_SUCCESSFULLY", "REJECTED"]
    assert wt.simulate(site, workload(job(1, 1)), "stage-scheduler", share_hosts=True).jobs["success"].sum() == 1
