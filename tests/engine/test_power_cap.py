"""What machines draw above a power cap: exactly, whatever else is accounted for, in the bill and in each quarter."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.test_billed import Seen, Unseeing, jobs, ran, steps
from tests.engine.test_generation import sun

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.energy.power_cap import above
from windtunnel.engine.energy.site_meter import SiteMeter
from windtunnel.model.battery import Battery
from windtunnel.model.billing import Billing
from windtunnel.model.facility import Overhead
from windtunnel.model.signals import Signal, constant


def a_cap(seed, outside="hold"):
    """Around what six hosts draw, 570 to 1,200 W."""
    rng = random.Random(seed)
    dates = [0.0, *sorted(rng.sample(range(1, 12000), rng.randint(0, 8)))]
    return Signal("cap", "W", dates, [rng.uniform(400.0, 1300.0) for _ in dates], end=86400.0, outside=outside)


@given(st.integers(0, 2**32), st.floats(0, 1500), st.integers(0, 5000), st.integers(1, 20000))
def test_above_is_the_sum_over_steps(seed, watts, since, lasts):
    cap, until = a_cap(seed), since + lasts
    ends = [since, *cap.steps(since, until), until]
    parts = [(end - begin, max(watts - cap.at(begin), 0.0)) for begin, end in pairwise(ends)]
    seconds, joules, most = above(cap, watts, since, until)
    assert seconds == pytest.approx(sum(length for length, over in parts if over > 1e-9 * watts))
    assert joules == pytest.approx(sum(length * over for length, over in parts), rel=1e-9, abs=1e-3)
    assert most == pytest.approx(max(over for _, over in parts), rel=1e-9, abs=1e-5)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.booleans(), st.booleans(), st.sampled_from(["hold", "day"]))
def test_the_bill_and_the_quarters_agree(seed, with_sources, looks, outside):
    """And it is that of the machines, so that overhead, a battery and the sun change nothing."""
    work, (carbon, price) = jobs(seed, 6), steps(seed)
    cap = a_cap(seed, outside)
    more = {"overhead": Overhead(linear=0.5)}
    if with_sources:
        more |= {"generation": sun(seed), "battery": Battery(capacity=0.2, charge=300.0, policy="surplus")}
    seen, totals, simulation = ran(work, Billing(carbon=carbon, price=price, power_cap=cap, **more), Seen() if looks else Unseeing())
    bill, plain = totals["bill"], ran(work, Billing(power_cap=cap), Unseeing())[1]["bill"]
    for name in ("cap_excess_joules", "cap_excess_seconds", "cap_excess_watts"):
        assert getattr(bill, name) == pytest.approx(getattr(plain, name), rel=1e-9, abs=1e-5)
    assert 0.0 <= bill.cap_excess_joules <= bill.machines_joules
    assert bill.cap_excess_joules <= bill.cap_excess_seconds * bill.cap_excess_watts * (1 + 1e-9) + 1e-6
    assert (bill.cap_excess_joules > 0.0) == (bill.cap_excess_watts > 0.0)
    if looks and seen.power:
        meter = simulation.world.energy.site.now
        assert sum(row[7][1] for row in seen.power) == pytest.approx(meter.over_joules, rel=1e-9, abs=1e-3)
        for since, until, joules, *_, (limit, over) in seen.power:
            assert limit == pytest.approx(cap.integral(since, until), rel=1e-12)
            assert joules[0] - limit <= over + 1e-3
            assert over <= joules[0] + 1e-6


def test_what_was_before_the_first_job_does_not_count():
    meter = SiteMeter(Billing(power_cap=constant("cap", "W", 50.0)))
    meter.pass_time(90.0, 0.0, 100.0, ())
    meter.begin(100.0)
    meter.pass_time(60.0, 100.0, 200.0, ())
    meter.end(200.0)
    meter.pass_time(99.0, 200.0, 300.0, ())
    bill = meter.bill()
    assert (bill.cap_excess_joules, bill.cap_excess_seconds, bill.cap_excess_watts) == (1000.0, 100.0, 10.0)


def test_a_cap_that_ends_and_one_below_zero():
    meter = SiteMeter(Billing(power_cap=Signal("cap", "W", [0.0], [50.0], end=100.0)))
    meter.pass_time(90.0, 0.0, 100.0, ())
    with pytest.raises(SimulationError, match="cap has no value at"):
        meter.pass_time(10.0, 100.0, 150.0, ())
    assert meter.failed
    with pytest.raises(UsageError, match="power_cap: cap has values below 0"):
        Billing(power_cap=constant("cap", "W", -5.0))


def test_without_a_cap_nothing_is_said_of_it():
    bill = ran(jobs(3, 6), Billing())[1]["bill"]
    assert bill.cap_excess_joules is bill.cap_excess_seconds is bill.cap_excess_watts is None
