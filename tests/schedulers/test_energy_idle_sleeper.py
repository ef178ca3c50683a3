"""EASY on a machine whose idle hosts sleep."""

import random

import pytest

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.engine import Options, Simulation
from windtunnel.model import DelayProfile, Host, HostSet, Platform, PowerState
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import InvariantChecker, job, workload
from windtunnel.vocabulary import JobSubmitted, Observer, ResourceStateChanged, SimulationBegins

STATES = (
    PowerState(1e9, 100.0, None, 200.0),
    PowerState(1e-9, 10.0, None, 10.0),  # asleep
    PowerState(1 / 5, 50.0, None, 50.0),  # 5 s to switch off
    PowerState(1 / 20, 80.0, None, 80.0),  # 20 s to switch on
)


def site(hosts=4, pstate=0):
    return Platform(
        name="p",
        hosts=tuple(
            Host(id=k, name=f"h{k}", pstates=STATES, pstate=pstate, sleep_pstates={1: (2, 3)}) for k in range(hosts)
        ),
    )


class Switches(Observer):
    def __init__(self):
        self.seen = []

    def on_pstate(self, now, hosts, pstate):
        self.seen.append((now, str(hosts), pstate))


def run(*jobs, platform=None, scheduler="energy-idle-sleeper", **options):
    checker, switches = InvariantChecker(), Switches()
    component = make_scheduler(scheduler, **options)
    simulation = Simulation(
        platform or site(),
        [workload(*jobs)],
        [component],
        options=Options(energy=True),
        observers=[checker, switches],
    )
    simulation.run()
    return {row[0]: row[2:] for row in checker.rows}, switches.seen, simulation


def test_idle_hosts_sleep_and_are_woken_for_waiting_jobs():
    rows, switches, _ = run(
        job(0, 1, run=100.0, walltime=200.0), job(1, 2, run=10.0, at=60.0, walltime=20.0), idle_time=30.0
    )
    # Hosts 1-3 are idle until 30; two of them are woken at 60, which takes 20 s.
    assert switches[:2] == [(30.0, "1-3", -2), (35.0, "1-3", 1)]
    assert (60.0, "1-2", -1) in switches
    assert rows["w0!1"] == (80.0, 90.0, "1-2")


def test_hosts_that_are_on_their_way_off_are_woken_once_they_are_off():
    rows, _, _ = run(job(0, 1, run=100.0), job(1, 4, run=10.0, at=102.0, walltime=20.0), idle_time=100.0)
    # 1-3 begin to sleep at 100, so they are off at 105 and on again at 125.
    assert rows["w0!1"] == (125.0, 135.0, "0-3")


def test_some_hosts_may_stay_awake():
    _, switches, _ = run(job(0, 1, run=100.0), idle_time=10.0, keep_awake=2)
    assert switches[0] == (10.0, "3", -2)
    rows, switches, _ = run(job(0, 1, run=100.0), job(1, 2, run=1.0, at=50.0), idle_time=10.0, keep_awake=2)
    assert rows["w0!1"] == (50.0, 51.0, "1-2")


def test_a_host_that_worked_meanwhile_has_not_been_idle():
    _, switches, _ = run(job(0, 4, run=20.0), job(1, 1, run=100.0, at=20.0), idle_time=30.0)
    assert switches[0] == (50.0, "1-3", -2)


def test_after_the_last_job_nothing_is_switched_any_more():
    _, switches, simulation = run(job(0, 4, run=20.0), idle_time=30.0)
    assert not switches
    assert simulation.now == 30.0  # the call that was pending


def test_hosts_that_sleep_at_the_start_are_woken():
    rows, switches, _ = run(job(0, 2, run=10.0, at=5.0), platform=site(4, pstate=1))
    assert switches[0] == (5.0, "0-1", -1)
    assert rows["w0!0"] == (25.0, 35.0, "0-1")


def test_the_reservation_counts_with_hosts_on_their_way():
    """The long job must not overtake on a host that the first one will need as soon as the others are awake."""
    rows, _, _ = run(
        job(0, 1, run=500.0, walltime=500.0),
        job(1, 3, run=50.0, at=100.0, walltime=60.0),
        job(2, 1, run=100.0, at=101.0, walltime=110.0),
        idle_time=30.0,
    )
    assert rows["w0!1"] == (120.0, 170.0, "1-3")
    assert rows["w0!2"][0] == 170.0


def test_where_only_the_property_is_told_it_learns_how_long_switching_takes():
    """As behind Batsim 4's protocol: host ids, names and properties, no power states."""
    told = Platform(
        name="p", hosts=tuple(Host(id=k, name=f"h{k}", properties={"sleep_pstates": "1:2:3"}) for k in range(4))
    )
    scheduler = make_scheduler("energy-idle-sleeper", idle_time=0.0)
    scheduler.hello()
    (off,) = scheduler.decide(0.0, [SimulationBegins(0.0, told)]).decisions
    assert (str(off.hosts), off.state) == ("0-3", 1)
    late = job(0, 2, at=7.0)
    assert not scheduler.decide(5.0, [ResourceStateChanged(5.0, off.hosts, 1)]).decisions
    (on,) = scheduler.decide(7.0, [JobSubmitted(7.0, late, 7.0)]).decisions
    assert (str(on.hosts), on.state) == ("0-1", 0)
    (start,) = scheduler.decide(27.0, [ResourceStateChanged(27.0, on.hosts, 0)]).decisions
    assert str(start.hosts) == "0-1"
    assert scheduler._idle._took == {True: 5.0, False: 20.0}


def test_where_nothing_can_sleep_is_an_error():
    with pytest.raises(UsageError, match="no host of this platform can be switched off"):
        run(job(0), platform=Platform(name="p", hosts=(Host(id=0, name="h", pstates=STATES[:1]),)))


def test_packing_by_cores_is_refused_before_the_run(tmp_path):
    """It failed where the first host was to be switched, with a hint that named no way out."""
    out = tmp_path / "out"
    with pytest.raises(UsageError, match=r"sleeper switches whole hosts(.|\n)*without --share-hosts"):
        wt.simulate(site(), workload(job(0)), "energy-idle-sleeper", share_hosts=True, out=out)
    assert not out.exists()


def test_without_sleep_it_is_easy():
    rng = random.Random(5)
    jobs = [
        job(k, rng.randint(1, 8), run=DelayProfile(id=f"w0!{k}", delay=rng.uniform(1, 50)), at=at, walltime=60.0)
        for k, at in enumerate(sorted(rng.uniform(0, 500) for _ in range(80)))
    ]
    ours, switches, _ = run(*jobs, platform=site(8), idle_time=1e9)
    easy, _, _ = run(*jobs, platform=site(8), scheduler="easy")
    assert ours == easy
    assert not switches


@pytest.mark.parametrize("seed", range(20))
def test_every_job_runs_and_energy_is_saved(seed):
    rng = random.Random(seed)
    jobs, at = [], 0.0
    for k in range(40):
        at += rng.choice([0.0, rng.expovariate(1 / 100)])
        delay = rng.uniform(1, 80)
        profile = DelayProfile(id=f"w0!{k}", delay=delay)
        jobs.append(job(k, rng.randint(1, 8), run=profile, at=at, walltime=delay * rng.uniform(1.01, 3)))
    rows, _, slept = run(*jobs, platform=site(8), idle_time=rng.choice([0.0, 15.0, 60.0]))
    plain, _, awake = run(*jobs, platform=site(8), scheduler="easy")
    assert rows.keys() == plain.keys()
    end = max(row[1] for row in rows.values())
    assert slept.world.energy.total(end) / end < awake.world.energy.total(awake.now) / awake.now
    free = slept.world.hosts.free
    assert all(slept.world.hosts.pstate[h] == 0 for h in HostSet.span(8) if h in free)
