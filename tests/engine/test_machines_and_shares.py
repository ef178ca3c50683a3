"""Machines that fail, halt or are maintained; hosts shared by amounts. All figures by hand."""

from functools import partial

import pytest
from msgspec.structs import replace

from windtunnel.diagnostics import DecisionError, SimulationError, UsageError
from windtunnel.engine import Options, Simulation
from windtunnel.model import EventList, ExternalEvent, Host, HostSet, Platform, Request
from windtunnel.testing import InvariantChecker, Scripted, delays, job, platform, sequence, workload
from windtunnel.vocabulary import (
    CallMeLater,
    Execute,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    JobSubmitted,
    OneShot,
    RequestedCall,
    ResumeJob,
    SuspendJob,
)


def event(time, hosts, state, cause=""):
    return ExternalEvent(
        timestamp=time, kind="machine_state", hosts=HostSet.parse(hosts), attributes={"state": state, "cause": cause}
    )


def run(script, *jobs, events=(), site=None, profiles=(), **options):
    component, checker = Scripted(script), InvariantChecker(sharing=True)
    lists = [EventList(name="e", events=tuple(events))] if events else []
    simulation = Simulation(
        site or platform(2),
        [workload(*jobs, profiles=profiles)],
        [component],
        events=lists,
        options=Options(**options),
        observers=[checker],
    )
    simulation.run()
    return component, checker.rows, simulation


def first_free(now, notices):
    """Everything on host 0, but requeued jobs on host 1."""
    return [
        Execute(n.job, HostSet([1 if "#" in n.job.id else 0]))
        for n in notices
        if isinstance(n, JobSubmitted) and ("#" in n.job.id or n.job.request.hosts == 1)
    ]


def test_options_are_checked():
    for wrong in ({"on_failure": "ignore"}, {"on_maintenance": "requeue"}, {"checkpoint_interval": -1.0}):
        with pytest.raises(UsageError):
            Options(**wrong)


@pytest.mark.parametrize(
    ("state", "ending", "options"),
    [
        ("FAILURE", "COMPLETED_FAILED", {}),
        ("HALT", "COMPLETED_KILLED", {}),
        ("MAINTENANCE", "COMPLETED_KILLED", {}),
    ],
)
def test_what_runs_there_is_lost(state, ending, options):
    events = [event(4, "0", state, "disk"), event(20, "0", "ACTIVE")]
    component, rows, simulation = run(first_free, job(1, run=10.0), events=events, **options)
    assert [(r[0], r[1].name, r[3]) for r in rows] == [("w0!1", ending, 4.0)]
    told = component.told(HostsBecameUnavailable, HostsBecameAvailable)
    assert [(n.timestamp, str(n.hosts), n.cause) for n in told] == [
        (4.0, "0", f"{state}: disk"),
        (20.0, "0", "ACTIVE"),
    ]
    times = simulation.world.hosts.totals()
    assert (times["time_computing"], times["time_unavailable"]) == (4.0, 16.0)


def test_maintenance_may_wait_for_the_end_of_work():
    events = [event(4, "0", "MAINTENANCE"), event(20, "0", "ACTIVE")]
    _, rows, _ = run(first_free, job(1, run=10.0), events=events, on_maintenance="drain")
    assert [(r[1].name, r[3]) for r in rows] == [("COMPLETED_SUCCESSFULLY", 10.0)]


def test_a_failure_during_maintenance_loses_what_was_draining():
    events = [event(4, "0", "MAINTENANCE"), event(6, "0", "FAILURE")]
    _, rows, _ = run(first_free, job(1, run=10.0), events=events, on_maintenance="drain")
    assert [(r[1].name, r[3]) for r in rows] == [("COMPLETED_FAILED", 6.0)]


def test_states_that_machines_have_already_change_nothing():
    events = [event(1, "0", "ACTIVE"), event(2, "0-1", "HALT"), event(3, "0", "HALT"), event(4, "0-1", "ACTIVE")]
    component, _, _ = run(lambda *_: [], events=events)
    assert [str(n.hosts) for n in component.told(HostsBecameUnavailable)] == ["0-1"]
    assert [str(n.hosts) for n in component.told(HostsBecameAvailable)] == ["0-1"]


def test_unknown_states_and_hosts_are_errors():
    for bad in (event(1, "0", "RUNNING"), event(1, "7", "HALT")):
        with pytest.raises(SimulationError, match="machine_state"):
            run(lambda *_: [], events=[bad])


def test_lost_jobs_come_back_from_zero():
    _, rows, _ = run(first_free, job(1, run=10.0), events=[event(7, "0", "FAILURE")], on_failure="requeue")
    assert [(r[0], r[1].name, r[2], r[3]) for r in rows] == [
        ("w0!1", "COMPLETED_FAILED", 0.0, 7.0),
        ("w0!1#1", "COMPLETED_SUCCESSFULLY", 7.0, 17.0),
    ]


def test_lost_jobs_come_back_from_their_last_checkpoint():
    """Checkpoints after 3 s of work, 1 s to write: at 7 s one is complete (at 4 s), 6 s of the 10 remain."""
    events = [event(7, "0", "FAILURE"), event(8, "1", "FAILURE"), event(8, "0", "ACTIVE")]
    _, rows, _ = run(
        first_free,
        job(1, run=10.0),
        events=events[:1],
        on_failure="requeue",
        checkpoint_interval=3.0,
        checkpoint_cost=1.0,
    )
    assert rows[1][2:4] == (7.0, 13.0)


def test_no_checkpoint_is_written_while_a_job_is_suspended():
    """Suspended from 5 s to 20 s, it has run for 7 s when it is lost at 22 s: one checkpoint (at 4 s), 6 s remain."""

    def script(now, notices):
        if now == 0:
            calls = [CallMeLater(call_me_later_id=str(date), when=OneShot(float(date))) for date in (5, 20)]
            return [*calls, *first_free(now, notices)]
        if any(isinstance(n, RequestedCall) for n in notices):
            return [SuspendJob(job_id="w0!1") if now == 5 else ResumeJob(job_id="w0!1", hosts=HostSet([0]))]
        return first_free(now, notices)

    options = {"on_failure": "requeue", "checkpoint_interval": 3.0, "checkpoint_cost": 1.0}
    _, rows, _ = run(script, job(1, run=10.0), events=[event(22, "0", "FAILURE")], **options)
    assert [r[2:4] for r in rows] == [(0.0, 22.0), (22.0, 28.0)]


def test_who_depends_on_a_lost_job_waits_for_its_successor():
    """Lost at 7 s and 12 s; its second successor ends at 22 s. One dependant was submitted before, one after."""
    events = [
        event(7, "0", "FAILURE"),
        event(12, "1", "FAILURE"),
        event(12, "0", "ACTIVE"),
        event(12.5, "1", "ACTIVE"),
    ]

    def script(now, notices):
        return [
            Execute(n.job, HostSet([{"w0!a": 0, "w0!a#1": 1, "w0!a#2": 0}.get(n.job.id, 1)]))
            for n in notices
            if isinstance(n, JobSubmitted)
        ]

    jobs = [
        job("a", run=10.0),
        job("b", at=1.0, run=1.0, dependencies=("w0!a",)),
        job("c", at=13.0, run=1.0, dependencies=("w0!a", "w0!b")),
    ]
    _, rows, simulation = run(script, *jobs, events=events, on_failure="requeue")
    assert [(r[0], r[2], r[3]) for r in rows] == [
        ("w0!a", 0, 7),
        ("w0!a#1", 7, 12),
        ("w0!a#2", 12, 22),
        ("w0!b", 22, 23),
        ("w0!c", 23, 24),
    ]
    assert not simulation.world.replaced_ids


def test_compositions_begin_again_from_zero():
    a, b = delays(2.0, 3.0)
    whole = sequence("s", [a, b])
    _, rows, _ = run(
        first_free, job(1, run=whole), events=[event(4, "0", "FAILURE")], profiles=[a, b], on_failure="requeue"
    )
    assert rows[1][2:4] == (4.0, 9.0)


# -- shares -------------------------------------------------------------------------------------------------------

SITE = Platform(
    name="s",
    hosts=(
        Host(id=0, name="h0", cores=8, resources={"memory": 100.0, "gpus": 2.0}),
        Host(id=1, name="h1", cores=4),
    ),
)


def give_shares(plan, now, notices):
    """Start each job on the hosts and amounts that the plan names."""
    return [
        Execute(n.job, HostSet(plan[n.job.name]), amounts=plan[n.job.name])
        for n in notices
        if isinstance(n, JobSubmitted)
    ]


def shares(plan):
    return partial(give_shares, plan)


def test_jobs_share_a_machine_by_amounts():
    plan = {"a": {0: {"cores": 5, "memory": 60}}, "b": {0: {"cores": 3, "memory": 40}}, "c": {1: {"cores": 4}}}
    _, rows, simulation = run(
        shares(plan), job("a", run=10.0), job("b", run=4.0), job("c", at=6.0, run=2.0), site=SITE
    )
    assert [(r[0], r[2], r[3]) for r in rows] == [("w0!b", 0, 4), ("w0!c", 6, 8), ("w0!a", 0, 10)]
    times = simulation.world.hosts.totals()
    assert (times["time_computing"], times["time_idle"]) == (12.0, 6.0)
    assert str(simulation.world.hosts.free.frozen()) == "0-1"


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ({0: {"cores": 4}}, "3 of 8 'cores' left"),
        ({0: {"cores": 1, "memory": 50}}, "40 of 100 'memory' left"),
        ({0: {"tapes": 1}}, "no 'tapes'"),
        ({0: {"cores": -1}}, "must not be negative"),
        ({0: {"cores": float("nan")}}, "must not be negative"),
        ({7: {"cores": 1}}, "no compute host 7"),
        (None, "host 0 is running job"),
    ],
)
def test_what_is_not_there_is_not_given(second, reason):
    def script(now, notices):
        out = []
        for n in notices:
            if isinstance(n, JobSubmitted):
                amounts = {"a": {0: {"cores": 5, "memory": 60}}, "b": second}[n.job.name]
                out.append(Execute(n.job, HostSet(amounts or [0]), amounts=amounts))
        return out

    with pytest.raises(DecisionError, match=reason):
        run(script, job("a", run=10.0), job("b", at=1.0, run=4.0), site=SITE)


def test_a_job_gets_what_it_asks_for():
    asked = job("a")
    asked = replace(asked, request=Request(hosts=1, processors=6))
    with pytest.raises(DecisionError, match="requests 6 cores and is given 5"):
        run(shares({"a": {0: {"cores": 5}}}), asked, site=SITE)
    asked = replace(asked, request=Request(hosts=1, amounts=(("gpus", 1),)))
    with pytest.raises(DecisionError, match="requests 1 'gpus'"):
        run(shares({"a": {0: {"cores": 5}}}), asked, site=SITE)
    asked = replace(asked, request=Request(hosts=2))
    with pytest.raises(DecisionError, match="requests 2 hosts"):
        run(shares({"a": {0: {"cores": 5}}}), asked, site=SITE)


def test_a_failure_loses_all_that_share_the_machine():
    plan = {"a": {0: {"cores": 5}}, "b": {0: {"cores": 3}}, "c": {0: {"cores": 8}}}
    events = [event(3, "0", "FAILURE"), event(5, "0", "ACTIVE")]
    _, rows, _ = run(
        shares(plan), job("a", run=10.0), job("b", run=4.0), job("c", at=6.0, run=2.0), site=SITE, events=events
    )
    assert [(r[0], r[1].name, r[3]) for r in rows] == [
        ("w0!a", "COMPLETED_FAILED", 3),
        ("w0!b", "COMPLETED_FAILED", 3),
        ("w0!c", "COMPLETED_SUCCESSFULLY", 8),
    ]


def test_draining_shares_come_back_only_when_the_machine_does():
    plan = {"a": {0: {"cores": 5}}, "b": {0: {"cores": 8}}}
    events = [event(3, "0", "MAINTENANCE"), event(20, "0", "ACTIVE")]
    _, rows, _ = run(
        shares(plan), job("a", run=10.0), job("b", at=20.0, run=4.0), site=SITE, events=events, on_maintenance="drain"
    )
    assert [(r[0], r[3]) for r in rows] == [("w0!a", 10), ("w0!b", 24)]
    with pytest.raises(DecisionError, match="unavailable"):
        run(shares(plan), job("a", run=10.0), job("b", at=15.0), site=SITE, events=events, on_maintenance="drain")


def test_shares_survive_a_fork():
    plan = {"a": {0: {"cores": 5}}, "b": {0: {"cores": 3}}}
    component = Scripted(shares(plan))
    simulation = Simulation(SITE, [workload(job("a", run=10.0), job("b", at=2.0, run=4.0))], [component])
    simulation.run_until(1.0)
    fork = simulation.fork([])
    for one in (simulation, fork):
        one.run()
        assert one.now == 10.0
        assert str(one.world.hosts.free.frozen()) == "0-1"
