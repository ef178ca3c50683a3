"""Watts over time under a cap, against a look at every second."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model import Host, HostSet, PowerState
from windtunnel.model.signals import Signal, constant
from windtunnel.schedulers.by_core import _of_a_core
from windtunnel.schedulers.power_plan import HostWatts, PowerPlan, Reserved, longest_window, next_step

DAY = 86400


@st.composite
def caps(draw):
    """Steps at whole seconds; some repeat every day."""
    outside = draw(st.sampled_from(["hold", "error", "day"]))
    dates = [0, *sorted(draw(st.sets(st.integers(1, 400), max_size=5)))]
    values = draw(st.lists(st.integers(0, 12).map(lambda tens: tens * 10.0), min_size=len(dates), max_size=len(dates)))
    end = DAY if outside == "day" else dates[-1] + 50
    return Signal("cap", "W", dates, values, end=end, outside=outside)


def limit(cap, date):
    return cap.at(date) if cap.knows(date) else cap.values[-1]


@given(
    caps(),
    st.integers(0, 300),
    st.lists(st.tuples(st.integers(-5, 300), st.integers(0, 5).map(lambda tens: tens * 10.0)), max_size=5),
    st.integers(0, 8),
    st.integers(0, 200),
    st.integers(0, 300),
    st.none() | st.tuples(st.integers(0, 200), st.integers(1, 200), st.integers(1, 5)),
)
def test_what_fits_does_at_every_second(cap, now, held, tens, begin, lasts, reserved):
    held = [(now + end, watts) for end, watts in held]
    plan = PowerPlan(cap, 20.0, now, iter(held[1:]))
    for end, watts in held[:1]:
        plan.hold(end, watts)
    begin, watts = now + begin, tens * 10.0
    end = begin + lasts
    first = None if reserved is None else Reserved(now + reserved[0], now + reserved[0] + reserved[1], 10.0 * reserved[2])

    def drawn(date):
        return 20.0 + sum(watts for over, watts in held if over > date or (date == now and over <= now))

    for date in range(now, now + 20):
        assert plan.drawn(date) == drawn(date)
    seconds = range(begin, max(end, begin + 1))
    more = 0.0 if first is None else first.watts
    if first is not None:
        seconds = range(max(begin, first.begin), min(end, first.end))
    assert plan.fits(watts, begin, end, first) == all(drawn(date) + watts + more <= limit(cap, date) for date in seconds)
    dates = list(plan.dates([over for over, _ in held]))
    assert dates[0] == now
    assert all(one < other for one, other in pairwise(dates))
    assert {over for over, _ in held if over > now} <= set(dates)
    assert {date for date in range(now + 1, now + 500) if limit(cap, date) != limit(cap, date - 1)} <= set(dates)


@given(caps(), st.integers(1, 13), st.integers(0, 600))
def test_the_longest_window(cap, tens, now):
    """Against the sum of neighbouring steps; of a cap that comes again every day, it does not matter when now is."""
    watts = 10.0 * tens - 5.0
    since, end = (0, 2 * DAY + 500) if cap.period else (now, 2000)
    if limit(cap, 1000) >= watts and (not cap.period or min(cap.values) >= watts):
        assert longest_window(cap, watts, now) == inf
        return
    longest = run = 0.0
    for begin, until in pairwise([since, *cap.steps(since, end), end]):
        run = run + until - begin if limit(cap, begin) >= watts else 0.0
        longest = max(longest, run)
    assert longest_window(cap, watts, now) == longest


@given(caps(), st.integers(0, 500))
def test_the_next_step(cap, now):
    found = next_step(cap, now)
    assert found == min(cap.steps(now, now + 2 * DAY), default=inf)


def test_a_constant_has_no_steps():
    cap = constant("cap", "W", 50.0)
    assert next_step(cap, 5.0) == inf
    assert (longest_window(cap, 50.0), longest_window(cap, 51.0)) == (inf, 0.0)
    assert list(PowerPlan(cap, 0.0, 3.0, iter(())).dates([9.0, inf])) == [3.0, 9.0, inf]


@given(st.integers(1, 16), *[st.floats(0, 500)] * 3)
def test_watts_of_cores_are_never_less_than_those_of_their_host(cores, idle, first, rest):
    """However many of them are busy; and exactly those if all are idle."""
    host = PowerState(1e9, idle=idle, epsilon=idle + first, full=idle + first + rest)
    (core,) = _of_a_core((host,), cores)
    assert core.idle * cores == pytest.approx(idle)
    for busy in range(1, cores + 1):
        drawn = host.epsilon + (host.full - host.epsilon) * busy / cores
        assert core.full * busy + core.idle * (cores - busy) >= drawn * (1 - 1e-12) - 1e-9
    without = PowerState(1e9)
    assert _of_a_core((without,), 4) == (without,)


def test_watts_of_hosts():
    watts = [PowerState(1e9, idle=10.0, epsilon=10.0, full=full) for full in (30.0, 50.0)]
    hosts = [Host(id=n, name=f"h{n}", pstates=(watts[n % 2],)) for n in range(3)]
    found = HostWatts(hosts, [Host(id=3, name="s", storage=True, pstates=(PowerState(1e9, idle=5.0, full=9.0),))])
    assert (found.base, found.most, found.at_most(2)) == (35.0, 40.0, 80.0)
    assert found.of(HostSet.parse("0 2")) == 40.0
    assert HostWatts([Host(id=0, name="n")]).at_most(4) == 0.0
    assert HostWatts(()).of(HostSet()) == pytest.approx(0.0)
