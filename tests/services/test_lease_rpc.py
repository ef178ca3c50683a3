"""The lease API over XML-RPC: Haizea's methods, what is refused, many clients, and being killed."""

import http.client
import os
import random
import signal
import subprocess
import sys
import threading
import xmlrpc.client
from pathlib import Path

import pytest

import windtunnel
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseState, NodeSet, When
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services.lease_client import LeaseClient
from windtunnel.services.lease_live import LiveLeases
from windtunnel.services.lease_rpc import SIZE_LIMIT, LeaseServer
from windtunnel.services.lease_store import LeaseStore

LEASE = """<lease preemptible="true"><nodes><node-set numnodes="2"><res type="CPU" amount="100"/>
<res type="Memory" amount="512"/></node-set></nodes><start/><duration time="01:00:00"/>
<software><none/></software></lease>"""


@pytest.fixture
def server():
    live = LiveLeases(site_from_text("4 CPU:100,Memory:1024"), LeaseOptions(), LeaseStore(None))
    with LeaseServer(live, port=0) as running:
        yield running


def post(server, body, *, kind="text/xml", headers=None):
    connection = http.client.HTTPConnection(*server.socket.getsockname()[:2], timeout=10)
    connection.request("POST", "/RPC2", body, {"Content-Type": kind, **(headers or {})})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


# --- the methods ------------------------------------------------------------------------------------------------------


def test_haizeas_methods(server):
    with xmlrpc.client.ServerProxy(server.url, allow_none=True) as proxy:
        assert proxy.test_func() == 0
        assert proxy.get_hosts()[0] == {"id": 1, "hostname": "simul-1", "cpu": 100, "mem": 1024}
        assert [proxy.create_lease(LEASE) for _ in range(4)] == [1, 2, 3, 4]
        assert len(proxy.get_leases()) == 4
        assert 'state="8"' in proxy.get_leases()[0]
        assert len(proxy.get_queue()) == 1
        assert proxy.cancel_lease(4) == 0
        assert proxy.get_queue() == []
        assert proxy.notify_event(1, None, 1) is None
        assert 'state="16"' in proxy.get_lease(1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda p: p.cancel_lease(77), "there is no lease 77"),
        (lambda p: p.cancel_lease("x"), "not the id of a lease: 'x'"),
        (lambda p: p.cancel_lease(), "cancel_lease"),
        (lambda p: p.get_lease(1), "there is no lease 1"),
        (lambda p: p.create_lease("<lease"), "not XML that can be read"),
        (lambda p: p.create_lease("<lease/>"), "<lease> needs a <nodes> element"),
        (lambda p: p.create_lease(7), "create_lease takes the text"),
        (lambda p: p.create_lease(LEASE.replace("CPU", "Gold")), "asks for Gold"),
        (lambda p: p.create_lease("<!DOCTYPE x>" + LEASE), "document types and entities are refused"),
        (lambda p: p.create_lease(LEASE.replace("01:00:00", "3600")), "not a duration"),
        (lambda p: p.notify_event(1, None, "boom"), "no event 'boom'"),
        (lambda p: p.no_such_method(), "no_such_method"),
    ],
)
def test_bad_calls_get_faults_with_reasons(server, call, says):
    with xmlrpc.client.ServerProxy(server.url, allow_none=True) as proxy:
        with pytest.raises(xmlrpc.client.Fault) as caught:
            call(proxy)
        assert says in caught.value.faultString
        assert "Traceback" not in caught.value.faultString
        assert proxy.test_func() == 0


# --- what is refused --------------------------------------------------------------------------------------------------

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1 or str()};" * 10}">' for n in range(1, 9))
    + "]><methodCall><methodName>test_func</methodName><params><param><value>&a8;</value></param></params></methodCall>"
)


@pytest.mark.parametrize("body", ["", "<methodCall>", "hello", "<a></b>", "\x00", '<?xml version="1.0"?><x/>'])
def test_malformed_requests_get_faults(server, body):
    status, text = post(server, body)
    assert status == 200
    assert "<fault>" in text
    assert "Traceback" not in text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entity_bombs_are_refused(server, encoding):
    status, text = post(server, BOMB.encode(encoding))
    assert status == 200
    assert "document types and entities are refused" in text


def test_oversized_requests_are_not_read(server):
    status, text = post(server, b"x" * 10, headers={"Content-Length": str(SIZE_LIMIT + 1)})
    assert (status, text.strip()) == (413, f"requests have at most {SIZE_LIMIT} bytes")


def test_other_content_and_methods_are_refused(server):
    assert post(server, LEASE, kind="text/plain")[0] == 415
    connection = http.client.HTTPConnection(*server.socket.getsockname()[:2], timeout=10)
    connection.request("GET", "/RPC2")
    assert connection.getresponse().status == 405
    connection.close()


def test_a_token_is_asked_for():
    live = LiveLeases(site_from_text("1 CPU:100,Memory:1024"), LeaseOptions(), LeaseStore(None))
    with LeaseServer(live, port=0, token="s3cret") as server:
        for wrong in ("", "other"):
            with LeaseClient(server.url, wrong) as client, pytest.raises(UsageError, match="refuses: 401"):
                client.hosts()
        with LeaseClient(server.url, "s3cret") as client:
            assert len(client.hosts()) == 1
        host, port = server.socket.getsockname()[:2]
        with xmlrpc.client.ServerProxy(f"http://anybody:s3cret@{host}:{port}") as proxy:
            assert proxy.test_func() == 0


def test_a_port_in_use_is_a_message(server):
    port = server.socket.getsockname()[1]
    with pytest.raises(UsageError, match="cannot listen on"):
        LeaseServer(server.live, host="256.0.0.1", port=port)


# --- the client -------------------------------------------------------------------------------------------------------


def test_the_command_line(server, capsys):
    at = ["--server", server.url]

    def run(*words):
        code = main(["lease", *words, *at])
        return code, *capsys.readouterr()

    assert run("queue") == (0, "Queue is empty.\n", "")
    assert run("request", "-n", "4", "-d", "00:10:00") == (0, "Lease submitted correctly.\nLease ID: 1\n", "")
    assert run("request", "-t", "+01:00:00", "-d", "unlimited", "-m", "1024", "-i", "a.img", "-z", "600")[0] == 0
    code, text, _ = run("list")
    assert code == 0
    assert [line.split()[:3] for line in text.splitlines()] == [
        ["ID", "Type", "State"],
        ["1", "Best-effort", "Active"],
        ["2", "AR", "Ready"],
    ]
    assert run("cancel", "2") == (0, "", "")
    code, _, said = run("cancel", "2")
    assert (code, said) == (2, "windtunnel lease: lease 2 is over already (Cancelled)\n")
    assert "Cancelled" in run("show", "2")[1]
    assert "simul-4" in run("hosts")[1]
    assert run("request", "-d", "3600")[0] == 2
    said = "Lease rejected: it asks for more than the whole site has.\nLease ID: 3\n"
    assert run("request", "-n", "9", "-d", "00:10:00") == (1, said, "")
    assert "--duration must be more than 0, not 00:00:00" in run("request", "-d", "00:00:00")[2]
    assert run("request", "-c", "2")[0] == 2


def test_a_lease_from_a_file(server, tmp_path, capsys):
    path = tmp_path / "lease.xml"
    path.write_text(LEASE.replace("<start/>", '<start><exact time="+00:10:00"/></start>'))
    assert main(["lease", "request", "-f", str(path), "--server", server.url]) == 0
    (found,) = server.live.leases()
    assert found.start == pytest.approx(server.live.now() / 100 + 600, abs=30)
    capsys.readouterr()


def test_no_service_is_a_message(capsys):
    assert main(["lease", "list", "--server", "http://127.0.0.1:9/RPC2"]) == 2
    assert "does not answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    "answer",
    [
        b"POST /RPC2 HTTP/1.1\r\n\r\n",  # a client that reached itself
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n<methodResponse>",
        b"HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n" % (b"9" * 5000),
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200 + b"\r\n",
        *(
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            for body in (
                b"\xff\xfe",
                b"<methodResponse/>",
                b"<methodResponse><params><param><value><int>x</int></value></param></params></methodResponse>",
                b"<methodResponse><params><param><value><int>%s</int></value></param></params></methodResponse>"
                % (b"9" * 5000),
                b"<?xml version='1.0' encoding='punycode'?><methodResponse/>",
                *(
                    xmlrpc.client.dumps((value,), methodresponse=True, allow_none=True).encode()
                    for value in (7, None, "x", [7], ["<a/>"], [None], {"a": 1}, [{"id": 1}])
                ),
            )
        ),
    ],
    ids=lambda answer: answer[:9].decode() + str(len(answer)),
)
def test_answers_of_something_else(answer, capsys):
    """Each refused by the name of the server; none is a traceback."""
    import socketserver

    class Other(socketserver.StreamRequestHandler):
        def handle(self):
            self.request.recv(1 << 16)
            self.wfile.write(answer)

    with socketserver.TCPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        url = "http://{}:{}/RPC2".format(*other.server_address)
        try:
            for words in (["list"], ["queue"], ["hosts"], ["show", "1"], ["request", "-t", "+01:00:00"]):
                assert main(["lease", *words, "--server", url]) == 2
                assert f"{url} does not answer" in capsys.readouterr().err
        finally:
            other.shutdown()


@pytest.mark.parametrize("server", ["http://[::1", "ftp://x", "http://127.0.0.1:port/", "http://a\nb/", ""])
def test_no_addresses(server, capsys):
    assert main(["lease", "list", "--server", server]) == 2
    assert "windtunnel lease: " in capsys.readouterr().err


# --- many, and being killed -------------------------------------------------------------------------------------------


def test_fifty_clients_at_once(server):
    ids, errors = [], []

    def client():
        try:
            with LeaseClient(server.url) as mine:
                ids.extend(mine.request(lease()) for _ in range(4))
        except UsageError as error:
            errors.append(error)

    threads = [threading.Thread(target=client) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(ids) == list(range(1, 201))
    assert {found.id for found in server.live.leases()} == set(ids)


def lease():
    return Lease(nodes=(NodeSet(1, {CPU: (100,), MEMORY: (256,)}),), duration=3600, start=When.UNSPECIFIED)


def started(state):
    """A service in a process of its own, and its address."""
    source = str(Path(windtunnel.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    command = [sys.executable, "-m", "windtunnel", "serve", "leases", "--site", "4 CPU:100,Memory:1024"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--state", str(state)], env=environment, stdout=subprocess.PIPE, text=True
    )
    line = process.stdout.readline()
    return process, line.split(" on ")[1].split()[0]


def test_killed_at_any_point_nothing_acknowledged_is_lost(tmp_path):
    state, chance = tmp_path / "leases.db", random.Random(7)
    acknowledged, cancelled, doubtful = [], set(), set()
    for _ in range(4):
        process, url = started(state)
        killer = threading.Timer(chance.uniform(0.02, 0.4), process.send_signal, [signal.SIGKILL])
        with LeaseClient(url) as client:
            killer.start()
            try:
                while True:
                    acknowledged.append(client.request(lease()))
                    if chance.random() < 0.3:
                        victim = chance.choice(acknowledged)
                        if victim not in cancelled | doubtful:
                            doubtful.add(victim)
                            client.cancel(victim)
                            doubtful.discard(victim)
                            cancelled.add(victim)
            except UsageError as error:
                assert "does not answer" in str(error)  # noqa: PT017  the loop ends only so
        killer.join()
        process.wait()
        process.stdout.close()
    process, url = started(state)
    try:
        with LeaseClient(url) as client:
            assert len(set(acknowledged)) == len(acknowledged) > 0
            for number in acknowledged:
                found, _ = client.lease(number)
                over = found.state is LeaseState.CANCELLED
                assert over == (number in cancelled) or number in doubtful
            listed = [found.id for found in client.leases()]
            assert len(set(listed)) == len(listed)
            assert len(listed) <= len(acknowledged) - len(cancelled) + 4  # at most the one in doubt of each life
            assert client.request(lease()) > max(acknowledged)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_what_is_kept_is_the_owners_business(tmp_path):
    state = tmp_path / "leases.db"
    process, _ = started(state)
    process.kill()
    process.wait()
    process.stdout.close()
    assert state.stat().st_mode & 0o077 == 0


def test_a_site_that_is_none_leaves_no_store(tmp_path, capsys):
    state = tmp_path / "leases.db"
    assert main(["serve", "leases", "--site", "four nodes", "--port", "0", "--state", str(state)]) == 2
    assert capsys.readouterr().err
    assert not state.exists()
