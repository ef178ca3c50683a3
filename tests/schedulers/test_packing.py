"""Our batch schedulers on parts of hosts: every amount is honoured, and whole hosts are given as without parts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from windtunnel.api import Options, Simulation
from windtunnel.model import EventList, ExternalEvent, Host, HostSet, JobState, Platform, PowerState, Request
from windtunnel.schedulers.packing.forms import packing, packs
from windtunnel.schedulers.registry import list_schedulers, make_scheduler
from windtunnel.testing import InvariantChecker, job, platform, workload

OURS = ("easy", "conservative", "fcfs", "filler")
DONE = JobState.COMPLETED_SUCCESSFULLY


def site(hosts=2, cores=4, **resources):
    made = platform(hosts, cores=cores)
    return replace(made, hosts=tuple(replace(host, resources=resources) for host in made.hosts))


def part(name, run=10.0, at=0.0, walltime=20.0, hosts=1, **amounts):
    wanted = tuple((key, float(value)) for key, value in amounts.items())
    return replace(job(name, hosts, run, at, walltime), request=Request(hosts, amounts=wanted))


def run(where, jobs, scheduler="easy", **options):
    """By job: its state, start, end and hosts; no amount is ever given twice."""
    checker = InvariantChecker(sharing=True)
    simulation = Simulation(where, workload(*jobs), scheduler, observers=[checker], **options)
    result = simulation.run()
    return {row[0].partition("!")[2]: row[1:] for row in checker.rows}, result


def starts(rows):
    return {name: row[1] for name, row in rows.items()}


@pytest.mark.parametrize("scheduler", OURS)
def test_every_amount_is_kept(scheduler):
    jobs = [
        part("a", cores=1, memory=6),
        part("b", cores=1, memory=6),
        part("c", cores=1, memory=4, gpus=1),
        part("d", cores=1, gpus=1, licence=1),
        part("e", cores=1, licence=1),
    ]
    rows, _ = run(site(1, 8, memory=10.0, gpus=2.0, licence=1.0), jobs, scheduler)
    # a and c fill the memory, d takes the only licence.
    wanted = {"a": 0.0, "b": 10.0, "c": 0.0, "d": 0.0, "e": 10.0}
    if scheduler == "fcfs":  # nothing overtakes b
        wanted = {"a": 0.0, "b": 10.0, "c": 10.0, "d": 10.0, "e": 20.0}
    assert starts(rows) == wanted


@pytest.mark.parametrize("scheduler", OURS)
def test_parts_of_several_hosts_and_whole_hosts(scheduler):
    jobs = [part("a", hosts=2, cores=3), part("b", cores=1), part("c", cores=2), job("d", 1, 5.0, 0.0, 9.0)]
    rows, _ = run(site(3), jobs, scheduler)
    assert (rows["a"][3], rows["b"][3], rows["c"][3]) == ("0-1", "0", "2")
    assert rows["d"][1] == 10.0  # it wants a host of its own


def test_a_reservation_of_parts_is_not_delayed():
    jobs = [
        part("a", 10, 0, 10.5, cores=3),
        part("first", 10, 1, 10.5, cores=4),
        part("short", 5, 2, 5.0 + 1e-9, cores=1),
        part("long", 50, 3, 60, cores=1),
    ]
    for scheduler in ("easy", "conservative"):
        rows, _ = run(site(1), jobs, scheduler)
        assert starts(rows) == {"a": 0.0, "short": 2.0, "first": 10.0, "long": 20.0}


def test_a_long_job_may_overtake_beside_what_is_reserved():
    jobs = [
        part("a", 10, 0, 10.5, cores=3, memory=1),
        part("first", 10, 1, 10.5, cores=3, memory=1),
        part("long", 50, 3, 60, cores=1, memory=1),
        part("greedy", 50, 4, 60, cores=1, memory=8),
    ]
    for scheduler in ("easy", "conservative"):
        rows, _ = run(site(1, memory=10.0), jobs, scheduler)
        assert starts(rows) == {"a": 0.0, "long": 3.0, "first": 10.0, "greedy": 20.0}


def test_what_no_host_can_hold_is_rejected_with_the_reason(tmp_path):
    jobs = [part("a", cores=2, memory=20), part("b", cores=9), part("c", hosts=3, cores=1), part("ok", cores=1)]
    for scheduler in (*OURS, "stage-scheduler"):
        rows, result = run(site(2, memory=10.0), jobs, scheduler)
        assert [name for name, row in rows.items() if row[0] is JobState.REJECTED] == ["a", "b", "c"], scheduler
        told = dict(result.jobs.select("job_id", "metadata").iter_rows())
        assert "20 memory" in told["a"]
        assert "9 cores" in told["b"]
        assert "there are 2" in told["c"]
        assert told["ok"] in ("", None)
        assert "20 memory" in str(result.why("w0!a"))


def test_what_the_site_does_not_describe_is_told_and_nobody_is_rejected_for_it():
    jobs = [part("a", cores=2, gpus=3), part("b", cores=1, memory=5, licence=9)]
    for scheduler in (*OURS, "stage-scheduler"):
        rows, result = run(site(1, memory=10.0), jobs, scheduler)
        assert {row[0] for row in rows.values()} == {DONE}, scheduler
        told = {line.kind: line for line in result.account}
        assert sorted(line.reason.split()[3] for line in result.account) == ["gpus", "licence"]
        assert set(told) == {"not-described"}


def test_a_site_that_loses_hosts_is_planned_anew():
    events = EventList(
        name="we0",
        events=(
            ExternalEvent(timestamp=5.0, kind="machine_unavailable", hosts=HostSet([0])),
            ExternalEvent(timestamp=50.0, kind="machine_available", hosts=HostSet([0])),
        ),
    )
    jobs = [part("a", 10, 0, 11, cores=1), part("b", 10, 1, 11, hosts=2, cores=4), part("c", 10, 6, 11, cores=4)]
    for scheduler in OURS:
        rows, _ = run(site(2), jobs, scheduler, events=[events])
        if scheduler == "fcfs":
            assert starts(rows) == {"a": 0.0, "b": 50.0, "c": 60.0}
        else:
            assert starts(rows) == {"a": 0.0, "c": 6.0, "b": 50.0}, scheduler


def test_jobs_that_count_processors_take_cores_with_share_hosts_only():
    two = replace(job("two", 1, 10.0), request=Request(1, processors=2))
    jobs = [part("a", cores=2), two]
    rows, result = run(site(1), jobs)
    assert starts(rows) == {"a": 0.0, "two": 10.0}
    assert result.state.facts["packing"] == "parts of hosts"
    rows, result = run(site(1), jobs, share_hosts=True)
    assert starts(rows) == {"a": 0.0, "two": 0.0}
    assert result.state.facts["packing"] == "cores"


def test_idle_hosts_sleep_and_wake_for_those_who_need_parts_of_them():
    watts = ((1e9, 100.0), (1e9, 9.0), (0.5, 50.0), (0.5, 50.0))
    states = tuple(PowerState(speed, idle, idle, 2 * idle) for speed, idle in watts)
    hosts = tuple(
        Host(id=n, name=f"h{n}", cores=4, pstates=states, sleep_pstates={1: (2, 3)}, resources={"memory": memory})
        for n, memory in enumerate((8.0, 8.0, 64.0))
    )
    jobs = [
        part("a", 100, 0, 200, cores=1, memory=1),
        part("b", 100, 5, 200, cores=3, memory=1),
        part("big", 100, 50, 200, cores=1, memory=32),
    ]
    rows, result = run(
        Platform(name="p", hosts=hosts),
        jobs,
        "energy-idle-sleeper",
        scheduler_options={"idle_time": 10.0},
        energy=True,
    )
    assert starts(rows) == {"a": 0.0, "b": 5.0, "big": 52.0}  # it wakes host 2, which takes 2 s
    assert (rows["b"][3], rows["big"][3]) == ("0", "2")
    assert result.read("pstate_changes.csv").count(b"\n") > 3
    assert result.metrics.consumed_joules > 0


def test_sleeping_hosts_wake_for_each_of_several_waiting_jobs():
    states = (
        PowerState(1e9, 100.0, 100.0, 200.0),
        PowerState(1e9, 9.0, 9.0, 9.0),
        *[PowerState(0.5, 5.0, 5.0, 5.0)] * 2,
    )
    hosts = tuple(
        Host(id=n, name=f"h{n}", cores=4, pstate=1, pstates=states, sleep_pstates={1: (2, 3)}) for n in range(4)
    )
    jobs = [part(str(n), 10, 0, 20, cores=cores) for n, cores in enumerate((3, 3, 1, 1, 4))]
    rows, _ = run(Platform(name="p", hosts=hosts), jobs, "energy-idle-sleeper", energy=True)
    assert set(starts(rows).values()) == {2.0}
    assert {row[3] for row in rows.values()} == {"0", "1", "2"}  # nobody needs a fourth host


@pytest.mark.parametrize("scheduler", OURS)
def test_forks_go_on_as_the_whole_does(scheduler):
    jobs = [part(str(n), 5 + n % 7, n, 20 + n % 5, 1 + n % 2, cores=1 + n % 4, memory=n % 5) for n in range(40)]
    where = site(3, 4, memory=6.0)
    whole = Simulation(where, workload(*jobs), scheduler).run()
    simulation = Simulation(where, workload(*jobs), scheduler)
    simulation.run_until(25.0)
    forked = simulation.fork().run()
    assert forked.read("jobs.csv") == simulation.run().read("jobs.csv") == whole.read("jobs.csv")


def test_only_the_schedulers_themselves_have_forms_that_pack():
    class Mine(type(make_scheduler("easy"))):
        """Decides otherwise, perhaps."""

    assert packs(type(make_scheduler("easy")))
    assert not packs(Mine)
    mine = Mine()
    assert packing(mine) is mine
    kept = packing(make_scheduler("easy", queue_order="asc_size", policy="basic"))
    assert (kept.queue_order, kept.policy) == ("asc_size", "basic")


# -- random workloads ------------------------------------------------------------------------------------------------

times = st.integers(0, 40).map(float)
whole_jobs = st.lists(st.tuples(st.integers(1, 4), times, times, times), min_size=1, max_size=14)


def of(rows):
    return [
        replace(job(str(n), size, lasts + 1.0, at, lasts + 1.0 + more + 0.5), request=Request(size))
        for n, (size, at, lasts, more) in enumerate(rows)
    ]


@pytest.mark.parametrize("scheduler", OURS)
@settings(max_examples=25)
@given(rows=whole_jobs)
def test_whole_hosts_are_given_at_the_same_dates_as_without_parts(scheduler, rows):
    plain, _ = run(platform(4), of(rows), scheduler)
    packed, _ = run(platform(4), of(rows), packing(make_scheduler(scheduler)))
    if scheduler == "conservative":  # it reserves particular hosts: the same while nothing ends early
        early = any(more for _, _, _, more in rows)
        if early:
            assert {name: row[0] for name, row in plain.items()} == {name: row[0] for name, row in packed.items()}
            return
    assert starts(packed) == starts(plain)


parts = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, 4), st.integers(0, 9), st.integers(0, 2), times, times),
    min_size=1,
    max_size=14,
)


@pytest.mark.parametrize("scheduler", OURS)
@settings(max_examples=25)
@given(rows=parts)
def test_no_amount_is_given_twice_and_everybody_starts(scheduler, rows):
    jobs = [
        part(str(n), lasts + 1.0, at, lasts + 5.0, hosts, cores=cores, memory=memory, gpus=gpus)
        for n, (hosts, cores, memory, gpus, at, lasts) in enumerate(rows)
    ]
    found, _ = run(site(3, 4, memory=10.0, gpus=2.0), jobs, scheduler, options=Options())
    assert {row[0] for row in found.values()} == {DONE}
    assert len(found) == len(jobs)


def test_the_list_of_schedulers_says_that_ours_honour_amounts():
    honoured = {info.name: {ability.value for ability in info.honours} for info in list_schedulers()}
    for name in (*OURS, "energy-idle-sleeper", "stage-scheduler"):
        assert {"shares of hosts", "memory", "GPUs", "other resources"} <= honoured[name], name
    assert "memory" not in honoured["batsched/easy_bf"]
