"""The loop for one component is the general one: the same messages and outcomes, however a run is held."""

import random
from math import inf

import pytest
from tests.engine.test_monkey import PARTS, PROFILES, Monkey, site

from windtunnel.diagnostics import LivelockError, SimulationError
from windtunnel.engine import Options, Simulation
from windtunnel.model import JobList, ParallelTaskHomogeneousProfile
from windtunnel.schedulers.easy import Easy
from windtunnel.testing import InvariantChecker, Scripted, job, platform, sequence, workload
from windtunnel.vocabulary import CallMeLater, JobSubmitted, Observer, OneShot, RejectJob, Reply

MEASURED = ("scheduling_time", "simulation_time")
"""What depends on the clock on the wall."""


class Thoughtful(Monkey):
    """Takes its time now and then."""

    def decide(self, now, notices):
        reply = super().decide(now, notices)
        return Reply(now + self.rng.choice([0.0, 0.0, 0.0, 0.25, 1e-10]), reply.decisions)


def held(seed, hold, *, monkeys=1, listeners=0):
    """What each monkey was told, what became of jobs, and the totals of a run with everything in it."""
    rng = random.Random(seed)
    sharing = rng.random() < 0.5
    jobs = [
        job(
            k,
            2,
            run=rng.choice(PROFILES),
            at=rng.choice([0.0, 1.0, rng.uniform(0, 10)]),
            walltime=rng.choice([3, 1e3]),
        )
        for k in range(8)
    ]
    options = Options(
        strict=False,
        energy=True,
        compute_sharing=sharing,
        energy_rule=rng.choice(["exact", "simgrid"]),
        sharing=rng.choice(["simgrid", "maxmin"]),
        on_failure=rng.choice(["kill", "requeue"]),
    )
    checker = InvariantChecker(sharing=sharing)
    components = [Thoughtful(random.Random(rng.random())) for _ in range(monkeys)]
    simulation = Simulation(
        site(rng),
        [workload(*jobs, profiles=PARTS)],
        [*components, *(Scripted(lambda now, notices: []) for _ in range(listeners))],
        options=options,
        observers=[checker],
    )
    hold(simulation)
    assert checker.outcome == "complete", seed
    totals = {name: value for name, value in simulation.totals().items() if name not in MEASURED}
    return [repr(component.log[1:]) for component in components], checker.rows, totals


def at_once(simulation):
    simulation.run()


def round_by_round(simulation):
    while simulation.step():
        pass


def in_pieces(simulation):
    date = 0.0
    while simulation.run_until(date):
        date += 1.7


@pytest.mark.parametrize("seed", range(12))
def test_one_component_is_asked_the_same_in_both_loops(seed):
    expected = held(seed, at_once)
    assert held(seed, round_by_round) == expected
    assert held(seed, in_pieces) == expected


@pytest.mark.parametrize("seed", range(12))
def test_another_component_that_only_listens_changes_nothing(seed):
    assert held(seed, at_once, listeners=1) == held(seed, at_once)


@pytest.mark.parametrize("seed", range(6))
def test_several_components_are_asked_the_same_however_the_run_is_held(seed):
    expected = held(seed, at_once, monkeys=2)
    assert held(seed, round_by_round, monkeys=2) == expected
    assert held(seed, in_pieces, monkeys=2) == expected


def scheduled(seed, hold):
    """What becomes of the jobs of one or several workloads, many of them at one date, under a scheduler of ours."""
    rng = random.Random(seed)
    workloads = []
    for name in ["w0", "w1", "w2"][: rng.randint(1, 3)]:
        dates = sorted(rng.choice([0.0, 1.0, 2.0, 2.5, rng.uniform(0, 20)]) for _ in range(rng.randint(1, 15)))
        runs = [rng.choice([0.5, 1.0, 1.5, rng.uniform(0, 9)]) for _ in dates]
        jobs = [
            job(f"{name}_{k}", rng.randint(1, 4), run=run, at=at, walltime=rng.choice([1, 5, 1e3]))
            for k, (at, run) in enumerate(zip(dates, runs, strict=True))
        ]
        workloads.append(JobList(name, jobs, {one.profile.id: one.profile for one in jobs}))
    checker = InvariantChecker()
    simulation = Simulation(site(rng), workloads, [Easy()], options=Options(), observers=[checker])
    hold(simulation)
    assert checker.outcome == "complete", seed
    return checker.rows


@pytest.mark.parametrize("seed", range(30))
def test_submissions_beside_the_calendar_come_in_its_order(seed):
    expected = scheduled(seed, round_by_round)
    assert expected
    assert scheduled(seed, at_once) == expected
    assert scheduled(seed, in_pieces) == expected


OVERFLOWING = [
    [job("a", run=1e308, at=1e308)],
    [job("a"), job("b", at=inf)],
    [job("a", run=inf), job("b", at=5.0)],
]


@pytest.mark.parametrize("jobs", OVERFLOWING)
@pytest.mark.parametrize("hold", [at_once, round_by_round])
def test_dates_that_overflow_end_a_run(jobs, hold):
    checker = InvariantChecker()
    simulation = Simulation(platform(4), [workload(*jobs)], [Easy()], options=Options(), observers=[checker])
    with pytest.raises(SimulationError, match="overflowed"):
        hold(simulation)
    assert simulation.world.nb_submitted == len(jobs)


def rounds_at_zero(limit, one_by_one):
    """How many messages a component gets that always asks to be called at once: so many are held in one instant."""
    heard = []

    def script(now, notices):
        heard.append(now)
        return [CallMeLater(call_me_later_id=f"c{len(heard)}", when=OneShot(0))] if now == 0.0 else None

    options = Options(max_rounds=limit, one_by_one=one_by_one)
    with pytest.raises(LivelockError):
        Simulation(platform(4), [workload(job("a", 1))], [Scripted(script)], options=options).run()
    return heard.count(0.0)


@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_both_loops_hold_as_many_rounds_in_an_instant(limit):
    assert rounds_at_zero(limit, one_by_one=False) == rounds_at_zero(limit, one_by_one=True)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_nobody_hears_of_is_no_round(one_by_one):
    """A job of sixty tasks that take no time: each ends in the same instant, and only the last one is news."""
    tasks = [
        ParallelTaskHomogeneousProfile(id=f"w0!t{k}", computation_amount=0.0 if k % 2 else 1e-12) for k in range(60)
    ]
    work = workload(job(1, run=sequence("all", tasks), at=1.0), profiles=tasks)
    checker = InvariantChecker()
    options = Options(max_rounds=5, one_by_one=one_by_one)
    Simulation(platform(1), [work], [Easy()], observers=[checker], options=options).run()
    assert [row[0] for row in checker.rows] == ["w0!1"]


def scheduling_time(scheduler, number, hold):
    """Of jobs one after the other, in about twice as many rounds; and what observers of calls were told."""
    seen = []

    class Calls(Observer):
        def on_call(self, now, notices, reply, seconds):
            seen.append(seconds)

    work = workload(*[job(rank, 1, 1.0, at=2.0 * rank) for rank in range(number)])
    simulation = Simulation(platform(1), [work], [scheduler], observers=[Calls()] if hold else [])
    simulation.run()
    return simulation.totals()["scheduling_time"], seen


def test_the_time_of_decisions():
    """Of schedulers of one's own each call is timed; of an included one many, each of which stands for others."""

    def reject(now, notices):
        return [RejectJob(job_id=notice.job.id) for notice in notices if isinstance(notice, JobSubmitted)]

    told, seen = scheduling_time(Scripted(reject), 50, True)
    assert told == pytest.approx(sum(seen))
    told, seen = scheduling_time(Easy(), 1500, True)
    assert len(seen) > 2500
    assert told == pytest.approx(sum(seen))
    assert scheduling_time(Easy(), 3000, False)[0] > 0.0
