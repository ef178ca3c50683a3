"""EASY under a power cap: EASY where the cap is high, and never above it where it is not."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.engine import Options
from windtunnel.engine import Simulation as EngineSimulation
from windtunnel.formats import Signal
from windtunnel.model import Host, Platform, PowerState
from windtunnel.model.billing import Billing
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job, workload

HOUR = 3600.0


def site(hosts=4, full=200.0):
    """Hosts that draw 100 W idle; of ``full`` one number for all, or for each."""
    each = [full] * hosts if isinstance(full, float) else full
    states = [PowerState(speed=1e9, idle=100.0, epsilon=100.0, full=watts) for watts in each]
    return Platform(name="s", hosts=tuple(Host(id=n, name=f"h{n}", pstates=(states[n],)) for n in range(hosts)))


def hourly(*watts, outside="hold"):
    return Signal("cap", "W", [HOUR * rank for rank in range(len(watts))], watts, end=HOUR * len(watts), outside=outside)


def starts(*jobs, cap, scheduler="capped-easy", hosts=4, full=200.0, **options):
    options = {"energy": True, "options": Options(delays_compute=True), "power_cap": cap, **options}
    run = wt.simulate(site(hosts, full), workload(*jobs), scheduler, **options)
    return dict(run.jobs.select("id", "starting_time").iter_rows()), run


def test_by_hand():
    """400 W idle, 100 W more for each busy host: 600 W for an hour, 800 W afterwards."""
    work = [job(name, 2, HOUR, walltime=HOUR) for name in "abc"]
    found, run = starts(*work, cap=hourly(600.0, 800.0))
    assert found == {"w0!a": 0.0, "w0!b": HOUR, "w0!c": HOUR}
    bill = run.metrics.bill
    assert (bill.cap_excess_joules, bill.cap_excess_seconds, bill.cap_excess_watts) == (0, 0, 0)
    assert ("above the power cap", "0 J") in run.metrics.table()
    _, easy = starts(*work, cap=hourly(600.0, 800.0), scheduler="easy")
    bill = easy.metrics.bill
    assert (bill.cap_excess_joules, bill.cap_excess_seconds) == pytest.approx((200 * HOUR, HOUR))
    assert bill.cap_excess_watts == pytest.approx(200)
    power = easy.frame("power.csv")
    assert power["cap_watts"].to_list() == pytest.approx([600] * 4 + [800] * 4)
    assert power["excess_watts"].to_list() == pytest.approx([200] * 4 + [0] * 4)


def test_a_job_does_not_start_into_a_lower_cap():
    """Two hours at 800 W, then one at 500 W: what lasts two hours and a half waits, what ends before does not."""
    cap = hourly(800.0, 800.0, 500.0, 800.0)
    work = [
        job("long", 2, 2.5 * HOUR, walltime=2.5 * HOUR),
        job("short", 3, 2 * HOUR, walltime=2 * HOUR),
        job("thin", 1, 3 * HOUR, walltime=3 * HOUR),
    ]
    found, run = starts(*work, cap=cap)
    assert found == {"w0!long": 3 * HOUR, "w0!short": 0.0, "w0!thin": 0.0}
    assert run.metrics.bill.cap_excess_joules == 0


def test_nobody_takes_the_watts_of_the_first():
    """The first job waits for the watts of a running one; a longer one of few hosts may not take them, a short one may."""
    cap = "700W"
    work = [
        job("runs", 2, HOUR, walltime=HOUR),
        job("first", 2, HOUR, at=1, walltime=HOUR),
        job("takes", 1, 2 * HOUR, at=2, walltime=2 * HOUR),
        job("ends", 1, HOUR / 2, at=3, walltime=HOUR / 2),
    ]
    found, _ = starts(*work, cap=cap, hosts=4)
    assert found == {"w0!runs": 0.0, "w0!first": HOUR, "w0!takes": 2.0, "w0!ends": 1.5 * HOUR + HOUR / 2}
    found, _ = starts(*work, cap="600W", hosts=4)
    assert found["w0!first"] == HOUR
    assert found["w0!takes"] == 2 * HOUR


def test_what_can_never_start_is_rejected():
    cap = hourly(500.0, 700.0, 500.0)
    work = [job("wide", 4, 60.0, walltime=60.0), job("long", 3, 60.0, walltime=2 * HOUR), job("fits", 3, 60.0, walltime=HOUR)]
    found, run = starts(*work, cap=cap)
    assert found["w0!fits"] == HOUR
    rejected = run.jobs.filter(run.jobs["starting_time"].is_null() | (run.jobs["starting_time"] < 0))
    said = dict(rejected.select("id", "metadata").iter_rows())
    assert "800 W, which the power cap does not allow from now on" in said["w0!wide"]
    assert said["w0!long"].endswith("does not allow for 7200 s from now on")
    assert run.complete


def test_who_has_waited_too_long_is_rejected():
    """One of two fits into the only hour of 600 W; when it is over, the other one can start no more."""
    cap = hourly(400.0, 600.0, 500.0)
    found, run = starts(*[job(name, 2, HOUR / 2 + 60, walltime=HOUR / 2 + 60) for name in "ab"], cap=cap)
    assert (found["w0!a"], run.complete) == (HOUR, True)
    (said,) = run.jobs.filter(run.jobs["id"] == "w0!b")["metadata"]
    assert "does not allow from now on" in said


def test_a_cap_that_comes_again_every_day():
    night = Signal("cap", "W", [0.0, 8 * HOUR, 20 * HOUR], [800.0, 450.0, 800.0], end=24 * HOUR, outside="day")
    work = [job(n, 4, 5 * HOUR, at=n * HOUR, walltime=5 * HOUR) for n in range(6)]
    found, run = starts(*work, cap=night)
    assert list(found.values()) == [0.0, 20 * HOUR, 25 * HOUR, 44 * HOUR, 49 * HOUR, 68 * HOUR]
    assert run.metrics.bill.cap_excess_joules == 0


def test_without_walltime_only_the_start_counts():
    found, run = starts(job("a", 2, 1.5 * HOUR), cap=hourly(500.0, 600.0, 500.0))
    assert found == {"w0!a": HOUR}
    assert run.metrics.bill.cap_excess_watts == pytest.approx(100)


def test_hosts_that_differ():
    """A job counts with the largest host, and holds what its own hosts draw."""
    found, run = starts(
        job("a", 1, HOUR, walltime=HOUR), job("b", 1, HOUR, walltime=HOUR), cap="450W", hosts=2, full=[150.0, 300.0]
    )
    assert found == {"w0!a": 0.0, "w0!b": 0.0}
    assert run.metrics.bill.cap_excess_joules == 0
    found, _ = starts(
        job("a", 1, HOUR, walltime=HOUR), job("b", 1, HOUR, walltime=HOUR), cap="440W", hosts=2, full=[150.0, 300.0]
    )
    assert found == {"w0!a": 0.0, "w0!b": HOUR}


def test_jobs_that_share_hosts():
    """Each core of four adds 25 W to the 400 W of idle hosts: at 450 W two cores at a time, on whatever hosts."""
    watts = PowerState(speed=1e9, idle=100.0, epsilon=100.0, full=200.0)
    cores = Platform(name="s", hosts=tuple(Host(id=n, name=f"h{n}", cores=4, pstates=(watts,)) for n in range(4)))
    work = workload(
        *[
            wt.Job(
                id=f"w0!{name}",
                request=wt.Request(1, processors=1),
                profile=wt.DelayProfile(id="w0!hour", delay=HOUR),
                walltime=HOUR,
            )
            for name in "abcd"
        ]
    )
    options = {"energy": True, "power_cap": "450W", "share_hosts": True, "options": Options(delays_compute=True)}
    run = wt.simulate(cores, work, "capped-easy", **options)
    assert run.jobs["starting_time"].to_list() == [0.0, 0.0, HOUR, HOUR]
    assert run.metrics.bill.cap_excess_joules == 0


def random_jobs(rng, hosts, number):
    made, date = [], 0.0
    for rank in range(number):
        date += rng.choice([0.0, 0.0, 5.0, 60.0, 400.0])
        runs = float(rng.randint(1, 900))
        walltime = rng.choice([runs, runs + 1, 2 * runs, float("inf") if rng.random() < 0.1 else 3 * runs])
        made.append(job(rank, rng.randint(1, hosts), runs, at=date, walltime=walltime))
    return made


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["basic", "best_effort_contiguous"]), st.sampled_from(["fcfs", "asc_walltime"]))
def test_under_a_high_cap_it_is_easy(seed, policy, order):
    work = random_jobs(random.Random(seed), 6, 40)
    options = {"policy": policy, "queue_order": order}
    easy = starts(*work, cap=None, scheduler="easy", hosts=6, scheduler_options=options)[1]
    for cap in (None, "9kW", hourly(1300.0, 1200.0, 5000.0)):
        capped = starts(*work, cap=cap, hosts=6, scheduler_options=options)[1]
        columns = ["id", "starting_time", "allocated_resources"]
        assert capped.jobs.select(columns).rows() == easy.jobs.select(columns).rows()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["hold", "day"]))
def test_the_cap_is_kept(seed, outside):
    rng = random.Random(seed)
    dates = [0.0, *sorted(rng.sample(range(1, 5000), rng.randint(0, 6)))]
    values = [rng.choice([600.0, 700.0, 800.0, 1000.0, 1200.0]) for _ in dates]
    cap = Signal("cap", "W", dates, values, end=86400.0, outside=outside)
    work = [one for one in random_jobs(rng, 6, 30) if one.walltime < float("inf")]
    simulation = EngineSimulation(
        site(6),
        [workload(*work)],
        [make_scheduler("capped-easy")],
        options=Options(energy=True, delays_compute=True),
        billing=Billing(power_cap=cap),
    )
    simulation.run()
    assert simulation.outcome == "complete"
    assert simulation.totals()["bill"].cap_excess_joules == 0.0


def test_without_a_cap_it_says_so(tmp_path, capsys):
    run = wt.simulate(site(), workload(job("a", 1, 5.0)), "capped-easy")
    (line,) = [line for line in run.account if line.kind == "without-effect"]
    assert "power_cap" in line.reason
    assert "--power-cap" in line.hint
    assert main(["schedulers", "capped-easy"]) == 0
    assert "power cap" in capsys.readouterr().out


def test_saved_and_restored(tmp_path):
    work = random_jobs(random.Random(3), 4, 30)
    cap = Signal("cap", "W", [0.0, 500.0, 2000.0], [600.0, 500.0, 800.0], end=86400.0, outside="day")
    made = {"energy": True, "power_cap": cap, "options": Options(delays_compute=True)}
    whole = wt.Simulation(site(), workload(*work), "capped-easy", **made).run()
    half = wt.Simulation(site(), workload(*work), "capped-easy", **made)
    half.run_until(700.0)
    half.save(tmp_path / "saved")
    again = wt.Simulation.restore(tmp_path / "saved").run()
    assert again.jobs.rows() == whole.jobs.rows()
    assert again.metrics.bill == whole.metrics.bill
