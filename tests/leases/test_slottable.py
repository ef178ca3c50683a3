"""The slot table against a naive model: what is free when, and where equal virtual nodes go."""

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.leases.planner.cpu_profile import CpuProfile
from windtunnel.leases.planner.mapper import GreedyMapper
from windtunnel.leases.planner.node_sets import positions as bits
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.policies import GreedyHosts, ReservationsPreempt
from windtunnel.leases.planner.record import LeaseRecord, Reservation, VirtualMachines
from windtunnel.leases.planner.rules import Rules
from windtunnel.leases.planner.window import node_room
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, NodeSet, When
from windtunnel.model.lease_options import LeaseOptions

SITES = [
    LeaseSite((CPU, MEMORY), (NodeSet(5, {CPU: (100,), MEMORY: (1024,)}),)),
    LeaseSite(
        (CPU, MEMORY), (NodeSet(2, {CPU: (200,), MEMORY: (1024,)}), NodeSet(3, {CPU: (100,), MEMORY: (2048,)}))
    ),
    LeaseSite((CPU, MEMORY), (NodeSet(4, {CPU: (100, 100), MEMORY: (2048,)}),)),
]
NEEDS = [(100, 1024), (50, 512), (100, 256), (50, 1024)]


@st.composite
def scenes(draw):
    """A plan whose table holds reservations of random leases, and a lease to be placed."""
    plan = Plan(draw(st.sampled_from(SITES)), Rules(LeaseOptions(policy_preemption="ar-preempts-everything")))
    for number in range(draw(st.integers(0, 8))):
        lease = record(plan, number + 1, draw(st.sampled_from(NEEDS)), 1, 100, submit=number)
        start = draw(st.integers(0, 30))
        nodes = 0
        for bit in draw(st.lists(st.integers(0, 4), min_size=1, max_size=4)):
            nodes |= 1 << bit
        nodes &= plan.table.all_nodes
        kind = draw(st.sampled_from(["vm", "net"]))
        parts = ((lease.needs[0], nodes),) if kind == "vm" else ((plan.space.vector({"Net-in": (100,)}), nodes),)
        add_if_it_fits(plan, lease, start, start + draw(st.integers(0, 20)), parts)
    need = draw(st.sampled_from(NEEDS))
    lease = record(plan, 100, need, draw(st.integers(1, 5)), draw(st.integers(1, 40)), reserved=True)
    return plan, lease


def record(plan, number, need, count, duration, *, submit=0, reserved=False):
    nodes = (NodeSet(count, {CPU: (need[0],), MEMORY: (need[1],)}),)
    start = 0 if reserved else When.UNSPECIFIED
    lease = Lease(id=number, submit=submit / 100, nodes=nodes, duration=duration / 100, start=start)
    return LeaseRecord(lease, plan.space)


def add_if_it_fits(plan, lease, start, end, parts):
    """As the mapper would never exceed a capacity, neither do the scenes."""
    for amount, nodes in parts:
        for bit in bits(nodes):
            if any(not plan.space.fits(amount, free) for free in naive_free(plan, bit, start, max(end, start + 1))):
                return
    plan.table.add(VirtualMachines(lease, start, end, parts, ()))


def naive_free(plan, bit, start, end):
    """What is left on a node at every tick, computed from scratch."""
    for time in range(start, end):
        free = plan.table.capacity_of(bit)
        for r in plan.table.reservations():
            if r.start <= time < r.end and (amount := r.on(bit)) is not None:
                free = plan.space.minus(free, amount)
        yield free


@given(scenes(), st.integers(0, 40))
def test_room_is_the_running_minimum(scene, start):
    plan, lease = scene
    end = start + 30
    held = plan.table.overlapping(start, end)
    need = lease.needs[0]
    for bit in bits(plan.table.all_nodes):
        room = node_room(plan.table, bit, held, start, ())
        # Several instances: each has its own minimum (as in Haizea), even where another one would do at every instant.
        lows = accumulate(naive_free(plan, bit, start, end), plan.space.minimum)
        fits = [plan.space.fits(need, low) for low in lows]
        for until in range(start + 1, end + 1):
            assert room.fits(need, until, plan.space) == all(fits[: until - start])
        first_bad = next((start + i for i, fit in enumerate(fits) if not fit), None)
        if first_bad is None or first_bad > start:
            assert room.latest_fit(need, plan.space) == first_bad
        else:
            assert room.latest_fit(need, plan.space) is None


@settings(max_examples=150)
@given(scenes(), st.integers(0, 40), st.booleans(), st.booleans())
def test_equal_virtual_nodes_go_where_the_walk_host_by_host_puts_them(scene, start, strict, preempt):
    plan, lease = scene
    mapper, end = GreedyMapper(plan, GreedyHosts(), ReservationsPreempt(plan)), start + lease.requested
    preempt = preempt and strict
    fast = mapper.map(lease, start, end, strict=strict, preempt=preempt)
    held = plan.table.overlapping(start, end)
    slow = mapper._map_mixed(lease, held, plan.table.all_nodes, start, end, strict=strict, preempt=preempt)
    assert fast == slow


@settings(max_examples=150)
@given(scenes(), st.integers(0, 40), st.booleans())
def test_a_mapping_never_exceeds_a_capacity(scene, start, strict):
    plan, lease = scene
    found = GreedyMapper(plan, GreedyHosts(), ReservationsPreempt(plan)).map(
        lease, start, start + lease.requested, strict=strict
    )
    if found is None:
        return
    assert len(found.hosts) == lease.numnodes
    assert start < found.end <= start + lease.requested
    for bit in set(found.hosts):
        need = plan.space.times(lease.needs[0], found.hosts.count(bit))
        assert all(plan.space.fits(need, free) for free in naive_free(plan, bit, start, found.end))


@given(scenes(), st.integers(0, 40), st.integers(1, 20))
def test_the_profile_says_what_is_free(scene, start, length):
    plan, _ = scene
    sums = [
        sum(plan.space.cpu(free) for free in frees)
        for frees in zip(
            *(naive_free(plan, bit, start, start + length) for bit in bits(plan.table.all_nodes)), strict=True
        )
    ]
    assert plan.table.profile.least_free(start, start + length) == min(sums)
    assert plan.table.free_cpu(start) == sums[0]
    assert plan.is_full(start) == (sums[0] == 0)


@given(scenes(), st.integers(0, 50))
def test_saving_and_restoring_is_exact(scene, time):
    plan, lease = scene
    before, reservations = plan.table.save(), plan.table.reservations()
    for r in reservations[::2]:
        plan.table.remove(r)
    plan.table.add(Reservation(lease, time, time + 5, ((lease.needs[0], 1),)))
    plan.table.restore(before)
    assert plan.table.reservations() == reservations
    assert plan.table.save() == before
    for r in reservations:
        plan.table.remove(r)
    assert len(plan.table) == 0
    assert plan.table.profile.least_free(-10, 1000) == plan.table.profile.total


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(1, 9)), max_size=12))
def test_profile_steps(uses):
    profile = CpuProfile(1000)
    for start, length, amount in uses:
        profile.add(start, start + length, amount)
    for time in range(-1, 45):
        used = sum(amount for start, length, amount in uses if start <= time < start + length)
        assert profile.least_free(time, time + 1) == 1000 - used
    for start, length, amount in reversed(uses):
        profile.add(start, start + length, -amount)
    assert profile.copy() == ([-(1 << 62)], [0])
