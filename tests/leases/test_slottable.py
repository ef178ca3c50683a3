"""The slot table against a naive model: what is free when, and where equal virtual nodes go."""

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.leases.core import Core
from windtunnel.leases.mapper import GreedyMapper
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import Reservation, VirtualMachines, bits
from windtunnel.leases.slottable import CpuProfile
from windtunnel.leases.window import node_room
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
    """A core whose table holds reservations of random leases, and a lease to be placed."""
    core = Core(draw(st.sampled_from(SITES)), LeaseOptions(policy_preemption="ar-preempts-everything"))
    for number in range(draw(st.integers(0, 8))):
        lease = record(core, number + 1, draw(st.sampled_from(NEEDS)), 1, 100, submit=number)
        start = draw(st.integers(0, 30))
        nodes = 0
        for bit in draw(st.lists(st.integers(0, 4), min_size=1, max_size=4)):
            nodes |= 1 << bit
        nodes &= core.table.all_nodes
        kind = draw(st.sampled_from(["vm", "net"]))
        parts = ((lease.needs[0], nodes),) if kind == "vm" else ((core.space.vector({"Net-in": (100,)}), nodes),)
        add_if_it_fits(core, lease, start, start + draw(st.integers(0, 20)), parts)
    need = draw(st.sampled_from(NEEDS))
    lease = record(core, 100, need, draw(st.integers(1, 5)), draw(st.integers(1, 40)), reserved=True)
    return core, lease


def record(core, number, need, count, duration, *, submit=0, reserved=False):
    nodes = (NodeSet(count, {CPU: (need[0],), MEMORY: (need[1],)}),)
    start = 0 if reserved else When.UNSPECIFIED
    lease = Lease(id=number, submit=submit / 100, nodes=nodes, duration=duration / 100, start=start)
    return LeaseRecord(lease, core.space, core.options)


def add_if_it_fits(core, lease, start, end, parts):
    """As the mapper would never exceed a capacity, neither do the scenes."""
    for amount, nodes in parts:
        for bit in bits(nodes):
            if any(not core.space.fits(amount, free) for free in naive_free(core, bit, start, max(end, start + 1))):
                return
    core.table.add(VirtualMachines(lease, start, end, parts, ()))


def naive_free(core, bit, start, end):
    """What is left on a node at every tick, computed from scratch."""
    for time in range(start, end):
        free = core.table.capacity_of(bit)
        for r in core.table.reservations():
            if r.start <= time < r.end and (amount := r.on(bit)) is not None:
                free = core.space.minus(free, amount)
        yield free


@given(scenes(), st.integers(0, 40))
def test_room_is_the_running_minimum(scene, start):
    core, lease = scene
    end = start + 30
    held = core.table.overlapping(start, end)
    need = lease.needs[0]
    for bit in bits(core.table.all_nodes):
        room = node_room(core.table, bit, held, start, ())
        # Several instances: each has its own minimum (as in Haizea), even where another one would do at every instant.
        lows = accumulate(naive_free(core, bit, start, end), core.space.minimum)
        fits = [core.space.fits(need, low) for low in lows]
        for until in range(start + 1, end + 1):
            assert room.fits(need, until, core.space) == all(fits[: until - start])
        first_bad = next((start + i for i, fit in enumerate(fits) if not fit), None)
        if first_bad is None or first_bad > start:
            assert room.latest_fit(need, core.space) == first_bad
        else:
            assert room.latest_fit(need, core.space) is None


@settings(max_examples=150)
@given(scenes(), st.integers(0, 40), st.booleans(), st.booleans())
def test_equal_virtual_nodes_go_where_the_walk_host_by_host_puts_them(scene, start, strict, preempt):
    core, lease = scene
    mapper, end = GreedyMapper(core), start + lease.requested
    preempt = preempt and strict
    fast = mapper.map(lease, start, end, strict=strict, preempt=preempt)
    held = core.table.overlapping(start, end)
    slow = mapper._map_mixed(lease, held, core.table.all_nodes, start, end, strict=strict, preempt=preempt)
    assert fast == slow


@settings(max_examples=150)
@given(scenes(), st.integers(0, 40), st.booleans())
def test_a_mapping_never_exceeds_a_capacity(scene, start, strict):
    core, lease = scene
    found = GreedyMapper(core).map(lease, start, start + lease.requested, strict=strict)
    if found is None:
        return
    assert len(found.hosts) == lease.numnodes
    assert start < found.end <= start + lease.requested
    for bit in set(found.hosts):
        need = core.space.times(lease.needs[0], found.hosts.count(bit))
        assert all(core.space.fits(need, free) for free in naive_free(core, bit, start, found.end))


@given(scenes(), st.integers(0, 40), st.integers(1, 20))
def test_the_profile_says_what_is_free(scene, start, length):
    core, _ = scene
    sums = [
        sum(core.space.cpu(free) for free in frees)
        for frees in zip(
            *(naive_free(core, bit, start, start + length) for bit in bits(core.table.all_nodes)), strict=True
        )
    ]
    assert core.table.profile.least_free(start, start + length) == min(sums)
    assert core.table.free_cpu(start) == sums[0]
    assert core.is_full(start) == (sums[0] == 0)


@given(scenes(), st.integers(0, 50))
def test_saving_and_restoring_is_exact(scene, time):
    core, lease = scene
    before, reservations = core.table.save(), core.table.reservations()
    for r in reservations[::2]:
        core.table.remove(r)
    core.table.add(Reservation(lease, time, time + 5, ((lease.needs[0], 1),)))
    core.table.restore(before)
    assert core.table.reservations() == reservations
    assert core.table.save() == before
    for r in reservations:
        core.table.remove(r)
    assert len(core.table) == 0
    assert core.table.profile.least_free(-10, 1000) == core.table.profile.total


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
