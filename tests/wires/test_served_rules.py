"""What a scheduler of ours owes the Batsim that it serves, and what it does not let pass."""

import json

import pytest
from msgspec.structs import replace

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ComponentError, ProtocolError
from windtunnel.schedulers import make_scheduler
from windtunnel.testing import job
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol import server as batprotocol_server
from windtunnel.wires.batprotocol import text
from windtunnel.wires.batprotocol.notices import notice_out
from windtunnel.wires.batprotocol.server import SchedulerSession
from windtunnel.wires.json.outgoing import Writer
from windtunnel.wires.json.server import Server

SITE = m.Platform.uniform(4)


def numbered(*ids, storages=()):
    hosts = tuple(m.Host(id=k, name=f"h{k}") for k in ids)
    return m.Platform(
        name="p", hosts=hosts, storages=tuple(m.Host(id=k, name=f"s{k}", storage=True) for k in storages)
    )


class ToJson:
    """A Batsim 4 that talks to a scheduler of ours; the replies as (type, data)."""

    def __init__(self, scheduler="easy", **config):
        self.server = Server(make_scheduler(scheduler) if isinstance(scheduler, str) else scheduler)
        self.writer = Writer(config)

    def tell(self, now, *notices):
        said = self.writer.message(now, notices)
        events = json.loads(self.server.answer(said.encode()))["events"]
        return [(event["type"], event["data"]) for event in events]


class ToBatprotocol:
    """A Batsim 5; the replies as events of the schema."""

    def __init__(self, scheduler="easy"):
        self.session = SchedulerSession(make_scheduler(scheduler), json=True)
        self.session.greet()

    def tell(self, now, *notices):
        message = s.Message(now=now, events=tuple(notice_out(notice) for notice in notices))
        return [stamped.event for stamped in text.decode(self.session.answer(text.encode(message))).events]


BOTH = pytest.mark.parametrize("peer", [ToJson, ToBatprotocol])


@BOTH
def test_the_first_message_begins(peer):
    """All jobs were rejected in silence: a site of which nothing was told has no hosts."""
    with pytest.raises(ProtocolError, match="first message does not begin with"):
        peer().tell(0.0, v.JobSubmitted(0.0, job(1), 0.0))
    again = peer()
    again.tell(0.0, v.SimulationBegins(0.0, SITE))
    with pytest.raises(ProtocolError, match="a second time"):
        again.tell(1.0, v.SimulationBegins(1.0, SITE))


@BOTH
def test_dates_do_not_go_back(peer):
    batsim = peer()
    batsim.tell(0.0, v.SimulationBegins(0.0, SITE))
    batsim.tell(5.0, v.JobSubmitted(5.0, job(1), 5.0))
    batsim.tell(5.0, v.JobSubmitted(5.0, job(2), 5.0))
    with pytest.raises(ProtocolError, match=r"a message of 4\.5 s comes after one of 5\.0 s"):
        batsim.tell(4.5, v.JobSubmitted(4.5, job(3), 4.5))


@BOTH
def test_hosts_keep_the_numbers_of_the_simulator(peer):
    batsim = peer()
    batsim.tell(0.0, v.SimulationBegins(0.0, numbered(7, 2, 5, storages=(3,))))
    (said,) = batsim.tell(1.0, v.JobSubmitted(1.0, job(1, 2), 1.0))
    given = said[1]["alloc"] if peer is ToJson else said.allocation.host_allocation
    assert given == "2 5"
    batsim.tell(2.0, v.HostsBecameUnavailable(2.0, m.HostSet([7]))) if peer is ToJson else None
    done = v.JobCompleted(3.0, job(1, 2), m.JobState.COMPLETED_SUCCESSFULLY, 0, m.HostSet((2, 5)))
    assert batsim.tell(3.0, done) == []
    (said,) = batsim.tell(4.0, v.JobSubmitted(4.0, job(2, 2), 4.0))
    assert (said[1]["alloc"] if peer is ToJson else said.allocation.host_allocation) == "2 5"


@BOTH
@pytest.mark.parametrize("told", [{}, {"sleep_pstates": "1:2:3"}])
def test_hosts_that_sleep_from_the_start_get_no_job(peer, told):
    """Their state is told, and how they sleep by a property at best."""
    states = tuple(m.PowerState(speed) for speed in (1e9, 1e-9, 0.1, 0.2))
    asleep = {"pstates": states, "pstate": 1, "sleep_pstates": {1: (2, 3)}, "properties": told}
    hosts = (*(m.Host(id=k, name=f"h{k}", **asleep) for k in (0, 1)), m.Host(id=2, name="h2", pstates=states))
    batsim = peer()
    batsim.tell(0.0, v.SimulationBegins(0.0, m.Platform(name="p", hosts=hosts)))
    assert batsim.tell(1.0, v.JobSubmitted(1.0, job(1, 3), 1.0)) == []
    (said,) = batsim.tell(1.5, v.JobSubmitted(1.5, replace(job(2, 1), walltime=5.0), 1.5))
    assert (said[1]["alloc"] if peer is ToJson else said.allocation.host_allocation) == "2"


def test_states_of_hosts_that_are_none_are_refused():
    said = Writer({}).message(0.0, [v.SimulationBegins(0.0, SITE)]).replace('"idle"', '"sleepy"', 1)
    with pytest.raises(ProtocolError, match="state is 'sleepy'; did you mean 'sleeping'"):
        Server(make_scheduler("easy")).answer(said.encode())


def test_hosts_that_were_never_told_of_are_none():
    batsim = ToJson()
    batsim.tell(0.0, v.SimulationBegins(0.0, numbered(5, 7)))
    with pytest.raises(ProtocolError, match="there is no host 0"):
        batsim.tell(1.0, v.HostsBecameUnavailable(1.0, m.HostSet([0])))
    with pytest.raises(ProtocolError, match="two hosts the same id"):
        ToJson().tell(0.0, v.SimulationBegins(0.0, numbered(5, 5)))


def test_who_registers_nothing_says_that_registration_has_finished():
    """Batsim would wait for it indefinitely."""
    finished = ("NOTIFY", {"type": "registration_finished"})
    assert ToJson(**{"dynamic-jobs-enabled": True}).tell(0.0, v.SimulationBegins(0.0, SITE)) == [finished]
    assert ToJson(**{"dynamic-jobs-enabled": False}).tell(0.0, v.SimulationBegins(0.0, SITE)) == []
    own = ToJson("submitter", **{"dynamic-jobs-enabled": True})
    assert finished not in own.tell(0.0, v.SimulationBegins(0.0, SITE))


@pytest.mark.parametrize("enabled", [True, False])
def test_who_may_register_says_so_only_where_it_is_enabled(enabled):
    """Batsim aborts when it hears of the end of what it never began."""
    batsim = ToJson("leases", **{"dynamic-jobs-enabled": enabled})
    batsim.tell(0.0, v.SimulationBegins(0.0, SITE))
    said = batsim.tell(1.0, v.AllStaticJobsHaveBeenSubmitted(1.0))
    assert (("NOTIFY", {"type": "registration_finished"}) in said) == enabled


def test_every_query_has_its_answer():
    batsim = ToJson()
    batsim.tell(0.0, v.SimulationBegins(0.0, SITE))
    asked = batsim.tell(1.0, v.WaitingTimeQueried(1.0, job(1)), v.WaitingTimeQueried(1.0, job(2)))
    assert asked == [
        ("ANSWER", {"estimate_waiting_time": {"job_id": f"w0!{k}", "estimated_waiting_time": -1.0}}) for k in (1, 2)
    ]
    knows = ToJson("batsched/conservative_bf")
    knows.tell(0.0, v.SimulationBegins(0.0, SITE))
    (answer,) = knows.tell(1.0, v.WaitingTimeQueried(1.0, replace(job(1), walltime=5.0)))
    assert answer[1]["estimate_waiting_time"]["estimated_waiting_time"] == 1.0  # the date of the start


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (b'{"now": 0}', "Batsim's message has no 'events'"),
        (b'{"events": []}', "Batsim's message has no 'now'"),
        (
            b'{"now": 0, "events": [{"timestamp": 0, "type": "JOB_COMPLETED", "data": {}}]}',
            r"event 0 \(JOB_COMPLETED\) of Batsim's message has no 'job_id'",
        ),
        (b'{"now": 0, "events": [{"timestamp": 0, "type": "SIMULATION_BEGINS"}]}', "has no 'data'"),
    ],
)
def test_what_a_message_lacks_is_named(message, said):
    with pytest.raises(ProtocolError, match=said):
        Server(make_scheduler("easy")).answer(message)


class Frames:
    """Stands for the socket: what the simulator sends."""

    def __init__(self, *frames):
        self.frames = list(frames)

    def __call__(self, *_):
        return self

    def open(self):
        return "here"

    def receive(self):
        return self.frames.pop(0)

    def reply(self, data):
        self.last = data

    def close(self):
        pass


def test_a_simulation_that_fails_is_no_success(monkeypatch):
    told = [v.SimulationBegins(0.0, SITE), v.SimulationErrorOccurred(0.0, "no host 9")]
    messages = [text.encode(s.Message(now=0.0, events=(notice_out(one),))) for one in told]
    frames = Frames((0).to_bytes(4, "little"), *messages)
    monkeypatch.setattr(batprotocol_server, "Replier", frames)
    with pytest.raises(ComponentError, match="the simulation has failed: no host 9"):
        batprotocol_server.serve(lambda _: make_scheduler("easy"), "tcp://127.0.0.1:1", json=True)
    assert frames.last  # it was answered
