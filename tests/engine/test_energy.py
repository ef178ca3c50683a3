"""Energy of whole runs: the site's and each job's, by hand and as a law."""

import random
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.star import star

from windtunnel.diagnostics import UsageError
from windtunnel.engine import Options, Simulation
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    HostSet,
    JobState,
    ParallelTaskHomogeneousProfile,
    ParallelTaskProfile,
    Platform,
)
from windtunnel.testing import InvariantChecker, Scripted, job, workload
from windtunnel.vocabulary import (
    CallMeLater,
    EnergyAnswered,
    Execute,
    HostsTurnedOnOff,
    JobCompleted,
    JobSubmitted,
    KillJobs,
    OneShot,
    ProfilePlacement,
    QueryEnergy,
    RejectJob,
    RequestedCall,
    ResumeJob,
    SuspendJob,
    TurnOnOffHosts,
)

WATTS = '<prop id="wattage_per_state" value="100:120:200"/>'  # idle, lightest load, all cores


def site(hosts=2, cores=2, watts=WATTS, **options):
    return star(hosts, storages=(), cores=cores, props=watts, energy=True, **options)


def computing(flops, hosts=1, name="c"):
    return ParallelTaskProfile(id=f"w0!{name}", computation_vector=(flops,) * hosts)


class Joules(InvariantChecker):
    """Also the energy of each job, and of the site at each row."""

    def __init__(self, *, sharing=False):
        super().__init__(sharing=sharing)
        self.of = {}
        self.at = []

    def on_job_ended(self, now, record):
        super().on_job_ended(now, record)
        self.of[record.job.id] = record.consumed_energy

    def on_energy(self, now, joules, kind, epsilon_watts):
        super().on_energy(now, joules, kind, epsilon_watts)
        self.at.append((now, kind, joules))


def run(script, *jobs, platform=None, **options):
    checker = Joules(sharing=options.get("compute_sharing", False))
    component = Scripted(script)
    simulation = Simulation(
        platform or site(),
        [workload(*jobs)],
        [component],
        options=Options(energy=True, **options),
        observers=[checker],
    )
    simulation.run()
    return checker, simulation, component


def on(places):
    """A script that starts each job on the hosts given for it."""

    def script(now, notices):
        return [Execute(n.job, HostSet.parse(places[n.job.id])) for n in notices if isinstance(n, JobSubmitted)]

    return script


def test_a_job_consumes_what_its_hosts_do():
    checker, simulation, _ = run(
        on({"w0!0": "0", "w0!1": "1"}),
        job(0, run=computing(4e9)),  # 4 s on one core of two: 120 + 80 / 2 W
        job(1, run=DelayProfile(id="w0!d", delay=3.0), at=1.0),  # computes nothing: 100 W
    )
    assert checker.of == pytest.approx({"w0!0": 4 * 160.0, "w0!1": 3 * 100.0})
    assert checker.at[-1] == (4.0, "e", pytest.approx(4 * 160.0 + 4 * 100.0))
    assert simulation.totals()["consumed_joules"] == pytest.approx(4 * 160.0 + 4 * 100.0)


def sharing(rule="fair"):
    checker, _, _ = run(
        on({"w0!0": "0", "w0!1": "0"}),
        job(0, run=computing(4e9)),
        job(1, run=computing(4e9), at=2.0),
        platform=site(1, cores=2),
        compute_sharing=True,
        job_energy=rule,
    )
    return checker.of


def test_the_energy_of_a_shared_host_is_divided_among_its_jobs():
    # 160 W alone for 2 s, 200 W together for 2 s, 160 W alone for 2 s.
    assert sharing() == pytest.approx({"w0!0": 320 + 200, "w0!1": 200 + 320})


def test_or_counts_for_each_as_upstream():
    assert sharing("whole") == pytest.approx({"w0!0": 320 + 400, "w0!1": 400 + 320})


def test_a_suspended_job_consumes_nothing():
    def script(now, notices):
        asked = on({"w0!0": "0"})(now, notices)
        for n in notices:
            if isinstance(n, JobSubmitted):
                asked += [CallMeLater(call_me_later_id=str(d), when=OneShot(d)) for d in (1.0, 6.0)]
            elif isinstance(n, RequestedCall):
                again = ResumeJob(job_id="w0!0", hosts=HostSet.parse("1"))
                asked.append(SuspendJob(job_id="w0!0") if now < 2 else again)
        return asked

    checker, simulation, _ = run(script, job(0, run=computing(4e9)))
    assert checker.of == pytest.approx({"w0!0": 4 * 160.0})
    assert simulation.world.energy.total(simulation.now) == pytest.approx(4 * 160.0 + 9 * 100.0 + 5 * 100.0)


def test_a_job_killed_while_suspended_has_consumed_what_it_had():
    def script(now, notices):
        asked = on({"w0!0": "0"})(now, notices)
        for n in notices:
            if isinstance(n, JobSubmitted):
                asked += [CallMeLater(call_me_later_id=str(d), when=OneShot(d)) for d in (1.0, 6.0)]
            elif isinstance(n, RequestedCall):
                asked.append(SuspendJob(job_id="w0!0") if now < 2 else KillJobs(job_ids=("w0!0",)))
        return asked

    checker, _, _ = run(script, job(0, run=computing(4e9)))
    assert checker.rows[0][1] is JobState.COMPLETED_KILLED
    assert checker.of == pytest.approx({"w0!0": 160.0})


SLEEPER = (
    '<prop id="wattage_per_state" value="100:200, 10:10, 50:50, 80:80"/>'
    '<prop id="sleep_pstates" value="1:2:3"/>'  # asleep, while switching off, while switching on
)


def test_switching_takes_its_time_and_its_power():
    """Off in 5 s at 50 W, asleep at 10 W, on in 20 s at 80 W."""
    platform = site(2, cores=1, watts=SLEEPER, speed="1Gf,1e-9f,0.2f,0.05f")

    def script(now, notices):
        asked = []
        for n in notices:
            if isinstance(n, JobSubmitted) and n.job.id == "w0!0":
                asked += [Execute(n.job, HostSet.parse("0")), TurnOnOffHosts(hosts=HostSet.parse("1"), state=1)]
            elif isinstance(n, JobSubmitted):
                asked.append(TurnOnOffHosts(hosts=HostSet.parse("1"), state=0))
            elif isinstance(n, HostsTurnedOnOff) and n.state == 0:
                asked.append(Execute("w0!1", HostSet.parse("1")))
            elif isinstance(n, JobCompleted) and n.job.id == "w0!1":
                asked.append(QueryEnergy())
        return asked

    jobs = [job(0, run=computing(40e9)), job(1, run=computing(2e9), at=10.0)]
    checker, simulation, component = run(script, *jobs, platform=platform)
    assert [row[2:4] for row in checker.rows] == [(30.0, 32.0), (0.0, 40.0)]
    second = 5 * 50.0 + 5 * 10.0 + 20 * 80.0 + 2 * 200.0
    (answer,) = component.told(EnergyAnswered)
    assert answer.consumed_energy == pytest.approx(32 * 200.0 + second)
    assert checker.of == pytest.approx({"w0!0": 40 * 200.0, "w0!1": 2 * 200.0})
    times = simulation.totals()
    assert (times["time_switching_off"], times["time_sleeping"], times["time_switching_on"]) == (5.0, 5.0, 20.0)


def test_a_host_that_a_profile_switches_off_draws_what_it_draws_off():
    text = f"""<platform version="4.1"><trace id="t" periodicity="-1">4 0\n6 1</trace><zone id="Z" routing="Full">
    <host id="h" speed="1Gf">{WATTS}<prop id="wattage_off" value="7"/></host></zone>
    <trace_connect kind="HOST_AVAIL" trace="t" element="h"/></platform>"""
    from windtunnel.formats.sites.simgrid_xml import parse_platform

    platform = parse_platform(text.encode(), master="", energy=True)
    jobs = [job(0, run=computing(9e9)), job(1, run=computing(1e9), at=8.0)]
    checker, simulation, _ = run(on({"w0!0": "0", "w0!1": "0"}), *jobs, platform=platform)
    assert checker.of == pytest.approx({"w0!0": 4 * 200.0, "w0!1": 200.0})
    assert simulation.world.energy.total(9.0) == pytest.approx(4 * 200 + 2 * 7 + 2 * 100 + 200)


def test_energy_needs_watts_and_known_rules():
    with pytest.raises(UsageError, match="gives no watts for host0"):
        run(on({}), platform=Platform.uniform(1))
    with pytest.raises(UsageError, match="energy_rule must be one of exact, simgrid"):
        Options(energy_rule="rough")


def test_simgrids_rule_charges_a_change_of_rate_late():
    """When the small task ends the other one becomes faster on the first host, too, where SimGrid does not look."""
    big, small = computing(4e9, 2, "big"), computing(1e9, 1, "small")
    both = ForkJoinCompositionProfile(id="w0!both", profile_ids=("w0!big", "w0!small"))
    placed = {"w0!small": ProfilePlacement(HostSet.parse("1"), (0,))}

    def script(now, notices):
        return [
            Execute(n.job, HostSet.parse("0-1"), profile_placements=placed)
            for n in notices
            if isinstance(n, JobSubmitted)
        ]

    joules = {}
    for rule in ("exact", "simgrid"):
        jobs = workload(job(0, 2, run=both), profiles=[big, small])
        options = Options(energy=True, energy_rule=rule)
        simulation = Simulation(site(2, cores=1), [jobs], [Scripted(script)], options=options)
        simulation.run()
        assert simulation.now == pytest.approx(5.0)  # half speed for 2 s, then full
        joules[rule] = simulation.totals()["consumed_joules"]
    assert joules["exact"] == pytest.approx(2 * 160.0 + 3 * 200.0 + 5 * 200.0)
    assert joules["simgrid"] == pytest.approx(5 * 200.0 + 5 * 200.0)


# -- as a law -------------------------------------------------------------------------------------------------------


def random_jobs(rng, hosts):
    jobs, places = [], {}
    for k in range(rng.randint(1, 12)):
        chosen = HostSet(rng.sample(range(hosts), rng.randint(1, hosts)))
        n = len(chosen)
        profile = rng.choice(
            [
                DelayProfile(id=f"w0!{k}", delay=rng.uniform(0.1, 5)),
                ParallelTaskProfile(
                    id=f"w0!{k}", computation_vector=tuple(rng.choice([0.0, rng.uniform(0, 4e9)]) for _ in range(n))
                ),
                ParallelTaskHomogeneousProfile(
                    id=f"w0!{k}", computation_amount=rng.uniform(0, 4e9), communication_amount=rng.uniform(0, 1e8)
                ),
            ]
        )
        walltime = rng.choice([inf, rng.uniform(0.1, 3)])
        jobs.append(job(k, n, run=profile, at=rng.choice([0.0, rng.uniform(0, 10)]), walltime=walltime))
        places[f"w0!{k}"] = str(chosen)
    return jobs, places


class Conserved(Joules):
    """At each start and end: no host and no shared link is above its capacity; how far a task of a job had come."""

    def __init__(self, platform):
        super().__init__(sharing=True)
        self.platform = platform
        self.simulation = None
        self.flops = 0.0

    def on_machine_states(self, now, counts):
        super().on_machine_states(now, counts)
        system = getattr(self.simulation.world.sharing, "system", None)  # there is none before the first task
        if system is None:
            return
        links = self.platform.network.links
        for host in self.platform.hosts:
            assert system.load(host.id) <= host.cores * host.speed * (1 + 1e-9)
        for number, link in enumerate(links):
            if link.shared:
                assert system.load(len(self.platform.hosts) + number) <= link.bandwidth * (1 + 1e-9)

    def on_kill(self, now, record):
        """What a task did before its walltime was over (on_job_ended sees only whole ones)."""
        action = getattr(record.execution, "action", None)
        if action is not None:
            done = self.simulation.world.sharing.done(action)
            self.flops += done * sum(weight * len(hosts) for hosts, weight in action.task.cpus)

    def on_job_ended(self, now, record):
        super().on_job_ended(now, record)
        profile = record.job.profile
        if record.state is JobState.COMPLETED_SUCCESSFULLY:
            if isinstance(profile, ParallelTaskProfile):
                self.flops += sum(profile.computation_vector)
            elif isinstance(profile, ParallelTaskHomogeneousProfile):
                self.flops += profile.computation_amount * len(record.hosts)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(["simgrid", "maxmin"]))
def test_energy_is_idle_power_and_work(seed, rule):
    """Without a jump at the lightest load, energy is idle power over time and so many joules for each flop done.

    The divided energy of jobs on shared hosts is all that these hosts consumed while there was a job.
    """
    rng = random.Random(seed)
    hosts = rng.randint(1, 5)
    platform = site(hosts, cores=rng.randint(1, 3), watts='<prop id="wattage_per_state" value="100:250"/>')
    jobs, places = random_jobs(rng, hosts)
    checker = Conserved(platform)
    simulation = Simulation(
        platform,
        [workload(*jobs)],
        [Scripted(on(places))],
        options=Options(energy=True, compute_sharing=True, sharing=rule),
        observers=[checker],
    )
    checker.simulation = simulation
    simulation.run()
    host = platform.hosts[0]
    work = checker.flops * 150.0 / (host.cores * host.speed)
    now = simulation.now
    assert simulation.world.energy.total(now) == pytest.approx(100.0 * hosts * now + work)
    assert simulation.world.energy.of(range(hosts)) == pytest.approx(100.0 * hosts * now + work)
    busy = simulation.totals()["time_computing"]
    assert sum(checker.of.values()) == pytest.approx(100.0 * busy + work)


def test_where_no_job_runs_nothing_is_consumed():
    """A site that draws power before the only job comes, which is rejected, had consumed less than nothing."""

    def script(now, notices):
        return [RejectJob(job_id=n.job.id) for n in notices if isinstance(n, JobSubmitted)]

    _, simulation, _ = run(script, job(1, at=5.0))
    assert simulation.totals()["consumed_joules"] == 0.0
