"""Leases have what the common engine has: energy, failures, a date to stop at, saving and forking, lease tables."""

import csv
import io

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import windtunnel as wt
from lease_mixes import leases as mixed_leases
from lease_mixes import options as mixed_options
from windtunnel.api import Simulation
from windtunnel.diagnostics import SimulationError
from windtunnel.leases.component import LeaseManager
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model import EventList, ExternalEvent, Host, PowerState
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseWorkload, NodeSet, When
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.model.lease_platform import platform_of_site
from windtunnel.model.workload import JobList
from windtunnel.services.lease_run import LeaseRun, lease_simulation, simulate_leases

SITE = site_from_text("4 CPU:100,Memory:1024")
PREEMPTING = LeaseOptions(policy_preemption="ar-preempts-everything", suspension="all", migration="yes")


def lease(number, count=1, duration=3600.0, **more):
    return Lease(id=number, nodes=(NodeSet(count, {CPU: (100,), MEMORY: (1024,)}),), duration=duration, **more)


def work(*leases):
    return LeaseWorkload(site=SITE, leases=leases)


MIXED = work(
    lease(1, 2, real_duration=1800.0),
    lease(2, 4, start=3600.0, duration=600.0, submit=60.0),
    lease(3, 2, submit=120.0),
    lease(4, 1, start=When.NOW, submit=4000.0),
    lease(5, 4, submit=4100.0, duration=300.0),
)


def by_id(run):
    found = {}
    for row in run.leases:
        found.setdefault(row.lease_id, []).append(row)
    return found


def state(hosts, name, at):
    return ExternalEvent(timestamp=at, kind="machine_state", hosts=wt.HostSet(hosts), attributes={"state": name})


def failing(*events):
    return {"events": EventList(name="failures", events=events)}


def watts(hosts):
    power = PowerState(speed=1e9, idle=100.0, epsilon=150.0, full=200.0)
    return wt.Platform(
        name="watts",
        hosts=tuple(Host(id=n, name=f"n{n}", pstates=(power,), resources={"memory": 2.0**30}) for n in range(hosts)),
    )


# --- the tables ---------------------------------------------------------------------------------------------------


TABLES = ("leases.csv", "reservations.csv", "counters.csv", "statistics.json")
LONGER = LeaseOptions(
    policy_preemption="ar-preempts-everything", suspension="all", add_overhead="all", boot_overhead=60
)


@pytest.mark.parametrize("options", [PREEMPTING, LONGER], ids=["as they are", "with overheads"])
def test_every_run_under_the_lease_manager_writes_the_same_tables(options):
    one = simulate_leases(MIXED, options=options)
    two = wt.simulate(platform_of_site(SITE), LeaseJobs(MIXED.leases), LeaseManager(options))
    for name in TABLES:
        assert one.file(name) == two.file(name) is not None


def test_the_account_knows_whether_images_are_brought_to_nodes():
    asked = work(lease(1, software=DiskImage("a", 100)))
    assert "disk images" in str([line.reason for line in simulate_leases(asked).account])
    assert [line.reason for line in simulate_leases(asked, options=IMAGES).account] == []


ONE, TWO = site_from_text("1 CPU:100,Memory:1024"), site_from_text("2 CPU:100,Memory:1024")
IMAGES = LeaseOptions(policy_preemption="ar-preempts-everything", lease_preparation="imagetransfer")


def carried_out(run):
    return [(row.lease_id, row.kind, row.start, row.end) for row in run.reservations]


def test_a_resumption_that_is_cut_short_has_a_row():
    """What a lease has saved is still there when it gives way while it is being restored (Haizea stops there)."""
    asked = (lease(1), lease(2, start=600.0, duration=600.0), lease(3, start=1210.0, submit=1210.0, duration=100.0))
    run = simulate_leases(LeaseWorkload(site=ONE, leases=asked), options=PREEMPTING, sanity_check=True)
    assert carried_out(run) == [
        (1, "VM", 0.0, 568.0),
        (1, "Suspension", 568.0, 600.0),
        (2, "VM", 600.0, 1200.0),
        (2, "Shutdown", 1200.0, 1200.0),
        (1, "Resumption", 1200.0, 1210.0),
        (3, "VM", 1210.0, 1310.0),
        (3, "Shutdown", 1310.0, 1310.0),
        (1, "Resumption", 1310.0, 1342.0),
        (1, "VM", 1342.0, 4374.0),
        (1, "Shutdown", 4374.0, 4374.0),
    ]
    (first,) = by_id(run)[1]
    assert (first.state, first.ran, first.suspensions) == ("Done", 3600.0, 1)


def test_a_transfer_that_is_cut_short_has_a_row():
    """80 s are needed for the image; a reservation takes the node before it has arrived."""
    asked = (lease(1, software=DiskImage("a", 1000)), lease(2, submit=30.0, start=50.0, duration=100.0))
    run = simulate_leases(LeaseWorkload(site=ONE, leases=asked), options=IMAGES, sanity_check=True)
    sent = [row for row in carried_out(run) if row[1] == "FileTransfer"]
    assert sent == [(1, "FileTransfer", 0.0, 30.0), (1, "FileTransfer", 30.0, 110.0)]
    assert {row.lease_id: row.transfers for row in run.leases}[1] == 1


@pytest.mark.parametrize("start", [When.UNSPECIFIED, When.NOW, 50.0])
def test_an_image_that_takes_no_time_is_there_at_once(start):
    """Because it is said so, or because there is nothing to send."""
    empty = simulate_leases(
        LeaseWorkload(site=ONE, leases=(lease(1, start=start, software=DiskImage("a", 0)),)), options=IMAGES
    )
    swift = simulate_leases(
        LeaseWorkload(site=ONE, leases=(lease(1, start=start, software=DiskImage("a", 1000)),)),
        options=msgspec.structs.replace(IMAGES, force_imagetransfer_time=0.0),
    )
    date = start if isinstance(start, float) else 0.0
    for run in (empty, swift):
        assert [(row.state, row.started, row.transfers) for row in run.leases] == [("Done", date, 1)]
        assert carried_out(run)[0] == (1, "FileTransfer", date, date)


def test_memory_that_takes_no_time_to_save_is_saved_before_others_start():
    """Who gives way leaves its node at the instant at which the other starts there; who has not run yet just waits."""
    at_once = msgspec.structs.replace(PREEMPTING, override_suspend_time=0.0)
    for date, suspensions in ((500.0, 1), (0.0, 0)):
        asked = (lease(1), lease(2, start=date, duration=60.0, submit=date))
        run = simulate_leases(LeaseWorkload(site=ONE, leases=asked), options=at_once, sanity_check=True)
        rows = {row.lease_id: (row.state, row.started, row.suspensions, row.ran) for row in run.leases}
        assert rows[2] == ("Done", date, 0, 60.0)
        assert (rows[1][0], *rows[1][2:]) == ("Done", suspensions, 3600.0)


def test_who_is_saved_at_the_last_instant_goes_on():
    """In no time, when nothing else is to come that would wake it."""
    options = LeaseOptions(suspension="all", migration="yes", override_suspend_time=0, scheduling_threshold_factor=0)
    asked = (
        lease(1, start=0.0, duration=900.0),
        lease(2, 2, start=20.0, duration=900.0),
        lease(3, duration=60.0),
        Lease(
            id=4,
            nodes=(NodeSet(1, {CPU: (100,), MEMORY: (1024,)}), NodeSet(1, {CPU: (50,), MEMORY: (256,)})),
            start=0.0,
            duration=1000.25,
            real_duration=500.125,
            deadline=4001.0,
        ),
        lease(5, 2, duration=300.0),
        lease(6, 3, duration=60.0),
        lease(7, 2, duration=900.0),
    )
    run = simulate_leases(work(*asked), options=options)
    assert {row.lease_id: (row.state, row.ran) for row in run.leases}[7] == ("Done", 900.0)


def test_memory_that_takes_no_time_to_restore_is_there_at_once():
    asked = LeaseWorkload(site=ONE, leases=(lease(1), lease(2, start=600.0, duration=600.0)))
    run = simulate_leases(asked, options=msgspec.structs.replace(PREEMPTING, override_resume_time=0.0))
    found = [row for row in carried_out(run) if row[0] == 1 and row[1] in {"Resumption", "VM"}]
    assert found[1:] == [(1, "Resumption", 1200.0, 1200.0), (1, "VM", 1200.0, 4232.0)]
    assert run.states == {"Done": 2}


MOVING = (lease(1, duration=700.0), lease(2), lease(3, start=600.0, duration=3000.0))
"""The second is saved up to 600 s, moves to the first's node until 682 s, and is restored there from 700 s on."""


def test_a_migration_that_is_cut_short_has_a_row():
    """A reservation takes the node to which memory is on its way."""
    asked = (*MOVING, lease(4, submit=640.0, start=710.0, duration=100.0))
    run = simulate_leases(LeaseWorkload(site=TWO, leases=asked), options=PREEMPTING, sanity_check=True)
    moved = [row for row in carried_out(run) if row[1] == "MemImageMigration"]
    assert moved == [(2, "MemImageMigration", 600.0, 640.0), (2, "MemImageMigration", 640.0, 722.0)]
    assert {row.lease_id: (row.state, row.migrations) for row in run.leases}[2] == ("Done", 1)


@pytest.mark.parametrize(
    ("kind", "start", "date"), [("Suspension", 568, 580), ("MemImageMigration", 600, 640), ("Resumption", 700, 715)]
)
def test_what_is_under_way_when_nodes_fail_has_a_row(kind, start, date):
    down = failing(state([0, 1], "FAILURE", float(date)))
    run = simulate_leases(LeaseWorkload(site=TWO, leases=MOVING), options=PREEMPTING, **down)
    assert (2, kind, start, date) in carried_out(run)


def test_runs_of_jobs_write_none_of_them(tmp_path):
    wt.simulate("hosts:4", LeaseJobs(MIXED.leases), "easy", out=tmp_path)
    assert not {"leases.csv", "reservations.csv", "counters.csv", "statistics.json"} & {
        path.name for path in tmp_path.iterdir()
    }


# --- energy -------------------------------------------------------------------------------------------------------


def test_energy():
    """Machines that run have their cores busy; others are idle; those that have failed draw nothing."""
    run = simulate_leases(work(lease(1, 2)), site=watts(4), energy=True)
    assert run.metrics.consumed_joules == pytest.approx((2 * 200.0 + 2 * 100.0) * 3600.0)
    events = failing(state([3], "FAILURE", 600.0), state([3], "ACTIVE", 1600.0))
    failed = simulate_leases(work(lease(1, 2)), site=watts(4), energy=True, **events)
    assert failed.states == {"Done": 1}
    assert failed.metrics.consumed_joules == pytest.approx(run.metrics.consumed_joules - 100.0 * 1000.0)


def test_a_suspended_lease_draws_nothing():
    two = work(lease(1, 2, duration=3600.0), lease(2, 1, start=1800.0, duration=600.0))
    run = simulate_leases(two, site=watts(2), energy=True, options=PREEMPTING)
    (first,), (second,) = by_id(run)[1], by_id(run)[2]
    assert (first.suspensions, second.state) == (1, "Done")
    seconds = max(first.ended, second.ended)
    assert run.metrics.consumed_joules == pytest.approx(100.0 * (2 * seconds + 2 * first.ran + second.ran))


def test_halves_of_a_core_draw_half():
    half = Lease(id=1, nodes=(NodeSet(1, {CPU: (50,), MEMORY: (512,)}),), duration=1000.0)
    run = simulate_leases(work(half), site=watts(1), energy=True)
    assert run.metrics.consumed_joules == pytest.approx((150.0 + 0.5 * 50.0) * 1000.0)


# --- failures -----------------------------------------------------------------------------------------------------


def test_a_lease_on_a_machine_that_fails_fails():
    run = simulate_leases(
        work(lease(1, 4), lease(2, 3, submit=10.0)),
        **failing(state([0], "FAILURE", 600.0), state([0], "ACTIVE", 9000.0)),
    )
    (first,), (second,) = by_id(run)[1], by_id(run)[2]
    assert (first.state, first.reason, first.ran) == ("Fail", "a machine it ran on is gone", 600.0)
    assert (second.state, second.hosts, second.started) == ("Done", "2-4", 600.0)


@pytest.mark.parametrize("failed", [[0], [0, 1]])
def test_a_lease_that_is_planned_in_two_pieces_leaves_with_both(failed):
    """A deadline lease of the future gave way to others; then it finds no room beside the nodes that have failed."""
    asked = (
        lease(1, 2, start=1000.0, duration=1000.0, deadline=9000.0),
        lease(2, 1, start=1200.0, duration=100.0, deadline=1310.0, submit=10.0),
        lease(3, 1, start=1200.0, duration=100.0, deadline=1310.0, submit=10.0),
    )
    options = LeaseOptions(mapper="deadline", policy_preemption="deadline", suspension="all")
    down = failing(state(failed, "FAILURE", 500.0), state(failed, "ACTIVE", 2000.0))
    whole = simulate_leases(LeaseWorkload(site=TWO, leases=asked), options=options)
    assert by_id(whole)[1][0].suspensions == 1
    run = simulate_leases(LeaseWorkload(site=TWO, leases=asked), options=options, sanity_check=True, **down)
    assert run.complete
    (first,) = by_id(run)[1]
    assert (first.state, first.reason) == ("Rejected", "not enough resources")


def test_with_requeue_it_begins_again():
    run = simulate_leases(
        work(lease(1, 4)),
        engine=wt.Options(on_failure="requeue"),
        **failing(state([0], "FAILURE", 600.0), state([0], "ACTIVE", 900.0)),
    )
    lost, again = by_id(run)[1]
    assert (lost.state, again.state, again.started, again.ran) == ("Fail", "Done", 900.0, 3600.0)


def test_reservations_move_away_from_machines_that_are_gone_or_are_rejected():
    ahead = work(lease(1, 2, start=3600.0), lease(2, 2, start=3600.0))
    run = simulate_leases(ahead, **failing(state([0], "FAILURE", 600.0), state([0], "ACTIVE", 9000.0)))
    states = {row.lease_id: (row.state, row.reason) for row in run.leases}
    assert states[1] == ("Rejected", "not enough resources in the requested interval")
    assert states[2] == ("Done", "")
    one = simulate_leases(work(lease(1, 2, start=3600.0)), **failing(state([0, 1], "FAILURE", 600.0)))
    assert [(row.state, row.hosts) for row in one.leases] == [("Done", "3-4")]


def test_what_waits_for_machines_that_never_come_back_is_rejected():
    run = simulate_leases(
        work(lease(1, 4, submit=700.0), lease(2, 3, submit=800.0)), **failing(state([3], "FAILURE", 600.0))
    )
    assert {row.lease_id: (row.state, row.reason) for row in run.leases} == {
        1: ("Rejected", "it waits for nodes that do not come back"),
        2: ("Done", ""),
    }


def test_a_drained_machine_finishes_its_lease():
    run = simulate_leases(
        work(lease(1, 4), lease(2, 4, submit=10.0)),
        engine=wt.Options(on_maintenance="drain"),
        **failing(state([0], "MAINTENANCE", 600.0), state([0], "ACTIVE", 7200.0)),
    )
    assert {row.lease_id: (row.state, row.started) for row in run.leases} == {1: ("Done", 0.0), 2: ("Done", 7200.0)}


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(
    mixed_leases(),
    mixed_options,
    st.booleans(),
    st.sampled_from(["kill", "requeue"]),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4000), st.integers(1, 3000)), max_size=6),
    st.booleans(),
)
def test_failures_never_abort_a_run(asked, chosen, deadlines, on_failure, outages, repaired):
    from msgspec.structs import replace

    if deadlines:
        chosen = replace(chosen, mapper="deadline", policy_preemption="deadline")
    events = []
    for host, start, length in outages:
        events.append(state([host], "FAILURE", float(start)))
        if repaired:
            events.append(state([host], "ACTIVE", float(start + length)))
    events.sort(key=lambda event: event.timestamp)
    run = simulate_leases(
        LeaseWorkload(site=SITE, leases=asked),
        options=chosen,
        engine=wt.Options(on_failure=on_failure),
        **failing(*events),
    )
    assert run.complete
    assert {row.lease_id for row in run.leases} == {one.id for one in asked}
    assert all(row.reason for row in run.leases if row.state != "Done")


# --- runs as values -----------------------------------------------------------------------------------------------


def test_a_run_stops_at_a_date():
    run = simulate_leases(MIXED, options=PREEMPTING, until=3000.0)
    assert not run.complete
    assert {row.lease_id for row in run.leases} == {1}
    assert run.counters["Requested leases"][-1].value == 3


@pytest.mark.parametrize("date", [0.0, 100.0, 3570.0, 3700.0, 4100.0])
def test_saving_restoring_and_forking(date, tmp_path):
    whole = simulate_leases(MIXED, options=PREEMPTING)
    simulation = lease_simulation(MIXED, options=PREEMPTING)
    simulation.run_until(date)
    simulation.save(tmp_path / "saved")
    forked, restored = simulation.fork(), Simulation.restore(tmp_path / "saved")
    for one in (forked, restored, simulation):
        one.run()
        for name in ("leases.csv", "reservations.csv", "counters.csv", "statistics.json", "jobs.csv"):
            assert one.recording.read(name) == whole.file(name)


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(mixed_leases(), mixed_options, st.lists(st.integers(0, 4000), min_size=1, max_size=4, unique=True))
def test_forks_at_several_instants_give_the_same_bytes(asked, chosen, dates):
    """Of one another too: each fork is forked from the one before."""
    workload = LeaseWorkload(site=SITE, leases=asked)
    whole = simulate_leases(workload, options=chosen)
    simulation = lease_simulation(workload, options=chosen)
    forks = []
    for date in sorted(dates):
        simulation.run_until(float(date))
        forks.append(simulation)
        simulation = simulation.fork()
    for one in (*forks, simulation):
        one.run()
        for name in (*TABLES, "jobs.csv"):
            assert one.recording.read(name) == whole.file(name)


def test_a_fork_may_go_another_way():
    simulation = lease_simulation(MIXED, options=PREEMPTING)
    simulation.run_until(100.0)
    other = simulation.fork()
    other.inject(state([0, 1, 2, 3], "FAILURE", 0.0))
    assert LeaseRun.of(simulation.recording).states == {}
    simulation.run()
    other.run_until(200.0)
    assert LeaseRun.of(other.recording).states["Fail"] == 1
    assert LeaseRun.of(simulation.recording).states == {"Done": 4, "Rejected": 1}


def test_probes_are_chosen():
    run = simulate_leases(MIXED, options=PREEMPTING, probes=["ar"])
    assert set(run.counters) == {"Accepted AR", "Rejected AR"}
    with pytest.raises(wt.UsageError, match="no probe 'arr'\n  hint: did you mean 'ar'"):
        simulate_leases(MIXED, probes=["arr"])


def test_jobs_of_a_lease_that_gave_way_tell_what_was_lost():
    """Without suspension it begins again, as a job of its own."""
    options = LeaseOptions(policy_preemption="ar-preempts-everything")
    run = simulate_leases(work(lease(1, 4), lease(2, 4, start=1800.0, submit=60.0, duration=600.0)), options=options)
    jobs = list(csv.DictReader(io.StringIO(run.file("jobs.csv").decode())))
    assert [(row["job_id"], row["final_state"]) for row in jobs] == [
        ("1", "COMPLETED_KILLED"),
        ("2", "COMPLETED_SUCCESSFULLY"),
        ("1#2", "COMPLETED_SUCCESSFULLY"),
    ]


@pytest.mark.parametrize("walltime", [0.001, 0.005, 0.01])
def test_a_job_shorter_than_a_tick_holds_its_hosts_until_it_ends(walltime):
    def job(name, hosts, delay):
        request, profile = wt.Request(hosts), wt.DelayProfile(delay)
        return wt.Job(id=f"w0!{name}", request=request, profile=profile, submission_time=0.0, walltime=delay)

    run = wt.simulate("hosts:4", JobList("w0", [job("0", 2, walltime), job("1", 4, 33.333)]), "leases")
    first, second = run.jobs.sort("job_id")["starting_time", "finish_time"].rows()
    assert first[0] == 0.0
    assert second[0] >= first[1]


def test_a_lease_of_something_unknown_is_recorded_with_its_nodes():
    """It was recorded as one of no nodes."""
    ponies = NodeSet(3, {CPU: (100,), MEMORY: (512,), "Ponies": (1,)})
    [row] = simulate_leases(work(Lease(id=1, nodes=(ponies,), duration=60.0))).leases
    assert (row.state, row.nodes, row.requested) == ("Rejected", 3, "3 CPU:100,Memory:512")
    assert row.reason == "it asks for Ponies, which the site does not have"


@pytest.mark.parametrize("what", ["event", "submission", "duration"])
def test_times_without_measure_are_refused_by_name(what):
    """They ended as an OverflowError of the scheduler."""
    leases, more = work(lease(1)), {}
    if what == "event":
        more = failing(state([0], "HALT", 1e308))
    else:
        leases = work(lease(1, **({"submit": 1e308} if what == "submission" else {"duration": 1e308})))
    with pytest.raises(SimulationError, match=r"leases cannot be planned for 1e\+308 s"):
        simulate_leases(leases, **more)
