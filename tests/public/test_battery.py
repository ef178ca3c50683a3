"""A battery of a run as users ask for it: in Python, on the command line, of leases, in studies; and what is refused."""

import json

import pytest
from tests.electric_site import LEASE, place

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.model.battery import Battery

__all__ = ["place"]

BATTERY = "capacity=0.2kWh;charge=400;policy=double;lower=200;upper=300"


def simulate(**options):
    given = {"energy": True, "carbon": "c.csv", "second_zero": "2024-01-01", "battery": BATTERY, **options}
    return wt.simulate("site.xml", "jobs.json", "easy", **given)


def test_what_the_grid_gives(place, capsys):
    """400 W for an hour at 100 g/kWh, in half of which it charges 0.2 kWh; then 300 W at 400 g, 40 min from it."""
    run = simulate(price="100EUR/MWh", out="out")
    bill = run.metrics.bill
    assert bill.site_joules == pytest.approx(0.7 * 3.6e6)
    assert bill.battery_charged_joules == bill.battery_given_joules == pytest.approx(0.2 * 3.6e6)
    assert bill.grid_joules == pytest.approx(0.7 * 3.6e6)
    assert (bill.battery_losses_joules, bill.battery_begin_joules, bill.battery_end_joules) == (0, 0, 0)
    assert bill.carbon_g == pytest.approx(0.6 * 100 + 0.1 * 400)
    assert bill.cost == pytest.approx(0.07)
    assert bill.peak_watts == pytest.approx(800)
    assert bill.pue == 1
    assert run.jobs["carbon_g"].to_list() == pytest.approx([40, 80])
    power = run.frame("power.csv")
    assert power["site_watts"].to_list() == pytest.approx([400] * 4 + [300] * 4)
    assert power["battery_watts"].to_list() == pytest.approx([400, 400, 0, 0, -300, -300, -200, 0])
    assert power["grid_watts"].to_list() == pytest.approx([800, 800, 400, 400, 0, 0, 100, 300])
    assert power["battery_charge_joules"].to_list() == pytest.approx([360e3, 720e3, 720e3, 720e3, 450e3, 180e3, 0, 0])
    assert power["carbon_g"].sum() == pytest.approx(bill.carbon_g)
    assert run.state.facts["electricity"]["battery"] == (
        "capacity=0.2;charge=400.0;policy=double;lower=200.0;upper=300.0"
    )
    assert wt.load_run("out").metrics.bill == bill
    for row in (("  of the grid", "2,520,000 J"), ("battery, charged", "720,000 J"), ("battery, given", "720,000 J")):
        assert row in run.metrics.table()
    simulate(battery=None, price="100EUR/MWh", out="without")
    assert main(["compare", "out", "without"]) == 0
    (carbon,) = [line for line in capsys.readouterr().out.splitlines() if "carbon" in line]
    assert carbon.split() == ["carbon", "[g]", "100.0000", "160.0000", "+60.0000", "+60.0%"]
    run.report("one.html")
    assert "Energy of the grid" in (place / "one.html").read_text()


def test_losses(place):
    bill = simulate(battery=BATTERY + ";charge_efficiency=0.5;discharge_efficiency=0.8", out="out").metrics.bill
    assert bill.battery_charged_joules == pytest.approx(0.4 * 3.6e6)
    assert bill.battery_given_joules == pytest.approx(0.16 * 3.6e6)
    assert bill.battery_losses_joules == pytest.approx(0.24 * 3.6e6)
    assert bill.grid_joules == pytest.approx(0.94 * 3.6e6)
    assert ("battery, losses", "864,000 J") in wt.load_run("out").metrics.table()


def test_by_price_and_behind_a_facility(place):
    """The overhead is drawn from the battery, too; at a price that never changes it decides at second 0."""
    battery = Battery(capacity=10.0, charge=100.0, policy="single", threshold=80.0, signal="price", initial=10.0)
    bill = simulate(carbon=None, second_zero=None, price="100EUR/MWh", pue=1.5, battery=battery).metrics.bill
    assert (bill.grid_joules, bill.cost) == (0, 0)
    assert bill.battery_given_joules == bill.site_joules == pytest.approx(1.05 * 3.6e6)
    assert bill.pue == pytest.approx(1.5)
    assert bill.battery_end_joules == pytest.approx(8.95 * 3.6e6)


def test_without_a_battery_nothing_is_said_of_it(place):
    run = simulate(battery=None, out="out")
    bill = run.metrics.bill
    assert bill.grid_joules == bill.site_joules
    assert bill.battery_charged_joules is bill.battery_given_joules is bill.battery_end_joules is None
    assert not [name for name, _ in run.metrics.table() if "battery" in name or "grid" in name]
    power = run.frame("power.csv")
    assert power["battery_watts"].null_count() == power.height
    assert power["grid_watts"].to_list() == power["site_watts"].to_list()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"energy": False, "carbon": None, "second_zero": None}, "battery needs the energy of the run"),
        ({"carbon": None, "second_zero": None}, "looks at signal=carbon, and there is none"),
        ({"battery": BATTERY + ";signal=price"}, "add --price"),
        ({"battery": "capacity=1;charge=1;policy=double;lower=3;upper=2"}, "lower=3 is above upper=2"),
        ({"battery": "capacity=1;chrge=1;policy=dubble"}, r"did you mean 'charge'.*charge is missing.*did you mean 'double'"),
        ({"battery": ""}, "battery is empty: expected a text such as .capacity=9kWh"),
        ({"battery": 5}, "or a Battery, not 5"),
    ],
)
def test_what_is_refused_before_anything_is_replaced(place, options, said):
    (place / "out").mkdir()
    (place / "out" / "run.json").write_text("{}")
    with pytest.raises(UsageError, match=said):
        simulate(out="out", **options)
    assert (place / "out" / "run.json").read_text() == "{}"


def test_on_the_command_line(place, capsys):
    words = ["run", "site.xml", "jobs.json", "-s", "easy", "--json", "--quiet", "--battery", BATTERY]
    more = ["--energy", "--carbon", "c.csv", "--second-zero", "2024-01-01"]
    assert main([*words, *more]) == 0
    assert json.loads(capsys.readouterr().out)["bill"]["carbon_g"] == pytest.approx(100)
    assert main([*words, "--energy"]) == 2
    said = capsys.readouterr().err
    assert "add --carbon" in said
    assert "Traceback" not in said


def test_of_leases(place, capsys):
    (place / "day.lwf").write_text(LEASE)
    words = ["lease", "run", "day.lwf", "--site", "site.xml", "--quiet", "--out", "out", "--energy", "--carbon", "250g/kWh"]
    battery = "capacity=0.05;charge=100;policy=single;threshold=200;initial=0.05"
    assert main([*words, "--battery", battery]) == 0, capsys.readouterr().err
    bill = wt.load_run("out").metrics.bill
    assert bill.battery_given_joules == pytest.approx(0.05 * 3.6e6)
    assert bill.carbon_g == pytest.approx((bill.site_joules / 3.6e6 - 0.05) * 250)


def test_in_a_study(place):
    words = {"schedulers": "easy", "workloads": "jobs.json", "platforms": "site.xml", "energy": True, "carbon": str(place / "c.csv")}
    battery = "capacity={size}kWh;charge=400;policy=double;lower=200;upper=300"
    study = wt.study(**words, second_zero="2024-01-01", battery=battery, parameters={"size": [0.1, 0.2]})
    done = study.run(place / "results").done.sort("size")
    assert done["bill_carbon_g"].to_list() == pytest.approx([130, 100])
    assert done["bill_battery_given_joules"].to_list() == pytest.approx([360e3, 720e3])
    assert done["bill_site_joules"].to_list() == pytest.approx([0.7 * 3.6e6] * 2)
    with pytest.raises(InputError, match="lower=3 is above upper=2"):
        wt.study(**words, second_zero="2024-01-01", battery="capacity=1;charge=1;policy=double;lower=3;upper=2")
    with pytest.raises(InputError, match="looks at signal=price"):
        wt.study(**words, second_zero="2024-01-01", battery=BATTERY + ";signal=price")
