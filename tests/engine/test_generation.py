"""What a site generates: consumed, stored or exported, always and exactly; the grid gives only what is missing."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.test_batteries import batteries
from tests.engine.test_billed import Seen, Unseeing, jobs, ran, steps

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.energy.local_meter import LocalMeter
from windtunnel.engine.energy.running_battery import RunningBattery
from windtunnel.engine.energy.site_meter import SiteMeter
from windtunnel.model.battery import Battery
from windtunnel.model.billing import Billing
from windtunnel.model.facility import Overhead
from windtunnel.model.signals import Signal, constant

END = 30000.0


def sun(seed, most=2500.0, outside="hold"):
    rng = random.Random(seed)
    dates, values = [0.0], [0.0]
    while dates[-1] < END:
        dates.append(dates[-1] + rng.choice([7.5, 300.0, 900.0, 3000.0]))
        values.append(rng.choice([0.0, rng.uniform(0.0, most)]))
    return Signal("sun", "W", dates, values, end=dates[-1] + 60.0, outside=outside)


surplus = st.builds(
    lambda share, **members: Battery(policy="surplus", initial=share * members["capacity"], **members),
    share=st.floats(0, 1),
    capacity=st.floats(1e-3, 2.0),
    charge=st.floats(1.0, 3000.0),
    discharge=st.none() | st.floats(1.0, 2000.0),
    charge_efficiency=st.just(1.0) | st.floats(0.5, 1.0),
    discharge_efficiency=st.just(1.0) | st.floats(0.5, 1.0),
)


@settings(max_examples=80)
@given(st.integers(0, 2**32), st.none() | surplus | batteries(), st.floats(0, 500), st.booleans())
def test_all_that_flows_in_flows_out(seed, battery, fixed, looks):
    work, (carbon, price) = jobs(seed, 6), steps(seed)
    overhead = Overhead(fixed=fixed, linear=0.2)
    other = Signal("paid", "EUR/MWh", price.dates, [value / 2 for value in price.values], outside="hold")
    given = {"carbon": carbon, "price": price, "overhead": overhead, "clock": 313.0}
    billing = Billing(**given, generation=sun(seed), export_price=other, battery=battery)
    seen, totals, simulation = ran(work, billing, Seen() if looks else Unseeing())
    bill, plain = totals["bill"], ran(work, Billing(**given), Unseeing())[1]["bill"]
    near = {"rel": 1e-9, "abs": 1e-3}
    charged, spent = bill.battery_charged_joules or 0.0, bill.battery_given_joules or 0.0
    into = bill.grid_joules + bill.generated_joules + spent
    assert into == pytest.approx(bill.site_joules + charged + bill.exported_joules, **near)
    assert bill.exported_joules <= bill.generated_joules + 1e-3
    assert spent <= bill.site_joules + 1e-3
    if battery is not None:
        held = bill.battery_end_joules - bill.battery_begin_joules
        assert held == pytest.approx(charged * battery.charge_efficiency - spent / battery.discharge_efficiency, **near)
        assert 0.0 <= bill.battery_end_joules <= battery.capacity * 3.6e6
    if battery is None or battery.policy == "surplus":
        assert charged <= bill.generated_joules + 1e-3
        assert bill.grid_joules <= plain.grid_joules + 1e-3
    assert bill.carbon_g / 1e3 + bill.cost == pytest.approx(bill.grid_joules * 100.0 / 3.6e9, rel=1e-9, abs=1e-9)
    for name in ("machines_joules", "overhead_joules", "site_joules", "pue"):
        assert (getattr(bill, name) or 0.0) == pytest.approx(getattr(plain, name) or 0.0, rel=1e-12)
    meter = simulation.world.energy.site.now
    for since, until, joules, grams, cost, stored, (made, out, paid), capped in seen.power if looks else ():
        assert capped is None
        assert 0.0 <= out <= made + 1e-6
        assert made == pytest.approx(billing.generation.integral(since, until), rel=1e-9, abs=1e-6)
        taken = 0.0 if stored is None else stored[0] - stored[1]
        assert joules[3] + taken + out - made >= -1e-6  # that of the grid
        assert paid == 0.0 or out > 0.0
        assert grams is not None
        assert cost is not None
    if looks and seen.power:
        assert sum(row[6][0] for row in seen.power) == pytest.approx(meter.generated, abs=1e-3)
        assert sum(row[6][1] for row in seen.power) == pytest.approx(meter.exported, abs=1e-3)
        assert sum(row[6][2] for row in seen.power) == pytest.approx(meter.revenue, abs=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.none() | surplus | batteries(), st.lists(st.floats(0, END), max_size=8), st.floats(0, 3000))
def test_looking_more_often_changes_nothing(seed, battery, cuts, watts):
    carbon, price = steps(seed)
    billing = Billing(carbon=carbon, price=price, generation=sun(seed), export_price=price, battery=battery)
    whole, cut = LocalMeter(billing), LocalMeter(billing)
    whole.pass_time(watts, 0.0, END, ())
    since = 0.0
    for until in [*sorted(cuts), END]:
        if until > since:
            cut.pass_time(watts, since, until, ())
            since = until
    for name in ("grid", "generated", "exported", "grams", "cost", "revenue", "charged", "given"):
        assert getattr(cut.now, name) == pytest.approx(getattr(whole.now, name), rel=1e-6, abs=1e-3)
    assert cut.peak == pytest.approx(whole.peak, rel=1e-6, abs=1e-6)


def test_at_no_instant_both_ways():
    """Between two steps of the sun a constant load either takes from the grid or gives to it."""
    watts = 700.0
    for seed in range(20):
        generation = sun(seed)
        meter = LocalMeter(Billing(generation=generation))
        for since, until in zip(generation.dates, generation.dates[1:], strict=False):
            before = meter.now.copy()
            meter.pass_time(watts, since, until, ())
            lacking = (watts - generation.at(since)) * (until - since)
            assert meter.now.grid - before.grid == pytest.approx(max(lacking, 0.0), abs=1e-6)
            assert meter.now.exported - before.exported == pytest.approx(max(-lacking, 0.0), abs=1e-6)


def test_a_night_without_sun_is_a_site_without():
    work, (carbon, price) = jobs(5, 6), steps(5)
    plain = ran(work, Billing(carbon=carbon, price=price))[1]["bill"]
    dark = ran(work, Billing(carbon=carbon, price=price, generation=constant("dark", "W", 0.0)))[1]["bill"]
    assert (dark.generated_joules, dark.exported_joules, dark.revenue) == (0.0, 0.0, None)
    for name in ("site_joules", "grid_joules", "carbon_g", "cost", "peak_watts"):
        assert getattr(dark, name) == pytest.approx(getattr(plain, name), rel=1e-12)


def test_a_battery_of_surplus_by_hand():
    """300 W of sun for an hour, then none, beside a constant load of 100 W."""
    generation = Signal("sun", "W", [0.0, 3600.0], [300.0, 0.0], outside="hold")
    battery = Battery(capacity=0.1, charge=150.0, discharge=80.0, charge_efficiency=0.5, policy="surplus")
    meter = LocalMeter(Billing(generation=generation, battery=battery))
    meter.pass_time(100.0, 0.0, 3600.0, ())
    assert (meter.now.charged, meter.now.exported) == pytest.approx((150 * 3600, 50 * 3600))
    assert meter.battery.held == pytest.approx(75 * 3600)
    meter.pass_time(100.0, 3600.0, 7200.0, ())  # it is empty after 75/80 of an hour
    assert (meter.now.given, meter.now.grid) == pytest.approx((75 * 3600, 25 * 3600))
    assert meter.battery.held == 0.0
    full = RunningBattery(Battery(capacity=1.0, charge=10.0, policy="surplus", initial=1.0), Billing(generation=generation))
    assert (full.watts(-50.0), full.watts(30.0)) == (0.0, -30.0)


def test_what_is_generated_must_be_known():
    """Nothing of a span passes where it is not, as with any signal."""
    meter = LocalMeter(Billing(generation=Signal("sun", "W", [0.0], [50.0], end=100.0)))
    meter.pass_time(10.0, 0.0, 100.0, ())
    before = meter.now.exported
    with pytest.raises(SimulationError, match="sun has no value at"):
        meter.pass_time(10.0, 100.0, 150.0, ())
    assert meter.failed
    assert meter.now.exported == before
    short = Signal("paid", "EUR/MWh", [0.0], [50.0], end=100.0)
    meter = LocalMeter(Billing(generation=constant("sun", "W", 0.0), export_price=short))
    with pytest.raises(SimulationError, match="paid has no value at"):  # although nothing is exported
        meter.pass_time(10.0, 0.0, 150.0, ())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"generation": constant("sun", "W", -1.0)}, "sun has values below 0"),
        ({"export_price": constant("p", "EUR/MWh", 1.0)}, "export_price has no effect"),
        ({"battery": Battery(capacity=1.0, charge=1.0, policy="surplus")}, "policy=surplus looks at what the site generates"),
        (
            {
                "generation": constant("sun", "W", 1.0),
                "price": constant("p", "EUR/MWh", 1.0),
                "export_price": constant("q", "USD/MWh", 1.0),
            },
            "export_price is in USD/MWh, price in EUR/MWh",
        ),
    ],
)
def test_what_does_not_go_together(given, said):
    with pytest.raises(UsageError, match=said):
        Billing(**given)


@pytest.mark.parametrize("member", [{"threshold": 3.0}, {"window": 2}, {"signal": "price"}, {"rules": "opendc"}])
def test_members_that_a_battery_of_surplus_does_not_look_at(member):
    with pytest.raises(UsageError, match=f"{next(iter(member))} has no effect: policy=surplus looks at what the site"):
        Battery(capacity=1.0, charge=1.0, policy="surplus", **member)


def test_a_site_without_sources_has_the_plain_meter():
    assert type(ran(jobs(1, 6), Billing())[2].world.energy.site) is SiteMeter
