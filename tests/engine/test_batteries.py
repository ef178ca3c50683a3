"""Batteries: what the grid gives is what the site consumes and the battery takes, less what it gives; always, exactly."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.star import star
from tests.engine.test_billed import WATTS, Seen, Unseeing, jobs, ran, steps

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine import Options, Simulation
from windtunnel.engine.energy.battery_policies import CHARGING, GIVING, IDLE, policy_of
from windtunnel.engine.energy.local_meter import LocalMeter
from windtunnel.engine.energy.signal_walk import SignalWalk
from windtunnel.model.battery import Battery
from windtunnel.model.billing import Billing
from windtunnel.model.facility import Overhead
from windtunnel.model.signals import OUTSIDE, Signal, constant
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import workload

DAY = 86400.0

members = st.one_of(
    st.fixed_dictionaries({"policy": st.just("single"), "threshold": st.floats(0, 100)}),
    st.fixed_dictionaries({"policy": st.just("double"), "lower": st.floats(0, 50), "upper": st.floats(50, 100)}),
    st.fixed_dictionaries(
        {
            "policy": st.sampled_from(["runningMean", "runningMeanPlus"]),
            "window": st.integers(1, 8),
            "threshold": st.none() | st.floats(0, 100),
        }
    ),
)


@st.composite
def batteries(draw):
    capacity = draw(st.floats(1e-3, 2.0))
    return Battery(
        capacity=capacity,
        charge=draw(st.floats(1.0, 3000.0)),
        discharge=draw(st.none() | st.floats(1.0, 2000.0)),
        charge_efficiency=draw(st.just(1.0) | st.floats(0.5, 1.0)),
        discharge_efficiency=draw(st.just(1.0) | st.floats(0.5, 1.0)),
        initial=draw(st.floats(0.0, 1.0)) * capacity,
        signal=draw(st.sampled_from(["carbon", "price"])),
        **draw(members),
    )


@settings(max_examples=60)
@given(st.integers(0, 2**32), batteries(), st.floats(0, 500), st.booleans())
def test_the_grid_gives_what_is_consumed_and_stored_and_lost(seed, battery, fixed, looks):
    work = jobs(seed, 6)
    carbon, price = steps(seed)
    plain = Billing(carbon=carbon, price=price, overhead=Overhead(fixed=fixed, linear=0.2), clock=313.0)
    billing = Billing(carbon=carbon, price=price, overhead=plain.overhead, clock=313.0, battery=battery)
    seen, totals, simulation = ran(work, billing, Seen() if looks else Unseeing())
    bill, before = totals["bill"], ran(work, plain, Unseeing())[1]["bill"]
    charged, spent = bill.battery_charged_joules, bill.battery_given_joules
    near = {"rel": 1e-9, "abs": 1e-3}
    assert bill.grid_joules == pytest.approx(bill.site_joules + charged - spent, **near)
    held = bill.battery_end_joules - bill.battery_begin_joules
    assert bill.grid_joules == pytest.approx(bill.site_joules + held + bill.battery_losses_joules, **near)
    assert held == pytest.approx(charged * battery.charge_efficiency - spent / battery.discharge_efficiency, **near)
    assert 0.0 <= bill.battery_end_joules <= battery.capacity * 3.6e6
    assert bill.battery_losses_joules >= -1e-3
    assert spent <= bill.site_joules + 1e-3
    assert bill.carbon_g / 1e3 + bill.cost == pytest.approx(bill.grid_joules * 100.0 / 3.6e9, rel=1e-9, abs=1e-9)
    for name in ("machines_joules", "overhead_joules", "site_joules", "pue"):
        assert (getattr(bill, name) or 0.0) == pytest.approx(getattr(before, name) or 0.0, rel=1e-12)
    for since, until, joules, grams, _, (took, gave, left), *others in seen.power if looks else ():
        assert others == [None, None]
        assert joules[3] + took - gave >= -1e-6
        assert took <= battery.charge * (until - since) * (1 + 1e-9) + 1e-6
        assert -1e-3 <= left <= battery.capacity * 3.6e6 + 1e-3
        assert grams is not None
    if looks and seen.power:
        meter = simulation.world.energy.site.now
        assert sum(row[5][0] for row in seen.power) == pytest.approx(meter.charged, abs=1e-6)
        assert sum(row[5][1] for row in seen.power) == pytest.approx(meter.given, abs=1e-6)
        assert seen.power[-1][5][2] == pytest.approx(meter.held)
        assert sum(row[3][1] for row in seen.power) == pytest.approx(meter.grams, abs=1e-6)


@settings(max_examples=60)
@given(st.integers(0, 2**32), batteries(), st.lists(st.floats(0, 30000), max_size=8), st.floats(0, 3000))
def test_looking_more_often_changes_nothing(seed, battery, cuts, watts):
    """Spans may be cut anywhere; and in each piece the grid gives what the battery leaves it."""
    carbon, price = steps(seed)
    billing = Billing(carbon=carbon, price=price, battery=battery)
    whole, cut = (LocalMeter(billing) for _ in range(2))
    whole.pass_time(watts, 0.0, 30000.0, ())
    since = 0.0
    for until in [*sorted(cuts), 30000.0]:
        if until > since:
            held = cut.battery.held
            cut.pass_time(watts, since, until, ())
            most = max(battery.charge, watts / battery.discharge_efficiency) * (until - since)
            assert abs(cut.battery.held - held) <= most * (1 + 1e-9) + 1e-3
            since = until
    assert cut.battery.held == pytest.approx(whole.battery.held, rel=1e-6, abs=1e-3)
    assert cut.now.grid == pytest.approx(whole.now.grid, rel=1e-9, abs=1e-3)
    assert cut.now.grams == pytest.approx(whole.now.grams, rel=1e-6, abs=1e-6)
    assert cut.peak == pytest.approx(whole.peak, rel=1e-6, abs=1e-6)


def test_the_peak_is_that_of_the_grid():
    """The same whether quarters are told or not; and 0 where the battery gave all of each whole quarter."""
    battery = Battery(capacity=0.3, charge=900.0, policy="runningMean", window=4)
    for seed in range(20):
        carbon, _ = steps(seed)
        billing = Billing(carbon=carbon, battery=battery)
        told, untold = (ran(jobs(seed, 6), billing, observer)[1]["bill"] for observer in (Seen(), Unseeing()))
        assert told.peak_watts == pytest.approx(untold.peak_watts, rel=1e-12)
    gives = Battery(capacity=0.025, charge=1.0, policy="single", threshold=0.0, initial=0.025)
    meter = LocalMeter(Billing(carbon=constant("c", "g/kWh", 5.0), battery=gives))
    meter.pass_time(100.0, 0.0, 1200.0, ())
    meter.end(1200.0)
    assert (meter.bill().peak_watts, meter.bill().grid_joules) == (0.0, pytest.approx(30e3))


def test_a_battery_that_does_nothing_changes_nothing():
    work, (carbon, price) = jobs(5, 6), steps(5)
    idle = Battery(capacity=1.0, charge=100.0, policy="double", lower=-1e9, upper=1e9, initial=0.5)
    _, before, _ = ran(work, Billing(carbon=carbon, price=price))
    _, after, _ = ran(work, Billing(carbon=carbon, price=price, battery=idle))
    bill = after["bill"]
    assert bill.grid_joules == bill.site_joules
    for name in before["bill"].__struct_fields__:
        if not name.startswith("battery"):
            there = getattr(before["bill"], name)
            assert getattr(bill, name) == (pytest.approx(there, rel=1e-12) if isinstance(there, float) else there)
    assert (bill.battery_charged_joules, bill.battery_given_joules, bill.battery_losses_joules) == (0, 0, 0)
    assert bill.battery_begin_joules == bill.battery_end_joules == 1.8e6


def metered(battery, signal, watts, *dates, quantity="carbon"):
    """Joules of the grid and what it holds, at each of these dates."""
    billing = Billing(battery=battery, **{quantity: signal})
    meter, since, found = LocalMeter(billing), 0.0, []
    for date in dates:
        meter.pass_time(watts, since, date, ())
        found.append((meter.now.grid, meter.battery.held))
        since = date
    return found


def test_by_hand():
    """100 W; it charges 200 W at half of it kept until 1000 s, when 36 kJ are reached, and gives 50 W for 90 each."""
    signal = Signal("c", "g/kWh", [0.0, 500.0], [10.0, 90.0], outside="hold")
    battery = Battery(
        capacity=0.01,  # 36 kJ
        charge=200.0,
        discharge=45.0,
        charge_efficiency=0.5,
        discharge_efficiency=0.5,
        policy="single",
        threshold=50.0,
    )
    at_360, at_500, at_600, at_1000 = metered(battery, signal, 100.0, 360.0, 500.0, 600.0, 1000.0)
    assert at_360 == (pytest.approx(360 * 300.0), pytest.approx(36e3))
    assert at_500 == (pytest.approx(360 * 300.0 + 140 * 100.0), 36e3)
    assert at_600 == (pytest.approx(at_500[0] + 100 * 55.0), pytest.approx(36e3 - 100 * 90.0))
    assert at_1000 == (pytest.approx(at_500[0] + 400 * 55.0 + 100 * 100.0), 0.0)


def test_a_price_below_which_it_charges():
    signal = Signal("p", "EUR/MWh", [0.0, 100.0], [-5.0, 50.0], outside="hold")
    battery = Battery(capacity=1.0, charge=10.0, policy="double", lower=0.0, upper=40.0, signal="price")
    assert metered(battery, signal, 5.0, 100.0, 200.0, 400.0, quantity="price") == [
        (1500.0, 1000.0),
        (1500.0, 500.0),
        (2000.0, 0.0),
    ]


def test_a_site_that_draws_nothing_is_given_nothing():
    battery = Battery(capacity=1.0, charge=10.0, policy="single", threshold=0.0, initial=1.0)
    assert metered(battery, constant("c", "g/kWh", 5.0), 0.0, 1e6) == [(0.0, 3.6e6)]


def test_an_equal_value_decides_nothing_and_is_counted():
    """As OpenDC: only where the intensity changes; but each row is in the window."""
    signal = Signal("c", "g/kWh", [0.0, 10.0, 20.0, 30.0], [4.0, 2.0, 2.0, 2.5], outside="hold")
    battery = Battery(capacity=1.0, charge=7.0, policy="runningMean", window=2, threshold=9.0)
    # 0: mean 6.5, charges; 10: mean 3; 20: mean 2, and it would give if it decided; 30: mean 2.25, gives
    assert metered(battery, signal, 1.0, 10.0, 20.0, 30.0, 40.0) == [
        (80.0, 70.0),
        (160.0, 140.0),
        (240.0, 210.0),
        (240.0, 200.0),
    ]


def decided(policy, values, **more):
    one = policy_of(Battery(capacity=1.0, charge=1.0, policy=policy, **more))
    found = []
    for value in values:
        one.tell(value)
        found.append(one.decide(empty=False, full=False))
    return found


def test_policies():
    assert decided("single", [1, 2, 3], threshold=2.0) == [CHARGING, GIVING, GIVING]
    assert decided("double", [1, 2, 3, 4, 5], lower=2.0, upper=4.0) == [CHARGING, IDLE, IDLE, IDLE, GIVING]
    assert decided("runningMean", [4, 2, 2, 5], window=2, threshold=9.0) == [CHARGING, CHARGING, GIVING, GIVING]
    assert decided("runningMeanPlus", [9, 2, 3, 3], window=3) == [GIVING, IDLE, CHARGING, GIVING]
    one = policy_of(Battery(capacity=1.0, charge=1.0, policy="single", threshold=2.0))
    one.tell(5.0)
    assert (one.decide(empty=True, full=False), one.decide(empty=False, full=True)) == (IDLE, GIVING)
    one.tell(1.0)
    assert (one.decide(empty=True, full=False), one.decide(empty=False, full=True)) == (CHARGING, IDLE)


STEPS = st.lists(st.tuples(st.integers(1, 50000), st.integers(0, 99)), min_size=1, max_size=12)


@settings(max_examples=80)
@given(STEPS, st.sampled_from(OUTSIDE[1:3]), st.integers(-500000, 500000), st.integers(-200000, 200000))
def test_a_walk_meets_every_step(found, outside, start, first):
    dates, date = [], float(first)
    for seconds, _ in found:
        dates.append(date)
        date += seconds
    if outside == "day" and date - first < DAY:
        date = first + DAY
    signal = Signal("s", "g/kWh", dates, [value for _, value in found], end=date, outside=outside)
    walk, now, met = SignalWalk(signal, float(start)), float(start), []
    for _ in range(60):
        assert walk.value == signal.at(now)
        if walk.until == inf:
            assert signal.at(now + 1e9) == walk.value
            break
        assert walk.until > now
        assert walk.value == signal.at((now + walk.until) / 2)
        now = walk.until
        met.append(now)
        walk.advance(signal)
    if outside == "day":
        assert met == signal.steps(float(start), now + 0.5)


def test_a_signal_that_ends_ends_the_run():
    short = Signal("short.csv", "g/kWh", [0.0, 100.0], [1.0, 2.0], end=200.0)
    battery = Battery(capacity=1.0, charge=10.0, policy="single", threshold=1.5)
    meter = LocalMeter(Billing(carbon=short, battery=battery))
    meter.pass_time(1.0, 0.0, 100.0, ())
    grid = meter.now.grid
    with pytest.raises(SimulationError, match=r"short.csv has no value at 300 s"):
        meter.pass_time(1.0, 100.0, 300.0, ())
    assert (meter.failed, meter.now.grid, meter.battery.at) == (True, grid, 100.0)
    meter.pass_time(1.0, 100.0, 200.0, ())
    with pytest.raises(SimulationError, match=r"short.csv has no value at 300 s"):
        meter.pass_time(1.0, 200.0, 300.0, ())


def test_the_signal_must_be_there():
    battery = Battery(capacity=1.0, charge=10.0, policy="single", threshold=1.5, signal="price")
    with pytest.raises(UsageError, match="looks at signal=price, and there is none"):
        Billing(battery=battery)
    with pytest.raises(UsageError, match=r"add --price \(price=\), or let it look at signal=carbon"):
        Billing(battery=battery, carbon=constant("c", "g/kWh", 1.0))


@pytest.mark.parametrize("rules", ["exact", "opendc"])
def test_a_fork_and_a_restored_run_have_the_same_bill(rules, tmp_path):
    work = jobs(11, 6)
    carbon, price = steps(3)
    battery = Battery(capacity=0.2, charge=900.0, policy="runningMean", window=3, threshold=40.0, rules=rules)
    billing = Billing(carbon=carbon, price=price, battery=battery)
    _, expected, _ = ran(work, billing)
    assert expected["bill"].battery_given_joules > 0
    made = Simulation(
        star(6, storages=(), cores=3, props=WATTS, energy=True),
        [workload(*work)],
        [make_scheduler("easy")],
        options=Options(energy=True),
        billing=billing,
    )
    made.run_until(1500.0)
    fork = made.fork()
    assert fork.world.energy.site.battery.billing is billing
    made.save(tmp_path / "saved")
    restored = Simulation.restore(tmp_path / "saved")
    for one in (made, fork, restored):
        one.run()
        assert one.totals()["bill"] == expected["bill"]
