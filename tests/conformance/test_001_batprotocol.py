"""Clauses of batprotocol (document 001): whole simulations with a component that speaks it, binary or JSON."""

import json
from math import inf

import pytest
from msgspec.structs import replace
from tests.engine.star import star

from windtunnel import api
from windtunnel.diagnostics import DeadlockError, DecisionError, ProtocolError, UsageError
from windtunnel.engine import Options
from windtunnel.model import (
    DelayProfile,
    EventList,
    ExternalEvent,
    Host,
    Job,
    JobList,
    ParallelTaskHomogeneousProfile,
    ParallelTaskProfile,
    Platform,
    PowerState,
    Request,
)
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job, platform, workload
from windtunnel.vocabulary import Features, Hello
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.decisions import decision_in
from windtunnel.wires.batprotocol.server import SchedulerSession, hello_out
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.transport import FORMAT_BINARY, FORMAT_JSON

STATES = tuple(PowerState(speed, 95.0, None, 190.0) for speed in (1e9, 5e8, 1e-9, 0.1, 0.2))
"""Two for computing; asleep; 10 s to switch off, 5 s to switch on."""


def sleepy(hosts=3, pstate=0):
    made = (Host(id=k, name=f"h{k}", pstates=STATES, pstate=pstate, sleep_pstates={2: (3, 4)}) for k in range(hosts))
    return Platform(name="p", hosts=tuple(made))


class Played:
    """A whole simulation as ``batsim5`` runs it; ``answer(now, events)`` gives events, (date, event) or a message."""

    name = "played"

    def __init__(
        self, answer, *work, site=None, events=(), energy=False, as_json=False, hello=None, out=None, **features
    ):
        self.said = []
        self.answer = answer
        self.json = as_json
        self.hello = hello or hello_out(Hello(name="edc", version="1", features=Features(**features)))
        component = BatprotocolComponent(self)
        options = Options(compute_sharing=True, check_sizes=False, check_registration=False, energy=energy)
        self.simulation = api.Simulation(
            site or platform(4), list(work), component, events=events, options=options, out=out
        )
        self.run = self.simulation.run()

    def start(self, init_data):
        greeting = s.Message(now=0.0, events=(s.EventAndTimestamp(timestamp=0.0, event=self.hello),))
        return FORMAT_JSON if self.json else FORMAT_BINARY, self.encode(greeting)

    def encode(self, message):
        return text.encode(message) if self.json else binary.encode(message)

    def ask(self, raw, within=None):
        message = text.decode(raw) if self.json else binary.decode(raw)
        self.said.append(message)
        made = self.answer(message.now, [stamped.event for stamped in message.events]) or []
        if isinstance(made, s.Message):
            return self.encode(made)
        dated = [one if isinstance(one, tuple) else (message.now, one) for one in made]
        stamped = tuple(s.EventAndTimestamp(timestamp=when, event=event) for when, event in dated)
        return self.encode(s.Message(now=max([message.now, *(when for when, _ in dated)]), events=stamped))

    def stop(self):
        """Nothing."""

    def told(self, kind):
        return [(m.now, e.event) for m in self.said for e in m.events if isinstance(e.event, kind)]

    @property
    def rows(self):
        return {row["job_id"]: row for row in self.run.jobs.to_dicts()}


FORMS = pytest.mark.parametrize("as_json", [False, True], ids=["binary", "json"])


def spread(strategy=s.PredefinedExecutorPlacementStrategy.SpreadOverHostsFirst):
    return s.PredefinedExecutorPlacementStrategyWrapper(strategy=strategy)


def execute(job_id, hosts="0", placement=None, **more):
    allocation = s.AllocationPlacement(host_allocation=hosts, executor_placement=placement or spread())
    return s.ExecuteJobEvent(job_id=job_id, allocation=allocation, **more)


def at_once(hosts="0", **more):
    return lambda _, events: [execute(e.job_id, hosts, **more) for e in events if isinstance(e, s.JobSubmittedEvent)]


def call(name, date, unit=s.TimeUnit.Millisecond):
    scale = 1000 if unit is s.TimeUnit.Millisecond else 1
    return s.CallMeLaterEvent(call_me_later_id=name, when=s.OneShot(time=round(date * scale), time_unit=unit))


def when(**dates):
    """What is said at dates, written ``t10=[...]``; those of t0 at the beginning."""
    plan = {float(name[1:].replace("_", ".")): said for name, said in dates.items()}

    def answer(now, events):
        if isinstance(events[0], s.SimulationBeginsEvent):
            return [*plan.get(0.0, []), *(call(f"when {date}", date) for date in plan if date)]
        due = [e for e in events if isinstance(e, s.RequestedCallEvent) and e.call_me_later_id.startswith("when ")]
        return plan[now] if due else []

    return answer


def both(*answers):
    return lambda now, events: [event for answer in answers for event in answer(now, events)]


def named(profile, name="d!p", extra_data=None):
    return s.RegisterProfileEvent(profile=s.ProfileAndId(id=name, profile=profile, extra_data=extra_data))


def registered(name="d!1", profile="d!p", hosts=2, **more):
    return s.RegisterJobEvent(job_id=name, job=s.Job(resource_request=hosts, profile_id=profile, **more))


FINISHED = s.FinishRegistrationEvent()

# -- messages -----------------------------------------------------------------------------------------------------------


@FORMS
def test_dates_of_a_reply_are_in_order(as_json):
    """What is dated before the present is done at once; the rest when it says."""
    early = lambda now, e: (  # noqa: E731
        [(now - 3.0, execute("w0!1", "0")), (now + 2.0, execute("w0!2", "1"))]
        if any(isinstance(x, s.RequestedCallEvent) for x in e)
        else [call("x", 5.0)] * isinstance(e[0], s.SimulationBeginsEvent)
    )
    rows = Played(early, workload(job(1, run=3.0), job(2, run=3.0)), as_json=as_json).rows
    assert [rows[name]["starting_time"] for name in "12"] == [5.0, 7.0]
    for stamps, now, said in (((2.0, 1.0), 9.0, "chronological order"), ((9.0,), 5.0, "after message's now")):
        events = tuple(s.EventAndTimestamp(timestamp=t, event=call("x", 20.0)) for t in stamps)
        with pytest.raises(ProtocolError, match=said):
            Played(lambda *_, n=now, e=events: s.Message(now=n, events=e), as_json=as_json)


@FORMS
def test_a_reply_says_until_when_the_component_is_busy(as_json):
    slow = lambda now, e: (  # noqa: E731
        s.Message(now=4.0, events=()) if isinstance(e[0], s.SimulationBeginsEvent) else at_once()(now, e)
    )
    played = Played(slow, workload(job(1, run=3.0, at=1.0)), as_json=as_json)
    assert [message.now for message in played.said][:2] == [0.0, 4.0]
    assert played.said[1].events[0].timestamp == 1.0


# -- profiles -----------------------------------------------------------------------------------------------------------

EACH = s.HomogeneousParallelTaskGenerationStrategy.DefinedAmountsUsedForEachValue
SHARED = s.HomogeneousParallelTaskGenerationStrategy.DefinedAmountsSpreadUniformly
PARTS = [
    named(s.DelayProfile(delay=3.0), "d!wait"),
    named(s.ParallelTaskHomogeneousProfile(computation_amount=2e9), "d!task"),
]
RUNS = {
    "delay": (s.DelayProfile(delay=7.5), 7.5),
    "computations": (s.ParallelTaskProfile(computation_vector=(1e9, 4e9)), 4.0),
    "communications": (s.ParallelTaskProfile(communication_matrix=(0.0, 3e8, 0.0, 0.0)), 3.0),
    "both": (s.ParallelTaskProfile(computation_vector=(1e9, 1e9), communication_matrix=(0.0, 3e8, 0.0, 0.0)), 3.0),
    "each computes": (s.ParallelTaskHomogeneousProfile(computation_amount=2e9, generation_strategy=EACH), 2.0),
    "each sends": (s.ParallelTaskHomogeneousProfile(communication_amount=1e8, generation_strategy=EACH), 2.0),
    "spread computations": (
        s.ParallelTaskHomogeneousProfile(computation_amount=2e9, generation_strategy=SHARED),
        1.0,
    ),
    "spread communications": (
        s.ParallelTaskHomogeneousProfile(communication_amount=1e8, generation_strategy=SHARED),
        1.0,
    ),
    "nothing": (s.ParallelTaskHomogeneousProfile(), 0.0),
    "sequence": (s.SequentialCompositionProfile(profile_ids=("d!wait", "task")), 5.0),
    "repeated": (s.SequentialCompositionProfile(profile_ids=("d!wait", "d!task"), repetition_count=3), 15.0),
    "fork-join": (s.ForkJoinCompositionProfile(profile_ids=("d!wait", "d!task")), 3.0),
    "merge": (s.ParallelTaskMergeCompositionProfile(profile_ids=("d!task", "d!task")), 4.0),
    "reading": (s.ParallelTaskOnStorageHomogeneousProfile(storage_name="pfs", bytes_to_read=1e8), 2.0),
    "writing": (s.ParallelTaskOnStorageHomogeneousProfile(storage_name="pfs", bytes_to_write=2e8), 4.0),
    "spread reading": (
        s.ParallelTaskOnStorageHomogeneousProfile(storage_name="pfs", bytes_to_read=1e8, generation_strategy=SHARED),
        1.0,
    ),
    "staging": (
        s.ParallelTaskDataStagingBetweenStoragesProfile(
            bytes_to_transfer=3e8, emitter_storage_name="pfs", receiver_storage_name="nvme"
        ),
        3.0,
    ),
}


@pytest.mark.parametrize("what", RUNS)
@FORMS
def test_every_kind_of_profile_lasts_what_its_members_say(what, as_json):
    """Registered and run on two hosts of one core of 1 Gf, behind links of 100 MB/s."""
    profile, seconds = RUNS[what]
    answer = when(t10=[*PARTS, named(profile), registered(), execute("d!1", "0-1"), FINISHED])
    row = Played(answer, site=star(cores=1), as_json=as_json, dynamic_registration=True).rows["1"]
    assert row["finish_time"] == pytest.approx(10.0 + seconds, abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "lines", "seconds"),
    [(s.TraceType.SMPI, "compute 5e9", 5.0), (s.TraceType.FractionalComputation, "m_usage 1.0 4e9", 4.0)],
)
def test_traces_are_named_by_a_file_that_lists_those_of_the_executors(kind, lines, seconds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.txt").write_text("rank0.txt\nrank1.txt\n")
    for rank in range(2):
        (tmp_path / f"rank{rank}.txt").write_text(f"{rank} {lines}\n")
    profile = named(s.TraceReplayProfile(trace_type=kind, filename="main.txt"))
    answer = when(t10=[profile, registered(), execute("d!1", "0-1"), FINISHED])
    row = Played(answer, site=star(cores=1), dynamic_registration=True).rows["1"]
    assert row["finish_time"] == pytest.approx(10.0 + seconds, abs=1e-3)


# -- jobs ---------------------------------------------------------------------------------------------------------------


@FORMS
@pytest.mark.parametrize("forward", [False, True])
def test_a_submission_tells_the_job(as_json, forward):
    made = replace(job(1, 3, run=5.0, at=2.0, walltime=9.0), extra_data='{"a": 1}')
    played = Played(
        at_once("0-2"),
        workload(made, job(2, 1, run=5.0)),
        as_json=as_json,
        forward_profiles_on_job_submission=forward,
    )
    told = {event.job_id: event for _, event in played.told(s.JobSubmittedEvent)}
    first = told["w0!1"]
    assert (first.job.resource_request, first.job.walltime, first.job.extra_data) == (3, 9.0, '{"a": 1}')
    assert (first.job.profile_id, first.submission_time) == (made.profile.id, 2.0)
    assert told["w0!2"].job.walltime is None
    assert (first.profile is not None) == forward
    if forward:
        assert (first.profile.id, first.profile.profile) == (made.profile.id, s.DelayProfile(delay=5.0))


def test_the_name_of_a_profile_alone_is_one_of_the_workload_of_its_job():
    answer = when(t1=[named(s.DelayProfile(delay=4.0)), registered(profile="p"), execute("d!1", "0-1"), FINISHED])
    assert Played(answer, dynamic_registration=True).rows["1"]["finish_time"] == 5.0
    with pytest.raises(DecisionError, match="does not exist"):
        Played(when(t1=[named(s.DelayProfile(delay=4.0)), registered("e!1", profile="p")]), dynamic_registration=True)


ENDS = {
    "COMPLETED_SUCCESSFULLY": (DelayProfile(id="w0!d", delay=4.0), inf, 0),
    "COMPLETED_FAILED": (DelayProfile(id="w0!d", delay=4.0, return_code=7), inf, 7),
    "COMPLETED_WALLTIME_REACHED": (DelayProfile(id="w0!d", delay=4.0), 2.0, -1),
    "COMPLETED_KILLED": (DelayProfile(id="w0!d", delay=40.0), inf, -1),
}


@FORMS
@pytest.mark.parametrize("state", ENDS)
def test_an_end_says_state_and_return_code(state, as_json):
    run, walltime, code = ENDS[state]
    kill = when(t10=[s.KillJobsEvent(job_ids=("w0!1",))] if state == "COMPLETED_KILLED" else [])
    played = Played(both(at_once(), kill), workload(job(1, run=run, walltime=walltime)), as_json=as_json)
    ((_, event),) = played.told(s.JobCompletedEvent)
    assert (event.job_id, event.state, event.return_code) == ("w0!1", s.FinalJobState[state], code)


def test_a_rejected_job_is_in_the_table_and_nothing_acknowledges_it():
    reject = lambda _, e: [s.RejectJobEvent(job_id=x.job_id) for x in e if isinstance(x, s.JobSubmittedEvent)]  # noqa: E731
    played = Played(reject, workload(job(1)))
    assert played.rows["1"]["final_state"] == s.FinalJobState.REJECTED.name
    assert played.told(s.JobCompletedEvent) == []
    with pytest.raises(DecisionError, match="has already been told"):
        Played(both(reject, when(t5=[s.RejectJobEvent(job_id="w0!1")])), workload(job(1), job(2, at=9.0)))


# -- executions ---------------------------------------------------------------------------------------------------------

TASK = s.ParallelTaskProfile(communication_matrix=(0.0, 1e8, *[0.0] * 14))
"""Four executors; the first sends 100 MB to the second."""
FILL = s.PredefinedExecutorPlacementStrategy.FillOneHostCoresFirst


@pytest.mark.parametrize(
    ("placement", "seconds"),
    [
        (spread(), 1.0),  # hosts 0 1 0 1
        (s.PredefinedExecutorPlacementStrategyWrapper(), 1.0),  # which is the default
        (spread(FILL), 0.01),  # hosts 0 0 1 1: within a host
        (s.CustomExecutorToHostMapping(mapping=(1, 1, 0, 0)), 0.01),
        (s.CustomExecutorToHostMapping(mapping=(1, 0, 0, 0)), 1.0),
    ],
)
@FORMS
def test_where_executors_run(placement, seconds, as_json):
    said = [named(TASK), registered(hosts=4), execute("d!1", "2-3", placement), FINISHED]
    row = Played(when(t1=said), site=star(), as_json=as_json, dynamic_registration=True).rows["1"]
    assert row["finish_time"] == pytest.approx(1.0 + seconds)


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ((0, 1, 0), "size=3, which is not equal to nb_res=4"),
        ((0, 1, 2, 0), r"names ranks \[2\]"),
        ((), "size=0|no executor"),
    ],
)
def test_a_mapping_has_one_rank_of_the_allocation_for_each_executor(mapping, said):
    placement = s.CustomExecutorToHostMapping(mapping=mapping)
    with pytest.raises(DecisionError, match=said):
        Played(
            when(t1=[named(TASK), registered(hosts=4), execute("d!1", "2-3", placement)]), dynamic_registration=True
        )


def test_hosts_are_an_interval_set_of_hosts_that_exist():
    assert str(Played(at_once("0 2-3"), workload(job(1, 3, run=1.0))).rows["1"]["allocated_resources"]) == "0 2-3"
    with pytest.raises(ProtocolError, match="host_allocation"):
        Played(at_once("3-1"), workload(job(1, run=1.0)))
    with pytest.raises(DecisionError, match="there is no compute host 7"):
        Played(at_once("7"), workload(job(1, run=1.0)))


def test_a_part_of_a_composition_may_be_placed_elsewhere():
    filled = s.ProfileAllocationPlacement(profile_id="d!task", host_allocation="3", executor_placement=spread(FILL))
    whole = s.SequentialCompositionProfile(profile_ids=("d!task",))
    said = [
        *PARTS,
        named(whole),
        registered(),
        execute("d!1", "0-1", profile_allocation_override=(filled,)),
        FINISHED,
    ]
    assert Played(when(t1=said), site=star(cores=1), dynamic_registration=True).rows["1"]["finish_time"] == 5.0
    unknown = replace(filled, profile_id="d!tsk")
    said = [*said[:-2], execute("d!1", "0-1", profile_allocation_override=(unknown,))]
    with pytest.raises(DecisionError, match="did you mean 'd!task'"):
        Played(when(t1=said), site=star(cores=1), dynamic_registration=True)


def test_names_of_storages_are_placed():
    """A name that is none of a storage needs a placement; one that is, may have another."""
    site = star(cores=1)
    ids = {storage.name: storage.id for storage in site.storages}
    reading = named(s.ParallelTaskOnStorageHomogeneousProfile(storage_name="scratch", bytes_to_read=1e8))
    placed = (s.StorageHost(storage_name="scratch", host_id=ids["nvme"]),)
    said = [reading, registered(), execute("d!1", "0-1", storage_placement=placed), FINISHED]
    assert Played(when(t1=said), site=site, dynamic_registration=True).rows["1"]["finish_time"] == pytest.approx(3.0)
    with pytest.raises(DecisionError, match="no storage is given for the label 'scratch'"):
        Played(when(t1=[reading, registered(), execute("d!1", "0-1")]), site=site, dynamic_registration=True)


def test_what_is_placed_twice_is_refused():
    twice = tuple(s.StorageHost(storage_name="scratch", host_id=host) for host in (4, 5))
    with pytest.raises(ProtocolError, match="'d!1': storage_placement places a storage twice"):
        decision_in(execute("d!1", "0-1", storage_placement=twice), None)
    spread = s.PredefinedExecutorPlacementStrategyWrapper()
    again = tuple(
        s.ProfileAllocationPlacement(profile_id=name, host_allocation="0", executor_placement=spread)
        for name in ("d!task", "task")
    )
    with pytest.raises(ProtocolError, match="profile_allocation_override places a profile twice"):
        decision_in(execute("d!1", "0-1", profile_allocation_override=again), None)


# -- kills --------------------------------------------------------------------------------------------------------------


def progress_of(profile, *, forward=False, after=2.5):
    said = [*PARTS, named(profile), registered(), execute("d!1", "0-1"), FINISHED]
    kill = s.KillJobsEvent(job_ids=("d!1",))
    features = {"dynamic_registration": True, "forward_profiles_on_jobs_killed": forward}
    answer = when(**{"t1": said, f"t{1 + after}".replace(".", "_"): [kill]})
    ((_, event),) = Played(answer, site=star(cores=1), **features).told(s.JobsKilledEvent)
    assert event.job_ids == ("d!1",)
    (one,) = event.progresses
    assert one.job_id == "d!1"
    return one.wrapper.kill_progress, event.profiles


def test_progress_of_a_task_is_a_fraction():
    found, profiles = progress_of(s.DelayProfile(delay=10.0))
    assert found == s.KillProgressAtomicProfile(profile_id="d!p", progress=0.25)
    assert profiles is None


def test_progress_of_a_sequence_is_where_it_stood():
    found, _ = progress_of(
        s.SequentialCompositionProfile(profile_ids=("d!task", "d!wait"), repetition_count=3), after=6.0
    )
    assert (found.profile_id, found.current_repetition, found.current_task_index) == ("d!p", 1, 0)
    inner = found.current_task_progress.kill_progress
    assert (inner.profile_id, inner.progress) == ("d!task", pytest.approx(0.5))


def test_progress_of_a_fork_join_is_that_of_each_task():
    found, _ = progress_of(s.ForkJoinCompositionProfile(profile_ids=("d!task", "d!wait")), after=1.5)
    assert found.profile_id == "d!p"
    inner = [(one.kill_progress.profile_id, one.kill_progress.progress) for one in found.tasks_progress]
    assert inner == [("d!task", pytest.approx(0.75)), ("d!wait", pytest.approx(0.5))]


def test_progress_of_a_replay_is_a_fraction_too(tmp_path, monkeypatch):
    """Batsim says -1, outside of what the schema says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.txt").write_text("r0\nr1\n")
    for rank in range(2):
        (tmp_path / f"r{rank}").write_text(f"{rank} compute 1e10\n")
    found, _ = progress_of(s.TraceReplayProfile(filename="main.txt"))
    assert found.progress == pytest.approx(0.25)


def test_profiles_of_killed_jobs_are_forwarded_where_that_is_asked_for():
    _, (profile,) = progress_of(s.DelayProfile(delay=10.0), forward=True)
    assert (profile.id, profile.profile) == ("d!p", s.DelayProfile(delay=10.0))


def test_jobs_that_ended_before_their_kill_are_acknowledged_without_progress():
    kill = s.KillJobsEvent(job_ids=("w0!1", "w0!2"))
    played = Played(both(at_once(), when(t3=[kill])), workload(job(1, run=1.0), job(2, run=9.0)))
    ((_, event),) = played.told(s.JobsKilledEvent)
    assert (event.job_ids, [one.job_id for one in event.progresses]) == (("w0!1", "w0!2"), ["w0!2"])


# -- registration -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("acknowledged", [False, True])
def test_registered_jobs_are_told_where_that_is_asked_for(acknowledged):
    said = [named(s.DelayProfile(delay=4.0), extra_data="x"), registered(extra_data="mine"), FINISHED]
    said += [] if acknowledged else [execute("d!1", "0-1")]
    features = {"dynamic_registration": True, "acknowledge_dynamic_jobs": acknowledged}
    played = Played(both(at_once("0-1"), when(t3=said)), **features, forward_profiles_on_job_submission=True)
    told = [event for _, event in played.told(s.JobSubmittedEvent)]
    assert [event.job_id for event in told] == ["d!1"] * acknowledged
    assert [(e.job.extra_data, e.profile.extra_data, e.submission_time) for e in told] == [
        ("mine", "x", 3.0)
    ] * acknowledged
    assert played.rows["1"]["finish_time"] == 7.0


def test_the_run_waits_for_the_end_of_registration_that_was_asked_for():
    with pytest.raises(DeadlockError, match="dynamic registration"):
        Played(at_once(), workload(job(1, run=1.0)), dynamic_registration=True)
    assert Played(at_once(), workload(job(1, run=1.0))).rows["1"]["finish_time"] == 1.0


@pytest.mark.parametrize("reuse", [False, True])
def test_profiles_can_be_used_again_where_that_is_asked_for(reuse):
    said = when(t20=[registered(profile="w0!delay5", hosts=1), execute("d!1"), FINISHED])
    features = {"dynamic_registration": True, "profile_reuse": reuse}
    work = workload(job(1, run=5.0))
    if reuse:
        assert Played(both(at_once(), said), work, **features).rows["1"] is not None
    else:
        with pytest.raises(DecisionError, match="existed some time ago"):
            Played(both(at_once(), said), work, **features)


@pytest.mark.parametrize("forward", [False, True])
def test_profiles_are_told_at_the_beginning_where_that_is_asked_for(forward):
    work = workload(job(1, run=5.0), profiles=[DelayProfile(id="w0!spare", delay=3.0)])
    played = Played(at_once(), work, forward_profiles_on_simulation_begins=forward)
    ((_, begins),) = played.told(s.SimulationBeginsEvent)
    if forward:
        told = {found.id: found.profile for found in begins.profiles}
        assert told == {"w0!delay5": s.DelayProfile(delay=5.0), "w0!spare": s.DelayProfile(delay=3.0)}
    else:
        assert begins.profiles is None


# -- probes -------------------------------------------------------------------------------------------------------------


def probe(name="p", metrics=s.Metrics.ComputationLoad, hosts="0-1", trigger=None, **more):
    trigger = trigger or s.Periodic(period=2, mode=s.FinitePeriodNumber(nb_periods=2))
    fields = {
        "resources": s.HostResources(host_ids=hosts),
        "data_accumulation_strategy": s.NoProbeDataAccumulation(),
        "measurement_triggering_policy": s.TemporalTriggerWrapper(temporal_trigger=trigger),
        "resources_aggregation_function": s.NoResourcesAggregation(),
        "temporal_aggregation_function": s.NoTemporalAggregation(),
        "emission_filtering_policy": s.NoFiltering(),
    }
    return s.CreateProbeEvent(probe_id=name, metrics=metrics, **(fields | more))


COMPUTES = JobList(
    "w0",
    (Job(id="w0!1", request=Request(1), profile=DelayProfile(id="w0!d", delay=9.0), submission_time=0.0),),
)


def emitted(*probes, work=COMPUTES, **more):
    site = more.pop("site", None) or star(cores=1)
    return [
        event
        for _, event in Played(both(at_once(), when(t0=list(probes))), work, site=site, **more).told(
            s.ProbeDataEmittedEvent
        )
    ]


def busy(seconds=5.0):
    return workload(job(1, run=ParallelTaskHomogeneousProfile(id="w0!c", computation_amount=seconds * 1e9)))


@FORMS
def test_a_probe_tells_of_each_resource_in_order(as_json):
    first, second = emitted(probe(), work=busy(), as_json=as_json)
    assert (first.probe_id, first.metrics) == ("p", s.Metrics.ComputationLoad)
    assert first.resources == s.HostResources(host_ids="0-1")
    assert first.data == s.VectorialProbeData(data=(1e9, 0.0))
    assert second.data == s.VectorialProbeData(data=(0.0, 0.0))
    assert [(e.nb_triggered, e.nb_emitted, e.manually_triggered) for e in (first, second)] == [
        (1, 1, False),
        (2, 2, False),
    ]


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (s.Sum(), 1e9),
        (s.ArithmeticMean(), 5e8),
        (s.QuantileFunction(threshold=1.0), 1e9),
        (s.QuantileFunction(), 0.0),
    ],
)
@FORMS
def test_what_several_resources_measure_may_be_one_value(function, value, as_json):
    assert emitted(probe(resources_aggregation_function=function), work=busy(), as_json=as_json)[0].data == (
        s.AggregatedProbeData(data=value)
    )


def test_what_is_measured_may_be_accumulated():
    """Summed over time since the start, or since each emission; divided by the time; the extreme."""
    every = s.Periodic(period=2, mode=s.FinitePeriodNumber(nb_periods=3))

    def made(name, reset=None, **more):
        strategy = s.ProbeDataAccumulation(reset_mode=reset or s.NoReset(), **more)
        return probe(name, hosts="0", trigger=every, data_accumulation_strategy=strategy)

    told = emitted(
        made("sum"),
        made("each", s.ProbeAccumulationReset(new_value=5.0)),
        made("rate", s.ProbeAccumulationReset(), temporal_normalization=True),
        made("max", s.ProbeAccumulationReset(), cumulative_function=s.CumulativeFunction.Maximum),
        made("min", cumulative_function=s.CumulativeFunction.Minimum),
        work=busy(5.0),
    )
    values = {
        name: [e.data.data[0] for e in told if e.probe_id == name] for name in ("sum", "each", "rate", "max", "min")
    }
    assert values["sum"] == pytest.approx([4e9, 5e9, 5e9])
    assert values["each"] == pytest.approx([5.0 + 2e9, 5.0 + 1e9, 5.0])
    assert values["rate"] == pytest.approx([1e9, 0.5e9, 0.0])
    assert values["max"] == pytest.approx([1e9, 1e9, 0.0])
    assert values["min"] == pytest.approx([1e9, 0.0, 0.0])


def test_probes_can_be_triggered_reset_and_stopped():
    summed = s.ProbeDataAccumulation(reset_mode=s.NoReset())
    never = s.ThresholdFilteringFunction(threshold=1e300, operator=s.BooleanComparisonOperator.GreaterThan)
    always = s.Periodic(period=100, mode=s.Infinite())
    made = probe(hosts="0", trigger=always, data_accumulation_strategy=summed, emission_filtering_policy=never)
    answer = when(
        t0=[made],
        t1=[s.TriggerProbeEvent(probe_id="p")],
        t2=[
            s.TriggerProbeEvent(probe_id="p", force_data_emission=False),
            s.ResetProbeEvent(probe_id="p", new_value=3.0),
        ],
        t3=[s.TriggerProbeEvent(probe_id="p"), s.StopProbeEvent(probe_id="p")],
    )
    told = Played(both(at_once(), answer), busy(9.0), site=star(cores=1)).told(s.ProbeDataEmittedEvent)
    assert [(now, e.data.data[0], e.manually_triggered, e.nb_triggered, e.nb_emitted) for now, e in told] == [
        (1.0, pytest.approx(1e9), True, 1, 1),
        (3.0, pytest.approx(1e9 + 3.0), True, 3, 2),
    ]


@pytest.mark.parametrize(
    ("operator", "passes"),
    [("GreaterThan", False), ("GreaterThanOrEqual", True), ("LessThan", False), ("LessThanOrEqual", True)],
)
def test_emissions_are_filtered(operator, passes):
    policy = s.ThresholdFilteringFunction(threshold=1e9, operator=s.BooleanComparisonOperator[operator])
    told = emitted(probe(hosts="0", trigger=s.OneShot(time=1), emission_filtering_policy=policy), work=busy())
    assert bool(told) == passes


@pytest.mark.parametrize("table", [s.ExponentialMovingAverage(), s.SlidingWindowOperation()])
def test_averages_over_time_have_our_parameters(table):
    """Their tables are empty in the schema."""
    told = emitted(probe(hosts="0", temporal_aggregation_function=table), work=busy(5.0))
    assert told[0].data.data == (1e9,)
    assert 0.0 < told[1].data.data[0] < 1e9


def test_power_is_in_watts_and_adds_up_to_joules():
    joules = s.ProbeDataAccumulation(reset_mode=s.NoReset())
    once = s.OneShot(time=3)
    told = emitted(
        probe("W", s.Metrics.Power, trigger=once),
        probe("J", s.Metrics.Power, trigger=once, data_accumulation_strategy=joules),
        work=busy(9.0),
        site=sleepy(),
        energy=True,
    )
    assert {e.probe_id: e.data.data for e in told} == {"W": (190.0, 95.0), "J": (pytest.approx(570.0), 285.0)}


def test_loads_of_links_and_shares():
    """100 MB/s from host 0 to host 1."""
    sends = ParallelTaskProfile(id="w0!s", communication_matrix=(0.0, 1e9, 0.0, 0.0))
    links, once = s.LinkResources(link_ids=("l-n0", "l-n2")), s.OneShot(time=1)
    answer = when(
        t0=[
            probe("links", s.Metrics.NetworkLoad, trigger=once, resources=links),
            probe("share", s.Metrics.NormalizedNetworkLoad, trigger=once, resources=links),
            probe("hosts", s.Metrics.NormalizedComputationLoad, trigger=once),
        ]
    )
    played = Played(both(at_once("0-1"), answer), workload(job(1, 2, run=sends)), site=star(cores=1))
    told = {event.probe_id: event for _, event in played.told(s.ProbeDataEmittedEvent)}
    assert told["links"].resources == links
    assert told["links"].data.data == (pytest.approx(1e8), 0.0)
    assert told["share"].data.data == (pytest.approx(1.0), 0.0)
    assert told["hosts"].data.data == (0.0, 0.0)


@pytest.mark.parametrize("metrics", [s.Metrics.NormalizedNetworkLoad, s.Metrics.NormalizedComputationLoad])
def test_shares_are_not_summed_over_time(metrics):
    with pytest.raises(DecisionError, match="cannot be accumulated by Sum"):
        emitted(probe(metrics=metrics, data_accumulation_strategy=s.ProbeDataAccumulation(reset_mode=s.NoReset())))


# -- calls --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("unit", "scale"), [(s.TimeUnit.Second, 1), (s.TimeUnit.Millisecond, 1000)])
@FORMS
def test_calls_happen_when_they_were_asked_for(unit, scale, as_json):
    """Once, or again and again, aligned to date 0 and shifted by the offset; the last of so many says so."""
    asked = [
        s.CallMeLaterEvent(call_me_later_id="once", when=s.OneShot(time=7 * scale, time_unit=unit)),
        s.CallMeLaterEvent(
            call_me_later_id="twice",
            when=s.Periodic(period=4 * scale, offset=scale, time_unit=unit, mode=s.FinitePeriodNumber(nb_periods=2)),
        ),
        s.CallMeLaterEvent(
            call_me_later_id="always", when=s.Periodic(period=3 * scale, time_unit=unit, mode=s.Infinite())
        ),
    ]
    stop = s.StopCallMeLaterEvent(call_me_later_id="always")
    played = Played(when(t0=asked, t10=[stop]), as_json=as_json)
    told = [(now, e.call_me_later_id, e.last_periodic_call) for now, e in played.told(s.RequestedCallEvent)]
    assert [one for one in told if not one[1].startswith("when")] == [
        (1.0, "twice", False),
        (3.0, "always", False),
        (5.0, "twice", True),
        (6.0, "always", False),
        (7.0, "once", False),
        (9.0, "always", False),
    ]


def test_units_and_offsets_have_defaults():
    assert s.OneShot().time_unit is s.TimeUnit.Second
    assert (s.Periodic(mode=s.Infinite()).offset, s.Periodic(mode=s.Infinite()).time_unit) == (0, s.TimeUnit.Second)
    again = s.CallMeLaterEvent(
        call_me_later_id="a", when=s.Periodic(period=5, mode=s.FinitePeriodNumber(nb_periods=1))
    )
    ((now, event),) = Played(when(t0=[again])).told(s.RequestedCallEvent)
    assert (now, event.last_periodic_call) == (5.0, True)


def test_calls_that_happen_once_can_be_stopped_and_unknown_ones_are_told():
    stops = [s.StopCallMeLaterEvent(call_me_later_id=name) for name in ("late", "never")]
    played = Played(when(t0=[call("late", 50.0)], t3=stops))
    assert [e.call_me_later_id for _, e in played.told(s.RequestedCallEvent)] == ["when 3.0"]
    assert [(line.kind, line.place) for line in played.run.account] == [("unknown-call", "never")]


# -- the beginning and the end --------------------------------------------------------------------------------------------


@FORMS
def test_the_beginning_tells_the_site(as_json):
    storage = Host(id=3, name="disk", storage=True)
    hosts = (
        Host(
            id=0,
            name="a",
            cores=4,
            pstates=STATES[:2],
            pstate=1,
            properties={"mem": "64"},
            zone_properties={"z": "1"},
        ),
        Host(id=1, name="b", pstates=STATES, pstate=2, sleep_pstates={2: (3, 4)}),
        Host(id=2, name="c", pstates=STATES[:1]),
    )
    news = EventList(name="ee0", events=(), path="/e.txt")
    work = JobList("w0", (), path="/w.json")
    played = Played(
        when(), work, site=Platform(name="p", hosts=hosts, storages=(storage,)), events=[news], as_json=as_json
    )
    ((now, told),) = played.told(s.SimulationBeginsEvent)
    assert now == 0.0
    assert len(played.said[0].events) == 1
    assert (told.host_number, told.computation_host_number, told.storage_host_number) == (4, 3, 1)
    first, _, third = told.computation_hosts
    assert (first.id, first.name, first.pstate, first.pstate_count, first.core_count) == (0, "a", 1, 2, 4)
    assert first.computation_speed == (1e9, 5e8)
    assert first.properties == (s.HostProperty(key="mem", value="64"),)
    assert first.zone_properties == (s.HostProperty(key="z", value="1"),)
    states = [host.state for host in told.computation_hosts]
    assert states == [s.HostState.IDLE, s.HostState.SLEEPING, s.HostState.IDLE]
    assert (third.pstate, third.pstate_count, third.core_count) == (0, 1, 1)
    assert [host.name for host in told.storage_hosts] == ["disk"]
    assert told.workloads == (s.WorkloadAndFilename(name="w0", filename="/w.json"),)
    assert told.external_event_lists == (s.ExternalEventListAndFilename(name="ee0", filename="/e.txt"),)
    assert told.batprotocol_version == "1.0.0"
    assert "," not in told.batsim_version
    assert '"' not in told.batsim_version
    assert set(told.batsim_commit or "") <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "what", ["decision_component_name", "decision_component_version", "decision_component_commit"]
)
@pytest.mark.parametrize("mark", [",", '"'])
def test_marks_that_a_component_s_names_cannot_hold(what, mark):
    """Ours refuse to say them; who says them is read, quoted where tables need it."""
    ours = {
        "decision_component_name": "name",
        "decision_component_version": "version",
        "decision_component_commit": "commit",
    }
    with pytest.raises(UsageError, match="neither comma nor double quote"):
        hello_out(replace(Hello(name="n", version="v", commit="c"), **{ours[what]: f"a{mark}b"}))


@pytest.mark.parametrize("name", ["mine", 'one, or "two"'])
def test_who_decides_is_kept_in_the_run(tmp_path, name):
    """Marks that a name should not hold do no harm."""
    hello = s.EDCHelloEvent(
        batprotocol_version="1.0.0",
        batprotocol_commit="beef",
        decision_component_name=name,
        decision_component_version="v3.2.0-1",
        decision_component_commit="880dd60c",
        requested_simulation_features=s.EDCRequestedSimulationFeatures(),
    )
    Played(at_once(), workload(job(1, run=1.0)), hello=hello, out=tmp_path / "out")
    (kept,) = json.loads((tmp_path / "out" / "run.json").read_text())["components"]
    del kept["called"]
    assert kept == {
        "name": name,
        "version": "v3.2.0-1",
        "commit": "880dd60c",
        "protocol_version": "1.0.0",
        "protocol_commit": "beef",
    }


def test_another_version_of_the_protocol_is_a_warning(caplog):
    hello = replace(hello_out(Hello(name="edc", version="1")), batprotocol_version="0.1.0")
    Played(at_once(), workload(job(1, run=1.0)), hello=hello)
    assert "speaks batprotocol 0.1.0" in caplog.text


def test_no_feature_is_asked_for_unless_it_is_said():
    assert s.EDCRequestedSimulationFeatures() == s.EDCRequestedSimulationFeatures(
        **dict.fromkeys(s.EDCRequestedSimulationFeatures.__struct_fields__, False)
    )
    assert len(s.EDCRequestedSimulationFeatures.__struct_fields__) == 6


@FORMS
def test_what_comes_last_is_told(as_json):
    news = EventList(
        name="ee0", events=(ExternalEvent(timestamp=2.0, kind="generic", data="news", id="ee0!0"),), path="/e.txt"
    )
    played = Played(at_once(), workload(job(1, run=5.0, at=1.0)), events=[news], as_json=as_json)
    ((at, event),) = played.told(s.ExternalEventOccurredEvent)
    assert (at, event.id, event.external_event) == (2.0, "ee0!0", s.GenericExternalEvent(data="news"))
    assert [now for now, _ in played.told(s.AllStaticJobsHaveBeenSubmittedEvent)] == [1.0]
    assert [now for now, _ in played.told(s.AllStaticExternalEventsHaveBeenInjectedEvent)] == [2.0]
    assert [now for now, _ in played.told(s.SimulationEndsEvent)] == [6.0]
    assert len(played.said[-1].events) == 1


def test_a_failure_is_told():
    told = []

    def answer(now, events):
        told.extend(e.error for e in events if isinstance(e, s.SimulationErrorEvent))
        return at_once("9")(now, events)

    with pytest.raises(DecisionError):
        Played(answer, workload(job(1, run=1.0)))
    (error,) = told
    assert "w0!1" in error or "9" in error


def test_a_run_can_be_stopped():
    played = Played(
        both(at_once(), when(t3=[s.ForceSimulationStopEvent()])), workload(job(1, run=9.0), job(2, at=50.0))
    )
    assert [now for now, _ in played.told(s.SimulationEndsEvent)] == [3.0]
    assert "jobs: 1 running, 1 not submitted yet" in played.run.outcome
    assert played.rows == {}


# -- power states -------------------------------------------------------------------------------------------------------


@FORMS
def test_power_states_are_changed_at_once(as_json):
    change = s.ChangeHostsPStateEvent(host_ids="0 2", pstate=1)
    played = Played(both(at_once(), when(t0=[change])), busy(2.0), site=sleepy(), as_json=as_json)
    assert played.told(s.HostsPStateChangedEvent) == [(0.0, s.HostsPStateChangedEvent(host_ids="0 2", pstate=1))]
    assert played.rows["1"]["finish_time"] == pytest.approx(4.0)


@FORMS
def test_hosts_are_switched_off_and_on_and_it_is_told_when_all_are(as_json):
    """10 s off, 5 s on."""
    off = s.TurnOnOffHostsEvent(host_ids="1-2", state=2)
    on = s.TurnOnOffHostsEvent(host_ids="1-2", state=0)
    played = Played(when(t0=[off], t20=[on]), site=sleepy(), as_json=as_json)
    assert played.told(s.HostsTurnedOnOffEvent) == [
        (10.0, s.HostsTurnedOnOffEvent(host_ids="1-2", state=2)),
        (25.0, s.HostsTurnedOnOffEvent(host_ids="1-2", state=0)),
    ]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (s.TurnOnOffHostsEvent(host_ids="0", state=0), "already in a computing pstate"),
        (s.TurnOnOffHostsEvent(host_ids="0", state=9), "9"),
        (s.ChangeHostsPStateEvent(host_ids="0", pstate=9), "9"),
        (s.ChangeHostsPStateEvent(host_ids="7", pstate=0), "7"),
    ],
)
def test_switches_that_make_no_sense_are_refused(event, said):
    with pytest.raises(DecisionError, match=said):
        Played(when(t0=[event]), site=sleepy())


def test_counts_that_contradict_are_refused():
    """By our schedulers, served: so many power states, and speeds for others."""
    host = s.Host(id=0, name="a", pstate_count=3, computation_speed=(1e9,))
    begins = s.SimulationBeginsEvent(
        batprotocol_version="1.0.0",
        batsim_version="5",
        computation_hosts=(host,),
        storage_hosts=(),
        batsim_arguments=(),
        batsim_execution_context_json="{}",
        workloads=(),
        external_event_lists=(),
    )
    session = SchedulerSession(make_scheduler("easy"))
    session.greet()
    message = s.Message(now=0.0, events=(s.EventAndTimestamp(timestamp=0.0, event=begins),))
    with pytest.raises(ProtocolError, match="host 'a': pstate_count is 3, but 1 speeds are told"):
        session.answer(binary.encode(message))
