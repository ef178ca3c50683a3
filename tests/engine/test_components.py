"""Several decision components in one simulation: who hears what, who may decide what (docs/explanation/components.md)."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.golden_outputs import table
from tests.wires.batprotocol.listed import execution, initial, rule
from tests.wires.peers import build

from windtunnel.cli.main import main
from windtunnel.diagnostics import DecisionError
from windtunnel.engine import Options, Simulation
from windtunnel.model import DelayProfile, HostSet, Job, PowerState, Request
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import InvariantChecker, Scripted, job, platform, workload
from windtunnel.vocabulary import (
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    ChangeHostsPState,
    CreateProbe,
    Execute,
    Features,
    FinishRegistration,
    ForceSimulationStop,
    HostsPStateChanged,
    JobCompleted,
    JobsKilled,
    JobSubmitted,
    Kill,
    Metric,
    OneShot,
    Periodic,
    ProbeDataEmitted,
    ProbeResources,
    RegisterJob,
    Reject,
    Reply,
    RequestedCall,
    SimulationBegins,
    SimulationEnds,
    SimulationErrorOccurred,
    TimeUnit,
)


def simulate(*components, jobs=(), site=None, **options):
    checker = InvariantChecker(sharing=options.get("compute_sharing", False))
    simulation = Simulation(
        site or platform(4), [workload(*jobs)], components, options=Options(**options), observers=[checker]
    )
    simulation.run()
    return simulation


def begins(notices):
    return isinstance(notices[0], SimulationBegins)


def own(name, hosts=1, length=5.0):
    profile = DelayProfile(id=f"dyn!p{name}", delay=length)
    made = Job(id=f"dyn!{name}", request=Request(hosts), profile=profile, submission_time=float("nan"))
    return RegisterJob(job=made)


def silent(now, notices):
    return []


def executes(where, only=None):
    """Starts what it hears of on hosts from ``where`` on."""

    def script(now, notices):
        return [
            Execute(n.job, HostSet(range(where, where + n.job.hosts)))
            for n in notices
            if isinstance(n, JobSubmitted) and (only is None or n.job.id.startswith(only))
        ]

    return script


DYNAMIC = Features(dynamic_registration=True)
ACKNOWLEDGED = Features(dynamic_registration=True, acknowledge_dynamic_jobs=True)


def test_submitter_scheduler_and_power_manager():
    """One registers jobs, one of our schedulers runs them, one lowers the power state of idle hosts."""

    def submitter(now, notices):
        if begins(notices):
            return [CallMeLater(call_me_later_id="next", when=Periodic(10, nb_periods=3))]
        made = [own(f"{now:g}", hosts=2) for n in notices if isinstance(n, RequestedCall)]
        done = [FinishRegistration() for n in notices if isinstance(n, RequestedCall) and n.last_periodic_call]
        return made + done

    def manager(now, notices):
        if begins(notices):
            return [ChangeHostsPState(hosts=HostSet([2, 3]), pstate=1)]
        return [ChangeHostsPState(hosts=HostSet([2, 3]), pstate=0) for n in notices if isinstance(n, SimulationEnds)]

    states = (PowerState(1e9), PowerState(5e8))
    uniform = platform(4)
    site = replace(uniform, hosts=tuple(replace(host, pstates=states) for host in uniform.hosts))
    sub, watts = Scripted(submitter, DYNAMIC), Scripted(manager)
    seen = []

    class Easy(type(make_scheduler("easy"))):
        def decide(self, now, notices):
            seen.extend(notices)
            return super().decide(now, notices)

    simulate(sub, Easy(), watts, jobs=[job(1, 4, 12.0)], site=site)
    assert [n.job.id for n in seen if isinstance(n, JobSubmitted)] == ["w0!1", "dyn!10", "dyn!20", "dyn!30"]
    ends = [(n.timestamp, n.job.id) for n in seen if isinstance(n, JobCompleted)]
    assert ends == [(12.0, "w0!1"), (17.0, "dyn!10"), (25.0, "dyn!20"), (35.0, "dyn!30")]
    assert next(n.hosts for n in seen if isinstance(n, HostsPStateChanged)) == HostSet([2, 3])  # the site's news
    # The submitter hears of the static job, and how its own went, but not that it has registered them.
    assert [n.job.id for n in sub.told(JobSubmitted)] == ["w0!1"]
    assert [n.job.id for n in sub.told(JobCompleted)] == ["w0!1", "dyn!10", "dyn!20", "dyn!30"]
    assert len(sub.told(RequestedCall)) == 3
    assert not watts.told(RequestedCall)
    assert all(c.stopped == 1 for c in (sub, watts))


def test_all_are_asked_before_any_decision_counts_and_decide_in_order():
    first, second = Scripted(executes(0)), Scripted(executes(1))
    with pytest.raises(DecisionError, match="belongs to the decision component 'scripted'"):
        simulate(first, second, jobs=[job(1)])
    assert second.told(JobSubmitted)


def test_a_refused_race_can_be_gone_on_from():
    first, second = Scripted(executes(0)), Scripted(executes(1))
    simulate(first, second, jobs=[job(1)], strict=False)
    assert len(second.log[2][1]) == 1  # told of the refusal, alone, at the same instant
    assert second.log[2][1][0].rule == "owner"


def test_a_job_belongs_to_whom_started_it():
    def kills(now, notices):
        if begins(notices):
            return [CallMeLater(call_me_later_id="c", when=OneShot(2))]
        return [Kill("w0!1") for n in notices if isinstance(n, RequestedCall)]

    with pytest.raises(DecisionError, match="belongs to the decision component 'scripted'"):
        simulate(Scripted(executes(0)), Scripted(kills), jobs=[job(1)])


def test_only_the_killer_is_told_of_its_kill_and_all_of_the_end():
    def killer(now, notices):
        if begins(notices):
            return [CallMeLater(call_me_later_id="c", when=OneShot(2))]
        return executes(0)(now, notices) + [Kill("w0!1") for n in notices if isinstance(n, RequestedCall)]

    mine, other = Scripted(killer), Scripted(silent)
    simulate(mine, other, jobs=[job(1)])
    assert len(mine.told(JobsKilled)) == 1
    assert not other.told(JobsKilled)
    assert [n.state.name for n in other.told(JobCompleted)] == ["COMPLETED_KILLED"]


@pytest.mark.parametrize("acknowledged", [True, False])
def test_jobs_that_a_component_keeps_are_its_own(acknowledged):
    """Executed in the reply that registers them, or acknowledged: nobody else hears of them."""

    def keeper(now, notices):
        if begins(notices):
            made = [own("a")] if acknowledged else [own("a"), Execute("dyn!a", HostSet([0]))]
            return [*made, FinishRegistration()]
        return executes(0, "dyn!")(now, notices)

    mine = Scripted(keeper, ACKNOWLEDGED if acknowledged else DYNAMIC)
    other = Scripted(silent)
    simulate(mine, other)
    assert [n.job.id for n in mine.told(JobCompleted)] == ["dyn!a"]
    assert not other.told(JobSubmitted, JobCompleted)


def test_jobs_that_are_kept_cannot_be_started_by_others():
    def keeper(now, notices):
        return [own("a"), FinishRegistration()] if begins(notices) else []

    def thief(now, notices):
        return [] if begins(notices) else [Execute("dyn!a", HostSet([0]))]

    with pytest.raises(DecisionError, match="belongs to"):
        simulate(Scripted(keeper, ACKNOWLEDGED), Scripted(thief), jobs=[job(1, at=1.0)])


def test_a_job_registered_and_rejected_at_once_is_nobody_elses_business():
    def odd(now, notices):
        return [own("a"), Reject("dyn!a"), FinishRegistration()] if begins(notices) else []

    other = Scripted(silent)
    simulate(Scripted(odd, DYNAMIC), other)
    assert not other.told(JobSubmitted)


def test_names_of_calls_and_probes_are_each_components_own():
    def asks(now, notices):
        if begins(notices):
            return [
                CallMeLater(call_me_later_id="same", when=Periodic(1, nb_periods=1)),
                CreateProbe(
                    probe_id="same",
                    metrics=Metric.ComputationLoad,
                    resources=ProbeResources(HostSet([0])),
                    when=OneShot(1),
                ),
            ]
        return []

    first, second = Scripted(asks), Scripted(asks)
    simulate(first, second)
    for component in (first, second):
        assert len(component.told(RequestedCall)) == 1
        assert len(component.told(ProbeDataEmitted)) == 1


def test_a_busy_component_does_not_hold_up_the_others():
    def slow(now, notices):
        return Reply(now + 5.0, [])

    busy, quick = Scripted(slow), Scripted(executes(0))
    simulate(busy, quick, jobs=[job(1, run=1.0, at=0.0), job(2, run=1.0, at=2.0)])
    assert [now for now, _ in quick.log][:4] == [0.0, 0.0, 1.0, 2.0]
    assert [now for now, _ in busy.log][:3] == [0.0, 5.0, 10.0]
    assert [type(n) for n in busy.log[1][1]][:2] == [JobSubmitted, JobCompleted]


def test_any_component_can_stop_the_run_and_all_hear_its_end():
    def stops(now, notices):
        return [ForceSimulationStop()] if not begins(notices) else []

    other = Scripted(silent)
    simulate(Scripted(stops), other, jobs=[job(1)])
    assert isinstance(other.log[-1][1][-1], SimulationEnds)


def test_the_end_waits_for_every_registration():
    late = Scripted(
        lambda now, notices: (
            [CallMeLater(call_me_later_id="c", when=OneShot(9000, TimeUnit.Millisecond))]
            if begins(notices)
            else [FinishRegistration() for n in notices if isinstance(n, RequestedCall)]
        ),
        DYNAMIC,
    )
    early = Scripted(lambda now, notices: [FinishRegistration()] if begins(notices) else [], DYNAMIC)
    simulation = simulate(early, late)
    assert simulation.now == 9.0
    assert early.told(AllStaticJobsHaveBeenSubmitted)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """The component of rules three times: one library that is loaded twice is one component twice."""
    folder = tmp_path_factory.mktemp("libraries")
    first = build(Path(__file__).parents[1] / "wires" / "batprotocol" / "listed.c", folder)
    return [first, *(shutil.copy(first, folder / f"lib{k}.so") for k in range(2))]


XML = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
  <host id="h0" speed="100f,50f"/><host id="h1" speed="100f,50f"/><host id="master_host" speed="1f"/>
</zone></platform>
"""


@pytest.mark.parametrize("isolated", [[], ["--edc-isolated"]])
def test_three_libraries_in_c_on_one_command_line(libraries, tmp_path, isolated):
    (tmp_path / "p.xml").write_text(XML)
    profile = {"id": "dyn!p", "profile_type": "ParallelTaskHomogeneousProfile"}
    profile["profile"] = {"computation_amount": 100.0, "communication_amount": 0.0}
    call = {"call_me_later_id": "c", "when_type": "OneShot", "when": {"time": 7}}
    submitter = initial(
        rule("SimulationBegins", "CallMeLater", call),
        rule("RequestedCall", "RegisterProfile", {"profile": profile}),
        rule(
            "RequestedCall", "RegisterJob", {"job_id": "dyn!a", "job": {"resource_request": 2, "profile_id": "dyn!p"}}
        ),
        rule("RequestedCall", "FinishRegistration"),
        dynamic_registration=True,
    )
    scheduler = initial(rule("Turn", "ExecuteJob", execution()))
    manager = initial(rule("SimulationBegins", "ChangeHostsPState", {"host_ids": "0-1", "pstate": 1}))
    words = [word for pair in zip(libraries, (submitter, scheduler, manager), strict=True) for word in ("-l", *pair)]
    out = f"{tmp_path}/out/"
    assert main(["batsim5", "-q", "-p", str(tmp_path / "p.xml"), "-e", out, *isolated, *map(str, words)]) == 0
    (row,) = table(tmp_path / "out" / "jobs.csv")
    assert (row["job_id"], row["starting_time"], row["execution_time"]) == ("a", "7.000000", "2.000000")


def test_a_component_hears_of_a_failure_even_in_the_first_round():
    class Told(Scripted):
        wants_errors = True

    listener = Told(lambda now, notices: [])
    culprit = Scripted(lambda now, notices: [Reject("w0!none")] if begins(notices) else [])
    with pytest.raises(DecisionError):
        simulate(culprit, listener, jobs=[job(1)])
    (last,) = listener.log[-1][1]
    assert isinstance(last, SimulationErrorOccurred)
    assert "w0!none" in last.error
    assert len(culprit.log) == 1
