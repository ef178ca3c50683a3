"""Carbon, cost and overhead of a site and its jobs: exact integrals, which change nothing else in a run."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.star import star

from windtunnel import Execute, HostSet, Scheduler
from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine import Options, Simulation
from windtunnel.engine.energy.billed import BilledEnergy
from windtunnel.engine.state.world import World
from windtunnel.model import ParallelTaskProfile
from windtunnel.model.billing import Billing
from windtunnel.model.facility import Overhead
from windtunnel.model.signals import Signal, constant
from windtunnel.model.supply import Level, Supply
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job, workload
from windtunnel.vocabulary import CallMeLater, Observer, OneShot

WATTS = '<prop id="wattage_per_state" value="95:120:200"/>'


class Seen(Observer):
    """Joules, grams and cost of each job, and the rows of power."""

    def __init__(self):
        self.joules, self.bills, self.power, self.site = {}, {}, [], []

    def on_job_ended(self, now, record):
        self.joules[record.job.id] = record.consumed_energy

    def on_bill(self, now, record, grams, cost):
        self.bills[record.job.id] = (grams, cost)

    def on_power(self, *row):
        self.power.append(row)

    def on_energy(self, now, joules, kind, epsilon):
        self.site.append((now, joules, kind))


class Unseeing(Observer):
    """Wants to know nothing."""


def jobs(seed, hosts):
    rng = random.Random(seed)
    made = []
    for rank in range(rng.randint(1, 20)):
        size = rng.randint(1, hosts)
        if rng.random() < 0.4:
            vector = tuple(rng.uniform(1e9, 9e11) for _ in range(size))
            profile = ParallelTaskProfile(id=f"w0!c{rank}", computation_vector=vector)
        else:
            profile = rng.choice([0.0, 7.25, 300.1, 2000.7])
        made.append(job(rank, size, profile, rng.uniform(0.0, 4000.0), rng.uniform(5, 3000)))
    return sorted(made, key=lambda one: one.submission_time)


def ran(work, billing, observer=None, look=None, hosts=6, **options):
    platform = star(hosts, storages=(), cores=3, props=WATTS, energy=True)
    seen = Seen() if observer is None else observer
    simulation = Simulation(
        platform,
        [workload(*work)],
        [make_scheduler("easy")],
        options=Options(energy=True, **options),
        observers=[seen],
        billing=billing,
    )
    if look is not None:
        simulation.run_until(look)
        simulation.world.energy.host_power(0)
    simulation.run()
    return seen, simulation.totals(), simulation


def steps(seed):
    """A signal and its complement to 100."""
    rng = random.Random(seed)
    dates, values = [0.0], [rng.uniform(0, 100)]
    while dates[-1] < 30000:
        dates.append(dates[-1] + rng.choice([1.5, 60.0, 900.0, 5000.0]))
        values.append(rng.uniform(-20, 100))
    return (
        Signal("one", "g/kWh", dates, values, outside="hold"),
        Signal("other", "EUR/MWh", dates, [100.0 - value for value in values], outside="hold"),
    )


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.booleans(), st.none() | st.floats(0.0, 5000.0))
def test_two_signals_that_add_up_to_a_constant_bill_all_joules(seed, busy, look):
    """Of the site and of each job: if any second were charged at another date's value, the sum would differ."""
    work = jobs(seed, 6)
    carbon, price = steps(seed)
    seen, totals, _ = ran(work, Billing(carbon=carbon, price=price, overhead=Overhead(linear=0.25)), look=look, delays_compute=busy)
    bill = totals["bill"]
    assert bill.carbon_g / 1e3 + bill.cost == pytest.approx(bill.site_joules * 100.0 / 3.6e9, rel=1e-9, abs=1e-9)
    for name, (grams, cost) in seen.bills.items():
        assert grams / 1e3 + cost == pytest.approx(seen.joules[name] * 100.0 / 3.6e9, rel=1e-9, abs=1e-12)
    assert seen.bills.keys() == seen.joules.keys()


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.booleans(), st.none() | st.floats(0.0, 5000.0))
def test_the_account_changes_no_joule(seed, busy, look):
    work = jobs(seed, 6)
    carbon, price = steps(seed)
    plain, before, _ = ran(work, None, look=look, delays_compute=busy)
    billed, after, _ = ran(work, Billing(carbon=carbon, price=price), look=look, delays_compute=busy)
    assert plain.joules == billed.joules
    assert plain.site == billed.site
    assert {**after, "simulation_time": 0, "scheduling_time": 0, "bill": 0} == {
        **before, "simulation_time": 0, "scheduling_time": 0, "bill": 0,
    }


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.floats(0, 500), st.floats(0, 1), st.floats(0, 1e-3), st.booleans())
def test_jobs_idle_and_overhead_are_what_the_meter_shows(seed, fixed, linear, quadratic, looks):
    """jobs + idle + overhead = meter, for joules; and quarters of an hour add up to what the whole run drew."""
    work = jobs(seed, 6)
    carbon, price = steps(seed)
    overhead = Overhead(fixed=fixed, linear=linear, quadratic=quadratic)
    seen, totals, simulation = ran(
        work, Billing(carbon=carbon, price=price, overhead=overhead, clock=313.0), Seen() if looks else Unseeing()
    )
    bill, end = totals["bill"], simulation.now
    assert bill.machines_joules == pytest.approx(totals["consumed_joules"], rel=1e-12)
    assert bill.site_joules == pytest.approx(bill.machines_joules + bill.overhead_joules)
    seconds = simulation.world.energy.site.ended - simulation.world.energy.site.began
    assert bill.overhead_joules >= fixed * seconds + linear * bill.machines_joules - 1e-3
    if not quadratic:
        assert bill.overhead_joules == pytest.approx(fixed * seconds + linear * bill.machines_joules, abs=1e-3)
    if bill.machines_joules:
        assert bill.pue == pytest.approx(bill.site_joules / bill.machines_joules)
        assert bill.cue == pytest.approx(bill.carbon_g / 1000 / (bill.machines_joules / 3.6e6))
    if not looks:
        return
    on_jobs = sum(seen.joules.values())
    assert -1e-6 <= bill.machines_joules - on_jobs <= 6 * 95.0 * seconds + 1e-3
    rows = seen.power
    assert [row[0] for row in rows] == [0.0, *(row[1] for row in rows[:-1])] if rows else end == 0
    assert sum(row[2][0] for row in rows) == pytest.approx(simulation.world.energy.total(end))
    meter = simulation.world.energy.site.now
    assert sum(row[2][3] for row in rows) == pytest.approx(meter.site)
    assert sum(row[3][1] for row in rows) == pytest.approx(meter.grams, abs=1e-9)
    assert sum(row[4][1] for row in rows) == pytest.approx(meter.cost, abs=1e-9)
    whole = [row[2][3] / 900.0 for row in rows if row[1] - row[0] == pytest.approx(900.0) and row[1] <= simulation.world.energy.site.ended]
    if whole:
        assert bill.peak_watts == pytest.approx(max(whole), rel=1e-9)


def test_the_peak_is_the_same_whether_quarters_are_told_or_not():
    for seed in range(20):
        work = jobs(seed, 6)
        told, untold = (ran(work, Billing(), observer)[1]["bill"] for observer in (Seen(), Unseeing()))
        assert told.peak_watts == pytest.approx(untold.peak_watts, rel=1e-12)


CHAIN = Supply(
    levels=(
        Level(name="node", hosts=1, converter_watts=13.0, efficiency=0.98),
        Level(name="chassis", hosts=4, device_watts=50.0, converters=4, converter_watts=17.0, efficiency=0.96),
        Level(name="pumps", count=1, device_watts=100.0),
    )
)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.floats(0, 500), st.floats(0, 1))
def test_machines_devices_losses_and_overhead_are_what_the_meter_shows(seed, fixed, linear):
    """And losses are those of a walk through the chain at each moment, here of its mean: the chain is a line."""
    carbon, _ = steps(seed)
    billing = Billing(carbon=carbon, supply=CHAIN, overhead=Overhead(fixed=fixed, linear=linear))
    seen, totals, simulation = ran(jobs(seed, 6), billing)
    bill = totals["bill"]
    parts = bill.machines_joules + bill.devices_joules + bill.losses_joules
    assert bill.site_joules == pytest.approx(parts + bill.overhead_joules)
    seconds = simulation.world.energy.site.ended - simulation.world.energy.site.began
    if seconds < 1e-3:
        return
    assert bill.devices_joules == pytest.approx(200.0 * seconds)
    chassis = (bill.machines_joules / seconds + 6 * 13.0) / 0.98 + 2 * 50.0
    taken = (chassis + 2 * 4 * 17.0) / 0.96 + 100.0
    assert parts == pytest.approx(taken * seconds)
    assert bill.pue == pytest.approx(bill.site_joules / parts)
    assert all(joules[0] + joules[1] < joules[2] <= joules[3] for _, _, joules, *_ in seen.power)


def test_a_machine_that_is_off_has_no_losses():
    world = World(star(4, storages=(), props=WATTS, energy=True), (), (), ("",), Options(energy=True))
    energy = BilledEnergy(world, "exact", Billing(supply=CHAIN))
    all_on = energy.site.watts(energy.watts)
    assert all_on[2] == pytest.approx((4 * (95 + 13) / 0.98 + 50 + 4 * 17) / 0.96 + 100)
    energy.set_off(HostSet.parse("1-2"), off=True)
    energy.set_off(HostSet.parse("2"), off=True)
    assert energy.site.dark == 2
    assert energy.site.watts(energy.watts)[2] == pytest.approx((2 * (95 + 13) / 0.98 + 50 + 4 * 17) / 0.96 + 100)
    energy.set_off(HostSet.parse("0-3"), off=False)
    assert energy.site.watts(energy.watts) == pytest.approx(all_on)


def by_hand():
    """Two hosts of 95 W idle; a job on one from 100 to 200 s, busy with all three cores: 200 W."""
    work = [job("a", 1, ParallelTaskProfile(id="w0!c", computation_vector=(300e9,)), 100.0)]
    carbon = Signal("c", "g/kWh", [0.0, 150.0], [3600.0, 7200.0], outside="hold")
    return work, carbon


def test_by_hand():
    work, carbon = by_hand()
    billing = Billing(carbon=carbon, price=constant("p", "EUR/MWh", -36.0), overhead=Overhead(fixed=5.0, linear=0.5))
    seen, totals, _ = ran(work, billing, hosts=2)
    bill = totals["bill"]
    seconds = seen.site[-1][0] - 100.0
    machine = 120.0 + (200.0 - 120.0) / 3  # one core of three
    machines = (machine + 95.0) * seconds
    assert seconds == 300.0
    assert bill.machines_joules == pytest.approx(machines)
    assert bill.overhead_joules == pytest.approx(5 * seconds + 0.5 * machines)
    site = 5.0 + 1.5 * (machine + 95.0)
    assert bill.carbon_g == pytest.approx(site * (50 * 3600 + 250 * 7200) / 3.6e6)
    assert bill.cost == pytest.approx(-site * seconds * 36.0 / 3.6e9)
    assert bill.peak_watts == pytest.approx(site)
    assert seen.bills["w0!a"][0] == pytest.approx(machine * (50 * 3600 + 250 * 7200) / 3.6e6)
    assert (bill.currency, bill.carbon_kind) == ("EUR", "")


def test_what_is_not_asked_for_is_not_told():
    work, carbon = by_hand()
    seen, totals, _ = ran(work, Billing(overhead=Overhead(linear=0.1)))
    assert (totals["bill"].carbon_g, totals["bill"].cue, totals["bill"].cost) == (None, None, None)
    assert seen.bills == {}
    assert seen.power[0][3:] == (None,) * 5
    seen, _, _ = ran(work, Billing(carbon=carbon))
    assert seen.bills["w0!a"][1] is None


class _Crowd(Scheduler):
    """Several jobs on each of two hosts."""

    def schedule(self, view):
        for one in list(view.queue):
            yield Execute(one, HostSet.parse(str(int(one.id[-1]) % 2)))


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_shared_hosts_divide_grams_as_joules(seed):
    rng = random.Random(seed)
    work = [
        job(rank, 1, ParallelTaskProfile(id=f"w0!c{rank}", computation_vector=(rng.uniform(1e9, 9e11),)), rng.uniform(0, 500))
        for rank in range(8)
    ]
    work.sort(key=lambda one: one.submission_time)
    carbon, price = steps(seed)

    seen = Seen()
    simulation = Simulation(
        star(2, storages=(), cores=3, props=WATTS, energy=True),
        [workload(*work)],
        [make_scheduler(_Crowd)],
        options=Options(energy=True, compute_sharing=True),
        observers=[seen],
        billing=Billing(carbon=carbon, price=price),
    )
    simulation.run()
    for name, (grams, cost) in seen.bills.items():
        assert grams / 1e3 + cost == pytest.approx(seen.joules[name] * 100.0 / 3.6e9, rel=1e-9, abs=1e-12)
    assert len(seen.bills) == 8


def test_a_signal_that_ends_ends_the_run():
    work, _ = by_hand()
    short = Signal("short.csv", "g/kWh", [0.0, 100.0], [1.0, 2.0], end=200.0)
    with pytest.raises(SimulationError, match=r"short.csv has no value at 400 s"):
        ran(work, Billing(carbon=short))


def test_a_signal_may_end_with_the_last_job():
    """What comes after it, here a call long after, is not metered, and harms nothing."""
    work, _ = by_hand()
    signal = Signal("c", "g/kWh", [0.0], [1.0], end=400.0)

    class Late(Scheduler):
        def schedule(self, view):
            for one in list(view.queue):
                yield Execute(one, HostSet.parse("0"))
                yield CallMeLater(call_me_later_id="late", when=OneShot(5000.0))

    seen = Seen()
    simulation = Simulation(
        star(2, storages=(), cores=3, props=WATTS, energy=True),
        [workload(*work)],
        [make_scheduler(Late)],
        options=Options(energy=True),
        observers=[seen],
        billing=Billing(carbon=signal),
    )
    simulation.run()
    assert simulation.now == 5000.0
    assert simulation.totals()["bill"].carbon_g > 0
    assert seen.power[-1][1] == 400.0


def test_the_rule_of_simgrid_is_refused():
    with pytest.raises(UsageError, match="exact energy rule"):
        ran([], Billing(), energy_rule="simgrid")


@pytest.mark.parametrize("date", [0.0, 1500.0, 3000.0])
def test_a_fork_and_a_restored_run_have_the_same_bill(date, tmp_path):
    work = jobs(11, 6)
    carbon, price = steps(3)
    billing = Billing(carbon=carbon, price=price, overhead=Overhead(fixed=3.0))
    _, expected, _ = ran(work, billing)
    made = Simulation(
        star(6, storages=(), cores=3, props=WATTS, energy=True),
        [workload(*work)],
        [make_scheduler("easy")],
        options=Options(energy=True),
        billing=billing,
    )
    made.run_until(date)
    fork = made.fork()
    assert fork.world.billing is billing
    made.save(tmp_path / "saved")
    restored = Simulation.restore(tmp_path / "saved")
    for one in (made, fork, restored):
        one.run()
        assert one.totals()["bill"] == expected["bill"]


def test_a_site_without_jobs():
    simulation = Simulation(
        star(2, storages=(), props=WATTS, energy=True), [], [make_scheduler("easy")], options=Options(energy=True), billing=Billing()
    )
    simulation.run()
    bill = simulation.totals()["bill"]
    assert (bill.site_joules, bill.pue, bill.peak_watts) == (0.0, None, 0.0)
