"""Whatever the jobs ask for and however machines fail: no resource is given twice, and nothing is lost."""

import random
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.engine import Options, Simulation
from windtunnel.engine.state.shared_hosts import Shares
from windtunnel.model import (
    DelayProfile,
    Host,
    HostSet,
    Job,
    JobList,
    ParallelTaskHomogeneousProfile,
    Platform,
    PowerState,
    Request,
)
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.model.failures import FailureModel, failures, parse_distribution
from windtunnel.schedulers.registry import make_scheduler
from windtunnel.testing import InvariantChecker
from windtunnel.vocabulary import Observer


class Capacities(Observer):
    """Sums up what each host gives."""

    def __init__(self, hosts):
        self.has = {host.id: {"cores": host.cores, **host.resources} for host in hosts}
        self.taken = {host.id: defaultdict(float) for host in hosts}
        self.whole = set()
        self.ended = 0

    def on_job_started(self, now, record):
        for host in record.hosts:
            assert host not in self.whole
            if record.amounts is None:
                assert not any(self.taken[host].values())
                self.whole.add(host)
                continue
            for name, amount in record.amounts[host].items():
                self.taken[host][name] += amount
                assert self.taken[host][name] <= self.has[host][name] * (1 + 1e-9), (host, name)

    def on_job_ended(self, now, record):
        self.ended += 1
        for host in record.hosts:
            if record.amounts is None:
                self.whole.remove(host)
            else:
                for name, amount in record.amounts[host].items():
                    self.taken[host][name] = round(self.taken[host][name] - amount, 6)

    def on_job_rejected(self, now, record):
        self.ended += 1


def random_jobs(rng, count):
    for number in range(count):
        kind = rng.randrange(4)
        if kind == 0:
            request = Request(hosts=rng.randint(1, 3))
        elif kind == 1:
            request = Request(hosts=1, processors=rng.randint(1, 12))
        else:
            amounts = {"cores": float(rng.randint(1, 6)), "memory": rng.choice([0.1, 3.3, 7.7])}
            if rng.random() < 0.3:
                amounts["gpus"] = 1.0
            request = Request(hosts=rng.randint(1, 2), amounts=tuple(amounts.items()))
        yield Job(
            id=f"w0!{number}",
            request=request,
            profile=DelayProfile(id=f"w0!{number}", delay=float(rng.randint(1, 50))),
            submission_time=float(rng.randint(0, 200)),
            walltime=60.0,
        )


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_given_twice(seed):
    rng = random.Random(seed)
    hosts = [
        Host(id=i, name=f"h{i}", cores=rng.choice([4, 8]), resources={"memory": 10.0, "gpus": float(i % 2)})
        for i in range(5)
    ]
    jobs = list(random_jobs(rng, 120))
    work = JobList("w0", jobs, {job.profile.id: job.profile for job in jobs})
    model = FailureModel(
        between=parse_distribution("exponential:80"),
        repair=parse_distribution("uniform:1,30"),
        seed=seed,
        until=300.0,
    )
    scheduler = make_scheduler(
        "stage-scheduler",
        selection=rng.choice(["FIFO", "SJF", "RANDOM", "LARGEST"]),
        placement=rng.choice(["FIRST-FIT", "BEST-FIT", "WORST-FIT", "NEXT-FIT", "RANDOM"]),
        blocking=rng.choice(["SKIP", "HEAD"]),
        seed=seed,
    )
    capacities, checker = Capacities(hosts), InvariantChecker(sharing=True)
    options = Options(on_failure=rng.choice(["kill", "requeue"]), on_maintenance="drain")
    simulation = Simulation(
        Platform(name="s", hosts=tuple(hosts)),
        [work],
        [scheduler],
        events=[failures(hosts, model)],
        options=options,
        observers=[capacities, checker],
    )
    simulation.run()
    ran = {row[0].partition("#")[0] for row in checker.rows}
    assert len(ran) == len(jobs), "every job ended or was rejected"
    assert str(simulation.world.hosts.free.frozen()) == "0-4"
    assert not capacities.whole
    times = simulation.world.hosts.totals()
    assert times["time_computing"] >= 0
    assert times["time_idle"] >= -1e-6
    assert sum(simulation.world.hosts.counts) == len(hosts)


def test_the_energy_of_a_shared_host_is_divided():
    """Two jobs on one host of two cores (50 to 100 W), each on one core, for 5 s; then one alone for 5 s."""
    host = Host(id=0, name="h", cores=2, pstates=(PowerState(1e9, 50.0, 50.0, 100.0),))
    jobs = []
    for name, work in (("a", 10e9), ("b", 5e9)):
        profile = ParallelTaskHomogeneousProfile(id=f"w0!{name}", computation_amount=work)
        request = Request(hosts=1, amounts=(("cores", 1.0),))
        jobs.append(Job(id=f"w0!{name}", request=request, profile=profile))
    joules = {}

    class Energy(Observer):
        def on_job_ended(self, now, record):
            joules[record.job.name] = (now, record.consumed_energy)

    simulation = Simulation(
        Platform(name="s", hosts=(host,)),
        [JobList("w0", jobs, {job.profile.id: job.profile for job in jobs})],
        [make_scheduler("stage-scheduler")],
        options=Options(energy=True),
        observers=[Energy()],
    )
    simulation.run()
    assert joules == {"b": (5.0, 250.0), "a": (10.0, 250.0 + 375.0)}


TAKEN = st.dictionaries(st.sampled_from(("cores", "memory", "tape")), st.sampled_from((-1.0, 0.0, 1.0, 2.5, 4.0)))


@given(st.lists(st.tuples(st.integers(1, 2**5 - 1), st.integers(0, 2**5 - 1), TAKEN, TAKEN), max_size=8))
def test_amounts_said_for_groups_are_taken_and_given_back_as_host_by_host(steps):
    hosts = [Host(id=k, name=f"h{k}", cores=4, pstates=(PowerState(1e9),), resources={"memory": 5.0}) for k in range(5)]
    groups, singly = Shares(), Shares()
    running = []
    for bits, other, one, two in steps:
        inside = HostSet.of_bits(bits)
        parts = [(HostSet.of_bits(bits & ~other), one), (HostSet.of_bits(bits & other), two)]
        alike = AlikeAmounts(inside, [part for part in parts if part[0]])
        by_host = {host: dict(alike[host]) for host in inside}
        refused = singly.refusal(inside, by_host, hosts)
        assert groups.have_room(inside, alike, hosts) == (not refused)
        if refused:
            if running:
                where, were, was = running.pop(0)
                assert groups.give_back(where, were) == singly.give_back(where, was)
            continue
        assert groups.take(inside, alike) == singly.take(inside, by_host)
        running.append((inside, alike, by_host))
    assert [host in groups for host in range(5)] == [host in singly for host in range(5)]
