"""Node queries over HTTP: both framings, split packets, signatures, limits; and the commands in front of it."""

import http.client
import json
import socket
import threading
import time
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from environments import document, machine
from windtunnel import api
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.entities.sss_message import envelope, signed_body_is_valid
from windtunnel.entities.sss_node import SssNode
from windtunnel.formats.sites.sss import check
from windtunnel.model import JobList, Request
from windtunnel.services import nodes as service
from windtunnel.services.nodes import NodeServer, respond
from windtunnel.testing import job

NODES = [SssNode(id="n1", state="Idle"), SssNode(id="n2", state="Busy")]
QUERY = '<Request action="Query"><Object>Node</Object><Where name="State">Busy</Where></Request>'
BODY = f"<Envelope><Body>{QUERY}</Body></Envelope>".encode()


@pytest.fixture
def server():
    with NodeServer(lambda _: NODES, port=0) as running:
        yield running


def talk(server, *pieces, pause=0.0):
    """Send bytes, perhaps in several packets; all that comes back."""
    with socket.create_connection(server.address, timeout=10) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        data = b""
        while block := connection.recv(65536):
            data += block
    return data


def legacy(body):
    """As the protocol's own clients write it: no line end after the chunk, none at the end."""
    head = b'POST /SSSRMAP3 HTTP/1.1\r\nContent-Type: text/xml; charset="utf-8"\r\nTransfer-Encoding: chunked\r\n\r\n'
    return head + b"%X\r\n" % len(body) + body + b"0\r\n"


def test_the_framing_of_existing_clients(server):
    data = talk(server, legacy(BODY))
    head, _, rest = data.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Transfer-Encoding: chunked" in head
    size, _, rest = rest.partition(b"\r\n")
    body, tail = rest[: int(size, 16)], rest[int(size, 16) :]
    assert tail == b"0\r\n"
    assert [n.id for n in check(body).nodes] == ["n2"]


def test_packets_may_be_cut_anywhere(server):
    message = legacy(BODY)
    whole = talk(server, message)
    for cut in (1, 60, len(message) - 4, len(message) - 2):
        assert talk(server, message[:cut], message[cut:], pause=0.02) == whole


def test_plain_http(server):
    connection = http.client.HTTPConnection(*server.address, timeout=10)
    connection.request("POST", "/", body=BODY)
    response = connection.getresponse()
    assert (response.status, [n.id for n in check(response.read()).nodes]) == (200, ["n2"])
    connection = http.client.HTTPConnection(*server.address, timeout=10)
    connection.request(
        "POST", "/", body=iter([BODY[:10], BODY[10:]]), encode_chunked=True, headers={"Transfer-Encoding": "chunked"}
    )
    response = connection.getresponse()
    assert (response.status, [n.id for n in check(response.read()).nodes]) == (200, ["n2"])


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 405),
        (b"POST / HTTP/1.1\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n", 431),
    ],
)
def test_requests_that_are_refused(server, message, status):
    data = talk(server, message)
    assert data.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"<Value>Failure</Value>" in data


def test_slow_clients_are_cut_off(monkeypatch):
    monkeypatch.setattr(service, "TIME_LIMIT", 0.3)
    with (
        NodeServer(lambda _: NODES, port=0) as running,
        socket.create_connection(running.address, timeout=60) as connection,
    ):
        connection.sendall(b"POST / HTTP/1.1\r\nX: ")
        assert connection.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 408"))


def test_too_many_at_once(monkeypatch):
    monkeypatch.setattr(service, "CONNECTIONS", 1)
    with NodeServer(lambda _: NODES, port=0) as running, socket.create_connection(running.address) as waiting:
        time.sleep(0.1)
        assert talk(running, b"").startswith(b"HTTP/1.1 503")
        waiting.sendall(legacy(BODY))
        assert waiting.recv(100).startswith(b"HTTP/1.1 200")


def test_signatures():
    with NodeServer(lambda _: NODES, port=0, key=b"k") as running:
        data = talk(running, legacy(envelope(QUERY, b"k")))
        assert b"<Code>000</Code>" in data
        body = data.partition(b"\r\n\r\n")[2].partition(b"\r\n")[2][:-3]
        assert signed_body_is_valid(body, b"k", limit=10_000)
        tampered = envelope(QUERY, b"k").replace(b"Busy", b"Idle")
        assert b"<Code>422</Code>" in talk(running, legacy(tampered))
        assert b"<Code>424</Code>" in talk(running, legacy(BODY))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"\xff", "300"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><Request action="Query"/>', "300"),
        (b"<Request action='Modify'><Object>Node</Object><Set name='State'>Idle</Set></Request>", "740"),
        (QUERY.replace("<Where", "<Option name='time'>soon</Option><Where").encode(), "318"),
    ],
)
def test_bodies_that_are_refused(body, code):
    assert f"<Code>{code}</Code>".encode() in respond(body, lambda _: NODES)


def test_a_request_may_choose_its_date():
    asked = []

    def source(when):
        asked.append(when)
        return NODES

    respond(QUERY.replace("<Where", "<Option name='time'>7.5</Option><Where").encode(), source)
    assert asked == [7.5]


def test_an_address_in_use_is_a_usage_error(server):
    with pytest.raises(UsageError, match="cannot listen"):
        NodeServer(lambda _: NODES, port=server.address[1])


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Two machines, a whole job, two that share, and a failure at 30 s."""
    monkeypatch.chdir(tmp_path)
    events = [{"type": "MACHINE_STATE_CHANGE", "time": 30, "machine": 2, "state": "FAILURE", "cause": "disk"}]
    cpus = [{"clock-rate": 1e9, "cores": 4}]
    (tmp_path / "e.json").write_text(
        json.dumps(document(machine(1, name="n1", cpus=cpus), machine(2, name="n2", cpus=cpus), events=events))
    )
    jobs = [job("a", run=10.0), job("b", run=15.0, at=0.5), job("c", at=11.0, run=8.0), job("d", at=30.0, run=10.0)]
    jobs[1:] = [
        replace(one, request=Request(hosts=1, processors=cores))
        for one, cores in zip(jobs[1:], (2, 1, 4), strict=True)
    ]
    work = JobList("w0", jobs, {j.profile.id: j.profile for j in jobs})
    simulation = api.Simulation(tmp_path / "e.json", work, "stage-scheduler", out=tmp_path / "out")
    simulation.run()
    return tmp_path / "out"


def processors(text, category):
    root = ET.fromstring(text)
    return {n.findtext("Id"): n.findtext(f"{category}/Processors") for n in root.iter("Node")}


def states(text):
    return {n.findtext("Id"): n.findtext("State") for n in ET.fromstring(text).iter("Node")}


@pytest.mark.parametrize(
    ("at", "used", "state"),
    [
        (5, {"n1": "4", "n2": "2"}, {"n1": "Busy", "n2": "Busy"}),
        (12, {"n1": "1", "n2": "2"}, {"n1": "Busy", "n2": "Busy"}),
        (25, {"n1": "0", "n2": "0"}, {"n1": "Idle", "n2": "Idle"}),
        (35, {"n1": "4", "n2": "0"}, {"n1": "Busy", "n2": "Offline"}),
    ],
)
def test_nodes_at_an_instant(run, capsys, at, used, state):
    assert main(["nodes", str(run), "--at", str(at)]) == 0
    text = capsys.readouterr().out
    assert check(text).findings == ()
    assert processors(text, "Utilized") == used
    assert states(text) == state
    assert main(["validate", "--kind", "nodes", "e.json"]) == 1


def test_nodes_over_an_interval(run, capsys):
    main(["nodes", str(run), "--from", "0", "--to", "20"])
    (first, second) = check(capsys.readouterr().out).nodes
    figures = {(c.element, c.metric): c for c in first.utilized}
    assert figures["Processors", "Max"].value == 4
    assert figures["Processors", "Average"].value == 3  # 4 x 10 s + 1 x 8 s over 20 s is 2.4: rounded up
    assert figures["Processors", "Average"].consumption_rate == pytest.approx(2.4 / 4)
    assert figures["Processors", "Average"].wall_duration == 20
    assert second.id == "n2"


def test_queries_from_the_command_line(run, capsys, tmp_path):
    (tmp_path / "q.xml").write_text(QUERY)
    assert main(["nodes", str(run), "--at", "35", "--query", "q.xml"]) == 0
    assert [n.id for n in check(capsys.readouterr().out).nodes] == ["n1"]
    main(["nodes", str(run), "--at", "5"])
    (tmp_path / "n.xml").write_text(capsys.readouterr().out)
    main(["nodes", "n.xml", "--query", "q.xml"])
    assert [n.id for n in check(capsys.readouterr().out).nodes] == ["n1", "n2"]


def test_a_query_that_fails_is_answered_and_ends_with_1(run, capsys, tmp_path):
    (tmp_path / "q.xml").write_text(QUERY.replace('action="Query"', 'action="Paint"'))
    assert main(["nodes", str(run), "--query", "q.xml"]) == 1
    assert "<Code>312</Code>" in capsys.readouterr().out


def test_mistakes_on_the_command_line(run, capsys):
    assert main(["nodes", str(run), "--at", "5", "--from", "1"]) == 2
    assert main(["nodes", str(run), "--from", "5", "--to", "5"]) == 2
    assert main(["nodes", "nowhere"]) == 2
    assert main(["nodes", str(run), "--platform", "hosts:1"]) == 2
    assert main(["nodes", str(run), "--query", "missing.xml"]) == 2
    assert main(["serve", "nodes", "nowhere"]) == 2
    capsys.readouterr()


def test_serving_a_run(run, monkeypatch):
    """The command itself, in a thread; stopped by closing its server."""
    made = []

    class Noted(NodeServer):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            made.append(self)

    monkeypatch.setattr(service, "NodeServer", Noted)
    thread = threading.Thread(target=main, args=(["serve", "nodes", str(run), "--at", "5", "--port", "0"],))
    thread.start()
    deadline = time.monotonic() + 20
    while not made and time.monotonic() < deadline:
        time.sleep(0.02)
    assert b"<Count>2</Count>" in talk(made[0], legacy(BODY))
    later = QUERY.replace("<Where", "<Option name='time'>35</Option><Where").encode()
    assert b"<Count>1</Count>" in talk(made[0], legacy(later))
    made[0].close()
    thread.join(10)
    assert not thread.is_alive()
