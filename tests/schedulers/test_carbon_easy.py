"""Jobs that wait for hours of little carbon: their starts against a search over every second, and what they save."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.engine import Options
from windtunnel.engine import Simulation as EngineSimulation
from windtunnel.formats import Signal
from windtunnel.model import Host, Platform, PowerState
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job, workload
from windtunnel.vocabulary import Execute, RejectJob

HOUR = 3600.0


def site(hosts=4):
    watts = PowerState(speed=1e9, idle=100.0, epsilon=120.0, full=200.0)
    return Platform(name="s", hosts=tuple(Host(id=n, name=f"h{n}", pstates=(watts,)) for n in range(hosts)))


def hourly(*values, outside="hold", unit="g/kWh"):
    dates = [HOUR * rank for rank in range(len(values))]
    return Signal("s", unit, dates, values, end=HOUR * len(values), outside=outside)


def starts(*jobs, scheduler="carbon-easy", hosts=4, **options):
    options = {"energy": True, "options": Options(delays_compute=True), **options}
    run = wt.simulate(site(hosts), workload(*jobs), scheduler, **options)
    return dict(run.jobs.select("id", "starting_time").iter_rows()), run


def test_by_hand():
    """The second hour is cheapest, then the fourth; a job of two hours takes the two that are least together."""
    carbon = hourly(300, 100, 200, 150, 140, 400)
    work = [job("a", 1, HOUR, walltime=HOUR), job("b", 1, 2 * HOUR, walltime=2 * HOUR), job("c", 1, HOUR, at=1.5 * HOUR, walltime=HOUR)]
    found, run = starts(*work, carbon=carbon)
    assert found == {"w0!a": HOUR, "w0!b": 3 * HOUR, "w0!c": 3.0 * HOUR + HOUR}
    assert run.complete
    assert not [line for line in run.account if line.kind == "without-effect"]


def test_a_shorter_delay_and_the_price():
    price = hourly(300, 100, 200, 150, -140, 400, unit="EUR/MWh")
    one = job("a", 1, HOUR, walltime=HOUR)
    for delay, date in ((0.0, 0.0), (1800.0, 1800.0), (HOUR, HOUR), (3 * HOUR, HOUR), (4 * HOUR, 4 * HOUR)):
        found, _ = starts(one, price=price, scheduler_options={"signal": "price", "max_delay": delay})
        assert found == {"w0!a": date}


def test_by_the_sun():
    """The start at which most is generated while the job runs; without any it would begin at once."""
    generation = hourly(0, 300, 100, 900, 900, 0, unit="W")
    work = [job("a", 1, HOUR, walltime=HOUR), job("b", 1, 2 * HOUR, walltime=2 * HOUR)]
    for delay, dates in ((2 * HOUR, (HOUR, 2 * HOUR)), (4 * HOUR, (3 * HOUR, 3 * HOUR))):
        options = {"signal": "generation", "max_delay": delay}
        found, _ = starts(*work, generation=generation, scheduler_options=options)
        assert tuple(found.values()) == dates
    found, _ = starts(*work, carbon=hourly(2, 1), scheduler_options={"signal": "generation"})
    assert set(found.values()) == {0.0}


def test_jobs_without_walltime_and_constants_are_not_held_back():
    found, _ = starts(job("a", 1, HOUR), carbon=hourly(300, 100))
    assert found == {"w0!a": 0.0}
    found, _ = starts(job("a", 1, HOUR, walltime=HOUR), carbon="300g/kWh")
    assert found == {"w0!a": 0.0}


def test_where_nothing_is_known_nobody_waits_for_it():
    carbon = hourly(300, 200, 100, outside="error")
    found, _ = starts(job("a", 1, HOUR, walltime=HOUR), carbon=carbon, options=Options(delays_compute=True))
    assert found == {"w0!a": 2 * HOUR}


def test_hosts_are_given_as_easy_does_from_then_on():
    """All come at the same hour, and wait for each other there."""
    work = [job(n, 3, HOUR / 2, walltime=HOUR / 2) for n in range(3)]
    found, _ = starts(*work, carbon=hourly(300, 100, 300))
    assert sorted(found.values()) == [HOUR, 1.5 * HOUR, 2 * HOUR]


def test_a_run_without_the_signal_says_that_nobody_waits():
    found, run = starts(job("a", 1, HOUR, walltime=HOUR), price="10EUR/MWh")
    assert found == {"w0!a": 0.0}
    (line,) = [line for line in run.account if line.kind == "without-effect"]
    assert "carbon-easy defers no job: the run has no carbon" in line.reason


def test_too_large_jobs_are_rejected_in_time():
    _, run = starts(job("a", 9, HOUR, walltime=HOUR), carbon=hourly(300, 100))
    assert run.metrics.states == {"REJECTED": 1}


VALUES = st.lists(st.integers(1, 9), min_size=2, max_size=12)


@settings(max_examples=40)
@example([2, 1, 1], 7201, 2, 3598, "error")  # best is what ends with the signal
@given(VALUES, st.integers(1, 5 * 3600), st.integers(0, 8 * 3600), st.integers(0, 3 * 3600), st.sampled_from(["hold", "error"]))
def test_no_start_within_the_delay_costs_less(values, lasts, delay, at, outside):
    carbon = hourly(*values, outside=outside)
    made = make_scheduler("carbon-easy", max_delay=float(delay))
    simulation = EngineSimulation(site(1), [workload(job("a", 1, 1.0, at=float(at), walltime=float(lasts)))], [made])
    simulation.run_until(0.0)
    made._steps = carbon

    class Told:
        job = job("a", 1, 1.0, walltime=float(lasts))

    date = made._best(float(at), Told)
    assert at <= date <= at + delay
    if not carbon.covers(at, at + lasts):
        assert date == at
        return
    cost = carbon.integral(date, date + lasts)
    tried = [at + delay * share / 97 for share in range(98)]
    costs = [carbon.integral(one, one + lasts) for one in tried if carbon.covers(one, one + lasts)]
    assert cost <= min(costs) * (1 + 1e-6)
    if date > at:
        assert cost < carbon.integral(at, at + lasts)


def test_it_saves_what_it_waits_for():
    work = [job(n, 1, HOUR, at=HOUR * n, walltime=HOUR) for n in range(24)]
    carbon = hourly(*[100 if 10 <= hour < 16 else 400 for hour in range(24)], outside="day")
    plain, before = starts(*work, scheduler="easy", carbon=carbon)
    _, after = starts(*work, carbon=carbon)
    of_jobs = [run.jobs["carbon_g"].sum() for run in (before, after)]
    assert of_jobs[1] < 0.5 * of_jobs[0]
    assert len(plain) == after.metrics.jobs == 24


def test_errors_of_forecasts_are_the_same_for_the_same_seed():
    carbon = hourly(*range(300, 276, -1))
    work = [job(n, 1, HOUR, at=600.0 * n, walltime=HOUR) for n in range(10)]
    found = [
        starts(*work, carbon=carbon, scheduler_options={"forecast_error": 0.2, "forecast_seed": seed})[0] for seed in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("date", [0.0, 1800.0, 4000.0])
def test_a_fork_goes_on_alike(date):
    work = [job(n, 2, HOUR, at=600.0 * n, walltime=HOUR) for n in range(8)]
    made = wt.Simulation(site(), workload(*work), "carbon-easy", energy=True, carbon=hourly(300, 250, 100, 200))
    made.run_until(date)
    fork = made.fork()
    assert fork.run().jobs.equals(made.run().jobs)


class Both(wt.Scheduler):
    """Starts what comes at the present value times a hundred seconds, after a look at the forecast."""

    def schedule(self, view):
        for one in list(view.queue):
            assert view.signal("carbon").at(view.now) == view.forecast("carbon", view.now + HOUR).at(view.now)
            assert view.forecast("carbon", 7200.0, error=0.5, seed=3).at(view.now) == view.signal("carbon").at(view.now)
            with pytest.raises(UsageError, match="no 'price' to follow"):
                view.signal("price")
            yield Execute(one, view.free.pick(1))


def test_schedulers_of_ones_own_see_it():
    found, _ = starts(job("a", 1, 10.0), scheduler=Both(), carbon=hourly(1, 2))
    assert found == {"w0!a": 0.0}


def test_a_job_that_another_component_rejects_is_not_started():
    class Rejects(wt.Scheduler):
        def schedule(self, view):
            for one in list(view.queue):
                yield RejectJob(job_id=one.id)

    _, run = starts(job("a", 1, HOUR, walltime=HOUR), scheduler=["carbon-easy", Rejects()], carbon=hourly(300, 100))
    assert run.metrics.states == {"REJECTED": 1}


def test_behind_a_protocol_it_says_that_it_holds_no_job_back(capsys):
    assert main(["scheduler", "carbon-easy", "--protocol", "pigeons"]) == 2
    assert "carbon-easy holds no job back: no protocol has the signal 'carbon'" in capsys.readouterr().err
