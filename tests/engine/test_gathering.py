"""What an observer would only put in a list, the engine puts there itself, unless somebody else wants to know too."""

import pytest

from windtunnel.engine import Simulation
from windtunnel.results.job_batches import JobBatches
from windtunnel.results.layout import Layout
from windtunnel.results.machine_states import MachineStatesCsv
from windtunnel.schedulers.easy import Easy
from windtunnel.testing import job, platform, workload
from windtunnel.vocabulary.component import MOST_GATHERED, Observer


class Gathering(Observer):
    """Says where it would put what it is told, and counts the times it is."""

    def __init__(self):
        self.gathered_states = []
        self.gathered_jobs = []
        self.told = 0

    def on_machine_states(self, now, counts):
        self.told += 1
        self.gathered_states += (now, *counts)

    def on_job_ended(self, now, record):
        self.told += 1
        self.gathered_jobs.append(record)


class Told(Gathering):
    """Is called for everything."""

    def __init__(self):
        super().__init__()
        self.states, self.gathered_states = self.gathered_states, None
        self.jobs, self.gathered_jobs = self.gathered_jobs, None

    def on_machine_states(self, now, counts):
        self.states += (now, *counts)

    def on_job_ended(self, now, record):
        self.jobs.append(record)


def run(*observers, count=20):
    jobs = [job(k, 1 + k % 3, run=2.0 + k % 7, at=float(k // 2)) for k in range(count)]
    Simulation(platform(4), [workload(*jobs)], [Easy()], observers=observers).run()


def test_an_observer_that_is_alone_is_not_called():
    one, told = Gathering(), Told()
    run(one)
    run(told)
    assert one.told == 0
    assert len(one.gathered_jobs) == 20
    assert [record.finish_time for record in one.gathered_jobs] == [record.finish_time for record in told.jobs]
    assert one.gathered_states == told.states
    assert len(told.states) == 6 * 40


@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_both_are_called(swapped):
    one, other = Gathering(), Told()
    run(*([other, one] if swapped else [one, other]))
    assert one.told == 60
    assert one.gathered_states == other.states
    assert one.gathered_jobs == other.jobs


def test_of_two_that_gather_both_have_everything():
    one, other = Gathering(), Gathering()
    run(one, other)
    assert one.gathered_states == other.gathered_states
    assert len(other.gathered_jobs) == 20


def test_when_the_list_is_full_the_observer_is_called():
    class Emptied(Gathering):
        def __init__(self):
            super().__init__()
            self.times = []

        def on_job_ended(self, now, record):
            super().on_job_ended(now, record)
            self.times.append(len(self.gathered_jobs))
            self.gathered_jobs.clear()

    one = Emptied()
    run(one, count=2 * (MOST_GATHERED + 1) + 5)
    assert one.times == [MOST_GATHERED + 1] * 2
    assert len(one.gathered_jobs) == 5


class States(MachineStatesCsv):
    """Hears of machine states as well."""

    heard = 0

    def on_machine_states(self, now, counts):
        self.heard += 1
        super().on_machine_states(now, counts)


class Batches(JobBatches):
    """Hears of ends as well."""

    heard = 0

    def on_job_ended(self, now, record):
        self.heard += 1
        super().on_job_ended(now, record)


def test_classes_that_add_to_our_recorders_are_called():
    states, batches = States(Layout()), Batches([])
    run(states, batches)
    assert states.heard == 40
    assert batches.heard == 20
