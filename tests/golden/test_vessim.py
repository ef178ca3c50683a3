"""Grid, battery, exports, cost, revenue and emissions of Vessim, from its load, its sun and its signals (power-carbon.md 4).

Vessim takes what is there at the beginning of a step for the whole of it, so that what the sun gives is a signal with
these steps. Its lowest state of charge is taken for empty.
"""

import pytest

from power_cases import ALL, named, read
from windtunnel.engine.energy.local_meter import LocalMeter
from windtunnel.model.battery import Battery
from windtunnel.model.billing import Billing
from windtunnel.model.signals import Signal

VESSIM = [path for path in ALL if path.parent.name == "vessim"]


def battery_of(case) -> Battery | None:
    """One that is asked before the grid, or one that charges with a constant power until it is full."""
    given = case["battery"]
    if given is None:
        return None
    assert case["order"] == "battery-first"
    members = {"policy": "surplus"}
    if case["charge_power_W"]:
        members = {"policy": "single", "threshold": 1e9, "charge": case["charge_power_W"]}
    if given.get("c_rate"):
        members |= {"charge": given["c_rate"] * given["capacity"], "discharge": given["c_rate"] * given["capacity"]}
    capacity, least = given["capacity"] / 1e3, given["min_soc"]
    return Battery(
        capacity=capacity * (1.0 - least), initial=capacity * max(given["initial_soc"] - least, 0.0), **members
    )


def steps(case, name, factor=1.0):
    """The values of a signal at the beginning of each step."""
    given = case[name]
    dates = [rank * case["step_s"] for rank in range(len(case["rows"]))]
    return dates, [given["values"][date // given["every_s"]] * factor for date in dates]


def signal_of(case, name, unit, factor=1.0) -> Signal:
    dates, values = steps(case, name, factor)
    return Signal(name, unit, dates, values, end=dates[-1] + case["step_s"])


@pytest.mark.golden
@pytest.mark.parametrize("path", VESSIM, ids=named)
def test_a_site_of_vessim(path):
    """What the grid gives and gets in each step, what the battery holds at its beginning, and the figures of the whole."""
    case = read(path)
    step, given = case["step_s"], case["battery"]
    price = signal_of(case, "price_EUR_per_kWh", "EUR/MWh", 1e3)
    billing = Billing(
        carbon=signal_of(case, "carbon_kg_per_kWh", "g/kWh", 1e3),
        price=price,
        export_price=price,
        generation=signal_of(case, "pv_W", "W"),
        battery=battery_of(case),
    )
    meter, peaks = LocalMeter(billing), [0.0, 0.0]
    for date, load, row in zip(*steps(case, "load_W"), case["rows"], strict=True):
        seen = dict(zip(case["columns"], row, strict=True))
        if given is not None:
            least = given["min_soc"] * given["capacity"]
            assert meter.battery.held / 3600 + least == pytest.approx(seen["battery_Wh"], rel=1e-9)
        before = meter.now.copy()
        meter.pass_time(load, date, date + step, ())
        flows = (meter.now.grid - before.grid) / step, (meter.now.exported - before.exported) / step
        assert flows[1] - flows[0] == pytest.approx(seen["p_grid_W"], rel=1e-9, abs=1e-6)
        peaks = list(map(max, peaks, flows))
    expected, now = case["metrics"], meter.now
    ours = {
        "energy_produced": now.generated / 3600,
        "energy_consumed": now.site / 3600,
        "grid_import": now.grid / 3600,
        "grid_export": now.exported / 3600,
        "peak_grid_import": peaks[0],
        "peak_grid_export": peaks[1],
        "cost": now.cost,
        "revenue": now.revenue,
        "emissions": now.grams / 1000,
    }
    assert ours == pytest.approx(expected, rel=1e-9, abs=1e-9)
