"""Schedulers that answer at once are told and decide in brief, unless somebody answers in their place."""

import random

import pytest
from tests.engine.test_energy_together import WATTS, star
from tests.engine.test_two_loops import MEASURED

import windtunnel as wt
from windtunnel import build
from windtunnel.engine import Options, Simulation
from windtunnel.engine.rounds.dialogue import is_brief
from windtunnel.model import EventList, ExternalEvent, HostSet, Platform
from windtunnel.model.failures import parse_failures
from windtunnel.schedulers.easy import Easy
from windtunnel.schedulers.fcfs import Fcfs
from windtunnel.testing import InvariantChecker, Scripted, job, workload
from windtunnel.vocabulary import ExecuteJob, RejectJob, Reply
from windtunnel.vocabulary.brief import notices_in_full


class Derived(Easy):
    """Has nothing of its own."""


class Replying(Easy):
    """Counts its answers."""

    answers = 0

    def decide(self, now, notices):
        self.answers += 1
        return super().decide(now, notices)


class Deciding(Easy):
    """Has other decisions than its base."""

    answers = 0

    def decide_briefly(self, now, news):
        self.answers += 1
        return super().decide_briefly(now, news)


class Mixed:
    """Starts, rejects and starts jobs in one answer, each on the host of its number."""

    def hello(self):
        return Scripted(None).hello()

    def decide(self, now, notices):
        return Reply(now, self.decide_briefly(now, notices))

    def decide_briefly(self, now, news):
        new = [notice.job for notice in notices_in_full(news, now) if type(notice).__name__ == "JobSubmitted"]
        return [RejectJob(one.id) if one.name == "1" else ExecuteJob(one.id, HostSet([int(one.name)])) for one in new]

    def stop(self):
        pass


def held(component, *, strict=True):
    """What became of some jobs."""
    checker = InvariantChecker()
    jobs = [job(k, 1 + k % 3, run=2.0 + k, at=float(k // 2), walltime=20.0) for k in range(12)]
    Simulation(
        Platform.uniform(4), [workload(*jobs)], [component], options=Options(strict=strict), observers=[checker]
    ).run()
    assert checker.outcome == "complete"
    return checker.rows


def world(component, **options):
    """That of a run that has not begun."""
    return Simulation(Platform.uniform(4), [workload()], [component], options=Options(**options)).world


def test_who_is_told_in_brief():
    told = [Easy(), Derived(), Mixed()]
    others = [Replying(), Deciding(), Fcfs(), Scripted(lambda now, notices: [])]
    assert [is_brief(world(one), one) for one in [*told, *others]] == [True] * 3 + [False] * 4
    assert not is_brief(world(told[0], strict=False), told[0])
    assert not is_brief(world(told[0], compute_sharing=True), told[0])


@pytest.mark.skipif(build() == "compiled", reason="no methods of one object are replaced there")
def test_a_method_of_the_object_itself_counts():
    scheduler = Easy()
    scheduler.decide = lambda now, notices: Reply(now, [])
    assert not is_brief(world(scheduler), scheduler)


@pytest.mark.parametrize("kind", [Replying, Deciding])
def test_derived_classes_are_heard_and_decide_the_same(kind):
    scheduler = kind()
    assert held(scheduler) == held(Easy())
    assert scheduler.answers > 12


def test_all_ways_come_to_the_same():
    assert held(Easy(), strict=False) == held(Easy())


def test_decisions_of_several_kinds_in_one_answer():
    checker = InvariantChecker()
    jobs = [job(k, 1, run=5.0, at=0.0) for k in range(4)]
    Simulation(Platform.uniform(4), [workload(*jobs)], [Mixed()], observers=[checker]).run()
    assert checker.outcome == "complete"
    assert [(name, state.name, hosts) for name, state, _, _, hosts in checker.rows] == [
        ("w0!1", "REJECTED", ""),
        ("w0!0", "COMPLETED_SUCCESSFULLY", "0"),
        ("w0!2", "COMPLETED_SUCCESSFULLY", "2"),
        ("w0!3", "COMPLETED_SUCCESSFULLY", "3"),
    ]


def recorded(folder, seed, hold):
    """The totals and files of a run with bursts, failures, jobs of no time, and such as must be killed."""
    rng = random.Random(seed)
    rows = [(rng.choice([0.0, 3.0, 7.5, rng.uniform(0, 60)]), rng.randint(1, 5)) for _ in range(60)]
    jobs = [
        job(k, size, run=rng.choice([0.0, 1.0, 4.5, rng.uniform(0, 9)]), at=at, walltime=rng.choice([3.0, 9.0, 90.0]))
        for k, (at, size) in enumerate(sorted(rows))
    ]
    failures = parse_failures(f"between=exponential:40;repair=exponential:5;until=50;seed={seed}")
    away = HostSet([rng.randrange(4)])
    leaves, comes = sorted(rng.choice([1.0, 3.0, 7.5, rng.uniform(0, 50)]) for _ in range(2))
    events = [
        ExternalEvent(timestamp=leaves, kind="machine_unavailable", hosts=away),
        ExternalEvent(timestamp=comes, kind="machine_available", hosts=away),
    ]
    simulation = wt.Simulation(
        star(4, storages=(), cores=1, props=WATTS, energy=True),
        workload(*jobs),
        Easy(),
        out=folder,
        options=Options(energy=True, on_failure=rng.choice(["kill", "requeue"])),
        failures=failures if seed % 2 else None,
        events=[] if seed % 2 else [EventList(name="away", events=tuple(events))],
    )
    hold(simulation)
    simulation.close()
    names = ("jobs.csv", "jobs_extra.csv", "machine_states.csv", "metrics.json", "consumed_energy.csv")
    totals = {name: value for name, value in simulation.engine.totals().items() if name not in MEASURED}
    return totals, {name: (folder / name).read_bytes() for name in names}


def at_once(simulation):
    simulation.run()


def step_by_step(simulation):
    while simulation.step():
        pass


def in_pieces(simulation):
    date = 0.0
    while simulation.run_until(date):
        date += 1.7


@pytest.mark.parametrize("seed", range(20))
def test_what_is_recorded_is_the_same_however_a_run_is_held(tmp_path, seed):
    expected = recorded(tmp_path / "steps", seed, step_by_step)
    assert recorded(tmp_path / "once", seed, at_once) == expected
    assert recorded(tmp_path / "pieces", seed, in_pieces) == expected
