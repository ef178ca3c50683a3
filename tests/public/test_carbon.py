"""Carbon, cost and overhead of a run as users ask for them: in Python, on the command line, in studies, of files."""

import json
from datetime import UTC, date, datetime
from fractions import Fraction

import polars as pl
import pytest
from tests.electric_site import CARBON, JANUARY, LEASE, LOG, place

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.engine import Options
from windtunnel.formats import Signal

__all__ = ["place"]

BATTERY = "capacity=1;charge=1;policy=single;threshold=1"


def simulate(**options):
    return wt.simulate("site.xml", options.pop("workload", "jobs.json"), "easy", **{"energy": True, **options})


def test_grams_euros_and_overhead(place):
    """Two hosts busy for an hour at 100 g/kWh, one for another hour at 400: 0.4 and 0.3 kWh."""
    run = simulate(carbon="c.csv", price="100EUR/MWh", pue=1.5, second_zero="2024-01-01", out="out")
    bill = run.metrics.bill
    assert bill.machines_joules == run.metrics.consumed_joules == pytest.approx(0.7 * 3.6e6)
    assert bill.site_joules == pytest.approx(1.05 * 3.6e6)
    assert bill.overhead_joules == pytest.approx(0.35 * 3.6e6)
    assert bill.carbon_g == pytest.approx(1.5 * (0.4 * 100 + 0.3 * 400))
    assert bill.cost == pytest.approx(1.5 * 0.07)
    assert (bill.pue, bill.peak_watts, bill.currency) == (pytest.approx(1.5), pytest.approx(600), "EUR")
    assert run.jobs["carbon_g"].to_list() == pytest.approx([40, 80])
    assert run.jobs["cost"].to_list() == pytest.approx([0.04, 0.02])
    power = run.frame("power.csv")
    assert power["site_watts"].to_list() == pytest.approx([600.0] * 4 + [450.0] * 4)
    assert power["carbon_intensity"].to_list() == [100.0] * 4 + [400.0] * 4
    assert power["cost"].sum() == pytest.approx(bill.cost)
    facts = run.state.facts["electricity"]
    assert facts == {
        "pue": "1.5",
        "carbon": "c.csv",
        "carbon_unit": "g/kWh",
        "price": "100EUR/MWh",
        "price_unit": "EUR/MWh",
        "second_zero": "2024-01-01T00:00:00+00:00",
    }
    assert "c.csv" in [one.path for one in run.state.inputs]
    loaded = wt.load_run("out")
    assert loaded.metrics.bill == bill
    assert loaded.measure("10%").bill == bill
    assert loaded.jobs["carbon_g"].to_list() == pytest.approx([40, 80])
    for name, value in (("carbon", "240.000 g CO2e"), ("PUE", "1.5"), ("cost", "0.105 EUR"), ("  of the site", "3,780,000 J")):
        assert (name, value) in run.metrics.table()


def test_costs_in_files_keep_all_their_digits(place):
    """At a millionth of a usual price, six decimals would leave 0 of the cost of every job."""
    run = simulate(price="0.0001EUR/MWh", out="out")
    bill, jobs = run.metrics.bill, wt.load_run("out").jobs
    assert jobs["cost"].to_list() == run.jobs["cost"].to_list() == pytest.approx([4e-8, 2e-8], rel=1e-12)
    assert run.frame("power.csv")["cost"].sum() == pytest.approx(bill.cost, rel=1e-12)
    assert sum(jobs["cost"]) <= bill.cost


def test_a_run_without_has_none_of_it(place):
    run = simulate(out="out")
    assert run.metrics.bill is None
    assert run.frame("power.csv") is run.frame("jobs_carbon.csv") is None
    assert run.jobs["carbon_g"].null_count() == 2
    assert "electricity" not in run.state.facts


def test_pue_alone(place):
    run = simulate(pue="fixed=100;linear=0.1")
    bill = run.metrics.bill
    assert bill.overhead_joules == pytest.approx(7200 * 100 + 0.1 * bill.machines_joules)
    assert (bill.carbon_g, bill.cost) == (None, None)
    assert run.frame("jobs_carbon.csv") is None
    assert run.frame("power.csv")["carbon_g"].null_count() == 8


def test_the_date_of_a_log_is_second_zero(place):
    run = simulate(workload="log.swf", carbon="c.csv")
    assert run.metrics.bill.carbon_g == pytest.approx(0.2 * 100)  # delays draw idle watts
    moved = simulate(workload="log.swf", carbon="c.csv", second_zero=datetime(2024, 1, 1, 1, tzinfo=UTC))
    assert moved.metrics.bill.carbon_g == pytest.approx(0.2 * 400)
    assert [line.kind for line in moved.account if line.kind == "second-zero"] == ["second-zero"]
    assert moved.account.lines[-1].note or any(line.note for line in moved.account)


def test_a_signal_of_ones_own_and_a_kind(place):
    own = Signal("mine", "g/kWh", [0.0], [50.0], outside="hold", kind="marginal")
    run = simulate(carbon=own)
    assert run.metrics.bill.carbon_kind == "marginal"
    assert run.state.facts["electricity"]["carbon_kind"] == "marginal"
    assert ("carbon", "35.000 g CO2e (marginal intensity)") in run.metrics.table()


def test_missing_rows_are_in_the_account(place):
    (place / "c.csv").write_text(CARBON.replace("01:00Z,400", "01:00Z,-"))
    run = simulate(carbon="c.csv", second_zero=1704067200)
    assert ("missing-rows", 1) in [(line.kind, line.count) for line in run.account]
    with pytest.raises(InputError, match="missing-rows"):
        simulate(carbon="c.csv", second_zero=1704067200, strict_input=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"carbon": "350g/kWh", "energy": False}, "carbon needs the energy of the run"),
        ({"carbon": "350g/kWh", "pue": 1.1, "energy": False}, "carbon and pue need the energy"),
        ({"carbon": "1g/kWh", "price": "1EUR/MWh", "pue": 1.1, "energy": False}, "carbon, price and pue need the energy"),
        ({"second_zero": "2024-01-01"}, "second_zero: the date of second 0 says when"),
        ({"carbon": "c.csv"}, "c.csv has dates, and the date of second 0"),
        ({"carbon": "c.csv", "second_zero": "2025-01-01"}, r"no value at second 0 \(2025-01-01 00:00\): its rows hold from 2024-01-01 00:00"),
        ({"carbon": "c.csv", "second_zero": "soon"}, "'soon' is not a date"),
        ({"carbon": "c.csv", "second_zero": float("nan")}, "nan is not a date"),
        ({"carbon": "c.csv", "second_zero": 1e20}, "1e.20 is not a date between the years 1 and 9999"),
        ({"carbon": "c.csv", "second_zero": "0001-01-01T00:00+05:00"}, "not a date between the years"),
        ({"carbon": "c.csv", "second_zero": ""}, "second_zero is empty"),
        ({"carbon": ""}, "carbon is empty"),
        ({"supply": ""}, "supply is empty"),
        ({"carbon": 350}, r"carbon is a file, a constant such as '350g/kWh', or a Signal, not 350 \(int\)"),
        ({"pue": [1.2]}, r"pue is a number .*, not \[1.2\] \(list\)"),
        ({"pue": True}, "not True"),
        ({"pue": 0.5}, "less than 1"),
        ({"pue": 0.5, "battery": "x", "second_zero": "soon"}, "(?s)less than 1.*capacity is missing.*'soon' is not a date"),
        ({"price": "1EUR/J"}, "'EUR/J' is not a unit of price"),
        ({"price": "c.csv"}, "no column is named with a unit of price"),
        ({"carbon": "350g/kWh", "options": Options(energy_rule="simgrid")}, "carbon needs the exact energy rule"),
    ],
)
def test_what_is_refused_before_anything_is_replaced(place, options, said):
    (place / "out").mkdir()
    (place / "out" / "run.json").write_text("{}")
    with pytest.raises((UsageError, InputError), match=said):
        simulate(out="out", **options)
    assert (place / "out" / "run.json").read_text() == "{}"


@pytest.mark.parametrize("zero", [JANUARY, date(2024, 1, 1), "2024-01-01T05:45+05:45", Fraction(JANUARY)])
def test_the_date_of_second_zero(place, zero):
    run = simulate(carbon="c.csv", second_zero=zero)
    assert run.metrics.bill.carbon_g == pytest.approx(160)
    assert run.state.facts["electricity"]["second_zero"] == "2024-01-01T00:00:00+00:00"


def test_a_second_zero_of_signals_that_have_seconds(place):
    (place / "s.csv").write_text("time,g/kWh\n0,100\n3600,400\n7200,1\n")
    run = simulate(carbon="s.csv", second_zero="2024-01-01")
    assert run.metrics.bill.carbon_g == pytest.approx(160)
    reason = "s.csv has seconds and no dates: second_zero only says when quarters begin"
    assert [(line.reason, line.note) for line in run.account if line.kind == "second-zero"] == [(reason, True)]
    for carbon in ("c.csv", "350g/kWh"):
        assert not [line for line in simulate(carbon=carbon, second_zero="2024-01-01").account if line.kind == "second-zero"]


def test_logs_that_begin_at_other_dates(place):
    """The first one's date is second 0; that there are others is told unless a date is given."""
    (place / "later.swf").write_text(LOG.replace("1704067200", "1704070800"))
    both = ["log.swf", "later.swf"]
    run = simulate(workload=both, carbon="c.csv?outside=hold")
    found = [(line.reason, line.note) for line in run.account if line.kind == "second-zero"]
    assert found == [("the workloads begin at 2024-01-01 00:00, 2024-01-01 01:00; signals begin at 2024-01-01 00:00", False)]
    assert run.metrics.bill.carbon_g == pytest.approx(0.2 * 100 + 0.2 * 400)
    account = simulate(workload=both, carbon="c.csv?outside=hold", second_zero="2024-01-01T01:00").account
    assert [line.note for line in account if line.kind == "second-zero"] == [True]


def test_jobs_of_logs_draw_idle_watts_unless_delays_compute(place):
    """Of a host from 100 to 200 W: that is half of what one would expect, so it is noted."""
    bills = []
    for busy, noted in ((False, [True]), (True, [])):
        run = simulate(workload="log.swf", carbon="100g/kWh", options=Options(delays_compute=busy))
        assert [line.note for line in run.account if line.kind == "idle-delays"] == noted
        bills.append(run.metrics.bill.carbon_g)
    assert bills == [pytest.approx(20), pytest.approx(40)]
    assert "idle-delays" not in [line.kind for line in simulate(carbon="100g/kWh").account]
    assert "idle-delays" not in [line.kind for line in simulate(workload="log.swf").account], "it has no account"


@pytest.mark.parametrize("scheduler", ["leases", "easy"])
def test_leases_draw_idle_watts_unless_delays_compute(place, scheduler):
    """`windtunnel lease run` has their hosts busy, `windtunnel run` had them idle and did not say so."""
    (place / "day.lwf").write_text(LEASE)
    grams = []
    for busy, noted in ((False, ["leases only say how long they last: their hosts draw the watts of idle ones"]), (True, [])):
        options = Options(delays_compute=busy)
        run = wt.simulate("site.xml", "day.lwf", scheduler, energy=True, carbon="100g/kWh", options=options)
        assert [line.reason for line in run.account if line.kind == "idle-delays"] == noted
        grams.append(run.metrics.bill.carbon_g)
    assert grams == [pytest.approx(20), pytest.approx(40)]
    words = ["lease", "run", "day.lwf", "--site", "site.xml", "--quiet", "--out", "out", "--energy"]
    assert main([*words, "--carbon", "100g/kWh"]) == 0
    assert wt.load_run("out").metrics.bill.carbon_g == pytest.approx(40)


def test_a_second_zero_outside_the_rows_is_noted(place):
    account = simulate(carbon="c.csv?outside=hold", price="1EUR/MWh", second_zero="2023-12-31").account
    found = [(line.reason, line.note) for line in account if line.kind == "outside-rows"]
    reason = "c.csv holds at second 0 (2023-12-31 00:00): its rows hold from 2024-01-01 00:00 to 2024-01-01 03:00"
    assert found == [(reason, True)]


def test_faults_of_all_files_at_once(place):
    (place / "bad.csv").write_text("time,g/kWh,EUR/MWh\n0,x,1\n5,1,y\n")
    (place / "supply.json").write_text('{"levels": [{}]}')
    with pytest.raises(InputError) as caught:
        simulate(carbon="bad.csv", price="bad.csv", supply="supply.json")
    assert [(one.file, one.line) for one in caught.value.errors] == [("bad.csv", 2), ("bad.csv", 3), ("supply.json", 1)]


def test_faults_of_files_and_of_texts_at_once(place):
    """A constant without a unit hid the files that were not there."""
    with pytest.raises(UsageError) as caught:
        simulate(carbon="none.csv", price="94", generation="c.csv", supply="none.json", second_zero="2030-01-01")
    for said in ("none.csv: error", "price: 94 has no unit", "c.csv", "none.json: error"):
        assert said in str(caught.value)


def test_the_signal_is_not_written_over(place):
    (place / "power.csv").write_text(CARBON)
    with pytest.raises(UsageError, match=r"power.csv"):
        simulate(carbon="power.csv", second_zero="2024-01-01", out=".", force=True)
    assert (place / "power.csv").read_text() == CARBON


def test_on_the_command_line(place, capsys):
    words = ["run", "site.xml", "jobs.json", "-s", "easy", "--json", "--quiet"]
    more = ["--energy", "--carbon", "c.csv", "--price", "100EUR/MWh", "--pue", "1.5", "--second-zero", "2024-01-01"]
    assert main([*words, *more]) == 0
    bill = json.loads(capsys.readouterr().out)["bill"]
    assert (bill["carbon_g"], bill["cost"]) == (pytest.approx(240), pytest.approx(0.105))
    assert main([*words, "--carbon", "c.csv"]) == 2
    assert "carbon needs the energy of the run" in capsys.readouterr().err
    assert main([*words, *more[:3]]) == 2
    for option in ("--carbon", "--price", "--pue", "--second-zero", "--supply", "--battery"):
        assert main([*words, "--energy", "--carbon", "1g/kWh", option, ""]) == 2, option
        assert "is empty: expected a" in capsys.readouterr().err
    assert "Traceback" not in capsys.readouterr().err


def test_a_signal_that_ends_too_early_fails_the_run(place, capsys):
    words = ["run", "site.xml", "jobs.json", "-s", "easy", "--quiet", "--energy", "--carbon", "c.csv"]
    assert main([*words, "--second-zero", "2024-01-01T02:00", "--out", "out"]) == 1
    said = capsys.readouterr().err
    assert "c.csv has no value at 7200 s (2024-01-01 04:00): its rows hold from -7200 s (2024-01-01 00:00) to" in said
    assert "outside=hold" in said
    assert main([*words[:-1], "c.csv?outside=hold", "--second-zero", "2024-01-01T02:00"]) == 0


def test_in_a_study(place):
    (place / "study.toml").write_text("""
platforms = ["site.xml"]
workloads = ["jobs.json"]
schedulers = ["easy"]
energy = true
carbon = "c.csv"
price = "{price}EUR/MWh"
pue = "{pue}"
second_zero = "2024-01-01"
parameters = {price = [50, 100], pue = [1.0, 1.5]}
""")
    study = wt.read_study("study.toml")
    frame = study.run(place / "results").done.sort("price", "pue")
    assert frame["bill_carbon_g"].to_list() == pytest.approx([160, 240, 160, 240])
    assert frame["bill_cost"].to_list() == pytest.approx([0.035, 0.0525, 0.07, 0.105])
    assert frame["bill_pue"].to_list() == pytest.approx([1.0, 1.5, 1.0, 1.5])


@pytest.mark.parametrize("zero", ['"2024-01-01"', "2024-01-01", "2024-01-01T00:00:00", "2024-01-01T01:00:00+01:00"])
def test_second_zero_of_a_study(place, zero):
    """As a string, or as TOML writes dates."""
    (place / "study.toml").write_text(f"""
platforms = ["site.xml"]
workloads = ["jobs.json"]
schedulers = ["easy"]
energy = true
carbon = "c.csv"
second_zero = {zero}
""")
    study = wt.read_study("study.toml")
    assert study.run(place / "results").done["bill_carbon_g"].to_list() == pytest.approx([160])
    with pytest.raises(InputError, match="second_zero must be a date, not 5"):
        wt.study(schedulers="easy", workloads="jobs.json", platforms="site.xml", energy=True, carbon="c.csv", second_zero=5)


SUPPLY = """{"levels": [{"name": "node", "hosts": 1, "converter_watts": 10, "efficiency": 0.9},
 {"name": "switch", "count": 1, "device_watts": 50}]}"""


def test_a_supply(place, capsys):
    """200 and 100 W of machines: (400 + 20)/0.9 + 50 W for an hour, (300 + 20)/0.9 + 50 W for another."""
    (place / "supply.json").write_text(SUPPLY)
    run = simulate(supply="supply.json", pue=1.1, carbon="100g/kWh", out="out")
    bill = run.metrics.bill
    supplied = (740.0 / 0.9 + 100.0) * 3600
    assert bill.devices_joules == pytest.approx(50 * 7200)
    assert bill.losses_joules == pytest.approx(supplied - 0.7 * 3.6e6 - 50 * 7200)
    assert bill.site_joules == pytest.approx(1.1 * supplied)
    assert bill.pue == pytest.approx(1.1)
    assert bill.carbon_g == pytest.approx(1.1 * supplied / 3.6e6 * 100)
    assert run.jobs["carbon_g"].sum() == pytest.approx(60)
    power = run.frame("power.csv").row(0, named=True)
    assert (power["devices_watts"], power["losses_watts"]) == pytest.approx((50, 420 / 0.9 - 400))
    assert run.state.facts["electricity"]["supply"] == "supply.json"
    assert "supply.json" in [one.path for one in run.state.inputs]
    assert main(["run", "site.xml", "jobs.json", "--quiet", "--energy", "--supply", "supply.json"]) == 0
    assert main(["run", "site.xml", "jobs.json", "--quiet", "--supply", "supply.json"]) == 2
    (place / "supply.json").write_text(SUPPLY.replace("hosts", "host"))
    assert main(["run", "site.xml", "jobs.json", "--quiet", "--energy", "--supply", "supply.json"]) == 2
    said = capsys.readouterr().err
    assert "supply.json:1:" in said
    assert "did you mean 'hosts'" in said


def test_a_supply_in_a_study(place):
    (place / "supply.json").write_text(SUPPLY)
    words = {"schedulers": "easy", "workloads": "jobs.json", "platforms": "site.xml", "energy": True}
    study = wt.study(**words, supply="supply.json", pue=1.1)
    assert study.run(place / "results").done["bill_devices_joules"].to_list() == [50 * 7200]
    (place / "supply.json").write_text("{}")
    with pytest.raises(InputError, match="list of levels"):
        wt.study(**words, supply="supply.json")


def test_of_leases(place, capsys):
    (place / "day.lwf").write_text("""<lease-workload name="d"><lease-requests>
<lease-request arrival="00:00:00.00"><lease id="1" preemptible="true"><nodes><node-set numnodes="2"><res type="CPU" amount="100"/></node-set></nodes><start></start><duration time="01:00:00.00"/><software><none/></software></lease></lease-request>
</lease-requests></lease-workload>""")
    words = ["lease", "run", "day.lwf", "--site", "site.xml", "--quiet", "--out", "out"]
    assert main([*words, "--energy", "--carbon", "100g/kWh", "--pue", "2"]) == 0, capsys.readouterr().err
    bill = wt.load_run("out").metrics.bill
    assert bill.carbon_g == pytest.approx(bill.site_joules / 3.6e6 * 100)
    assert bill.pue == pytest.approx(2)
    assert main([*words, "--carbon", "100g/kWh"]) == 2


def test_faults_of_a_study(place):
    (place / "bad.csv").write_text("time,g/kWh\n0,1\n5,x\n")
    with pytest.raises(InputError) as caught:
        wt.study(
            schedulers="easy", workloads="jobs.json", platforms="site.xml", energy=True, carbon=str(place / "bad.csv"), pue="0.5"
        )
    assert "less than 1" in str(caught.value)
    assert "is not a number" in str(caught.value), "all faults at once"
    with pytest.raises(InputError) as caught:
        wt.study(schedulers="easy", workloads="jobs.json", platforms="site.xml", price="1EUR/MWh", second_zero="soon", battery=BATTERY)
    assert [one.pointer for one in caught.value.errors] == ["/price", "/second_zero"]
    with pytest.raises(InputError) as caught:
        wt.study(schedulers="easy", workloads="jobs.json", platforms="site.xml", energy=True, price="1EUR/MWh", battery=BATTERY, supply="no.json")
    assert [one.pointer for one in caught.value.errors] == ["/battery", "/supply"]
    with pytest.raises(InputError) as caught:
        wt.study(
            schedulers="easy", workloads="jobs.json", platforms="site.xml", energy=True,
            price="94EUR/MWh", export_price="40USD/MWh", generation="-3kW", power_cap="-1W",
        )  # fmt: skip
    said = [(one.pointer, one.message) for one in caught.value.errors]
    assert said == [
        ("/generation", "generation: the power has values below 0"),
        ("/power_cap", "power_cap: the power has values below 0"),
        ("/export_price", "export_price is in USD/MWh, price in EUR/MWh"),
    ]
    rule = {"energy_rule": "simgrid"}
    with pytest.raises(InputError, match="pue needs the exact energy rule, not 'simgrid'"):
        wt.study(schedulers="easy", workloads="jobs.json", platforms="site.xml", energy=True, pue=1.2, engine=rule)
    with pytest.raises(InputError, match="is not a number"):
        wt.study(schedulers="easy", workloads="jobs.json", platforms="site.xml", energy=True, carbon=str(place / "bad.csv"))
    with pytest.raises(InputError, match="carbon needs the energy"):
        wt.study(schedulers="easy", workloads="jobs.json", platforms="site.xml", carbon="350g/kWh")


def test_a_comparison_and_a_report_show_it(place, capsys):
    for name, intensity in (("one", "100g/kWh"), ("two", "200g/kWh")):
        simulate(carbon=intensity, price="10EUR/MWh", pue=1.2, out=name)
    assert main(["compare", "one", "two"]) == 0
    said = capsys.readouterr().out
    same, given, head, carbon = said.splitlines()
    assert same == "one and two are identical: 2 jobs, same starts, ends and hosts"
    assert given == "  input electricity: carbon=100g/kWh / carbon=200g/kWh"
    assert (head.split(), carbon.split()) == (
        ["a", "b", "b", "-", "a"],
        ["carbon", "[g]", "84.0000", "168.0000", "+84.0000", "+100.0%"],
    )
    wt.load_run("one").report("one.html")
    page = (place / "one.html").read_text()
    assert "Carbon (CO2e)" in page
    assert "Energy of the site" in page


def test_costs_in_two_currencies_and_intensities_of_two_kinds_are_not_compared(place, capsys):
    """Marginal and life-cycle intensities answer different questions, and money has no exchange rate here."""
    moer = Signal("moer", "g/kWh", [0], [200.0], outside="hold", kind="marginal")
    whole = Signal("whole", "g/kWh", [0], [100.0], outside="hold", kind="life-cycle")
    simulate(carbon=moer, price="10EUR/MWh", out="one")
    simulate(carbon=whole, price="20USD/MWh", out="two")
    simulate(carbon="50g/kWh", price="-30EUR/MWh", out="three")
    assert main(["compare", "one", "two"]) == 0
    rows = [line.split()[-3:] for line in capsys.readouterr().out.splitlines()[3:]]
    assert rows == [
        ["140.0000", "-", "-"],
        ["-", "70.0000", "-"],
        ["0.0070", "-", "-"],
        ["-", "0.0140", "-"],
    ]
    assert main(["compare", "one", "three"]) == 0
    said = capsys.readouterr().out
    assert "carbon [g]" in said
    assert said.splitlines()[-1].split() == ["cost", "[EUR]", "0.0070", "-0.0210", "-0.0280", "-400.0%"]
    assert main(["compare", "three", "one"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("+133.3%"), "a cost that rises, though it was negative"
    assert main(["compare", "one", "two", "three"]) == 0
    found = {line.rpartition("]")[0]: line.split()[-3:] for line in capsys.readouterr().out.splitlines()}
    assert found["cost [EUR"] == ["0.0070", "-", "-0.0210"]
    assert found["cost [USD"] == ["-", "0.0140", "-"]
    assert found["carbon, marginal [g"] == ["140.0000", "-", "-"]
    assert found["carbon [g"] == ["-", "-", "35.0000"]
    assert main(["report", "one", "two", "three", "--to", "all.html"]) == 0
    page = (place / "all.html").read_text()
    for text in ("0.007 EUR", "0.014 USD<", "-0.021 EUR (-400.0%)", "70.000 g<", "35.000 g (-75.0%)", "peak of 15 min"):
        assert text in page, text


def test_frames_of_parquet_have_it(place):
    run = simulate(carbon="100g/kWh", out="out")
    written = {path.name for path in run.parquet("tables")}
    assert {"power.parquet", "jobs_carbon.parquet"} <= written
    assert pl.read_parquet("tables/jobs.parquet")["carbon_g"].sum() == pytest.approx(60)


def test_columns_of_power_are_numbers_whatever_was_asked_for(place):
    """Those of a battery that there is not, and all of them where there are no rows."""
    (place / "none.json").write_text('{"nb_res": 2, "jobs": [], "profiles": {}}')
    for work in ("jobs.json", "none.json"):
        run = simulate(workload=work, pue=1.2, carbon="100g/kWh", out="out", force=True)
        assert set(run.frame("power.csv").dtypes) == {pl.Float64}
        assert set(wt.load_run("out").frame("power.csv").dtypes) == {pl.Float64}
    assert simulate(price="1EUR/MWh", out="out").frame("jobs_carbon.csv").schema == {
        "job_id": pl.String,
        "workload_name": pl.String,
        "carbon_g": pl.Float64,
        "cost": pl.Float64,
    }


def test_what_is_wrong_with_texts_does_not_hide_what_is_wrong_with_files(place):
    with pytest.raises(UsageError) as caught:
        simulate(pue=0.5, carbon="5", price="nowhere.csv", second_zero="2024-13-01", supply="nowhere.json")
    said = str(caught.value)
    for fault in ("pue: 0.5 is less", "carbon: 5 has no unit", "nowhere.csv: ", "second_zero: ", "nowhere.json: "):
        assert fault in said
