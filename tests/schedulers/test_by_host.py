"""Our schedulers plan around outages that are announced, host by host, with jobs that ask for parts of hosts too."""

import json
from math import inf
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.engine import Options
from windtunnel.model import EventList, ExternalEvent, HostSet, Request
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.host_plan import HostPlan
from windtunnel.testing import job, platform, workload
from windtunnel.vocabulary import Outages

OURS = ("fcfs", "filler", "easy", "conservative")
ALL = (*OURS, "stage-scheduler")


def outage(host: int, begin: float, end: float = inf, state: str = "MAINTENANCE") -> list[ExternalEvent]:
    def event(date: float, now: str) -> ExternalEvent:
        return ExternalEvent(timestamp=date, kind="machine_state", hosts=HostSet((host,)), attributes={"state": now})

    return [event(begin, state)] + ([] if end == inf else [event(end, "ACTIVE")])


def events(*outages: list[ExternalEvent]) -> EventList:
    return EventList(
        name="outages", events=tuple(sorted((e for one in outages for e in one), key=lambda e: e.timestamp))
    )


def starts(run: wt.Run) -> dict[str, float | None]:
    return {row["job_id"]: row["starting_time"] for row in run.jobs.iter_rows(named=True)}


def states(run: wt.Run) -> set[str]:
    return set(run.jobs["final_state"].to_list())


def parts(name: str | int, amounts: dict[str, float], hosts: int = 1, **more: float) -> wt.Job:
    made = job(name, hosts, **more)
    return replace(made, request=Request(hosts, amounts=tuple(amounts.items())))


def site(hosts: int = 2, cores: int = 4, **resources: float) -> wt.Platform:
    plain = platform(hosts, cores)
    return replace(plain, hosts=tuple(replace(host, resources=resources) for host in plain.hosts))


# --- outages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", ALL)
@pytest.mark.parametrize("state", ["MAINTENANCE", "HALT"])
def test_no_job_is_started_into_an_announced_outage(scheduler: str, state: str) -> None:
    jobs = workload(job(1, 1, 40, 0, 60), job(2, 1, 40, 1, 60), job(3, 2, 5, 2, 10))
    run = wt.simulate(platform(2), jobs, scheduler, events=events(outage(0, 50, 150, state)))
    assert states(run) == {"COMPLETED_SUCCESSFULLY"}
    assert not run.account
    assert run.jobs.filter(job_id="1")["allocated_resources"].item() == "1"


@pytest.mark.parametrize("scheduler", ALL)
def test_failures_come_without_a_word(scheduler: str) -> None:
    run = wt.simulate(
        platform(1), workload(job(1, 1, 40, 0, 60)), scheduler, events=events(outage(0, 20, 30, "FAILURE"))
    )
    assert run.jobs["final_state"].to_list() == ["COMPLETED_FAILED"]


@pytest.mark.parametrize("scheduler", ALL)
def test_jobs_without_walltime_are_not_held_back(scheduler: str) -> None:
    run = wt.simulate(platform(1), workload(job(1, 1, 40)), scheduler, events=events(outage(0, 50, 60)))
    assert starts(run) == {"1": 0.0}
    assert states(run) == {"COMPLETED_SUCCESSFULLY"}


@pytest.mark.parametrize("scheduler", ALL)
def test_what_no_host_stays_long_enough_for_is_rejected_with_the_reason(scheduler: str) -> None:
    run = wt.simulate(
        platform(1), workload(job(1, 1, 40, 0, 60), job(2, 1, 5, 1, 10)), scheduler, events=events(outage(0, 50))
    )
    assert starts(run) == {"1": None, "2": 1.0}
    reason = run.jobs.filter(job_id="1")["metadata"].item()
    assert "announced outages" in reason
    assert not run.account
    assert reason in str(run.why("1"))


@pytest.mark.parametrize("scheduler", ["easy", "stage-scheduler"])
def test_cores_and_datacenters_have_the_outages_of_their_hosts(tmp_path: Path, scheduler: str) -> None:
    jobs = workload(replace(job(1, 1, 40, 0, 60), request=Request(1, processors=1)), job(2, 1, 5, 1, 10))
    away = events(outage(0, 50, 150))
    assert starts(wt.simulate(platform(1, 4), jobs, scheduler, events=away, share_hosts=True)) == {
        "1": 150.0,
        "2": 1.0,
    }
    machines = [{"type": "MACHINE", "id": k, "cpus": [{"clock-rate": 1e9, "cores": 1}]} for k in (1, 2)]
    halls = [
        {
            "id": k,
            "rooms": [{"type": "SERVER", "objects": [{"type": "RACK", "units": [machine]}]}],
            "operational": {"scheduler": {"name": scheduler}},
        }
        for k, machine in enumerate(machines)
    ]
    happens = [
        {"type": "MACHINE_STATE_CHANGE", "time": time, "machine": 2, "state": state}
        for time, state in ((50, "MAINTENANCE"), (150, "ACTIVE"))
    ]
    (tmp_path / "e.json").write_text(json.dumps({"environment": {"datacenters": halls}, "events": happens}))
    run = wt.simulate(tmp_path / "e.json", workload(job(1, 1, 40, 0, 60), job(2, 1, 40, 1, 60)))
    assert states(run) == {"COMPLETED_SUCCESSFULLY"}
    assert starts(run) == {"1": 0.0, "2": 150.0}  # in the second hall, to which it was given


JOBS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 60), st.integers(0, 100), st.integers(1, 30)), min_size=1, max_size=12
)
OUTAGES = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 200), st.integers(1, 80)), min_size=1, max_size=5)


@pytest.mark.parametrize("scheduler", ALL)
@settings(max_examples=40)
@given(jobs=JOBS, away=OUTAGES)
def test_whatever_is_announced_nobody_is_there(
    scheduler: str, jobs: list[tuple[int, int, int, int]], away: list[tuple[int, int, int]]
) -> None:
    """Every job starts, and its walltime ends before any outage of its hosts begins."""
    last: dict[int, float] = {}
    periods = []
    for host, gap, length in away:  # one after the other on each host
        begin = last.get(host, 0.0) + gap
        last[host] = begin + length
        periods.append((host, begin, begin + length))
    work = workload(*(job(n, size, run, at, run + more) for n, (size, run, at, more) in enumerate(jobs)))
    run = wt.simulate(platform(4), work, scheduler, events=events(*(outage(*period) for period in periods)))
    assert states(run) == {"COMPLETED_SUCCESSFULLY"}
    for row in run.jobs.iter_rows(named=True):
        for host, begin, end in periods:
            if host in HostSet.parse(row["allocated_resources"].replace(" ", ",")):
                assert row["starting_time"] >= end or row["starting_time"] + row["requested_time"] <= begin + 1e-6


# --- the rules --------------------------------------------------------------------------------------------------------

FAR = events(outage(0, 1e7, 2e7))
"""An outage that concerns nobody, so that the same rules are followed host by host."""


@pytest.mark.parametrize("scheduler", ["fcfs", "filler"])
@given(jobs=JOBS)
def test_host_by_host_the_rules_are_the_same(scheduler: str, jobs: list[tuple[int, int, int, int]]) -> None:
    work = workload(*(job(n, size, run, at, run + more) for n, (size, run, at, more) in enumerate(jobs)))
    plain, by_host = (wt.simulate(platform(4), work, scheduler, events=lists) for lists in ((), FAR))
    assert starts(plain) == starts(by_host)


@pytest.mark.parametrize("scheduler", ["easy", "conservative"])
def test_the_first_waiting_job_is_not_delayed(scheduler: str) -> None:
    work = workload(
        job(1, 3, 100, 0, 100), job(2, 4, 10, 1, 10), job(3, 1, 99, 2, 200), job(4, 1, 90, 3, 90), job(5, 1, 5, 4, 5)
    )
    run = wt.simulate(platform(4), work, scheduler, events=FAR)
    assert starts(run) == {"1": 0.0, "2": 100.0, "3": 110.0, "4": 3.0, "5": 93.0}


def test_conservative_delays_nobody_and_easy_only_keeps_the_first() -> None:
    work = workload(
        job(1, 3, 100, 0, 100),
        job(2, 4, 10, 1, 10),
        job(3, 2, 50, 2, 50),
        job(4, 2, 300, 3, 300),
        job(5, 1, 150, 4, 150),
    )
    easy, conservative = (starts(wt.simulate(platform(4), work, one, events=FAR)) for one in ("easy", "conservative"))
    assert (easy["2"], conservative["2"]) == (100.0, 100.0)
    assert (easy["3"], conservative["3"]) == (110.0, 110.0)
    assert (easy["4"], conservative["4"]) == (110.0, 110.0)
    assert conservative["5"] == 160.0


# --- parts of hosts, where outages are announced ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", ALL)
def test_jobs_that_ask_for_parts_share_hosts(scheduler: str) -> None:
    work = workload(*(parts(n, {"cores": 2, "memory": 3}, run=10, walltime=20.0) for n in range(5)))
    run = wt.simulate(site(2, 4, memory=8.0), work, scheduler, events=FAR)
    assert sorted(starts(run).values()) == [0.0, 0.0, 0.0, 0.0, 10.0]
    assert not run.account
    assert run.state.facts["packing"] == "parts of hosts"


@pytest.mark.parametrize("scheduler", ALL)
@pytest.mark.parametrize("resource", ["memory", "gpus", "License:MATLAB"])
def test_every_amount_is_honoured(scheduler: str, resource: str) -> None:
    work = workload(*(parts(n, {"cores": 1, resource: 2}, run=10) for n in range(3)))
    run = wt.simulate(site(1, 4, **{resource: 4.0}), work, scheduler, events=FAR)
    assert sorted(starts(run).values()) == [0.0, 0.0, 10.0]


@pytest.mark.parametrize("scheduler", ALL)
def test_what_hosts_describe_and_none_has_is_rejected_and_what_none_describes_is_told(scheduler: str) -> None:
    asked = {"cores": 1, "memory": 99}, {"cores": 1, "ponies": 99}
    work = workload(*(parts(n, amounts, walltime=20.0) for n, amounts in enumerate(asked, 1)))
    run = wt.simulate(site(1, 4, memory=8.0), work, scheduler, events=FAR)
    assert starts(run) == {"1": None, "2": 0.0}
    assert [(line.kind, line.place) for line in run.account] == [("not-described", "w0!2")]
    assert "99 memory" in run.jobs.filter(job_id="1")["metadata"].item()
    assert "99 memory" in str(run.why("1"))


@pytest.mark.parametrize("scheduler", ["easy", "conservative"])
def test_jobs_backfill_in_what_is_left_of_hosts(scheduler: str) -> None:
    work = workload(
        parts(1, {"cores": 3}, run=100, walltime=100.0),
        parts(2, {"cores": 4}, run=10, at=1, walltime=10.0),
        parts(3, {"cores": 1}, run=99, at=2, walltime=200.0),
        parts(4, {"cores": 1}, run=90, at=3, walltime=90.0),
    )
    assert starts(wt.simulate(site(1, 4), work, scheduler, events=FAR)) == {
        "1": 0.0,
        "2": 100.0,
        "3": 110.0,
        "4": 3.0,
    }


@pytest.mark.parametrize("scheduler", OURS)
def test_whoever_asks_for_hosts_gets_them_whole(scheduler: str) -> None:
    work = workload(parts(1, {"cores": 1}, run=10, walltime=20.0), job(2, 2, 10, 0, 20), job(3, 1, 5, 1, 5))
    found = starts(wt.simulate(site(2, 4), work, scheduler, events=FAR))
    assert found["2"] == 10.0


@pytest.mark.parametrize("scheduler", OURS)
@settings(max_examples=40)
@given(
    jobs=st.lists(
        st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(0, 8), st.integers(1, 60), st.integers(0, 50)),
        max_size=12,
    )
)
def test_no_host_is_given_more_than_once(scheduler: str, jobs: list[tuple[int, int, int, int, int]]) -> None:
    """The engine refuses what hosts do not have: that all jobs end says that nothing was given twice."""
    work = workload(
        *(
            parts(n, {"cores": cores, "memory": memory}, hosts, run=run, at=at, walltime=run + 5.0)
            for n, (hosts, cores, memory, run, at) in enumerate(jobs)
        )
    )
    run = wt.simulate(site(3, 4, memory=8.0), work, scheduler, events=FAR)
    assert states(run) <= {"COMPLETED_SUCCESSFULLY"}


def test_hosts_are_woken_for_jobs_that_ask_for_parts(tmp_path: Path) -> None:
    hosts = "".join(
        f'<host id="h{n}" speed="1Gf,1Mf,1Gf,1Gf" core="4"><prop id="watt_per_state" value="90:190,9:9,100:100,100:100"/>'
        '<prop id="wattage_per_state" value="90:190:200,9:9:9,100:100:100,100:100:100"/>'
        '<prop id="sleep_pstates" value="1:2:3"/>'
        "</host>"
        for n in range(2)
    )
    (tmp_path / "p.xml").write_text(
        f'<?xml version="1.0"?><platform version="4.1"><zone id="z" routing="None">{hosts}</zone></platform>'
    )
    work = workload(parts(1, {"cores": 2}, run=10), *(parts(n, {"cores": 3}, run=10, at=5000) for n in (2, 3)))
    run = wt.simulate(
        tmp_path / "p.xml", work, "energy-idle-sleeper", scheduler_options={"idle_time": 10.0}, events=FAR
    )
    assert states(run) == {"COMPLETED_SUCCESSFULLY"}
    found = starts(run)
    assert found["1"] == 0.0
    assert 5000 <= found["2"] <= found["3"] <= 5010


def test_a_run_host_by_host_can_be_saved_and_forked(tmp_path: Path) -> None:
    work = workload(*(parts(n, {"cores": 3}, run=10, at=n, walltime=15.0) for n in range(6)))
    whole = starts(wt.simulate(site(), work, "conservative", events=FAR))
    simulation = wt.Simulation(site(), work, "conservative", events=FAR)
    simulation.run_until(8.0)
    simulation.save(tmp_path / "s")
    assert starts(simulation.fork().run()) == whole
    assert starts(wt.Simulation.restore(tmp_path / "s").run()) == whole


# --- the plan ---------------------------------------------------------------------------------------------------------


def test_a_plan_finds_the_first_date_at_which_enough_hosts_fit() -> None:
    plan = HostPlan(Demands(site(3, 4, memory=8.0).hosts), Outages({0: [(50.0, 60.0)]}))
    half = Need(1, (("cores", 2.0),), whole=False)
    assert plan.find(half, 100.0, 0.0) == (0.0, [1, 2])
    assert plan.find(replace(half, hosts=3), 100.0, 0.0) == (60.0, [0, 1, 2])
    plan.take((1,), 0.0, 30.0, {1: {"cores": 3.0}})
    plan.take((2,), 10.0, 20.0, None)
    assert plan.find(half, 10.0, 0.0) == (0.0, [0, 2])
    assert plan.find(half, 100.0, 0.0) == (20.0, [2])
    assert plan.find(replace(half, hosts=2), 100.0, 0.0) == (30.0, [1, 2])
    plan.give_back((2,), 10.0, 20.0, None)
    assert plan.find(half, 100.0, 0.0) == (0.0, [2])
    assert plan.find(Need(4), 1.0, 0.0) == (inf, [])
    assert plan.find(Need(3), inf, 0.0)[0] == 30.0  # an endless job does not look at outages to come


def test_outages_say_when_hosts_leave_and_whether_they_stay() -> None:
    away = Outages({0: [(50.0, 60.0)], 1: [(10.0, inf)]})
    assert away.within(0.0, 55.0) == HostSet((0, 1))
    assert away.within(20.0, 20.0) == HostSet()
    assert away.within(0.0, inf) == HostSet()
    assert away.never(0.0, 11.0) == HostSet((1,))
    assert away.never(0.0, 10.0) == HostSet()
    assert away.never(20.0, inf) == HostSet((1,))
    assert (away.back(0, 55.0), away.back(0, 5.0), away.back(1, 20.0)) == (60.0, inf, inf)


def test_drained_hosts_are_planned_with_too() -> None:
    work = workload(job(1, 1, 40, 0, 60), job(2, 1, 40, 1, 60))
    for mode in ("kill", "drain"):
        run = wt.simulate(
            platform(2), work, "easy", events=events(outage(0, 50, 150)), options=Options(on_maintenance=mode)
        )
        assert starts(run) == {"1": 0.0, "2": 40.0}
