"""Jobs that may change size: what the engine checks, keeps, moves and tells; and what never happens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elastic_jobs import Scripted, Watching, job, pause, site, work
from windtunnel.diagnostics import DecisionError, SimulationError
from windtunnel.engine.simulation import Simulation
from windtunnel.engine.state.options import Options
from windtunnel.model import HostSet, JobList, JobState
from windtunnel.model.application import (
    Elasticity,
    Phase,
)
from windtunnel.vocabulary import (
    Execute,
    HostsRequested,
    JobCompleted,
    JobReconfigured,
    Kill,
    Reply,
    Resize,
    SchedulingPointReached,
    SetJobArguments,
)


def run(hosts, jobs, component, **options):
    watching = Watching()
    simulation = Simulation(
        site(hosts), (JobList("w0", jobs),), (component,), observers=(watching,), options=Options(**options)
    )
    simulation.run()
    return watching


def test_a_job_grows_at_a_scheduling_point_and_goes_on_faster():
    component = Scripted({"w0!a": [0]}, resizes=[[0, 1], None, None])
    seen = run(2, [job("a", Phase(tasks=(work(4.0),), iterations=3))], component)
    assert seen.ends["w0!a"] == (8.0, JobState.COMPLETED_SUCCESSFULLY)
    assert seen.resizes == [(4.0, "w0!a", [0], [0, 1])]
    assert [(one.timestamp, one.steps_done) for one in component.of(SchedulingPointReached)] == [(4.0, 1), (6.0, 2)]
    (changed,) = component.of(JobReconfigured)
    assert (changed.hosts, changed.released, changed.awaited) == ((0, 1), HostSet(), False)


def test_a_job_that_stands_still_goes_on_as_it_is_without_an_answer():
    seen = run(2, [job("a", Phase(tasks=(pause(1.0),), iterations=5))], Scripted({"w0!a": [0]}))
    assert seen.ends["w0!a"][0] == 5.0
    assert not seen.resizes


def test_hosts_given_up_start_another_job_in_the_same_reply():
    class Steals(Scripted):
        def decide(self, now, notices) -> Reply:
            stops = [one for one in notices if isinstance(one, SchedulingPointReached)]
            if stops and now == 2.0:
                return Reply(now, [Resize("w0!a", [1]), Execute("w0!b", [0])])
            return super().decide(now, notices)

    a = job("a", Phase(tasks=(pause(2.0),), iterations=2), least=1)
    b = job("b", Phase(tasks=(pause(1.0),)), kind=Elasticity.RIGID, most=1, at=1.0)
    seen = run(2, [a, b], Steals({"w0!a": [0, 1]}))
    assert seen.ends == {
        "w0!b": (3.0, JobState.COMPLETED_SUCCESSFULLY),
        "w0!a": (4.0, JobState.COMPLETED_SUCCESSFULLY),
    }


def test_a_change_decided_before_waits_for_the_stop_and_its_hosts_are_kept():
    grow = {"w0!b": [Resize("w0!a", [0, 1])]}
    a = job("a", Phase(tasks=(pause(4.0),), iterations=2))
    b = job("b", Phase(tasks=(pause(1.0),)), at=1.0)
    component = Scripted({"w0!a": [0], "w0!b": [2]}, at_submission=grow)
    seen = run(3, [a, b], component)
    assert seen.resizes == [(4.0, "w0!a", [0], [0, 1])]
    (changed,) = component.of(JobReconfigured)
    assert changed.awaited is True
    with pytest.raises(DecisionError, match="host 1 is reserved for another job"):
        run(3, [a, b], Scripted({"w0!a": [0], "w0!b": [1]}, at_submission=grow))


def test_requests_are_granted_denied_or_answered_otherwise():
    phases = (
        Phase(tasks=(pause(1.0),)),
        Phase(tasks=(pause(1.0),), iterations=3, evolving_request="phase_iteration + 2"),
    )
    component = Scripted({"w0!a": [0]}, resizes=[[0, 1], None, [0, 2, 3, 1]])
    seen = run(4, [job("a", *phases, kind=Elasticity.EVOLVING, most=4)], component)
    assert [one.count for one in component.of(HostsRequested)] == [2, 3, 4]
    assert [one[3] for one in seen.resizes] == [[0, 1], [0, 1, 2, 3]]
    assert seen.ends["w0!a"][0] == 4.0


def test_expansion_and_reconfiguration_take_their_time():
    phases = Phase(tasks=(pause(1.0),), iterations=2)
    once = {
        "on_init": Phase(tasks=(pause(0.5),)),
        "on_reconfiguration": Phase(tasks=(pause(2.0),)),
        "on_expansion": Phase(tasks=(pause("num_nodes * 4.0"),)),
    }
    grown = run(3, [job("a", phases, **once)], Scripted({"w0!a": [0]}, resizes=[[0, 1, 2]]))
    assert grown.ends["w0!a"][0] == 0.5 + 1.0 + 2.0 + 8.0 + 1.0
    shrunk = run(3, [job("a", phases, **once)], Scripted({"w0!a": [0, 1, 2]}, resizes=[[2]]))
    assert shrunk.ends["w0!a"][0] == 0.5 + 1.0 + 2.0 + 1.0


REFUSED = [
    ([Resize("w0!a", [0, 1, 2])], "resize-range"),
    ([Resize("w0!a", [])], "resize-range"),
    ([Resize("w0!a", [0, 9])], "unknown-host"),
    ([Resize("w0!r", [0])], "resize-kind"),
    ([Resize("w0!b", [2])], "state"),
    ([Resize("w0!x", [2])], "unknown-job"),
    ([Resize("w0!a", [0, 1])], "host-busy"),
    ([Resize("w0!a", [0, 2], placement=(0, 0))], "mapping"),
    ([Resize("w0!a", [0, 2], gpus=1)], "resize-range"),
    ([SetJobArguments(job_id="w0!d", arguments={})], "unknown-job"),
    ([Execute("w0!b", [2, 3, 4, 5])], "allocation-size"),
    ([Execute("w0!b", [2], amounts={2: {"cores": 1.0}})], "amounts"),
]


@pytest.mark.parametrize(("decisions", "rule"), REFUSED, ids=lambda one: one if isinstance(one, str) else "")
def test_what_makes_no_sense_is_refused_by_rule(decisions, rule):
    long = Phase(tasks=(pause(4.0),), iterations=2)
    jobs = [
        job("a", long, most=2),
        job("r", long, kind=Elasticity.MOLDABLE),
        job("b", long, most=2, at=1.0),
    ]
    component = Scripted({"w0!a": [0], "w0!r": [1]}, at_submission={"w0!b": decisions})
    with pytest.raises(DecisionError) as caught:
        run(6, jobs, component)
    assert caught.value.rule == rule


def test_a_refusal_that_is_told_leaves_everything_as_it_was():
    jobs = [job("a", Phase(tasks=(pause(4.0),), iterations=2), most=2), job("b", Phase(tasks=(pause(1.0),)), at=1.0)]
    component = Scripted({"w0!a": [0], "w0!b": [1]}, at_submission={"w0!b": [Resize("w0!a", [0, 1, 2])]})
    seen = run(3, jobs, component, strict=False)
    assert not seen.resizes
    assert len(seen.ends) == 2


def test_the_walltime_wins_over_an_end_at_its_date():
    seen = run(1, [job("a", Phase(tasks=(pause(1.0),), iterations=3), walltime=3.0)], Scripted({"w0!a": [0]}))
    assert seen.ends["w0!a"] == (3.0, JobState.COMPLETED_WALLTIME_REACHED)


def test_a_killed_job_gives_back_what_was_kept_for_it():
    grow = {"w0!b": [Resize("w0!a", [0, 1])], "w0!c": [Kill("w0!a")]}
    a = job("a", Phase(tasks=(pause(4.0),), iterations=2))
    b, c = (job(name, Phase(tasks=(pause(1.0),)), at=at) for name, at in (("b", 1.0), ("c", 2.0)))
    seen = run(3, [a, b, c], Scripted({"w0!a": [0], "w0!b": [2], "w0!c": [1]}, at_submission=grow))
    assert seen.ends["w0!a"] == (2.0, JobState.COMPLETED_KILLED)
    assert seen.ends["w0!c"] == (3.0, JobState.COMPLETED_SUCCESSFULLY)


def test_names_that_nobody_gave_end_the_run_with_the_job_named():
    with pytest.raises(SimulationError, match=r"'w0!a'.*'beta'"):
        run(1, [job("a", Phase(tasks=(pause("beta * 2"),)))], Scripted({"w0!a": [0]}))
    given = {"w0!a": [SetJobArguments(job_id="w0!a", arguments={"beta": "3"})]}
    seen = run(1, [job("a", Phase(tasks=(pause("beta * 2"),)))], Scripted({"w0!a": [0]}, at_submission=given))
    assert seen.ends["w0!a"][0] == 6.0


SIZES = st.lists(st.one_of(st.none(), st.sets(st.integers(0, 5), min_size=1).map(sorted)), max_size=6)


@settings(deadline=None)
@given(SIZES, st.integers(1, 6), st.floats(0.5, 50.0))
def test_work_is_conserved_however_often_the_size_changes(resizes, iterations, seconds):
    """With linear speed-up and no costs, host-seconds are the work, to rounding."""
    phases = Phase(tasks=(work(seconds),), iterations=iterations)
    seen = run(6, [job("a", phases)], Scripted({"w0!a": [0]}, resizes=resizes))
    assert seen.area == pytest.approx(seconds * iterations, rel=1e-9)
    assert not seen.on


@settings(deadline=None)
@given(SIZES, st.integers(0, 8))
def test_a_fork_at_any_stop_ends_as_the_run_itself(resizes, rounds):
    jobs = [
        job("a", Phase(tasks=(work(3.0), pause(0.5)), iterations=5)),
        job("b", Phase(tasks=(pause(1.0),)), at=2.0),
    ]
    watching = Watching()
    component = Scripted({"w0!a": [0], "w0!b": None}, resizes=resizes)
    simulation = Simulation(site(6), (JobList("w0", jobs[:1]),), (component,), observers=(watching,))
    for _ in range(rounds):
        if not simulation.step():
            break
    seen = Watching()
    seen.on, seen.since = dict(watching.on), dict(watching.since)
    seen.ends, seen.resizes = dict(watching.ends), list(watching.resizes)
    other = simulation.fork((seen,))
    if not simulation.over:
        simulation.run()
        other.run()
    assert (seen.ends, seen.resizes) == (watching.ends, watching.resizes)
    assert component.of(JobCompleted)
