"""What is odd in Haizea happens under ``haizea_compat`` and not otherwise: one test for each row of the reference."""

import pytest

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.leases.planner.images import ImageStore
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.planner import Planner
from windtunnel.leases.planner.record import LeaseRecord
from windtunnel.leases.planner.space import ResourceSpace
from windtunnel.leases.planner.times import LeaseTimes
from windtunnel.leases.registry import parts_of, rules_of
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseKind, LeaseSite, LeaseState, NodeSet, When
from windtunnel.model.lease_options import (
    Backfilling,
    ImageReuse,
    LeaseOptions,
    Overhead,
    Preparation,
    SuspensionMode,
)

ONE = site_from_text("1 CPU:100,Memory:1024")
TWO = site_from_text("2 CPU:100,Memory:1024")
both = pytest.mark.parametrize("compat", [True, False], ids=["haizea", "sane"])


def lease(number, count=1, duration=3600.0, start=When.UNSPECIFIED, cpu=100, memory=1024, **more):
    nodes = (NodeSet(count, {CPU: (cpu,), MEMORY: (memory,)}),)
    return Lease(id=number, nodes=nodes, duration=duration, start=start, **more)


def planner_of(site, compat, **options):
    chosen = LeaseOptions(haizea_compat=compat, **options)
    return Planner(site, rules_of(chosen), parts_of(chosen))


def rules(compat, **options):
    return rules_of(LeaseOptions(haizea_compat=compat, **options))


def simulate(site, leases, compat, **options):
    """Run to the end (as far as it goes); the leases by number."""
    seen = {}
    options.setdefault("policy_preemption", "ar-preempts-everything")
    options.setdefault("suspension", SuspensionMode.ALL)
    planner = planner_of(site, compat, **options)
    waiting = sorted(leases, key=lambda other: other.submit)
    now = 0
    while True:
        due = [planner.record(other) for other in waiting if other.submit * 100 <= now]
        waiting = waiting[len(due) :]
        seen |= {record.id: record for record in due}
        planner.advance(now, due)
        times = [planner.next_event()] + [int(other.submit * 100) for other in waiting[:1]]
        following = min((time for time in times if time is not None), default=None)
        if following is None:
            return seen
        now = following


@both
def test_the_preemptible_flag(compat):
    found = simulate(ONE, [lease(1, preemptible=False), lease(2, start=1800.0, submit=60)], compat)
    assert found[2].state is (LeaseState.DONE if compat else LeaseState.REJECTED)


@both
def test_who_gives_way_first(compat):
    young_and_old = [lease(1), lease(2, submit=600), lease(3, 1, 600.0, start=1800.0, submit=900)]
    found = simulate(TWO, young_and_old, compat)
    suspended = [number for number in (1, 2) if len(found[number].ran) > 1]
    assert suspended == ([1] if compat else [2])


@both
def test_no_time_left_to_suspend(compat):
    found = simulate(ONE, [lease(1), lease(2, duration=600.0, start=1810.0, submit=1800)], compat)
    assert found[2].state is LeaseState.DONE
    if not compat:  # it is cancelled and starts again; Haizea plans a suspension that began in the past
        assert found[1].ran == [(241000, 601000)]
    else:
        assert found[1].state is not LeaseState.DONE


@both
def test_overheads_in_percent(compat):
    found = rules(compat, add_overhead=Overhead.ALL, runtime_overhead=10)
    assert found.durations(LeaseKind.IMMEDIATE, 3600.0, None) == ((396100 if compat else 396000), None)
    assert found.durations(LeaseKind.IMMEDIATE, 3600.0, 1800.0) == ((198100, 180000) if compat else (396000, 198000))


@both
def test_node_1000_is_the_image_repository(compat):
    found = simulate(site_from_text("1000 CPU:100,Memory:1024"), [lease(1, 1000, 60.0)], compat)
    assert found[1].state is (LeaseState.REJECTED if compat else LeaseState.DONE)


@both
def test_a_given_time_to_suspend_counts_once(compat):
    times = LeaseTimes(rules(compat, suspension=SuspensionMode.ALL, override_suspend_time=30))
    record = LeaseRecord(lease(1, 3), ResourceSpace(ONE))
    assert times.suspend_estimate(record) == (3000 if compat else 9000)


@both
def test_an_immediate_lease_that_is_suspended(compat):
    work = [lease(1, duration=600.0, start=600.0), lease(2, duration=900.0, start=When.NOW)]
    found = simulate(ONE, work, compat)
    assert found[2].state is (LeaseState.SUSPENDED_PENDING if compat else LeaseState.DONE)


@both
def test_what_a_cancelled_lease_leaves_in_the_slot_table(compat):
    planner = planner_of(ONE, compat, shutdown_time=60)
    planner.advance(0, [planner.record(lease(1, start=600.0))])
    planner.cancel(1)
    assert len(planner.plan.table) == (1 if compat else 0)  # its shutdown


@both
@pytest.mark.parametrize("shutdown", [0, 60])
def test_what_is_left_of_a_cancelled_lease_does_nothing(compat, shutdown):
    """Its shutdown ended a lease that was cancelled, which ended the run, or the service."""
    planner = planner_of(ONE, compat, shutdown_time=shutdown)
    planner.advance(0, [planner.record(lease(1, start=600.0)), planner.record(lease(2, start=90000.0))])
    cancelled, other = planner.plan.leases[1], planner.plan.leases[2]
    planner.cancel(1)
    while (following := planner.next_event()) is not None:
        planner.advance(following)
    assert (cancelled.state, other.state) == (LeaseState.CANCELLED, LeaseState.DONE)
    assert not len(planner.plan.table)


@both
def test_the_cpu_of_saving_memory(compat):
    planner = planner_of(ONE, compat, suspension=SuspensionMode.ALL)
    work = lease(1, 1, 600.0, 600.0, submit=0), lease(2, 1, 3600.0, cpu=50, memory=512)
    planner.advance(0, [planner.record(one) for one in work])
    (save,) = [r for r in planner.plan.table.reservations() if r.name == "Suspension"]
    assert planner.plan.space.cpu(save.parts[0][0]) == (100 if compat else 50)


@both
def test_making_room_in_a_cache(compat):
    store = ImageStore(rules(compat), caches=True, limit=1000)
    record = LeaseRecord(lease(1, software=DiskImage("a", 600)), ResourceSpace(ONE))
    for image, size in (("a", 400), ("b", 400), ("c", 900)):
        store.arrive(0, image, size, [(record, 0)], timeout=0)
        store.remove(record, 0, 0)
    kept = [image for image in "abc" if store.keeps(0, image)]
    assert kept == (["b", "c"] if compat else ["c"])  # in Haizea 1300 MB are in a cache of 1000


@both
def test_room_before_the_first_transfer(compat):
    image = DiskImage("a", 1024)
    work = [lease(1, start=3600.0, software=image), lease(2, start=3600.0, software=DiskImage("b", 1024))]
    found = simulate(TWO, work, compat, lease_preparation=Preparation.IMAGETRANSFER, diskimage_reuse=ImageReuse.NONE)
    assert found[2].state is (LeaseState.REJECTED if compat else LeaseState.DONE)


@both
def test_fractions_of_a_second(compat):
    found = simulate(ONE, [lease(1, duration=60.25)], compat)
    assert (found[1].accumulated, found[1].end) == ((6000, 6000) if compat else (6025, 6025))


@both
def test_instances_of_a_resource(compat):
    site = LeaseSite((CPU, MEMORY), (NodeSet(1, {CPU: (100, 200), MEMORY: (1024,)}),))
    (capacity, _), *_ = Plan(site, rules(compat)).table.classes
    assert capacity[-1] == ((200, 100) if compat else (100, 200))


@both
def test_a_shutdown_that_passes_the_deadline(compat):
    late = lease(1, duration=600.0, start=0.0, deadline=600.0)
    options = {"mapper": "deadline", "policy_preemption": "deadline", "shutdown_time": 60.0}
    assert simulate(ONE, [late], compat, **options)[1].state is (LeaseState.DONE if compat else LeaseState.REJECTED)


def test_what_crashes_haizea_does_not_crash_here():
    for compat in (True, False):
        past = simulate(ONE, [lease(1, start=600.0, submit=1800)], compat)
        assert (past[1].state, past[1].reason) == (LeaseState.REJECTED, "its start is past")
        large = simulate(ONE, [lease(1, 2)], compat, backfilling=Backfilling.OFF)
        assert (large[1].state, large[1].reason) == (LeaseState.REJECTED, "it asks for more than the whole site has")
        image = lease(1, start=600.0, deadline=9000.0, software=DiskImage("a", 1))
        assert (
            "cannot be prepared"
            in simulate(ONE, [image], compat, lease_preparation=Preparation.IMAGETRANSFER)[1].reason
        )
        strange = Lease(id=1, nodes=(NodeSet(1, {"Gold": (1,)}),), duration=1)
        assert "asks for Gold" in simulate(ONE, [strange], compat)[1].reason


@both
def test_a_lease_that_would_be_resumed_and_suspended_for_ever(compat):
    leases = [lease(1, duration=840.0), lease(2, duration=60.0, start=150.0, submit=10)]
    more = {"override_suspend_time": 100.0, "override_resume_time": 0.0, "enactment_overhead": 1.0}
    more["scheduling_threshold_factor"] = 0.0
    if compat:
        with pytest.raises(SimulationError, match="lease 1 would be resumed and suspended without running"):
            simulate(ONE, leases, compat, **more)
    else:
        assert simulate(ONE, leases, compat, **more)[1].state is LeaseState.DONE
