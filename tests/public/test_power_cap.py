"""A power cap as users ask for it: in Python, on the command line, of leases, in studies; and what is refused."""

import json

import pytest
from tests.electric_site import LEASE, place

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError

__all__ = ["place"]


def simulate(**options):
    return wt.simulate("site.xml", "jobs.json", "easy", **{"energy": True, "power_cap": "350W", **options})


def test_what_is_drawn_above_it(place):
    """400 W for an hour, then 300 W."""
    run = simulate(out="out", pue=2.0)
    bill = run.metrics.bill
    assert (bill.cap_excess_joules, bill.cap_excess_seconds) == pytest.approx((50 * 3600, 3600))
    assert bill.cap_excess_watts == pytest.approx(50)
    assert ("above the power cap", "180,000 J") in run.metrics.table()
    assert ("  for / by at most", "1 h / 50.0 W") in run.metrics.table()
    power = run.frame("power.csv")
    assert power["cap_watts"].to_list() == pytest.approx([350] * 8)
    assert power["excess_watts"].to_list() == pytest.approx([50] * 4 + [0] * 4)
    assert run.state.facts["electricity"]["power_cap"] == "350W"
    assert wt.load_run("out").metrics.bill == bill
    run.report("one.html")
    assert "Energy above the power cap" in (place / "one.html").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"energy": False}, "power_cap needs the energy of the run"),
        ({"power_cap": "350J"}, "'J' is not a unit of power"),
        ({"power_cap": "-1W"}, "power_cap: the power has values below 0"),
        ({"power_cap": 350}, "power_cap is a file, a constant such as '1.5MW'"),
    ],
)
def test_what_is_refused(place, options, said):
    with pytest.raises(UsageError, match=said):
        simulate(out="out", **options)
    assert not (place / "out").exists()


def test_on_the_command_line_and_of_leases(place, capsys):
    words = ["run", "site.xml", "jobs.json", "-s", "capped-easy", "--json", "--quiet", "--energy", "--power-cap"]
    assert main([*words, "0.5kW"]) == 0
    assert json.loads(capsys.readouterr().out)["bill"]["cap_excess_joules"] == 0
    (place / "cap.csv").write_text("time,cap [kW]\n0,0.5\n3600,x\n")
    assert main([*words, "cap.csv"]) == 2
    said = capsys.readouterr().err
    assert "cap.csv:3" in said
    assert "Traceback" not in said
    (place / "day.lwf").write_text(LEASE)
    leases = ["lease", "run", "day.lwf", "--site", "site.xml", "--quiet", "--out", "out", "--energy", "--power-cap", "300W"]
    assert main(leases) == 0, capsys.readouterr().err
    assert wt.load_run("out").metrics.bill.cap_excess_watts == pytest.approx(100)


def test_in_a_study(place):
    words = {"schedulers": "easy", "workloads": "jobs.json", "platforms": "site.xml", "energy": True}
    study = wt.study(**words, power_cap="{cap}W", parameters={"cap": [250, 350]})
    done = study.run(place / "results").done.sort("cap")
    assert done["bill_cap_excess_joules"].to_list() == pytest.approx([150 * 3600 + 50 * 3600, 50 * 3600])
    assert done["bill_cap_excess_seconds"].to_list() == pytest.approx([7200, 3600])
    with pytest.raises(InputError, match=r"nosuch\.csv"):
        wt.study(**words, power_cap="nosuch.csv")
