"""The life of a job: submission, start, end, walltime, return codes, rejection, kill."""

import pytest
from msgspec.structs import replace
from tests.engine.runs import kinds, simulate, start_all

import windtunnel as wt
from windtunnel.diagnostics import ComponentError, DeadlockError, DecisionError, LivelockError
from windtunnel.engine import Simulation
from windtunnel.model import HostSet, JobState, Request
from windtunnel.testing import Scripted, delays, job, platform, sequence, workload
from windtunnel.vocabulary import (
    AtomicProgress,
    CallMeLater,
    Execute,
    ForceSimulationStop,
    JobCompleted,
    JobsKilled,
    JobSubmitted,
    Kill,
    Observer,
    OneShot,
    Reject,
    Reply,
    RequestedCall,
    SequentialProgress,
    SetJobMetadata,
)


def test_the_conversation_of_one_job():
    component, checker, _ = simulate(start_all, workload(job(1, 2, 10.0, at=5)))
    assert kinds(component) == [
        (0.0, ["SimulationBegins"]),
        (5.0, ["JobSubmitted", "AllStaticJobsHaveBeenSubmitted"]),
        (15.0, ["JobCompleted"]),
        (15.0, ["SimulationEnds"]),
    ]
    assert checker.rows == [("w0!1", JobState.COMPLETED_SUCCESSFULLY, 5.0, 15.0, "0-1")]
    assert checker.outcome == "complete"
    assert component.stopped == 1


def test_simultaneous_events_make_one_message_ends_first():
    def script(now, notices):
        hosts = {"w0!a": "0", "w0!b": "1", "w0!c": "2"}
        out = [Execute(n.job, HostSet.parse(hosts[n.job.id])) for n in notices if isinstance(n, JobSubmitted)]
        return [*out, CallMeLater(call_me_later_id="x", when=OneShot(10))] if now == 0 and out else out

    component, _, _ = simulate(script, workload(job("a", run=10.0), job("b", run=10.0), job("c", at=10.0)))
    assert kinds(component)[2] == (
        10.0,
        ["JobCompleted", "JobCompleted", "RequestedCall", "JobSubmitted", "AllStaticJobsHaveBeenSubmitted"],
    )


@pytest.mark.parametrize(
    ("run", "walltime", "state", "finish", "code"),
    [
        (10.0, 20.0, JobState.COMPLETED_SUCCESSFULLY, 10.0, 0),
        (20.0, 20.0, JobState.COMPLETED_WALLTIME_REACHED, 20.0, -1),
        (30.0, 20.0, JobState.COMPLETED_WALLTIME_REACHED, 20.0, -1),
    ],
)
def test_walltime(run, walltime, state, finish, code):
    component, checker, _ = simulate(start_all, workload(job(1, run=run, walltime=walltime)))
    assert checker.rows[0][1:4] == (state, 0.0, finish)
    assert component.told(JobCompleted)[0].return_code == code


def test_return_code_of_a_failing_profile():
    profile = replace(delays(3.0)[0], return_code=7)
    component, checker, _ = simulate(start_all, workload(job(1, run=profile)))
    assert checker.rows[0][1] is JobState.COMPLETED_FAILED
    assert component.told(JobCompleted)[0].return_code == 7


def test_sequences_nest_repeat_and_stop_at_the_first_failure():
    a, b = delays(2.0, 3.0)
    inner = sequence("inner", [a, b], repeat=2)
    outer = sequence("outer", [inner, a])
    _, checker, _ = simulate(start_all, workload(job(1, run=outer), profiles=[a, b, inner]))
    assert checker.rows[0][1:4] == (JobState.COMPLETED_SUCCESSFULLY, 0.0, 12.0)
    b = replace(b, return_code=4)
    component, checker, _ = simulate(start_all, workload(job(1, run=outer), profiles=[a, b, inner]))
    assert checker.rows[0][1:4] == (JobState.COMPLETED_FAILED, 0.0, 5.0)
    assert component.told(JobCompleted)[0].return_code == 4


@pytest.mark.parametrize(
    ("walltime", "finish", "state"), [(12.0, 12.0, 5), (12.5, 12.0, 3), (4.0, 4.0, 5), (5.0, 5.0, 5)]
)
def test_the_walltime_of_a_sequence_covers_all_of_it(walltime, finish, state):
    a, b = delays(2.0, 3.0)
    whole = sequence("s", [a, b, a, b, a])
    _, checker, _ = simulate(start_all, workload(job(1, run=whole, walltime=walltime), profiles=[a, b]))
    assert checker.rows[0][1:4] == (JobState(state), 0.0, finish)


def test_kill_reports_progress_after_the_end():
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            return Reply(4.0, [*start_all(now, notices), _at(4.0, Kill("w0!1"))])
        return None

    component, checker, _ = simulate(script, workload(job(1, run=10.0)))
    assert kinds(component)[2] == (4.0, ["JobCompleted", "JobsKilled"])
    assert checker.rows[0][1:4] == (JobState.COMPLETED_KILLED, 0.0, 4.0)
    killed = component.told(JobsKilled)[0]
    assert killed.job_ids == ("w0!1",)
    assert killed.progresses == {"w0!1": AtomicProgress("w0!delay10", 0.4)}


def _at(date, decision):
    decision.timestamp = date
    return decision


def test_kill_progress_of_a_nested_sequence():
    a, b = delays(2.0, 4.0)
    inner = sequence("inner", [a, b], repeat=3)

    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            return Reply(9.0, [*start_all(now, notices), _at(9.0, Kill("w0!1"))])
        return None

    component, _, _ = simulate(script, workload(job(1, run=inner), profiles=[a, b]))
    assert component.told(JobsKilled)[0].progresses["w0!1"] == SequentialProgress(
        "w0!inner", 1, 1, AtomicProgress("w0!delay4", 0.25), 2
    )


@pytest.mark.parametrize("repeat", [0, 2])
def test_a_job_without_length_that_is_killed_as_it_starts(repeat):
    """As those of a log with a run time of 0: nothing of it is left to do."""
    nothing = delays(0.0)[0]
    run = sequence("s", [nothing], repeat=repeat) if repeat else 0.0

    def script(now, notices):
        started = start_all(now, notices)
        return [*started, *(Kill(one.job_id) for one in started)]

    component, checker, _ = simulate(script, workload(job(1, run=run), profiles=[nothing]))
    assert checker.rows[0][1:4] == (JobState.COMPLETED_KILLED, 0.0, 0.0)
    done = AtomicProgress("w0!delay0", 1.0)
    expected = SequentialProgress("w0!s", 0, 0, done, 1) if repeat else done
    assert component.told(JobsKilled)[0].progresses == {"w0!1": expected}


def test_a_job_that_ends_at_the_instant_of_its_kill_has_ended_normally():
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            return Reply(10.0, [*start_all(now, notices), _at(10.0, Kill("w0!1"))])
        return None

    component, checker, _ = simulate(script, workload(job(1, run=10.0)))
    assert checker.rows[0][1] is JobState.COMPLETED_SUCCESSFULLY
    assert component.told(JobsKilled)[0].progresses == {}


def test_rejection():
    def script(now, notices):
        return [Reject(n.job) for n in notices if isinstance(n, JobSubmitted)]

    component, checker, _ = simulate(script, workload(job(1), job(2)))
    assert [row[1] for row in checker.rows] == [JobState.REJECTED] * 2
    assert kinds(component)[-1] == (0.0, ["SimulationEnds"])


@pytest.mark.parametrize(
    ("decision", "rule"),
    [
        (lambda: Execute("w0!9", HostSet.span(1)), "unknown-job"),
        (lambda: Execute("w0!1", HostSet.span(2)), "allocation-size"),
        (lambda: Execute("w0!1", HostSet.parse("4")), "unknown-host"),
        (lambda: Execute("w0!1", HostSet.span(1), placement=(0, 0)), "mapping-size"),
        (lambda: Execute("w0!1", HostSet.span(1), placement=(1,)), "mapping"),
        (lambda: _at(-1.0, Reject("w0!1")), "timestamp-order"),
        (lambda: _at(1.0, Reject("w0!1")), "timestamp-after-now"),
        (lambda: Kill("w0!1"), "state"),
        (Kill, "empty"),
    ],
)
def test_illegal_decisions_are_refused_by_rule(decision, rule):
    def script(now, notices):
        return [decision()] if any(isinstance(n, JobSubmitted) for n in notices) else None

    with pytest.raises(DecisionError) as caught:
        simulate(script, workload(job(1, 1)))
    assert caught.value.rule == rule
    assert "t=0.0" in str(caught.value)


def test_a_busy_host_is_named_with_its_job():
    def script(now, notices):
        return [Execute(n.job, HostSet.span(1)) for n in notices if isinstance(n, JobSubmitted)]

    with pytest.raises(DecisionError, match=r"host 0 is running job 'w0!1' and time-sharing on compute machines"):
        simulate(script, workload(job(1), job(2)))
    _, checker, _ = simulate(script, workload(job(1), job(2)), compute_sharing=True)
    assert len(checker.rows) == 2


def test_refusals_can_be_told_instead():
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            return [Execute("w0!1", HostSet.span(3)), Execute("w0!1", HostSet.span(1))]
        return None

    component, checker, _ = simulate(script, workload(job(1, 1)), strict=False)
    refused = [n for _, notices in component.log for n in notices if type(n).__name__ == "DecisionRefused"]
    assert [n.rule for n in refused] == ["allocation-size"]
    assert checker.rows[0][1] is JobState.COMPLETED_SUCCESSFULLY


def test_a_job_whose_end_was_told_is_forgotten():
    def script(now, notices):
        if any(isinstance(n, JobCompleted) for n in notices):
            return [Reject("w0!1")]
        return start_all(now, notices)

    with pytest.raises(DecisionError, match="its end has already been told"):
        simulate(script, workload(job(1)))


def test_jobs_to_be_killed_may_have_ended_meanwhile():
    """The acknowledgement names all that were asked for (the document of the JSON protocol)."""

    def script(now, notices):
        ended = [n.job.id for n in notices if isinstance(n, JobCompleted)]
        kill = [Kill("w0!2", "w0!1")] if ended == ["w0!1"] else []
        return [*kill, *start_all(now, notices)]

    component, checker, _ = simulate(script, workload(job(1, run=1.0), job(2, run=9.0)), compute_sharing=True)
    (killed,) = component.told(JobsKilled)
    assert killed.job_ids == ("w0!2", "w0!1")
    assert list(killed.progresses) == ["w0!2"]
    assert [row[1] for row in checker.rows] == [JobState.COMPLETED_SUCCESSFULLY, JobState.COMPLETED_KILLED]


@pytest.mark.parametrize("name", ["w0!3", "w0!9", "w1!1"])
def test_jobs_that_were_never_submitted_cannot_be_killed(name):
    def script(now, notices):
        return [*start_all(now, notices), *(Kill(name) for n in notices if isinstance(n, JobCompleted))]

    with pytest.raises(DecisionError, match=f"there is no job '{name}'"):
        simulate(script, workload(job(1, run=1.0), job(3, at=50.0)))


def test_metadata_are_any_text():
    def script(now, notices):
        noted = [SetJobMetadata(job_id=n.job.id, metadata='say "a"') for n in notices if isinstance(n, JobSubmitted)]
        return [*noted, *start_all(now, notices)]

    class Noted(Observer):
        def on_job_ended(self, now, record):
            self.seen = record.metadata

    noted = Noted()
    engine = Simulation(platform(4), [workload(job(1))], [Scripted(script)], observers=[noted])
    engine.run()
    assert noted.seen == 'say "a"'


def test_what_is_told_of_a_job_that_has_ended_stands():
    """Its end was not told yet, so that it can be named; what is written of it may wait in memory."""

    def script(now, notices):
        started = start_all(now, notices)
        if not started:
            return []
        return Reply(now + 5.0, [*started, SetJobMetadata(job_id="w0!1", metadata="late", timestamp=now + 4.0)])

    class Kept(Observer):
        def on_job_ended(self, now, record):
            self.record, self.ended = record, now

    kept = Kept()
    engine = Simulation(platform(4), [workload(job(1, run=2.0))], [Scripted(script)], observers=[kept])
    engine.run()
    assert (kept.ended, kept.record.metadata) == (2.0, "")


def test_a_run_that_is_stopped_says_what_it_cut_short():
    """No rows for jobs that did not end (as in Batsim 5's recording), but the outcome names them."""

    def script(now, notices):
        if any(isinstance(n, RequestedCall) for n in notices):
            return [ForceSimulationStop(), Reject("w0!2")]
        calls = [CallMeLater(call_me_later_id="x", when=OneShot(5))] if now == 0 and len(notices) > 1 else []
        return [*calls, *start_all(now, [n for n in notices if isinstance(n, JobSubmitted) and n.job.id == "w0!1"])]

    work = workload(job(1, run=9.0), job(2, run=9.0), job(3, at=50.0), job(4, at=60.0))
    component, checker, simulation = simulate(script, work)
    reason = "at 5 s (jobs: 1 running, 1 waiting, 2 not submitted yet); 1 later decisions were not carried out"
    assert simulation.outcome == f"stopped by the decision component 'scripted' {reason}"
    assert checker.rows == []
    assert kinds(component)[-1] == (5.0, ["SimulationEnds"])


def test_deadlock_is_explained():
    with pytest.raises(
        DeadlockError, match=r"2 jobs were submitted and neither executed nor rejected: w0!1 \(1 host\)"
    ):
        simulate(lambda now, notices: None, workload(job(1), job(2, 9)))


def test_an_endless_instant_is_stopped():
    def script(now, notices):
        return [CallMeLater(call_me_later_id="again", when=OneShot(0))] if now == 0 else None

    with pytest.raises(LivelockError, match="50 rounds"):
        simulate(script, max_rounds=50)


def test_an_exception_in_a_scheduler_is_a_clear_error_and_closes_the_run():
    def script(now, notices):
        raise KeyError("oops")

    with pytest.raises(ComponentError, match="'scripted' raised KeyError: 'oops'"):
        simulate(script, workload(job(1)))


def test_a_busy_scheduler_hears_later_what_happened_meanwhile():
    def script(now, notices):
        if now == 0 and any(isinstance(n, JobSubmitted) for n in notices):
            return Reply(7.0, start_all(now, notices))
        return [Execute(n.job, HostSet.parse("1")) for n in notices if isinstance(n, JobSubmitted)]

    component, checker, _ = simulate(script, workload(job(1, run=3.0), job(2, at=5.0)))
    now, notices = component.log[2]
    assert now == 7.0
    assert [(type(n).__name__, n.timestamp) for n in notices][:2] == [("JobCompleted", 3.0), ("JobSubmitted", 5.0)]
    assert checker.rows[1][2] == 7.0


def test_force_stop_ends_at_once():
    def script(now, notices):
        if any(isinstance(n, RequestedCall) for n in notices):
            return [ForceSimulationStop()]
        return (
            [*start_all(now, notices), CallMeLater(call_me_later_id="x", when=OneShot(3))]
            if now == 0 and any(isinstance(n, JobSubmitted) for n in notices)
            else None
        )

    component, checker, _ = simulate(script, workload(job(1)))
    assert kinds(component)[-1] == (3.0, ["SimulationEnds"])
    assert checker.rows == []


def test_jobs_with_dependencies_wait_for_them():
    first = job(1, run=10.0)
    second = job(2, run=5.0, dependencies=("w0!1",), think_time=2.0)
    jobs = workload(first, second)
    jobs.has_dependencies = True
    _, checker, _ = simulate(lambda now, n: start_all(now, n), jobs)
    assert [(r[0], r[2], r[3]) for r in checker.rows] == [("w0!1", 0.0, 10.0), ("w0!2", 12.0, 17.0)]


@pytest.mark.parametrize(("at", "begins"), [(3.0, 15.0), (10.0, 15.0), (12.0, 15.0), (15.0, 15.0), (20.0, 20.0)])
def test_think_times_count_from_the_end_of_the_last_whenever_that_was(at, begins):
    """They counted for nothing if a job came after the end of the one before."""
    jobs = workload(job(1, run=6.0), job(2, run=10.0), job(3, at=at, dependencies=("w0!2", "w0!1"), think_time=5.0))
    jobs.has_dependencies = True
    rows = wt.simulate("hosts:4", jobs, "easy").jobs.select("id", "submission_time", "starting_time").rows()
    assert dict((name, times) for name, *times in rows)["w0!3"] == [begins, begins]


def test_a_request_for_no_host_is_legal():
    empty = job(1)
    empty = replace(empty, request=Request(0))
    _, checker, _ = simulate(start_all, workload(empty))
    assert checker.rows[0][4] == ""


class OneByOne:
    """A workload of somebody else's: only what the protocol asks for, and an attribute called jobs."""

    name, path, hosts, profiles = "w0", "", 0, {}

    def __init__(self, jobs):
        self.jobs = jobs

    def __len__(self):
        return len(self.jobs)

    def __getitem__(self, index):
        return self.jobs[index]

    def __iter__(self):
        return iter(self.jobs)


def test_workloads_need_not_make_many_jobs_at_once():
    jobs = [job(k, 1, 0.5, at=float(k)) for k in range(200)]
    rows = [simulate(start_all, made)[1].rows for made in (OneByOne(jobs), workload(*jobs))]
    assert len(rows[0]) == 200
    assert sorted(rows[0]) == sorted(rows[1])
