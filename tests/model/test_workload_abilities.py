"""What some workloads can do or tell besides; and that one in front of another tells the same."""

from windtunnel.model import Job, JobList
from windtunnel.model.abilities import (
    CountingProcessors,
    has_dependencies,
    jobs_between,
    lost_in,
    report_of,
    start_date_of,
    unused_profiles,
    waits_in,
)
from windtunnel.model.asks import Ask, Asking, Sized, Some, Warned
from windtunnel.model.checkpoints import CheckpointedWorkload
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.testing import job, workload


class Plain:
    """Only what all workloads have."""

    name, path, hosts = "w0", "", 0

    def __init__(self, *jobs: Job) -> None:
        self._jobs = jobs
        self.profiles = {}

    def __len__(self):
        return len(self._jobs)

    def __getitem__(self, rank):
        return self._jobs[rank]

    def __iter__(self):
        return iter(self._jobs)


class Knowing(Plain):
    """All that a workload can know."""

    has_dependencies = True
    start_date = 1e9
    report = "seen"
    lost = ("colours",)
    waits = (3.0, -1.0)
    asks = (Ask("queues", 2, "w0!a", "jobs name a queue"),)
    warnings = ("odd",)

    @property
    def unused(self):
        return {"w0!p": self[0].profile}

    def with_cores(self, cores_per_host):
        return self

    def larger_than(self, hosts, cores):
        return Some(1, "w0!a", hosts + 1)

    def cores_in_vain(self):
        return None


A, B = job("a", 2, 1000.0), job("b")


def test_plain_workloads_have_none():
    plain = Plain(A, B)
    assert jobs_between(plain, 1, 2) == [B]
    assert not has_dependencies(plain)
    assert start_date_of(plain) is report_of(plain) is waits_in(plain) is None
    assert unused_profiles(plain) == {}
    assert lost_in(plain) == ()
    assert not isinstance(plain, CountingProcessors)


def test_others_say_what_they_know():
    knowing = Knowing(A, B)
    assert has_dependencies(knowing)
    assert (start_date_of(knowing), report_of(knowing), waits_in(knowing)) == (1e9, "seen", (3.0, -1.0))
    assert list(unused_profiles(knowing)) == ["w0!p"]
    assert lost_in(knowing) == ("colours",)
    assert isinstance(knowing, CountingProcessors)
    assert lost_in(LeaseJobs([], lost=["images"])) == ("images",)
    assert jobs_between(workload(A, B), 0, 1) == [A]
    assert isinstance(workload(A), JobList)


def test_checkpoints_stand_in_front_of_all_that():
    """Nothing is forwarded by name, which protocols would not see in newer Pythons."""
    known = CheckpointedWorkload(Knowing(A, B), 400.0, 10.0)
    assert [one.profile.delay for one in jobs_between(known, 0, 1)] == [1020.0]
    assert has_dependencies(known)
    assert (start_date_of(known), report_of(known)) == (1e9, "seen")
    assert list(unused_profiles(known)) == ["w0!p"]
    assert isinstance(known, Asking)
    assert isinstance(known, Warned)
    assert isinstance(known, Sized)
    assert (known.asks, known.warnings) == (Knowing.asks, Knowing.warnings)
    assert (known.larger_than(4, None), known.cores_in_vain()) == (Some(1, "w0!a", 5), None)
    plain = CheckpointedWorkload(Plain(A, B), 400.0, 10.0)
    assert not has_dependencies(plain)
    assert (plain.asks, plain.warnings, plain.larger_than(1, None), plain.cores_in_vain()) == ((), (), None, None)
    assert "__getattr__" not in vars(CheckpointedWorkload)
