"""What batteries of OpenDC took, gave and held, and what they left to the grid (power-carbon.md 2.2)."""

import json

import pytest

from power_cases import ALL, carbon_of, machines, named, read
from shared import cases
from windtunnel.engine import Options
from windtunnel.engine.energy.battery_policies import CHARGING, GIVING, IDLE
from windtunnel.engine.energy.billed import BilledEnergy
from windtunnel.engine.energy.local_meter import LocalMeter
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet, Platform
from windtunnel.model.battery import Battery
from windtunnel.model.billing import Billing
from windtunnel.model.signals import Signal

OPENDC = [path for path in ALL if path.parent.name == "opendc" and "battery" in path.name]

UNCOVERED = {
    "opendc/unit-tests battery 6": "a thousand tasks one at a time are about its scheduler; the battery does what it does in 3",
    "opendc/unit-tests battery 7": "failures, and no battery",
    "opendc/unit-tests battery 8 and checkpoints 5": "failures and checkpoints, and no battery",
}
"""What is not compared here, and why. Vessim's are in test_vessim.py."""

STATES = {IDLE: "IDLE", CHARGING: "CHARGING", GIVING: "DISCHARGING"}


def test_nothing_is_left_out_in_silence():
    if not ALL:
        return
    with_battery = {named(path) for path in ALL if path.parent.name == "opendc" and read(path)["battery"]}
    assert with_battery == set(map(named, OPENDC)) - set(UNCOVERED)
    for path in cases("golden/power", "opendc/unit-tests.json"):
        names = [one["name"] for one in json.loads(path.read_text())["tests"] if "battery" in one["name"]]
        assert {f"opendc/unit-tests {name}" for name in names if int(name.split()[1]) > 4} == {
            name for name in UNCOVERED if name.startswith("opendc/unit-tests")
        }


def battery_of(case) -> Battery:
    """As OpenDC runs it."""
    given = case["battery"]
    policy, first, second = given["policy"], given["p1"], given.get("p2")
    members = {"single": {"threshold": first}, "double": {"lower": first, "upper": second}}
    return Battery(
        capacity=given["capacity_kWh"],
        charge=given["charging_W"],
        initial=given["initial_kWh"],
        policy=policy,
        rules="opendc",
        **members.get(policy, {"threshold": first, "window": second}),
    )


@pytest.mark.golden
@pytest.mark.parametrize("path", OPENDC, ids=named)
def test_batteries_of_opendc(path):
    """At every sample: joules, grams and watts of the grid, joules of the hosts, what it does, holds and gave."""
    case = read(path)
    hosts, changes = machines(case)
    world = World(Platform(name="site", hosts=hosts), (), (), ("",), Options(energy=True))
    energy = BilledEnergy(world, "exact", Billing(carbon=carbon_of(case), battery=battery_of(case)))
    meter, capacity = energy.site, case["battery"]["capacity_kWh"] * 3.6e6
    for row in case["rows"]:
        seen = dict(zip(case["columns"], row, strict=True))
        while changes and changes[0][0] <= seen["t_s"]:
            world.now, number, rank = changes.pop(0)
            energy.set_pstate(HostSet([number]), rank)
        world.now = seen["t_s"]
        assert energy.total(world.now) == pytest.approx(seen["host_energy_J"], rel=1e-9)
        assert meter.now.grid == pytest.approx(seen["energy_J"], rel=1e-9, abs=1e-9)
        assert meter.now.grams == pytest.approx(seen["carbon_g"], rel=1e-9, abs=1e-9)
        site = meter.watts(energy.watts)[3]
        assert site + meter.battery.watts(site) == pytest.approx(seen["power_W"], rel=1e-9, abs=1e-9)
        assert meter.battery.held == pytest.approx(seen["battery_charge_J"], rel=1e-9, abs=capacity * 1e-12)
        assert STATES[meter.battery.doing] == seen["battery_state"]
        assert meter.now.given == pytest.approx(seen["battery_out_J"], rel=1e-9, abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize("path", cases("golden/power", "opendc/unit-tests.json"), ids=lambda path: path.name)
@pytest.mark.parametrize("rules", ["exact", "opendc"])
def test_what_the_tests_of_opendc_say(path, rules):
    """A host of 150 W at half load: joules and watts of the grid."""
    tests = {one["name"]: one for one in json.loads(path.read_text())["tests"]}
    for number in (1, 2, 3, 4):
        test = tests[f"battery {number}"]
        dates, values = zip(*test["carbon"], strict=True)
        given = test["battery"]
        battery = Battery(
            capacity=given["kWh"], charge=given["charging_W"], policy="single", threshold=given["threshold"], rules=rules
        )
        meter = LocalMeter(Billing(carbon=Signal("c", "g/kWh", dates, values, outside="hold"), battery=battery))
        end, now = test["fragments"][0][0] * 60, 0
        for date, watts in sorted((int(date), watts) for date, watts in test["watts_at"].items()):
            meter.pass_time(150.0, now, date, ())
            assert 150.0 + meter.battery.watts(150.0) == pytest.approx(watts)
            now = date
        meter.pass_time(150.0, now, end, ())
        assert meter.now.grid == pytest.approx(test["joules"], rel=1e-12)
