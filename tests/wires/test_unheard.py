"""What a Batsim says beside its protocol to a scheduler of ours is told by name, once."""

import json

import pytest

from windtunnel.diagnostics import ProtocolError
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.json.server import Server

HOSTS = [{"id": k, "name": f"h{k}", "state": "idle", "properties": {}, "zone_properties": {}} for k in (0, 1)]


def event(kind, now=0.0, **data):
    return {"timestamp": now, "type": kind, "data": data}


def submitted(number, now=1.0, beside=(), **members):
    job = {"id": f"w0!{number}", "subtime": now, "res": 1, "walltime": 9, "profile": "p"} | members
    return event("JOB_SUBMITTED", now, job_id=f"w0!{number}", job=job, **dict(beside))


def begins(config=(), hosts=HOSTS, **beside):
    return event(
        "SIMULATION_BEGINS",
        nb_resources=2,
        compute_resources=hosts,
        config=dict(config),
        workloads={"w0": "w.json"},
        **{"profiles": {"w0": {"p": {"type": "delay", "delay": 3}}}} | beside,
    )


class Batsim:
    """A Batsim that has just begun."""

    def __init__(self, *, first=None, **beside):
        self.server = Server(make_scheduler("easy"))
        self.first = self.says(first or begins(), **beside)

    def says(self, *events, now=None, **beside):
        date = events[0]["timestamp"] if now is None else now
        message = {"now": date, "events": events} | beside
        return json.loads(self.server.answer(json.dumps(message).encode()))["events"]


@pytest.mark.parametrize(
    ("first", "name"),
    [
        (begins(hosts=[HOSTS[0] | {"stat": "sleeping"}, HOSTS[1]]), "'stat' of a resource is not known"),
        (begins(profles={}), "'profles' of data of SIMULATION_BEGINS is not known: it has no effect; did you mean"),
        (begins({"redis-enabld": True}), "'redis-enabld' of config of SIMULATION_BEGINS is not known"),
        (begins({"sched-config": "depth=3"}), "sched-config is for schedulers that read it themselves"),
        (begins() | {"time": 0}, "'time' of an event SIMULATION_BEGINS is not known"),
        (begins(profiles={"w0": {"p": {"type": "delay", "delay": 3, "retrn": 1}}}), "a profile has 'retrn'"),
        (begins(profiles={"w0": {"p": {"type": "dellay", "delay": 3}}}), "unknown type 'dellay'"),
    ],
)
def test_what_is_not_known_at_the_beginning(caplog, first, name):
    Batsim(first=first)
    (told,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert name in told


@pytest.mark.parametrize(
    ("said", "name"),
    [
        (submitted(1, beside={"jb": 3}), "'jb' of data of JOB_SUBMITTED is not known: it has no effect"),
        (submitted(1, waltime=3), "a job has 'waltime', which is not known"),
        (event("REQUESTED_CALL", 1.0, id="x"), "'id' of data of REQUESTED_CALL is not known"),
        (event("NOTIFY", 1.0, type="no_more_static_job_to_submit", jobs=3), "'jobs' of data of NOTIFY is not known"),
        (
            event("NOTIFY", 1.0, type="event_machine_unavailable", resources="0", resource="1"),
            "'resource' of data of NOTIFY is not known: it has no effect; did you mean 'resources'?",
        ),
        (
            event("QUERY", 1.0, requests={"estimate_waiting_time": {"job_id": "w0!2", "job": {"res": 1}}, "x": {}}),
            "'x' of requests of QUERY is not known",
        ),
    ],
)
def test_each_name_is_told_once(caplog, said, name):
    batsim = Batsim()
    batsim.says(said)
    batsim.says(json.loads(json.dumps(said).replace("w0!1", "w0!7")))
    assert [record.getMessage().startswith("Batsim: ") for record in caplog.records] == [True]
    assert name in caplog.text


def test_members_of_a_message_are_looked_at(caplog):
    Batsim(evnts=[])
    assert "'evnts' of a message is not known: it has no effect; did you mean 'events'?" in caplog.text


def test_what_is_handed_on_is_no_matter(caplog):
    """Members of a job that look like none that Batsim has, and all of an external event, reach the scheduler."""
    batsim = Batsim()
    batsim.says(submitted(1, colour="red"), event("NOTIFY", 1.0, type="heat", degrees=40), now=1.0)
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


def test_not_everything_is_told(caplog):
    batsim = Batsim()
    batsim.says(event("REQUESTED_CALL", 1.0, **{f"x{k}": 0 for k in range(1000)}))
    assert len(caplog.records) == 101
    assert "is not told any more" in caplog.records[-1].getMessage()


@pytest.mark.parametrize("twice", ["events", "now"])
def test_a_member_that_stands_twice_is_refused(twice):
    """The last one counted, in silence."""
    batsim = Batsim()
    more = {"events": b"[]", "now": b"1"}[twice]
    message = b'{"now":1,"events":[],"' + twice.encode() + b'": ' + more + b"}"
    with pytest.raises(ProtocolError, match=f"Batsim's message has the member '{twice}' twice"):
        batsim.server.answer(message)


def test_a_member_of_an_event_that_stands_twice_is_refused():
    event = b'{"timestamp":1,"type":"JOB_COMPLETED","data":{"job_id":"w!1","job_id":"w!2"}}'
    with pytest.raises(ProtocolError, match=r"the member 'job_id' twice, in events\[0\].data"):
        Batsim().server.answer(b'{"now":1,"events":[' + event + b"]}")
