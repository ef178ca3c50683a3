"""Decision components as processes over ZeroMQ, both roles: ours against ours, and peers that die, hang and lie."""

import contextlib
import struct
import subprocess
import sys
import threading

import pytest
import zmq
from tests.wires.peers import jobs, simulate

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, DecisionError, ProtocolError, UsageError
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.batprotocol.server import SchedulerSession, hello_out, serve
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.process import ProcessTransport

WORK = jobs(*((float(i // 3), 1 + i * 7 % 4, 1.0 + i * 5 % 11) for i in range(60)))


@pytest.fixture
def endpoint(tmp_path):
    return f"ipc://{tmp_path}/edc"


class Peer(threading.Thread):
    """A REP socket that answers with what it is told to, one answer per request; it stops after the last."""

    def __init__(self, endpoint: str, *answers: bytes) -> None:
        super().__init__(daemon=True)
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.REP)
        self.socket.bind(endpoint)
        self.answers = answers
        self.heard: list[bytes] = []
        self.start()

    def run(self) -> None:
        for answer in self.answers:
            self.heard.append(self.socket.recv())
            self.socket.send(answer)

    def close(self) -> None:
        self.join(5)
        self.context.destroy(0)


HELLO = SchedulerSession(make_scheduler("fcfs")).greet()[1]


@pytest.mark.parametrize("json", [False, True], ids=["binary", "json"])
@pytest.mark.parametrize("name", ["fcfs", "easy"])
def test_a_scheduler_behind_the_wire_decides_as_it_does_in_process(name, json, endpoint):
    given = []

    def make(init_data: bytes):
        given.append(init_data)
        return make_scheduler(name)

    server = threading.Thread(target=serve, args=(make, endpoint), kwargs={"json": json})
    server.start()
    component = BatprotocolComponent(ProcessTransport(endpoint, timeout=20), b'{"any": "\x00"}')
    remote = simulate(component, WORK)
    server.join(20)
    component.stop()
    assert given == [b'{"any": "\x00"}']
    assert remote.ran == simulate(make_scheduler(name), WORK).ran
    assert len(remote.ran) == 60


class Inventive(v.Component):
    """Registers a job of its own, calls itself later, and decides for a date to come."""

    def __init__(self) -> None:
        self.heard: list[v.Notice] = []

    def hello(self) -> v.Hello:
        features = v.Features(dynamic_registration=True, acknowledge_dynamic_jobs=True)
        return v.Hello(name="inventive", version="1", features=features)

    def decide(self, now, notices):
        self.heard += notices
        decisions: list[v.Decision] = []
        for notice in notices:
            if isinstance(notice, v.SimulationBegins):
                job = m.Job(id="dyn!1", request=m.Request(2), profile=m.DelayProfile(delay=4.0))
                decisions += [v.RegisterJob(job=job), v.FinishRegistration()]
                decisions.append(v.CallMeLater(call_me_later_id="later", when=v.OneShot(2.5)))
            elif isinstance(notice, v.RequestedCall):
                decisions.append(v.ExecuteJob(job_id="dyn!1", hosts=m.HostSet([1, 2]), timestamp=now + 1.5))
        return v.Reply(max([now, *(d.timestamp or now for d in decisions)]), decisions)

    def stop(self) -> None:
        self.heard.append(v.SimulationEnds(-1.0))


@pytest.mark.parametrize("json", [False, True], ids=["binary", "json"])
def test_registration_calls_and_dates_to_come(json, endpoint):
    behind = Inventive()
    server = threading.Thread(target=serve, args=(lambda _: behind, endpoint), kwargs={"json": json})
    server.start()
    component = BatprotocolComponent(ProcessTransport(endpoint, timeout=20))
    starts = simulate(component, jobs())
    server.join(20)
    component.stop()
    assert starts.ran == {"dyn!1": (4.0, 8.0, "1-2")}
    (done,) = [notice for notice in behind.heard if isinstance(notice, v.JobCompleted)]
    assert (done.hosts, done.start, done.job.profile.delay) == (m.HostSet([1, 2]), 4.0, 4.0)
    assert behind.heard[-1].timestamp == -1.0, "the component was stopped"


def test_the_handshake_is_length_and_data(endpoint):
    peer = Peer(endpoint, struct.pack("=I", 1) + HELLO)
    component = BatprotocolComponent(ProcessTransport(endpoint, timeout=5), b"init data")
    assert component.hello().name == "fcfs"
    component.stop()
    peer.close()
    assert peer.heard == [struct.pack("=I", 9) + b"init data"]


@pytest.mark.parametrize(
    "answer, said, kind",
    [
        (b"", r"the answer to the handshake has 0 bytes, its flags take 4", ComponentError),
        (b"\x01\x00\x00", "has 3 bytes", ComponentError),
        (b"\x01\x00\x00\x00", "did not receive an answer to its Hello message", ProtocolError),
        (b"\x02\x00\x00\x00" + HELLO, "malformed batprotocol message: JSON text", ProtocolError),
        (b"\x01\x00\x00\x00" + HELLO[:30], "malformed batprotocol message", ProtocolError),
    ],
)
def test_bad_handshakes(answer, said, kind, endpoint):
    peer = Peer(endpoint, answer)
    component = BatprotocolComponent(ProcessTransport(endpoint, timeout=5))
    with pytest.raises(kind, match=said):
        component.hello()
    component.stop()
    peer.close()


def test_nobody_there():
    component = ProcessTransport("tcp://127.0.0.1:9", start_timeout=0.3)
    with pytest.raises(ComponentTimeoutError, match=r"scheduler at tcp://127.0.0.1:9 has not answered within 0.3 s"):
        component.start(b"")
    component.stop()
    component.stop()


@pytest.mark.parametrize("address", ["tcp://", "tcp://host:port"])
def test_endpoints_that_make_no_sense(address):
    """They are refused before a run makes room for its files."""
    with pytest.raises(UsageError, match="cannot connect to"):
        ProcessTransport(address)
    with pytest.raises(UsageError, match="is not an endpoint"):
        ProcessTransport("nonsense")


def test_a_peer_that_hangs(endpoint):
    peer = Peer(endpoint, struct.pack("=I", 1) + HELLO)
    component = BatprotocolComponent(ProcessTransport(endpoint, timeout=0.5))
    with pytest.raises(ComponentTimeoutError, match=r"has not answered within 0\.5 s \(at t=0\.0 s\)"):
        simulate(component, WORK)
    component.stop()
    peer.close()


def test_a_peer_that_dies(endpoint):
    program = (
        "import sys, zmq, os\n"
        "socket = zmq.Context().socket(zmq.REP)\n"
        "socket.bind(sys.argv[1])\n"
        "socket.recv()\n"
        "socket.send(bytes.fromhex(sys.argv[2]))\n"
        "socket.recv()\n"
        "os._exit(1)\n"
    )
    hello = (struct.pack("=I", 1) + HELLO).hex()
    with subprocess.Popen([sys.executable, "-c", program, endpoint, hello]):
        component = BatprotocolComponent(ProcessTransport(endpoint, timeout=30))
        with pytest.raises(ComponentError, match="has gone away without answering") as caught:
            simulate(component, WORK)
        component.stop()
    assert caught.type is ComponentError


# ---- our own side as the scheduler -------------------------------------------------------------------------------


def test_an_endpoint_that_cannot_be_bound():
    with pytest.raises(UsageError, match=r"cannot listen at .tcp://999\.0\.0\.1:1"):
        serve(lambda _: make_scheduler("fcfs"), "tcp://999.0.0.1:1")


@pytest.mark.parametrize("name", ["a,b", 'a"b'])
def test_names_the_protocol_does_not_allow(name):
    with pytest.raises(UsageError, match="neither comma nor double quote"):
        hello_out(v.Hello(name=name))


def test_a_simulator_that_talks_nonsense():
    session = SchedulerSession(make_scheduler("fcfs"))
    session.greet()
    with pytest.raises(ProtocolError, match="malformed batprotocol message"):
        session.answer(b"\x10\x00\x00\x00\x00\x00\x00\x00")


def test_a_component_hears_why_the_run_failed(endpoint):
    """SimulationErrorEvent is in the schema; upstream never sends it."""
    told = []

    class Wrong(v.Component):
        def hello(self):
            return v.Hello(name="wrong", version="1")

        def decide(self, now, notices):
            told.extend(notice for notice in notices if isinstance(notice, v.SimulationErrorOccurred))
            begun = any(isinstance(notice, v.JobSubmitted) for notice in notices)
            return v.Reply(now, [v.RejectJob(job_id="w0!never")] if begun else [])

        def stop(self):
            pass

    def serve_once():
        with contextlib.suppress(ComponentError):
            serve(lambda _: Wrong(), endpoint)

    server = threading.Thread(target=serve_once, daemon=True)
    server.start()
    component = BatprotocolComponent(ProcessTransport(endpoint, timeout=20))
    with pytest.raises(DecisionError, match="w0!never"):
        simulate(component, WORK)
    assert "w0!never" in told[0].error
