"""Clauses of the JSON protocol over ZeroMQ (document 004): whole simulations, and each example as it is printed."""

import csv
import json

import pytest
from tests.wires.document_004 import events, examples
from tests.wires.faulty import Direct

from windtunnel import api
from windtunnel.diagnostics import DeadlockError, DecisionError, ProtocolError
from windtunnel.engine import Options
from windtunnel.model import (
    DelayProfile,
    EventList,
    ExternalEvent,
    Host,
    HostSet,
    Job,
    JobList,
    JobState,
    ParallelTaskProfile,
    Platform,
    PowerState,
    Request,
    TraceReplayProfile,
    TraceType,
)
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job, platform, sequence, workload
from windtunnel.wires.json.client import JsonComponent, JsonOptions
from windtunnel.wires.json.server import Server


class Played:
    """A whole simulation with a scheduler behind the protocol; ``answer(message)`` gives events as (type, data), whole
    events, a whole reply, or its bytes."""

    def __init__(
        self, answer, *work, site=None, events=(), energy=False, record=None, options=None, out=None, **config
    ):
        self.sent = []
        self.answer = answer
        component = JsonComponent("tcp://127.0.0.1:1", options=JsonOptions(**config))
        component._peer = Direct(self.reply)
        self.run = api.Simulation(
            site or platform(4),
            list(work),
            component,
            events=events,
            options=options or Options(energy=energy),
            record=record,
            out=out,
        ).run()

    def reply(self, request):
        message = json.loads(request)
        self.sent.append(message)
        said = self.answer(message) or []
        if isinstance(said, bytes):
            return said
        if isinstance(said, dict):
            return json.dumps(said).encode()
        made = [
            one if isinstance(one, dict) else {"timestamp": message["now"], "type": one[0], "data": one[1]}
            for one in said
        ]
        return json.dumps({"now": message["now"], "events": made}).encode()

    def events(self, kind):
        return [event for message in self.sent for event in message["events"] if event["type"] == kind]

    def told(self, kind):
        return [event["data"] for event in self.events(kind)]

    @property
    def rows(self):
        return {row["job_id"]: row for row in self.run.jobs.to_dicts()}


def of(message, kind):
    return [event["data"] for event in message["events"] if event["type"] == kind]


def at_once(alloc="0"):
    """Executes every job as it comes."""
    return lambda message: [
        ("EXECUTE_JOB", {"job_id": data["job_id"], "alloc": alloc}) for data in of(message, "JOB_SUBMITTED")
    ]


def when(**dates):
    """Asks to be called at dates, written ``t10=[...]``, and says then what is given; executes nothing by itself."""
    plan = {float(name[1:]): said for name, said in dates.items()}

    def answer(message):
        now = message["now"]
        if of(message, "SIMULATION_BEGINS"):
            calls = [("CALL_ME_LATER", {"timestamp": date}) for date in plan if date > now]
            return [*plan.pop(0.0, []), *calls]
        return plan.pop(now, []) if of(message, "REQUESTED_CALL") else []

    return answer


def both(*answers):
    return lambda message: [event for answer in answers for event in answer(message)]


def watts(hosts=4, states=1):
    made = tuple(PowerState(1e9, 10.0, None, 20.0) for _ in range(states))
    return Platform(name="p", hosts=tuple(Host(id=k, name=f"h{k}", pstates=made) for k in range(hosts)))


def named(name, **fields):
    """A job of any workload: the list that holds it, alone."""
    made = job("x", **fields)
    return JobList(
        name.partition("!")[0], (type(made)(**{f: getattr(made, f) for f in made.__struct_fields__} | {"id": name}),)
    )


# -- the conversation -------------------------------------------------------------------------------------------------


def test_requests_and_replies_alternate_and_time_stands_still_meanwhile():
    order = []

    def answer(message):
        order.append(message["now"])
        return at_once()(message)

    played = Played(answer, workload(job(1, run=3.0), job(2, run=3.0, at=5.0)))
    assert order == [0.0, 0.0, 3.0, 5.0, 8.0, 8.0]
    assert [message["now"] for message in played.sent] == order


def test_the_reply_says_until_when_the_scheduler_is_busy():
    """Nothing is asked of it before; what happened meanwhile keeps its own dates."""

    def answer(message):
        if of(message, "SIMULATION_BEGINS"):
            return {"now": 4.0, "events": []}
        return at_once()(message)

    played = Played(answer, workload(job(1, run=3.0), job(2, run=3.0, at=2.0)), options=Options(compute_sharing=True))
    first = played.sent[1]
    assert first["now"] == 4.0
    assert [(e["timestamp"], e["type"]) for e in first["events"]][:2] == [
        (0.0, "JOB_SUBMITTED"),
        (2.0, "JOB_SUBMITTED"),
    ]
    assert {row["starting_time"] for row in played.rows.values()} == {4.0}


def test_messages_keep_the_constraints():
    """Members and their kinds; dates ascend and none is after ``now``."""
    played = Played(at_once(), workload(*(job(k, run=2.0, at=3.0 * k) for k in range(5))))
    for message in played.sent:
        assert list(message) == ["now", "events"]
        assert isinstance(message["now"], float)
        dates = [event["timestamp"] for event in message["events"]]
        assert dates == sorted(dates)
        assert dates[-1] <= message["now"]
        assert message["events"]  # nobody is called for nothing
        assert all(list(event) == ["timestamp", "type", "data"] for event in message["events"])
        assert all(isinstance(event["data"], dict) for event in message["events"])


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        ((9.0,), "is after the reply's now"),
        ((2.0, 1.0), "time cannot go backwards"),
        ((2.0, 0.0), "time cannot go backwards"),
        ((1.0, 2.0), None),
    ],
)
def test_dates_of_a_reply_ascend_and_are_not_after_its_now(dates, said):
    def answer(message):
        calls = [{"timestamp": date, "type": "CALL_ME_LATER", "data": {"timestamp": 20.0}} for date in dates]
        return {"now": 5.0, "events": calls} if of(message, "SIMULATION_BEGINS") else []

    if said is None:
        assert len(Played(answer).events("REQUESTED_CALL")) == 2
    else:
        with pytest.raises((DecisionError, ProtocolError), match=said):
            Played(answer)


def test_a_decision_of_the_past_is_refused():
    execute = {"timestamp": 3.0, "type": "EXECUTE_JOB", "data": {"job_id": "w0!1", "alloc": "0"}}
    with pytest.raises(DecisionError, match="time cannot go backwards"):
        Played(when(t10=[execute]), workload(job(1, run=5.0)))


def test_the_example_of_a_message():
    """Two executions at dates to come, on 7 and 89 hosts; the next message is not before the ``now`` of this one."""
    (message,) = [example for example in examples() if len(example.get("events", ())) == 2]
    jobs = [job(k, hosts, run=100.0) for k, hosts in (("job_1234", 7), ("job_1235", 89))]
    made = [Job(id=f"workload!{j.name}", request=j.request, profile=j.profile, submission_time=0.0) for j in jobs]
    played = Played(
        lambda told: message if of(told, "JOB_SUBMITTED") else [],
        JobList("workload", tuple(made)),
        site=platform(101),
    )
    rows = played.rows
    assert [(rows[n]["starting_time"], str(rows[n]["allocated_resources"])) for n in ("job_1234", "job_1235")] == [
        (1000.0, "1-2 4-8"),
        (1012.0, "12-100"),
    ]
    assert played.sent[2]["now"] == 1100.0
    assert message["now"] == 1024.24


# -- events of both directions ------------------------------------------------------------------------------------------


def test_the_energy_is_asked_for_and_answered():
    """The example of the query; the answer is the energy since 0, in joules, under the name of the example."""
    query, _ = events("QUERY")
    answer, _ = events("ANSWER")
    scheduler = both(at_once("0-3"), when(t10=[query]))
    played = Played(scheduler, workload(job(1, 4, run=5.0)), site=watts(), energy=True)
    (told,) = played.events("ANSWER")
    assert told["timestamp"] == 10.0
    assert told["data"].keys() == answer["data"].keys()
    assert told["data"]["consumed_energy"] == pytest.approx(4 * 10.0 * 10.0)  # a delay leaves hosts idle


def test_the_energy_is_not_known_without_energy():
    with pytest.raises(DecisionError, match="energy"):
        Played(when(t10=events("QUERY")[:1]))


def test_a_waiting_time_is_asked_for_and_answered():
    """As the examples are: our Batsim asks in that form, and a scheduler of ours answers in that form."""
    _, query = events("QUERY")
    _, answer = events("ANSWER")
    asked = []

    def scheduler(message):
        asked.extend(of(message, "QUERY"))
        answers = [("ANSWER", told("w0!1", answer["data"])) for _ in of(message, "QUERY")]
        return [*answers, *at_once()(message)]

    def told(job_id, data):
        return {"estimate_waiting_time": data["estimate_waiting_time"] | {"job_id": job_id}}

    Played(scheduler, workload(job(1, run=1.0)), options=Options(ask_waiting_times=True))
    (request,) = [data["requests"] for data in asked]
    (own,) = request.values()
    (printed,) = query["data"]["requests"].values()
    assert request.keys() == query["data"]["requests"].keys()
    assert own.keys() == printed.keys()
    assert printed["job"].keys() <= {*own["job"], "walltime"}
    ours = Server(make_scheduler("fcfs"))
    ours.answer(json.dumps({"now": 0, "events": [events("SIMULATION_BEGINS")[0]]}).encode())
    (said,) = json.loads(ours.answer(json.dumps({"now": 10.0, "events": [query]}).encode()))["events"]
    assert said["type"] == "ANSWER"
    assert said["data"]["estimate_waiting_time"].keys() == answer["data"]["estimate_waiting_time"].keys()
    assert said["data"]["estimate_waiting_time"]["job_id"] == "workflow_submitter0!potential_job17"


def test_that_no_more_comes_is_notified():
    """No more static jobs, and no more external events where a list of them was given."""
    outages = EventList(
        name="e",
        events=(
            ExternalEvent(timestamp=2.0, kind="machine_unavailable", hosts=HostSet.parse("1 3")),
            ExternalEvent(timestamp=4.0, kind="machine_available", hosts=HostSet.parse("1 3")),
        ),
    )
    played = Played(at_once(), workload(job(1, run=3.0, at=1.0)), events=[outages])
    assert [(event["timestamp"], event["data"]) for event in played.events("NOTIFY")] == [
        (1.0, {"type": "no_more_static_job_to_submit"}),
        (2.0, {"type": "event_machine_unavailable", "resources": "1 3"}),
        (4.0, {"type": "event_machine_available", "resources": "1 3"}),
        (4.0, {"type": "no_more_external_event_to_occur"}),
    ]
    printed = [event["data"] for event in events("NOTIFY")[:2]]
    assert all(data in played.told("NOTIFY") for data in printed)
    plain = Played(at_once(), workload(job(1, run=3.0)))
    assert plain.told("NOTIFY") == [{"type": "no_more_static_job_to_submit"}]


REGISTER = {
    "workload_name": "dyn",
    "profile_name": "delay_10s",
    "profile": {"type": "delay", "delay": 10},
}


def test_registration_ends_and_goes_on():
    """The run waits for the end of registration, which may be taken back; both as the examples have them."""
    _, _, finished, again = events("NOTIFY")
    (register,) = [event for event in events("REGISTER_JOB") if "job" in event["data"]]
    later = {**register, "timestamp": 50.0}
    played = Played(
        both(
            at_once(),
            when(t42=[finished, again], t50=[("REGISTER_PROFILE", REGISTER), later, {**finished, "timestamp": 50.0}]),
        ),
        dynamic_jobs=True,
        acknowledge_dynamic_jobs=True,
    )
    assert played.rows["my_new_job"]["starting_time"] == 50.0
    with pytest.raises(DecisionError, match="registration was finished before"):
        Played(when(t42=[finished], t50=[("REGISTER_PROFILE", REGISTER)]), dynamic_jobs=True)


def test_without_the_end_of_registration_the_run_is_stuck():
    """The document: Batsim would wait indefinitely; here it says so."""
    with pytest.raises(DeadlockError, match="registration"):
        Played(at_once(), workload(job(1, run=1.0)), dynamic_jobs=True)


# -- from the simulator -------------------------------------------------------------------------------------------------


def documents_site():
    names = [host["name"] for host in events("SIMULATION_BEGINS")[0]["data"]["compute_resources"]]
    return Platform(name="p", hosts=tuple(Host(id=k, name=name) for k, name in enumerate(names)))


def documents_workload(tmp_path):
    profiles = events("SIMULATION_BEGINS")[0]["data"]["profiles"]["w0"]
    jobs = [{"id": name, "subtime": 0, "res": 4, "profile": name} for name in profiles]
    path = tmp_path / "work.json"
    path.write_text(json.dumps({"nb_res": 4, "jobs": jobs, "profiles": profiles}))
    return path


def test_the_example_of_the_beginning(tmp_path):
    """Equal, but for where the workload is."""
    (printed,) = events("SIMULATION_BEGINS")
    path = documents_workload(tmp_path)
    note = printed["data"]["config"]["sched-config"]
    played = Played(
        lambda message: [("REJECT_JOB", {"job_id": data["job_id"]}) for data in of(message, "JOB_SUBMITTED")],
        path,
        site=documents_site(),
        scheduler_config=note,
    )
    (begins,) = played.sent[0]["events"]
    assert begins == printed | {"data": printed["data"] | {"workloads": {"w0": str(path)}}}
    assert list(begins["data"]) == list(printed["data"])
    heard = Server(make_scheduler("easy"))
    assert json.loads(heard.answer(json.dumps({"now": 0, "events": [printed]}).encode())) == {
        "now": 0.0,
        "events": [],
    }


def test_the_beginning_tells_the_site_and_the_configuration():
    storage = Host(id=2, name="disk", storage=True, properties={"role": "storage"})
    hosts = (
        Host(id=0, name="a", properties={"mem": "64"}, zone_properties={"rack": "r1"}),
        Host(
            id=1,
            name="b",
            pstates=tuple(PowerState(s, 1.0) for s in (1e9, 1e-9)),
            pstate=1,
            sleep_pstates={1: (0, 0)},
        ),
    )
    played = Played(
        lambda _: [],
        site=Platform(name="p", hosts=hosts, storages=(storage,)),
        options=Options(compute_sharing=True, storage_sharing=False),
        forward_profiles=True,
        profile_reuse=False,
        redis_prefix="mine",
    )
    (data,) = played.told("SIMULATION_BEGINS")
    assert (data["nb_resources"], data["nb_compute_resources"], data["nb_storage_resources"]) == (3, 2, 1)
    assert (data["allow_compute_sharing"], data["allow_storage_sharing"]) == (True, False)
    assert data["config"]["profiles-forwarded-on-submission"] is True
    assert data["config"]["redis-prefix"] == "mine"
    assert [(h["id"], h["name"], h["state"]) for h in data["compute_resources"]] == [
        (0, "a", "idle"),
        (1, "b", "sleeping"),
    ]
    assert data["compute_resources"][0]["properties"] == {"role": "", "mem": "64"}
    assert data["compute_resources"][0]["zone_properties"] == {"rack": "r1"}
    assert [(h["id"], h["name"]) for h in data["storage_resources"]] == [(2, "disk")]


def test_the_end_comes_when_all_jobs_are_over():
    played = Played(
        lambda message: [
            ("REJECT_JOB", {"job_id": d["job_id"]})
            if d["job_id"] == "w0!2"
            else ("EXECUTE_JOB", {"job_id": d["job_id"], "alloc": "0"})
            for d in of(message, "JOB_SUBMITTED")
        ],
        workload(job(1, run=100.0), job(2, run=1.0, at=7.0)),
    )
    (printed,) = events("SIMULATION_ENDS")
    assert played.sent[-1] == {"now": 100.0, "events": [printed]}
    assert len(played.events("SIMULATION_ENDS")) == 1


def test_a_scheduler_of_ours_answers_the_end_with_nothing_and_is_done():
    ours = Server(make_scheduler("easy"))
    ours.answer(json.dumps({"now": 0, "events": events("SIMULATION_BEGINS")}).encode())
    assert not ours.ended
    assert (
        json.loads(ours.answer(json.dumps({"now": 100.0, "events": events("SIMULATION_ENDS")}).encode()))["events"]
        == []
    )
    assert ours.ended


@pytest.mark.parametrize("forward", [False, True])
def test_the_examples_of_a_job_that_is_registered_and_submitted(forward):
    """What the example registers comes back as the example has it: with its profile where that is forwarded."""
    (register,) = [event for event in events("REGISTER_JOB") if "job" in event["data"]]
    printed = events("JOB_SUBMITTED")[1 if forward else 0]
    finished = ("NOTIFY", {"type": "registration_finished"})
    played = Played(
        both(at_once(), when(t10=[("REGISTER_PROFILE", REGISTER), register, finished])),
        dynamic_jobs=True,
        acknowledge_dynamic_jobs=True,
        forward_profiles=forward,
    )
    (told,) = played.events("JOB_SUBMITTED")
    assert told["data"]["job"].pop("subtime") == 10.0  # left out by the example: it is registered when it is
    assert told == printed
    assert played.rows["my_new_job"]["finish_time"] == 20.0


def test_registered_jobs_are_told_only_where_that_is_asked_for():
    finished = ("NOTIFY", {"type": "registration_finished"})
    (register,) = [event for event in events("REGISTER_JOB") if "job" in event["data"]]
    execute = ("EXECUTE_JOB", {"job_id": "dyn!my_new_job", "alloc": "0"})
    played = Played(when(t10=[("REGISTER_PROFILE", REGISTER), register, execute, finished]), dynamic_jobs=True)
    assert played.events("JOB_SUBMITTED") == []
    assert played.rows["my_new_job"]["starting_time"] == 10.0


def test_static_jobs_come_with_profiles_only_where_they_are_forwarded(tmp_path):
    for forward in (False, True):
        reject = lambda message: [("REJECT_JOB", {"job_id": d["job_id"]}) for d in of(message, "JOB_SUBMITTED")]  # noqa: E731
        played = Played(reject, documents_workload(tmp_path), site=documents_site(), forward_profiles=forward)
        assert {tuple(data) for data in played.told("JOB_SUBMITTED")} == {
            ("job_id", "job", "profile") if forward else ("job_id", "job")
        }


def test_the_example_of_a_job_that_completed():
    (printed,) = events("JOB_COMPLETED")
    work = named("26dceb!4", hosts=4, run=80.087881)
    played = Played(at_once("0-3"), work)
    assert played.events("JOB_COMPLETED") == [printed]


@pytest.mark.parametrize(
    ("run", "walltime", "state", "code"),
    [
        (DelayProfile(id="w0!d", delay=4.0), 9.0, "COMPLETED_SUCCESSFULLY", 0),
        (DelayProfile(id="w0!d", delay=4.0, return_code=3), 9.0, "COMPLETED_FAILED", 3),
        (DelayProfile(id="w0!d", delay=4.0), 2.0, "COMPLETED_WALLTIME_REACHED", -1),
    ],
)
def test_a_completion_says_state_and_return_code(run, walltime, state, code):
    played = Played(at_once("2"), workload(job(1, run=run, walltime=walltime)))
    assert played.told("JOB_COMPLETED") == [{"job_id": "w0!1", "job_state": state, "return_code": code, "alloc": "2"}]


def test_the_example_of_kills_without_progress():
    """Both had ended: the acknowledgement names all that were asked for, after their ends; the programs send an empty
    ``job_progress`` with it, which the example leaves out."""
    (kill,) = events("KILL_JOB")
    printed = events("JOB_KILLED")[0]
    both_jobs = workload(job(1, run=4.0), job(2, run=10.0))
    played = Played(
        both(
            lambda m: [
                ("EXECUTE_JOB", {"job_id": d["job_id"], "alloc": d["job_id"][-1]}) for d in of(m, "JOB_SUBMITTED")
            ],
            when(t10=[kill]),
        ),
        both_jobs,
    )
    (told,) = played.events("JOB_KILLED")
    assert told == printed | {"data": printed["data"] | {"job_progress": {}}}
    kinds = [event["type"] for message in played.sent for event in message["events"]]
    assert kinds.count("JOB_COMPLETED") == 2
    assert kinds.index("JOB_KILLED") > max(k for k, kind in enumerate(kinds) if kind == "JOB_COMPLETED")
    assert {data["job_state"] for data in played.told("JOB_COMPLETED")} == {"COMPLETED_SUCCESSFULLY"}


def rounded(value):
    """Without the name of the programs (``profile_name``, beside that of the document), and fractions to two digits."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items() if key != "profile_name"}
    return round(value, 2) if isinstance(value, float) else value


def test_the_example_of_kills_with_progress():
    """A task, a sequence and a sequence of sequences, each killed where the example has it."""
    printed = events("JOB_KILLED")[1]
    simple = DelayProfile(id="w0!my_simple_profile", delay=10.0)
    short = DelayProfile(id="w0!short", delay=0.5)
    inner = sequence("my_sequential_profile", [short, short, short, simple])
    first = sequence("my_sequence_profile", [short, simple])
    nested = sequence("my_sequence_of_sequences_profile", [short, short, inner])
    starts = {"w0!1": 10 - 5.2, "w0!2": 10 - 0.5 - 2.0, "w0!3": 10 - 5 * 0.5 - 7.5}
    jobs = [
        Job(id=name, request=Request(1), profile=run, submission_time=starts[name])
        for name, run in zip(starts, (simple, first, nested), strict=True)
    ]
    execute = lambda m: [  # noqa: E731
        ("EXECUTE_JOB", {"job_id": d["job_id"], "alloc": d["job_id"][-1]}) for d in of(m, "JOB_SUBMITTED")
    ]
    kill = ("KILL_JOB", {"job_ids": printed["data"]["job_ids"]})
    profiles = [simple, short, inner, first, nested]
    played = Played(both(execute, when(t10=[kill])), JobList("w0", tuple(jobs), profiles={p.id: p for p in profiles}))
    (told,) = played.events("JOB_KILLED")
    assert rounded(told) == printed
    assert {data["job_state"] for data in played.told("JOB_COMPLETED")} == {"COMPLETED_KILLED"}
    assert "profile_name" in told["data"]["job_progress"]["w0!1"]


def test_the_examples_of_states_of_resources():
    """One acknowledgement when all resources are in the state."""
    (ask,) = events("SET_RESOURCE_STATE")
    (printed,) = events("RESOURCE_STATE_CHANGED")
    played = Played(when(t10=[ask]), site=watts(hosts=6, states=43), energy=True)
    (told,) = played.events("RESOURCE_STATE_CHANGED")
    assert HostSet.parse(told["data"].pop("resources")) == HostSet.parse(printed["data"].pop("resources"))
    assert told == printed


def test_the_examples_of_a_call():
    (ask,) = events("CALL_ME_LATER")
    (printed,) = events("REQUESTED_CALL")
    played = Played(when(t10=[ask]))
    assert played.events("REQUESTED_CALL")[-1] == printed
    assert [message["now"] for message in played.sent] == [0.0, 10.0, 25.5, 25.5]


# -- from the scheduler -------------------------------------------------------------------------------------------------


def test_the_example_of_a_rejection(tmp_path):
    """The row stays, as the programs write it; ``--omit-rejected`` leaves it out, as the document says."""
    (reject,) = events("REJECT_JOB")
    played = Played(when(t10=[reject]), named("w12!45", run=5.0))
    assert played.rows["45"]["final_state"] == "REJECTED"
    kept = Played(when(t10=[reject]), named("w12!45", run=5.0), record=api.RecordingOptions(omit_rejected=True))
    assert kept.rows == {}


def test_only_jobs_that_wait_can_be_rejected():
    for early in ([], [("EXECUTE_JOB", {"job_id": "w12!45", "alloc": "0"})]):
        work = named("w12!45", run=50.0, at=0.0 if early else 20.0)
        with pytest.raises(DecisionError):
            Played(when(t5=early, t10=events("REJECT_JOB")), work)


def four_tasks(com=None):
    return ParallelTaskProfile(id="w12!p", computation_vector=(1e9,) * 4, communication_matrix=com)


def test_the_example_of_an_execution():
    """Mapping, storage and additional I/O at once: four executors on two hosts."""
    (execute,) = [event for event in events("EXECUTE_JOB") if "additional_io_job" in event]
    speed = 2e9
    hosts = tuple(Host(id=k, name=f"n{k}", pstates=(PowerState(speed),)) for k in range(7))
    work = JobList("w12", (Job(id="w12!45", request=Request(4), profile=four_tasks(), submission_time=0.0),))
    row = Played(when(t10=[execute]), work, site=Platform(name="p", hosts=hosts)).rows["45"]
    assert (row["starting_time"], str(row["allocated_resources"])) == (10.0, "2-3")
    assert row["finish_time"] == pytest.approx(10.0 + 2e9 / speed)  # two executors on each host of one core


def test_without_a_mapping_executors_go_round():
    """As many executors as hosts: one on each; the example overrides it with two on each of two."""
    amounts = (1e9, 3e9, 1e9, 1e9)
    profile = ParallelTaskProfile(id="w0!p", computation_vector=amounts)
    hosts = tuple(Host(id=k, name=f"n{k}", pstates=(PowerState(1e9),)) for k in range(4))
    played = Played(at_once("0-3"), workload(job(1, 4, run=profile)), site=Platform(name="p", hosts=hosts))
    assert played.rows["1"]["finish_time"] == 3.0
    turned = {"0": "0", "1": "1", "2": "0", "3": "0"}
    execute = lambda m: [  # noqa: E731
        ("EXECUTE_JOB", {"job_id": d["job_id"], "alloc": "0-1", "mapping": turned}) for d in of(m, "JOB_SUBMITTED")
    ]
    played = Played(execute, workload(job(1, 4, run=profile)), site=Platform(name="p", hosts=hosts))
    assert played.rows["1"]["finish_time"] == 3.0


def test_additional_io_comes_with_tasks_alone():
    io = {"alloc": "0-1", "profile_name": "io", "profile": {"type": "parallel", "cpu": [0, 0], "com": [0] * 4}}
    execute = lambda m: [  # noqa: E731
        ("EXECUTE_JOB", {"job_id": d["job_id"], "alloc": "0", "additional_io_job": io})
        for d in of(m, "JOB_SUBMITTED")
    ]
    with pytest.raises(DecisionError, match="cannot be added to"):
        Played(execute, workload(job(1, run=5.0)))


def test_nothing_is_registered_where_that_is_not_enabled():
    for said in (("REGISTER_PROFILE", REGISTER), next(e for e in events("REGISTER_JOB") if "job" in e["data"])):
        with pytest.raises(DecisionError, match=r"dynamic registration is not enabled .*-o dynamic_jobs=true"):
            Played(when(t10=[said]))


def test_the_example_of_a_registered_profile():
    """In a workload of its own; its name cannot be given again."""
    (register,) = events("REGISTER_PROFILE")
    described = {"id": "dyn_wl1!1", "res": 1, "profile": "delay_10s"}
    use = ("REGISTER_JOB", {"job_id": "dyn_wl1!1", "job": described})
    execute = ("EXECUTE_JOB", {"job_id": "dyn_wl1!1", "alloc": "3"})
    finished = ("NOTIFY", {"type": "registration_finished"})
    played = Played(when(t10=[register, use, execute, finished]), dynamic_jobs=True)
    assert played.rows["1"]["finish_time"] == 20.0
    with pytest.raises(DecisionError, match="already exists"):
        Played(when(t10=[register, register]), dynamic_jobs=True)


@pytest.mark.parametrize("name", ["my_new_job", "dyn!my_new_job"])
def test_the_workload_of_a_registered_job_is_added_where_it_is_missing(name):
    finished = ("NOTIFY", {"type": "registration_finished"})
    job_ = {"profile": "delay_10s", "res": 1, "id": name}
    register = ("REGISTER_JOB", {"job_id": "dyn!my_new_job", "job": job_})
    played = Played(
        both(at_once(), when(t10=[("REGISTER_PROFILE", REGISTER), register, finished])),
        dynamic_jobs=True,
        acknowledge_dynamic_jobs=True,
    )
    (told,) = played.told("JOB_SUBMITTED")
    assert (told["job_id"], told["job"]["id"]) == ("dyn!my_new_job", "dyn!my_new_job")


@pytest.mark.parametrize("place", ["beside", "inside"])
def test_a_job_may_be_registered_with_its_profile(place):
    """Beside the job, or in the place of the profile's name."""
    profile = {"type": "delay", "delay": 7}
    described = {"id": "dyn!1", "res": 1, "profile": profile if place == "inside" else "p"}
    data = {"job_id": "dyn!1", "job": described} | ({"profile": profile} if place == "beside" else {})
    said = [("REGISTER_JOB", data), ("EXECUTE_JOB", {"job_id": "dyn!1", "alloc": "0"})]
    row = Played(when(t10=[*said, ("NOTIFY", {"type": "registration_finished"})]), dynamic_jobs=True).rows["1"]
    assert row["finish_time"] == 17.0


def test_no_job_is_registered_twice():
    (register,) = [event for event in events("REGISTER_JOB") if "job" in event["data"]]
    with pytest.raises(DecisionError, match="already exists"):
        Played(when(t10=[("REGISTER_PROFILE", REGISTER), register, register]), dynamic_jobs=True)


def test_the_example_of_metadata():
    """In the column of this name; empty for jobs that have none."""
    (note,) = events("SET_JOB_METADATA")
    work = JobList(
        "wload",
        tuple(Job(id=f"wload!{k}", request=Request(1), profile=delay(), submission_time=0.0) for k in (42, 43)),
    )
    execute = lambda m: [  # noqa: E731
        ("EXECUTE_JOB", {"job_id": d["job_id"], "alloc": d["job_id"][-1]}) for d in of(m, "JOB_SUBMITTED")
    ]
    played = Played(both(execute, when(t13=[note])), work)
    assert {name: row["metadata"] or "" for name, row in played.rows.items()} == {
        "42": note["data"]["metadata"],
        "43": "",
    }


def delay(seconds=30.0):
    return DelayProfile(id="w!d", delay=seconds)


def test_the_example_of_a_changed_state():
    """A job that its scheduler simulates: it runs from the first change to the second, and the reason is noted."""
    (change,) = events("CHANGE_JOB_STATE")
    begin = ("CHANGE_JOB_STATE", {"job_id": "w12!45", "job_state": "RUNNING"})
    row = Played(when(t10=[begin], t42=[change]), named("w12!45", run=5.0)).rows["45"]
    assert (row["starting_time"], row["finish_time"], row["final_state"]) == (10.0, 42.0, "COMPLETED_KILLED")
    assert row["metadata"] == "Sub-jobs were killed."


@pytest.mark.parametrize("state", ["NOT_SUBMITTED", "SUBMITTED", "COMPLETED_FAILED"])
def test_changes_that_make_no_sense_are_refused(state):
    with pytest.raises(DecisionError):
        Played(when(t10=[("CHANGE_JOB_STATE", {"job_id": "w12!45", "job_state": state})]), named("w12!45", run=5.0))


def test_every_state_of_the_document_has_a_name():
    names = ["NOT_SUBMITTED", "SUBMITTED", "RUNNING", "COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED"]
    names += ["COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED", "REJECTED"]
    assert set(names) <= set(JobState.__members__)


def test_examples_with_a_comma_too_many_are_no_json():
    """As printed; Batsim's own parser refuses them, too."""
    with pytest.raises(ProtocolError, match="not JSON"):
        Played(lambda _: b'{"now": 0, "events": [],}')


# -- what was lost once -------------------------------------------------------------------------------------------------


def test_a_refused_decision_is_told():
    """Where runs go on after refusals the event comes back with the reason; what waits for it is not stuck."""

    def answer(message):
        refused = [data for data in of(message, "NOTIFY") if data["type"] == "decision_refused"]
        if refused:
            return [("EXECUTE_JOB", refused[0]["event"]["data"] | {"alloc": "1"})]
        return at_once("0-3")(message)

    played = Played(answer, workload(job(1, run=5.0)), options=Options(strict=False))
    (told,) = [data for data in played.told("NOTIFY") if data["type"] == "decision_refused"]
    assert told["rule"] == "allocation-size"
    assert told["event"] == {
        "timestamp": 0.0,
        "type": "EXECUTE_JOB",
        "data": {"job_id": "w0!1", "alloc": "0-3"},
    }
    assert str(played.rows["1"]["allocated_resources"]) == "1"


def test_a_job_registered_with_a_later_subtime_has_waited_no_less_than_nothing():
    described = {"id": "dyn!1", "res": 1, "profile": "delay_10s", "subtime": 50.0}
    said = [("REGISTER_PROFILE", REGISTER), ("REGISTER_JOB", {"job_id": "dyn!1", "job": described})]
    said += [("EXECUTE_JOB", {"job_id": "dyn!1", "alloc": "0"}), ("NOTIFY", {"type": "registration_finished"})]
    row = Played(when(t10=said), dynamic_jobs=True).rows["1"]
    assert (row["submission_time"], row["starting_time"], row["waiting_time"]) == (10.0, 10.0, 0.0)


def test_metadata_may_hold_double_quotes(tmp_path):
    """In ``jobs.csv``, too."""
    note = lambda m: [  # noqa: E731
        ("SET_JOB_METADATA", {"job_id": d["job_id"], "metadata": 'say "a", b'}) for d in of(m, "JOB_SUBMITTED")
    ]
    Played(both(note, at_once()), workload(job(1, run=5.0)), out=tmp_path / "out")
    with (tmp_path / "out" / "jobs.csv").open(newline="") as lines:
        (row,) = csv.DictReader(lines)
    assert row["metadata"] == 'say "a", b'


def test_a_killed_replay_says_that_its_progress_is_not_known():
    """As the recorded Batsim says so: an index of -1 instead of the document's progress."""
    replay = TraceReplayProfile(id="w0!t", trace_type=TraceType.SMPI, filename="t", traces=((("compute", "1e12"),),))
    kill = ("KILL_JOB", {"job_ids": ["w0!1"]})
    played = Played(both(at_once(), when(t10=[kill])), workload(job(1, run=replay), profiles=[replay]))
    (told,) = played.told("JOB_KILLED")
    assert told["job_progress"]["w0!1"] == {"profile_name": "t", "profile": "t", "current_task_index": -1}
