"""Policies for jobs that may change size: what each does in a small case, and what none does on a log."""

import pytest
from msgspec.structs import replace

import windtunnel as wt
from elastic_jobs import Watching, job, pause, site, work
from windtunnel.engine.simulation import Simulation
from windtunnel.model import JobList, JobState
from windtunnel.model.application import Elasticity, ElasticProfile, Phase
from windtunnel.schedulers.elastic import policies
from windtunnel.schedulers.elastic.moldable_easy import MoldableEasy

POLICIES = [
    policies.AverageSteal,
    policies.Equipartition,
    policies.ExpandIntoIdle,
    policies.KeepPreferred,
    policies.ShrinkToStart,
    policies.StealAndAgree,
    MoldableEasy,
]


class Limits(Watching):
    """No job has fewer or more hosts than it takes."""

    def on_job_resized(self, now, record, before, after) -> None:
        super().on_job_resized(now, record, before, after)
        profile = record.job.profile
        assert isinstance(profile, ElasticProfile)
        assert profile.least <= len(after) <= profile.most
        assert len({*after}) == len(after)


def played(scheduler, jobs, hosts: int) -> Limits:
    watching = Limits()
    Simulation(site(hosts), (JobList("w0", jobs),), (scheduler,), observers=(watching,)).run()
    return watching


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", [1, 4])
def test_a_log_is_played_to_its_end_within_all_limits(policy, seed):
    workload = wt.arrange(f"lublin:120?hosts=32&seed={seed}").scale_load(1.0).with_elasticity(0.5, seed=seed)
    watching = Limits()
    Simulation(site(32), (workload,), (policy(),), observers=(watching,)).run()
    assert len(watching.ends) == 120
    assert {state for _, state in watching.ends.values()} <= {
        JobState.COMPLETED_SUCCESSFULLY,
        JobState.COMPLETED_WALLTIME_REACHED,
    }
    assert not watching.on
    if policy is not MoldableEasy:
        assert watching.resizes or policy in (policies.ShrinkToStart, policies.KeepPreferred)


LONG = Phase(tasks=(work(8.0),), iterations=4)


def test_running_jobs_shrink_so_that_the_next_can_start():
    first = job("a", LONG, least=1, most=4)

    class Large(policies.ShrinkToStart):
        def start_size(self, view, job, free):
            return min(free, job.profile.most)

    seen = played(Large(), [first, job("b", Phase(tasks=(pause(1.0),)), least=2, most=2, at=1.0)], 4)
    assert seen.resizes == [(2.0, "w0!a", [0, 1, 2, 3], [0, 1])]
    assert seen.ends["w0!b"][0] == 3.0


def test_idle_hosts_are_taken_when_nobody_waits():
    seen = played(policies.ExpandIntoIdle(), [job("a", LONG, least=1, most=4)], 6)
    assert seen.resizes == [(8.0, "w0!a", [0], [0, 1, 2, 3])]


def test_what_is_beyond_the_preferred_size_is_given_back():
    jobs = [job("a", LONG, least=1, most=4), job("b", Phase(tasks=(pause(1.0),)), least=3, most=3, at=9.0)]
    seen = played(policies.KeepPreferred(), jobs, 4)
    assert [(date, len(after)) for date, _, _, after in seen.resizes] == [(8.0, 4), (10.0, 1), (18.0, 4)]
    assert seen.ends["w0!b"][0] == 11.0


def test_equal_parts():
    jobs = [job(name, LONG, least=1, most=8, at=at) for name, at in (("a", 0.0), ("b", 0.5))]
    seen = played(policies.Equipartition(), jobs, 8)
    assert seen.resizes[0] == (1.0, "w0!a", [*range(8)], [0, 1, 2, 3])
    assert [one[1] for one in seen.resizes] == ["w0!a"] + ["w0!b"] * (len(seen.resizes) - 1)


def test_requests_are_agreed_to_as_far_as_hosts_are_free():
    phases = (Phase(tasks=(pause(1.0),)), Phase(tasks=(pause(1.0),), evolving_request="8"))
    seen = played(policies.StealAndAgree(), [job("a", *phases, kind=Elasticity.EVOLVING, most=8)], 5)
    assert seen.resizes == [(1.0, "w0!a", [0], [0, 1, 2, 3, 4])]


def test_the_size_with_the_best_response_is_chosen():
    alone = job("a", Phase(tasks=(work(8.0),)), kind=Elasticity.MOLDABLE, least=1, most=4, walltime=10.0)
    seen = played(MoldableEasy(), [alone], 4)
    assert seen.ends["w0!a"] == (2.0, JobState.COMPLETED_SUCCESSFULLY)


@pytest.mark.parametrize("policy", POLICIES)
def test_jobs_that_are_larger_than_the_machine_are_rejected_and_the_others_run(policy):
    """They stood at the head of the queue for ever."""
    jobs = [
        wt.Job(id=f"w0!{name}", request=wt.Request(hosts=size), profile=wt.DelayProfile(id="w0!d", delay=5.0))
        for name, size in (("large", 3), ("all", 2), ("one", 1))
    ]
    run = wt.simulate("hosts:2", JobList("w0", jobs), policy())
    found = {row["job_id"]: (row["starting_time"], row["metadata"]) for row in run.jobs.iter_rows(named=True)}
    assert found == {"large": (None, "asks for 3 hosts, there are 2"), "all": (0.0, ""), "one": (5.0, "")}


def test_a_job_that_prefers_more_than_there_is_starts_on_all_there_is():
    plain = job("a", LONG)
    preferring = replace(plain, profile=replace(plain.profile, attributes={"preferred": "8"}))
    assert "w0!a" in played(policies.KeepPreferred(), [preferring], 4).ends
