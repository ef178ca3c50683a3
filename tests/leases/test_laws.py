"""What must hold in every run: no node is ever over its capacity, leases get what they were promised, all ends well."""

import pickle
from contextlib import suppress

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lease_mixes import SITES, leases, options
from windtunnel.diagnostics import UsageError
from windtunnel.engine.simulation import Simulation
from windtunnel.leases.component import LeaseManager
from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.plan import What
from windtunnel.leases.planner.planner import Planner
from windtunnel.leases.planner.record import Progress
from windtunnel.leases.planner.rules import Rules
from windtunnel.leases.planner.ticks import ticks
from windtunnel.leases.registry import parts_of
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseKind, LeaseSite, LeaseState, NodeSet, When
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_options import LeaseOptions, SuspensionMode
from windtunnel.model.lease_platform import platform_of_site

FINAL = {LeaseState.DONE, LeaseState.REJECTED, LeaseState.CANCELLED}


class Checker:
    """Checks the whole future of the slot table after every instant."""

    def __init__(self):
        self.leases = {}

    def read(self, plan):
        for what, lease, _, _ in plan.journal:
            if what is What.REQUESTED:
                self.leases[lease.id] = lease
            elif what is What.OVER:
                assert lease.state in {*FINAL, LeaseState.REJECTED_BY_USER}
        table, space, now = plan.table, plan.space, plan.now
        reservations = table.reservations()
        for time in sorted({r.start for r in reservations if r.start >= now} | {now}):
            for bit in positions(table.all_nodes):
                free = table.capacity_of(bit)
                for r in reservations:
                    if r.start <= time < r.end and (amount := r.on(bit)) is not None:
                        free = space.minus(free, amount)
                low = [x if isinstance(x, int) else min(x) for x in free]
                assert min(low) >= 0, f"node {bit + 1} is over its capacity at {time}"
        for r in reservations:
            assert r.end >= now
            assert r.state is not Progress.DONE


def in_hundredths(lease):
    return lease.duration, None if lease.real_duration is None else ticks(lease.real_duration) / 100


def check(site, work, chosen):
    checker, manager = Checker(), LeaseManager(chosen)
    manager.journal_readers.append(checker.read)
    Simulation(platform_of_site(site), [LeaseJobs(work, lasts=in_hundredths)], [manager]).run()
    plan = manager.planner.plan
    assert not plan.leases
    assert not plan.queue
    assert not len(plan.table)
    real = {lease.id: lease.real_duration for lease in work}
    for lease in checker.leases.values():
        assert lease.state in FINAL
        if lease.state is not LeaseState.DONE:
            assert lease.reason
            continue
        known = None if real[lease.id] is None else ticks(real[lease.id])
        promised = lease.requested if known is None else min(known, lease.requested)
        assert lease.accumulated == promised == sum(end - start for start, end in lease.ran)
        assert lease.started >= lease.submit
        if lease.kind is LeaseKind.RESERVATION:
            assert lease.started == lease.start
        if lease.kind is LeaseKind.IMMEDIATE:
            assert lease.started >= lease.submit
        if lease.kind is LeaseKind.DEADLINE:
            assert lease.started >= lease.start
            assert lease.end <= lease.deadline


def restored(kind, start):
    """A lease that is restored from 1200 to 1232 s, after a reservation; then another wants its node."""
    node = (NodeSet(1, {CPU: (100,), MEMORY: (1024,)}),)
    deadline = 9000.0 if kind is LeaseKind.DEADLINE else None
    return [
        Lease(
            id=1,
            nodes=node,
            duration=3600.0,
            start=When.UNSPECIFIED if deadline is None else 0.0,
            deadline=None if deadline is None else 6000.0,
        ),
        Lease(id=2, nodes=node, duration=600.0, start=600.0, deadline=deadline and 1300.0),
        Lease(id=3, nodes=node, duration=100.0, start=start, submit=1210, deadline=deadline and start + 150.0),
    ]


def with_an_image(size):
    return [
        Lease(id=1, nodes=(NodeSet(1, {CPU: (100,), MEMORY: (1024,)}),), duration=60.0, software=DiskImage("a", size))
    ]


ONE = LeaseSite((CPU, MEMORY), (NodeSet(1, {CPU: (100,), MEMORY: (1024,)}),))
PREEMPTING = LeaseOptions(policy_preemption="ar-preempts-everything", suspension="all")
AT_ONCE = LeaseOptions(
    policy_preemption="ar-preempts-everything",
    suspension="all",
    override_resume_time=0,
    lease_preparation="imagetransfer",
    force_imagetransfer_time=0,
)


MIGRATING = LeaseOptions(
    policy_preemption="deadline",
    mapper="deadline",
    suspension="all",
    migration="yes-notransfer",
    lease_preparation="imagetransfer",
    backfilling="off",
    override_suspend_time=0,
    override_resume_time=0,
    force_imagetransfer_time=0,
)


def moved_in_no_time():
    """The last lease makes room for a reservation at 80 s, and goes on at 120 s on other nodes."""

    def lease(number, submit, nodes=1, **members):
        kept = (NodeSet(nodes, {CPU: (100,), MEMORY: (1024,)}),)
        members = {"start": When.UNSPECIFIED, **members}
        return Lease(id=number, submit=submit, nodes=kept, duration=60, preemptible=False, **members)

    first = [lease(number, 0) for number in range(1, 5)]
    return [*first, lease(5, 60, start=80), lease(6, 60), lease(7, 60, 3, software=DiskImage("a", 500))]


def test_disk_images_that_move_in_no_time_are_there():
    check(LeaseSite((CPU, MEMORY), (NodeSet(4, {CPU: (100,), MEMORY: (1024,)}),)), moved_in_no_time(), MIGRATING)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@example(ONE, restored(LeaseKind.BEST_EFFORT, 1210.0), PREEMPTING)
@example(ONE, restored(LeaseKind.BEST_EFFORT, 1240.0), PREEMPTING)
@example(ONE, restored(LeaseKind.BEST_EFFORT, 1240.0), AT_ONCE)
@example(ONE, with_an_image(500), AT_ONCE)
@given(st.sampled_from(SITES), leases((LeaseKind.BEST_EFFORT, LeaseKind.RESERVATION, LeaseKind.IMMEDIATE)), options)
def test_laws(site, work, chosen):
    check(site, work, chosen)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@example(ONE, restored(LeaseKind.DEADLINE, 1210.0), PREEMPTING, SuspensionMode.ALL)
@example(ONE, restored(LeaseKind.DEADLINE, 1240.0), PREEMPTING, SuspensionMode.ALL)
@given(st.sampled_from(SITES), leases(), options, st.sampled_from([*SuspensionMode]))
def test_laws_with_deadlines(site, work, chosen, suspension):
    from msgspec.structs import replace

    check(site, work, replace(chosen, mapper="deadline", policy_preemption="deadline", suspension=suspension))


@settings(max_examples=60)
@given(st.sampled_from(SITES), leases(), options, st.integers(1, 12), st.data())
def test_a_planner_is_a_value(site, work, chosen, steps, data):
    """Saved at any instant and restored, it goes on to the same end; also when leases are cancelled."""

    def finish(planner, checker):
        while planner.busy and (following := planner.next_event()) is not None:
            advance(planner, checker, following)
        return [(entry.id, entry.state, entry.end) for entry in checker.leases.values()], planner.now

    def advance(planner, checker, instant, requests=()):
        planner.advance(instant, requests)
        checker.read(planner.plan)
        planner.plan.journal.clear()

    planner = Planner(site, Rules(chosen), parts_of(chosen))
    checker = Checker()
    advance(planner, checker, 100 * 10**4, [planner.record(lease) for lease in work])
    for _ in range(steps):
        if planner.plan.leases and data.draw(st.booleans()):
            with suppress(UsageError):  # in the middle of an operation it cannot be cancelled
                planner.cancel(data.draw(st.sampled_from(sorted(planner.plan.leases))))
        following = planner.next_event()
        if following is None:
            break
        advance(planner, checker, following)
    copies = pickle.loads(pickle.dumps((planner, checker)))
    assert finish(*copies) == finish(planner, checker)
