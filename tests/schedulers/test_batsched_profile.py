"""batsched's plan of hosts over time: short ways to what looking at every host and slice finds."""

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.schedulers.batsched.profile import AvailabilityProfile, lowest_bits
from windtunnel.schedulers.batsched.rationals import HORIZON


@given(st.sets(st.integers(0, 3000), min_size=1), st.data())
def test_the_lowest_hosts_of_a_large_site(hosts, data):
    count = data.draw(st.integers(0, len(hosts)))
    bits = sum(1 << host for host in hosts)
    assert lowest_bits(bits, count) == sum(1 << host for host in sorted(hosts)[:count])


def first_fit(plan, size, duration):
    """The slices and hosts of a first fit, slice by slice."""
    for first, begin in enumerate(plan.begins):
        stop = begin + duration
        common = plan.free[first]
        last = first
        while plan.end(last) < stop:
            last += 1
            common &= plan.free[last]
        if stop <= HORIZON and common.bit_count() >= size:
            return first, last, lowest_bits(common, size)
    return None


@given(
    st.integers(1, 700),
    st.lists(st.tuples(st.integers(0, 19), st.integers(1, 700), st.integers(1, 30), st.booleans()), max_size=60),
)
def test_a_first_fit_is_what_looking_at_every_slice_finds(hosts, steps):
    """Jobs are put in and taken out again, in any order."""
    plan = AvailabilityProfile(hosts, 0)
    for name, size, duration, add in steps:
        job = f"job{name}"
        present = any(job in jobs for jobs in plan.jobs)
        if not add:
            assert (plan.remove(job) is not None) == present
        elif not present:
            expected = first_fit(plan, size, duration) if size <= hosts else None
            assert plan.find(size, duration) == expected
            plan.add(job, size, duration)
        assert plan.counts == [free.bit_count() for free in plan.free]
