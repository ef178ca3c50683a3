"""A run that is stopped ends at the time up to which it was run, not at its last event before."""

import pytest

import windtunnel as wt
from windtunnel.cli.main import main


def stopped(out, *more):
    line = ["run", "example:datacenters", "--until", "100000s", "--energy", "--nodes-every", "50000", *more]
    assert main([*line, "--out", str(out)]) == 0
    return wt.load_run(out)


def test_energy_and_snapshots_reach_the_time(tmp_path, capsys):
    run = stopped(tmp_path / "out")
    assert run.state.simulated_time == 100_000.0
    assert run.metrics.consumed_joules == pytest.approx(128_000_000.0)  # 1,280 W all the time
    assert (tmp_path / "out/nodes/nodes-100000.xml").exists()
    assert run.read("consumed_energy.csv").decode().splitlines()[-1].startswith("100000.000000,128000000.000000,t,")
    said = "incomplete: stopped at 2026-01-02 05:02; the figures count 97 of 640 jobs: those that had ended\n"
    assert said in capsys.readouterr().out


def test_so_does_a_simulation_that_is_closed_there():
    simulation = wt.Simulation("example:small")
    simulation.run_until(10.0)
    simulation.close()
    assert simulation.result().state.simulated_time == 10.0
    before = wt.Simulation("example:small")
    before.close()
    assert before.result().state.simulated_time == 0.0


def test_four_digits_are_seconds_or_refused():
    run = wt.simulate("example:datacenters", until="5000")
    assert (run.state.simulated_time, run.outcome) == (5000.0, "stopped")
    with pytest.raises(wt.UsageError, match="'2026' may be a year or seconds\n  hint: for the year write 2026-01, for"):
        wt.simulate("example:datacenters", until="2026")
    assert wt.simulate("example:small", until="2000").state.simulated_time == 2000.0  # it has no calendar


SITE = """<platform version="4.1"><zone id="z" routing="Full">
<host id="h" speed="1Gf"><prop id="wattage_per_state" value="100:200"/></host></zone></platform>"""
LATE = """{"nb_res": 1, "jobs": [{"id": "1", "subtime": 10, "res": 1, "profile": "p", "walltime": 99}],
"profiles": {"p": {"type": "delay", "delay": 10}}}"""


@pytest.mark.parametrize(("until", "joules"), [(0, 0), (5, 0), (10, 0), (12, 200), (15, 500), (30, 1000)])
def test_energy_counts_from_the_first_submission_on(tmp_path, until, joules):
    """A run that is stopped before has consumed nothing that counts."""
    (tmp_path / "site.xml").write_text(SITE)
    (tmp_path / "late.json").write_text(LATE)
    run = wt.simulate(tmp_path / "site.xml", tmp_path / "late.json", "easy", energy=True, until=until)
    assert run.metrics.consumed_joules == joules


def test_the_present_is_the_time_run_until_though_nothing_happened_then(tmp_path):
    simulation = wt.Simulation("hosts:2", wt.read_frame({"submit": [0.0, 100.0], "run": [5.0, 50.0], "processors": [2, 2]}))
    looks = []
    while simulation.now < 90.0 and len(looks) < 9:
        simulation.run_until(simulation.now + 30.0)
        looks.append(simulation.now)
    assert looks == [30.0, 60.0, 90.0]  # it stayed at 5
    simulation.run_until(10.0)  # which is over
    simulation.save(tmp_path / "saved")
    assert simulation.now == simulation.fork().now == wt.Simulation.restore(tmp_path / "saved").now == 90.0
    assert not simulation.run_until(1000.0)
    assert simulation.now == 150.0  # the end, after which there is nothing
