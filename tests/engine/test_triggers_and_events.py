"""Calls, external events, registration, messages to jobs, suspension, injection, saving and forking."""

import pytest
from msgspec.structs import replace
from tests.engine.runs import kinds, simulate, start_all

import windtunnel as wt
from windtunnel.diagnostics import DecisionError, SimulationError, UsageError
from windtunnel.engine import Options, Pacer, Simulation
from windtunnel.model import (
    DelayProfile,
    EventList,
    ExternalEvent,
    HostSet,
    Job,
    JobState,
    ReceiveProfile,
    Request,
    SendProfile,
)
from windtunnel.testing import InvariantChecker, Scripted, delays, job, platform, sequence, workload
from windtunnel.vocabulary import (
    CallMeLater,
    ChangeJobState,
    Execute,
    Features,
    FinishRegistration,
    HostsBecameUnavailable,
    JobSubmitted,
    JobSuspended,
    MessageFromJob,
    MessageToJob,
    MigrateJob,
    Observer,
    OneShot,
    Periodic,
    RegisterJob,
    RegisterProfile,
    RequestedCall,
    ResumeJob,
    SetJobMetadata,
    SimulationBegins,
    StopCallMeLater,
    StopProbe,
    SuspendJob,
    TimeUnit,
    TransferImage,
)


def begins(notices):
    return any(isinstance(n, SimulationBegins) for n in notices)


def test_periodic_calls_are_aligned_counted_and_need_not_be_multiples():
    def script(now, notices):
        if begins(notices):
            return [
                CallMeLater(call_me_later_id="a", when=Periodic(3, nb_periods=3)),
                CallMeLater(
                    call_me_later_id="b",
                    when=Periodic(2500, offset=1000, time_unit=TimeUnit.Millisecond, nb_periods=2),
                ),
            ]
        return None

    component, _, _ = simulate(script)
    calls = [(n.timestamp, n.call_me_later_id, n.last_periodic_call) for n in component.told(RequestedCall)]
    assert calls == [(1.0, "b", False), (3.0, "a", False), (3.5, "b", True), (6.0, "a", False), (9.0, "a", True)]


def test_an_infinite_call_runs_until_stopped():
    def script(now, notices):
        if begins(notices):
            return [CallMeLater(call_me_later_id="a", when=Periodic(1))]
        return [StopCallMeLater(call_me_later_id="a")] if now >= 5 else None

    component, _, simulation = simulate(script)
    assert len(component.told(RequestedCall)) == 5
    assert simulation.now == 5.0


def test_calls_that_happen_once_can_be_stopped():
    """All of one id; the others stay, and nothing that was stopped keeps the run from ending."""

    def script(now, notices):
        if begins(notices):
            dates = [("a", 5), ("a", 50), ("b", 7), ("c", 90)]
            return [CallMeLater(call_me_later_id=name, when=OneShot(date)) for name, date in dates]
        return [StopCallMeLater(call_me_later_id=name) for name in ("a", "c", "never")] if now == 5 else None

    component, _, simulation = simulate(script)
    assert [(n.timestamp, n.call_me_later_id) for n in component.told(RequestedCall)] == [(5.0, "a"), (7.0, "b")]
    assert simulation.now == 7.0


def test_what_has_no_effect_is_told():
    """In the run's account: calls and probes that there are not, jobs registered ahead or without having asked."""

    class Ignored(Observer):
        def __init__(self):
            self.told = []

        def on_ignored(self, now, kind, reason, place):
            self.told.append((now, kind, place))

    def script(now, notices):
        if not begins(notices):
            return start_all(now, notices)
        later = replace(job("x", run=1.0, at=50.0), id="dyn!x")
        return [
            StopCallMeLater(call_me_later_id="never"),
            StopProbe(probe_id="nowhere"),
            RegisterJob(job=later),
            Execute("dyn!x", HostSet([0])),
        ]

    ignored, checker = Ignored(), InvariantChecker()
    options = Options(check_registration=False)
    Simulation(platform(2), [], [Scripted(script)], observers=[ignored, checker], options=options).run()
    kinds_told = ["unknown-call", "unknown-probe", "registration", "subtime"]
    assert [kind for _, kind, _ in ignored.told] == kinds_told
    assert ignored.told[3] == (0.0, "subtime", "dyn!x")
    assert checker.rows[0][2:4] == (0.0, 1.0)


def test_nobody_is_called_before_the_date_asked_for():
    """However near it is to the present: a scheduler that waits for it does not keep the instant alive."""
    due = 646.1310000000001

    def script(now, notices):
        if begins(notices):
            return [CallMeLater(call_me_later_id="", when=OneShot(646131, TimeUnit.Millisecond))]
        return [CallMeLater(call_me_later_id="", when=OneShot(due))] if now < due else None

    component, _, _ = simulate(script, max_rounds=10)
    assert component.log[-2][0] >= due


@pytest.mark.parametrize("when", [Periodic(0), Periodic(1, nb_periods=0)])
def test_bad_periods_are_refused(when):
    with pytest.raises(DecisionError) as caught:
        simulate(lambda now, n: [CallMeLater(call_me_later_id="a", when=when)] if begins(n) else None)
    assert caught.value.rule == "period"


def test_availability_events_keep_new_jobs_away_and_running_ones_going():
    events = EventList(
        name="we0",
        events=(
            ExternalEvent(timestamp=2.0, kind="machine_unavailable", hosts=HostSet.span(2)),
            ExternalEvent(timestamp=20.0, kind="machine_available", hosts=HostSet.span(2)),
        ),
    )
    component, checker, simulation = simulate(start_all, workload(job(1, 1, 10.0)), events=[events])
    assert checker.rows[0][1:4] == (JobState.COMPLETED_SUCCESSFULLY, 0.0, 10.0)
    assert [k for _, k in kinds(component)][2:] == [
        ["HostsBecameUnavailable"],
        ["JobCompleted"],
        ["HostsBecameAvailable", "AllStaticExternalEventsHaveBeenInjected"],
        ["SimulationEnds"],
    ]
    totals = simulation.totals()
    assert totals["time_computing"] == 2.0
    assert totals["time_unavailable"] == 36.0

    def too_late(now, notices):
        return (
            [Execute("w0!1", HostSet.span(1))]
            if any(isinstance(n, HostsBecameUnavailable) for n in notices)
            else None
        )

    with pytest.raises(DecisionError, match="its state is unavailable"):
        simulate(too_late, workload(job(1)), events=[events])


def test_events_that_contradict_the_state_end_the_run():
    events = EventList(
        name="we0", events=(ExternalEvent(timestamp=2.0, kind="machine_available", hosts=HostSet.span(1)),)
    )
    with pytest.raises(SimulationError, match="hosts 0 are not unavailable"):
        simulate(start_all, events=[events])


DYNAMIC = Features(dynamic_registration=True)


def registering(*decisions):
    def script(now, notices):
        if begins(notices):
            return [make() for make in decisions]
        return start_all(now, notices)

    return script


def new_job(name="dyn!1", **fields):
    return Job(id=name, request=Request(1), profile=DelayProfile(id="dyn!d", delay=4.0), **fields)


def test_a_registered_job_is_executed_in_the_same_reply_or_acknowledged():
    script = registering(
        lambda: RegisterJob(job=new_job()), lambda: Execute("dyn!1", HostSet.span(1)), FinishRegistration
    )
    component, checker, _ = simulate(script, features=DYNAMIC)
    assert checker.rows[0][0] == "dyn!1"
    assert not component.told(JobSubmitted)
    component, checker, _ = simulate(
        registering(
            lambda: RegisterProfile(profile=DelayProfile(id="dyn!d", delay=4.0)),
            lambda: RegisterJob(job=new_job(), profile_id="dyn!d"),
            FinishRegistration,
        ),
        features=Features(dynamic_registration=True, acknowledge_dynamic_jobs=True),
    )
    assert checker.rows[0][0] == "dyn!1"
    assert len(component.told(JobSubmitted)) == 1


@pytest.mark.parametrize(
    ("decisions", "features", "rule"),
    [
        ([lambda: RegisterJob(job=new_job())], Features(), "registration"),
        ([FinishRegistration, lambda: RegisterJob(job=new_job())], DYNAMIC, "registration"),
        ([lambda: RegisterJob(job=new_job()), lambda: RegisterJob(job=new_job())], DYNAMIC, "duplicate-job"),
        ([lambda: RegisterJob(job=new_job("w0!1"))], DYNAMIC, "duplicate-job"),
        ([lambda: RegisterJob(job=new_job(), profile_id="w0!no")], DYNAMIC, "unknown-profile"),
        ([lambda: RegisterProfile(profile=DelayProfile(id="w0!delay10", delay=1.0))], DYNAMIC, "duplicate-profile"),
    ],
)
def test_bad_registrations_are_refused(decisions, features, rule):
    with pytest.raises(DecisionError) as caught:
        simulate(registering(*decisions), workload(job(1)), features=features)
    assert caught.value.rule == rule


@pytest.mark.parametrize("reuse", [False, True])
def test_profiles_are_forgotten_with_their_last_job_unless_they_may_be_reused(reuse):
    def script(now, notices):
        if begins(notices):
            return [CallMeLater(call_me_later_id="x", when=OneShot(50))]
        if any(isinstance(n, RequestedCall) for n in notices):
            return [
                RegisterJob(job=new_job(), profile_id="w0!delay10"),
                Execute("dyn!1", HostSet.span(1)),
                FinishRegistration(),
            ]
        return start_all(now, notices)

    features = Features(dynamic_registration=True, profile_reuse=reuse)
    if reuse:
        assert len(simulate(script, workload(job(1)), features=features)[1].rows) == 2
    else:
        with pytest.raises(DecisionError, match="existed some time ago"):
            simulate(script, workload(job(1)), features=features)


def test_what_comes_back_of_a_lost_job_keeps_its_profiles():
    """The run ended where it began its parts: they were forgotten with the job that was lost."""

    def script(now, notices):
        if begins(notices):
            return [CallMeLater(call_me_later_id="x", when=OneShot(50))]
        if any(isinstance(n, RequestedCall) for n in notices):
            return [FinishRegistration()]
        return [Execute(n.job, HostSet([now > 0])) for n in notices if isinstance(n, JobSubmitted)]

    ten, two = delays(10.0, 2.0)
    steps = sequence("steps", [ten, two], repeat=2)
    fails = ExternalEvent(timestamp=5.0, kind="machine_state", hosts=HostSet([0]), attributes={"state": "FAILURE"})
    _, checker, _ = simulate(
        script,
        workload(job(1, run=steps), profiles=[ten, two, steps]),
        features=Features(dynamic_registration=True),
        events=[EventList(name="e", events=(fails,))],
        on_failure="requeue",
    )
    assert [(name, state.name, finish) for name, state, _, finish, _ in checker.rows] == [
        ("w0!1", "COMPLETED_FAILED", 5.0),
        ("w0!1#1", "COMPLETED_SUCCESSFULLY", 29.0),
    ]


def test_jobs_simulated_by_their_scheduler():
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            return [
                ChangeJobState(job_id="w0!1", job_state=JobState.RUNNING),
                SetJobMetadata(job_id="w0!1", metadata="m"),
                CallMeLater(call_me_later_id="x", when=OneShot(6)),
            ]
        if now == 6 and any(isinstance(n, RequestedCall) for n in notices):
            return [ChangeJobState(job_id="w0!1", job_state=JobState.COMPLETED_KILLED, kill_reason="enough")]
        return None

    _, checker, _ = simulate(script, workload(job(1)))
    assert checker.rows == [("w0!1", JobState.COMPLETED_KILLED, 0.0, 6.0, "")]


def test_jobs_and_scheduler_exchange_messages():
    yes, no = delays(3.0, 9.0)
    send = SendProfile(id="w0!send", message={"hello": 1}, sleeptime=0.5)
    receive = ReceiveProfile(id="w0!recv", regex="go.*", success="w0!delay3", failure="delay9", polltime=1.0)
    whole = sequence("talk", [send, receive])

    def script(now, notices):
        if any(isinstance(n, MessageFromJob) for n in notices):
            return [CallMeLater(call_me_later_id="x", when=OneShot(4))]
        if any(isinstance(n, RequestedCall) for n in notices):
            return [MessageToJob(job_id="w0!1", message="go on")]
        return start_all(now, notices)

    component, checker, _ = simulate(script, workload(job(1, run=whole), profiles=[yes, no, send, receive]))
    assert component.told(MessageFromJob)[0].message == {"hello": 1}
    # It began to listen at 0.5 and polls every second: the message of 4.0 is found at 4.5.
    assert checker.rows[0][1:4] == (JobState.COMPLETED_SUCCESSFULLY, 0.0, 7.5)


def test_suspension_keeps_progress_and_stops_the_walltime():
    def script(now, notices):
        if any(isinstance(n, JobSubmitted) for n in notices):
            return [*start_all(now, notices), CallMeLater(call_me_later_id="s", when=OneShot(4))]
        if any(isinstance(n, JobSuspended) for n in notices):
            return [
                MigrateJob(job_id="w0!1", hosts=HostSet.parse("2"), duration=6.0),
                TransferImage(image_id="i", hosts=HostSet.parse("2"), duration=1.0),
            ]
        if any(type(n).__name__ == "JobMigrated" for n in notices):
            return [ResumeJob(job_id="w0!1", hosts=HostSet.parse("2"))]
        return [SuspendJob(job_id="w0!1")] if any(isinstance(n, RequestedCall) for n in notices) else None

    component, checker, simulation = simulate(script, workload(job(1, run=10.0, walltime=12.0)))
    assert checker.rows == [("w0!1", JobState.COMPLETED_SUCCESSFULLY, 0.0, 16.0, "2")]
    assert ["ImageTransferred"] in [k for _, k in kinds(component)]
    assert simulation.totals()["time_computing"] == 10.0
    _, checker, _ = simulate(script, workload(job(1, run=20.0, walltime=12.0)))
    assert checker.rows[0][1:4] == (JobState.COMPLETED_WALLTIME_REACHED, 0.0, 18.0)


def make():
    jobs = workload(*(job(i, 1, 5.0 + i, at=float(i)) for i in range(20)))
    checker = InvariantChecker()
    return Simulation(platform(40), [jobs], [Spread()], options=Options(), observers=[checker]), checker


class Spread(Scripted):
    """Job i on host i; picklable, as saving needs."""

    def __init__(self):
        super().__init__(spread)


def spread(now, notices):
    return [Execute(n.job, HostSet.parse(n.job.name)) for n in notices if isinstance(n, JobSubmitted)]


def test_step_run_until_save_restore_and_fork_agree_with_one_run(tmp_path):
    whole, expected = make()
    whole.run()
    stepped, rows = make()
    while stepped.step():
        pass
    assert rows.rows == expected.rows
    half, before = make()
    assert half.run_until(10.0)
    assert half.now <= 10.0
    after_fork, after_restore = InvariantChecker(), InvariantChecker()
    forked = half.fork([after_fork])
    half.save(tmp_path / "saved")
    restored = Simulation.restore(tmp_path / "saved", [after_restore])
    for checker in (after_fork, after_restore):
        checker.submitted = set(before.submitted)
        checker.busy, checker.size = before.busy, before.size
    forked.run()
    restored.run()
    seen = list(before.rows)
    assert seen + after_fork.rows == expected.rows
    assert seen + after_restore.rows == expected.rows
    half.run()
    assert before.rows == expected.rows
    assert forked.world.platform is half.world.platform
    (tmp_path / "no").write_bytes(b"something")
    with pytest.raises(UsageError, match="not a simulation saved"):
        Simulation.restore(tmp_path / "no")


def test_what_cannot_be_pickled_is_refused_by_name():
    simulation = Simulation(platform(), [], [Scripted(lambda now, notices: None)])
    with pytest.raises(UsageError, match="cannot be saved or forked"):
        simulation.fork()


def test_injected_jobs_and_events_happen_at_their_date():
    simulation, checker = make()
    simulation.inject(job(30, 1, 3.0), at=12.5)
    simulation.inject(ExternalEvent(timestamp=0, kind="machine_unavailable", hosts=HostSet.parse("39")), at=3.0)
    simulation.run()
    assert ("w0!30", JobState.COMPLETED_SUCCESSFULLY, 12.5, 15.5, "30") in checker.rows


def test_an_injected_job_waits_from_its_injection_on(tmp_path):
    """Also in forks and restored runs, and never before a date that the simulation was run until."""
    whole = wt.Simulation(
        "hosts:4", workload(job(1, run=100.0, walltime=200.0), job(2, at=50.0, walltime=20.0)), "easy"
    )
    whole.run_until(30.0)
    whole.inject(job("now", hosts=4, run=1.0))
    whole.inject(job("past", run=1.0, walltime=2.0), at=10.0)
    whole.inject(job("later", run=1.0, walltime=2.0), at=40.0)
    fork = whole.fork()
    whole.save(tmp_path / "saved")
    for one in (whole, fork, wt.Simulation.restore(tmp_path / "saved")):
        done = one.run()
        rows = {
            name: tuple(rest) for name, *rest in done.jobs.select("job_id", "submission_time", "waiting_time").rows()
        }
        assert rows == {"1": (0, 0), "2": (50, 0), "now": (30, 70), "past": (30, 0), "later": (40, 0)}


def test_a_paced_run_keeps_to_the_clock():
    simulation, checker = make()
    simulation.pace = Pacer(speed=1000.0)
    simulation.run()
    assert simulation.pace.date() >= simulation.now
    assert len(checker.rows) == 20


def test_several_components_share_a_site_and_own_their_jobs():
    first = Scripted(
        lambda now, notices: [
            Execute(n.job, HostSet.parse("0")) for n in notices if isinstance(n, JobSubmitted) and n.job.name == "1"
        ]
    )
    second = Scripted(
        lambda now, notices: [
            Execute(n.job, HostSet.parse("1")) for n in notices if isinstance(n, JobSubmitted) and n.job.name == "2"
        ]
    )
    checker = InvariantChecker()
    Simulation(platform(), [workload(job(1), job(2))], [first, second], observers=[checker]).run()
    assert [row[0] for row in checker.rows] == ["w0!1", "w0!2"]
    assert kinds(first) == kinds(second)

    def meddle(now, notices):
        return [SuspendJob(job_id="w0!1")] if any(isinstance(n, JobSubmitted) for n in notices) else None

    with pytest.raises(DecisionError) as caught:
        Simulation(platform(), [workload(job(1))], [first, Scripted(meddle)]).run()
    assert caught.value.rule == "owner"
