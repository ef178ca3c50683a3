"""Hosts that draw the same are counted, not visited: the joules are those of meters read one by one."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.star import star

from windtunnel.engine import Options, Simulation
from windtunnel.engine.energy import meters as metering
from windtunnel.engine.energy.together import Together
from windtunnel.model import DelayProfile, HostSet, JobRecord, ParallelTaskProfile
from windtunnel.model.host import Host, PowerState
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job, workload
from windtunnel.vocabulary import Observer

WATTS = '<prop id="wattage_per_state" value="95:120:200"/>'


class Jobs(Observer):
    """The energy of each job."""

    def __init__(self):
        self.joules = {}

    def on_job_ended(self, now, record):
        self.joules[record.job.id] = record.consumed_energy


def jobs(seed, hosts):
    """Most merely last; some compute on hosts that lasting jobs had before."""
    rng = random.Random(seed)
    made = []
    for rank in range(rng.randint(1, 25)):
        size = rng.randint(1, hosts)
        if rng.random() < 0.25:
            vector = tuple(rng.uniform(1e9, 9e9) for _ in range(size))
            profile = ParallelTaskProfile(id=f"w0!c{rank}", computation_vector=vector)
        else:
            profile = DelayProfile(id=f"w0!d{rank}", delay=rng.choice([0.0, 7.25, 30.1, 200.7]))
        date = rng.uniform(0.0, 400.0)
        made.append(job(rank, size, profile, date, rng.uniform(5, 300)))
    return sorted(made, key=lambda one: one.submission_time)


def ran(seed, busy, look=None):
    """Energy by job, the site's, and each host's, when somebody looks at a host at this date."""
    hosts = 6
    platform = star(hosts, storages=(), cores=3, props=WATTS, energy=True)
    observer = Jobs()
    options = Options(energy=True, delays_compute=busy)
    simulation = Simulation(
        platform, [workload(*jobs(seed, hosts))], [make_scheduler("easy")], options=options, observers=[observer]
    )
    if look is not None:
        simulation.run_until(look)
        simulation.world.energy.host_power(0)
    simulation.run()
    energy = simulation.world.energy
    return observer.joules, energy.total(simulation.now), [energy.host_joules(host) for host in range(hosts)]


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.booleans(), st.floats(0.0, 600.0))
def test_jobs_site_and_hosts_have_the_joules_of_single_meters(seed, busy, date):
    single = ran(seed, busy, look=0.0)
    for other in (ran(seed, busy), ran(seed, busy, look=date)):
        assert other[0] == pytest.approx(single[0], rel=1e-12, abs=1e-9)
        assert other[1] == pytest.approx(single[1], rel=1e-12)
        assert other[2] == pytest.approx(single[2], rel=1e-12)


def test_hosts_of_jobs_that_last_are_not_visited(monkeypatch):
    visits = []
    charge = metering.Meters._charge
    monkeypatch.setattr(metering.Meters, "_charge", lambda *args: (visits.append(args), charge(*args))[1])
    work = [job(rank, 50, 10.0) for rank in range(20)]
    platform = star(60, storages=(), cores=2, props=WATTS, energy=True)
    observer = Jobs()
    Simulation(
        platform,
        [workload(*work)],
        [make_scheduler("easy")],
        options=Options(energy=True, delays_compute=True),
        observers=[observer],
    ).run()
    assert list(observer.joules.values()) == pytest.approx([50 * 200.0 * 10.0] * 20)
    assert not visits


@given(st.lists(st.sampled_from([(95.0, 200.0), (50.0, 50.0), (10.0, 300.5)]), min_size=1, max_size=12), st.data())
def test_hosts_of_several_kinds(kinds, data):
    hosts = [
        Host(id=rank, name=f"h{rank}", cores=2, pstates=(PowerState(speed=1e9, idle=idle, full=full),))
        for rank, (idle, full) in enumerate(kinds)
    ]
    meters = metering.Meters(hosts)
    together = Together(meters, len(hosts))
    chosen = data.draw(st.sets(st.integers(0, len(hosts) - 1), min_size=1))
    busy = data.draw(st.booleans())
    record = JobRecord(job=job(1, len(chosen)))
    record.hosts = HostSet(chosen)
    record.consumed_energy = 0.0
    extra = together.begin(record, 3.0, busy=busy)
    assert extra == pytest.approx(sum(kinds[host][1] - kinds[host][0] for host in chosen) if busy else 0.0)
    together.end("w0!1", 11.0)
    assert record.consumed_energy == pytest.approx(sum(kinds[host][busy] for host in chosen) * 8.0)
    unmetered = together.unmetered()
    for host, (idle, full) in enumerate(kinds):
        here = (full - idle) * 8.0 if busy and host in chosen else 0.0
        assert meters.read(20.0, host) + unmetered[host] == pytest.approx(20.0 * idle + here)
