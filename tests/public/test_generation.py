"""What a site generates, as users ask for it: in Python, on the command line, of leases, in studies; what is refused."""

import json

import pytest
from tests import electric_site

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats import Signal, read_signal
from windtunnel.vocabulary import CallMeLater, OneShot

SUN = "time,sun [kW]\n2024-01-01T00:00Z,0.5\n2024-01-01T01:00Z,0.1\n2024-01-01T02:00Z,0\n"
STORE = "capacity=1kWh;charge=1kW;policy=surplus"


__all__ = ["electric"]
electric = electric_site.place


@pytest.fixture
def place(electric):
    (electric / "sun.csv").write_text(SUN)
    return electric


def simulate(**options):
    given = {"energy": True, "carbon": "c.csv", "second_zero": "2024-01-01", "generation": "sun.csv", **options}
    return wt.simulate("site.xml", "jobs.json", "easy", **given)


def test_what_is_generated_and_exported(place, capsys):
    """400 W for an hour beside 500 W of sun, then 300 W beside 100 W."""
    run = simulate(price="100EUR/MWh", export_price="50EUR/MWh", out="out")
    bill = run.metrics.bill
    assert bill.site_joules == pytest.approx(0.7 * 3.6e6)
    assert bill.generated_joules == pytest.approx(0.6 * 3.6e6)
    assert bill.exported_joules == pytest.approx(0.1 * 3.6e6)
    assert bill.grid_joules == pytest.approx(0.2 * 3.6e6)
    assert (bill.carbon_g, bill.cost, bill.revenue) == pytest.approx((80, 0.02, 0.005))
    assert (bill.pue, bill.currency, bill.peak_watts) == (1, "EUR", pytest.approx(200))
    assert bill.battery_charged_joules is None
    assert run.jobs["carbon_g"].to_list() == pytest.approx([40, 80])  # at the grid's intensity, as if there were no sun
    power = run.frame("power.csv")
    assert power["generation_watts"].to_list() == pytest.approx([500] * 4 + [100] * 4)
    assert power["export_watts"].to_list() == pytest.approx([100] * 4 + [0] * 4)
    assert power["grid_watts"].to_list() == pytest.approx([0] * 4 + [200] * 4)
    assert power["revenue"].sum() == pytest.approx(bill.revenue)
    assert power["battery_watts"].null_count() == power.height
    for row in (
        ("  of the grid", "720,000 J"),
        ("generated on site", "2,160,000 J"),
        ("  of that, exported", "360,000 J"),
        ("revenue of exports", "0.005 EUR"),
    ):
        assert row in run.metrics.table()
    noted = run.state.facts["electricity"]
    assert (noted["generation"], noted["generation_unit"], noted["export_price"]) == ("sun.csv", "W", "50EUR/MWh")
    assert wt.load_run("out").metrics.bill == bill
    simulate(generation=None, price="100EUR/MWh", out="without")
    assert main(["compare", "out", "without"]) == 0
    rows = {line[:24].strip(): line.split()[-3:] for line in capsys.readouterr().out.splitlines()}
    assert rows["carbon [g]"][0] == "160.0000"
    assert any(name.startswith("revenue of exports") for name in rows)
    run.report("one.html")
    page = (place / "one.html").read_text()
    assert "Revenue of exports" in page
    assert "generated" in page


def test_revenues_in_two_currencies_are_not_compared(place, capsys):
    simulate(export_price="50EUR/MWh", out="euros")
    simulate(export_price="50USD/MWh", out="dollars")
    assert main(["compare", "euros", "dollars"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "revenue" in line]
    assert rows == [["revenue", "of", "exports", "[EUR]", "0.0050", "-", "-"], ["revenue", "of", "exports", "[USD]", "-", "0.0050", "-"]]


def test_a_battery_takes_what_is_left(place):
    bill = simulate(battery=STORE).metrics.bill
    assert bill.battery_charged_joules == bill.battery_given_joules == pytest.approx(0.1 * 3.6e6)
    assert (bill.exported_joules, bill.revenue) == (0, None)
    assert bill.carbon_g == pytest.approx(40)


def test_without_generation_nothing_is_said_of_it(place):
    run = simulate(generation=None)
    bill = run.metrics.bill
    assert bill.generated_joules is bill.exported_joules is bill.revenue is None
    assert not [name for name, _ in run.metrics.table() if "export" in name or "grid" in name]
    power = run.frame("power.csv")
    assert power["generation_watts"].null_count() == power["revenue"].null_count() == power.height


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"energy": False, "carbon": None, "second_zero": None}, "generation needs the energy of the run"),
        ({"generation": None, "export_price": "5EUR/MWh"}, "export_price has no effect"),
        ({"generation": None, "battery": STORE}, "policy=surplus looks at what the site generates"),
        ({"price": "100EUR/MWh", "export_price": "5USD/MWh"}, "no exchange rate|export_price is in USD/MWh"),
        ({"generation": "5kWh"}, "'kWh' is not a unit of power"),
        ({"generation": "-5kW"}, "has values below 0"),
        ({"generation": 5}, "generation is a file, a constant such as '20kW'"),
        ({"generation": Signal("s", "g/kWh", [0.0], [1.0])}, "a signal of power is in W"),
        ({"second_zero": "2024-01-01T03:00"}, "sun.csv has no value at second 0|c.csv has no value at second 0"),
    ],
)
def test_what_is_refused_before_anything_is_replaced(place, options, said):
    (place / "out").mkdir()
    (place / "out" / "run.json").write_text("{}")
    with pytest.raises(UsageError, match=said):
        simulate(out="out", **options)
    assert (place / "out" / "run.json").read_text() == "{}"


def test_a_file_of_another_quantity(place):
    with pytest.raises(InputError, match="no column is named with a unit of power"):
        simulate(generation="c.csv")
    assert main(["validate", "sun.csv"]) == 0
    signal, told = read_signal("sun.csv", "power")
    assert (signal.unit, list(signal.values), told) == ("W", [500, 100, 0], [])


def test_on_the_command_line(place, capsys):
    words = ["run", "site.xml", "jobs.json", "-s", "easy", "--json", "--quiet", "--generation", "sun.csv"]
    more = ["--energy", "--second-zero", "2024-01-01", "--export-price", "50EUR/MWh"]
    assert main([*words, *more]) == 0
    assert json.loads(capsys.readouterr().out)["bill"]["revenue"] == pytest.approx(0.005)
    assert main([*words, "--energy"]) == 2
    said = capsys.readouterr().err
    assert "--second-zero 2024-01-01" in said
    assert "Traceback" not in said


def test_of_leases(place, capsys):
    (place / "day.lwf").write_text(electric_site.LEASE)
    words = ["lease", "run", "day.lwf", "--site", "site.xml", "--quiet", "--out", "out", "--energy", "--generation", "30W"]
    assert main(words) == 0, capsys.readouterr().err
    bill = wt.load_run("out").metrics.bill
    assert bill.grid_joules == pytest.approx(bill.site_joules - bill.generated_joules)
    assert bill.generated_joules > 0


def test_in_a_study(place):
    words = {"schedulers": "easy", "workloads": "jobs.json", "platforms": "site.xml", "energy": True}
    study = wt.study(**words, generation="{sun}W", export_price="50EUR/MWh", parameters={"sun": [100, 500]})
    done = study.run(place / "results").done.sort("sun")
    assert done["bill_exported_joules"].to_list() == pytest.approx([0, (0.1 + 0.2) * 3.6e6])
    assert done["bill_grid_joules"].to_list() == pytest.approx([0.5 * 3.6e6, 0])
    assert done["bill_revenue"].to_list() == pytest.approx([0, 0.015])
    with pytest.raises(InputError, match="policy=surplus looks at what the site generates"):
        wt.study(**words, battery=STORE)
    with pytest.raises(InputError, match="export_price has no effect"):
        wt.study(**words, export_price="50EUR/MWh")
    with pytest.raises(InputError, match=r"nosuch\.csv"):
        wt.study(**words, generation="nosuch.csv")


def test_schedulers_see_it(place):
    class InTheSun(wt.Scheduler):
        """Starts jobs where the sun gives at least 300 W, or will not do so any more."""

        def schedule(self, view):
            sun = view.signal("generation")
            if sun.at(view.now) < 300 and view.now < 600:
                yield CallMeLater(call_me_later_id=f"at {view.now}", when=OneShot(view.now + 100))
                return
            free = view.free
            for job in view.queue:
                if hosts := free.pick(job.hosts):
                    free -= hosts
                    yield wt.Execute(job, hosts)

    later = Signal("sun", "W", [0.0, 250.0], [0.0, 900.0], outside="hold")
    run = wt.simulate("site.xml", "jobs.json", InTheSun, energy=True, generation=later)
    assert run.jobs["starting_time"].min() == 300
    assert run.metrics.bill.exported_joules > 0
