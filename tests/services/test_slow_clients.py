"""Slow clients, many clients and costly requests: every honest request is answered, whoever else is there."""

import socket
import threading
import xmlrpc.client
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from windtunnel.entities.sss_node import SssNode
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services import lease_rpc, nodes
from windtunnel.services.lease_live import LiveLeases
from windtunnel.services.lease_rpc import LeaseServer
from windtunnel.services.lease_store import LeaseStore
from windtunnel.services.nodes import NodeServer

NODES = [SssNode(id=f"n{number}", state="Idle") for number in range(20)]
CALL = xmlrpc.client.dumps((), "get_hosts").encode()
QUERY = b"<Request action='Query'><Object>Node</Object><Get name='Id'/></Request>"
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n"


@contextmanager
def leases():
    live = LiveLeases(site_from_text("4 CPU:100,Memory:1024"), LeaseOptions(), LeaseStore(None))
    with LeaseServer(live, port=0) as server:
        yield server.socket.getsockname()[:2]


@contextmanager
def node_service():
    with NodeServer(lambda _: NODES, port=0) as server:
        yield server.address


SERVICES = {"leases": (leases, lease_rpc, CALL, b"simul-1"), "nodes": (node_service, nodes, QUERY, b"<Code>000")}


def honest(address, body, expected):
    """One honest request; whether it was answered."""
    with socket.create_connection(address, timeout=120) as line:
        line.sendall(HEAD % len(body) + body)
        answer = b""
        while part := line.recv(1 << 16):
            answer += part
    return b" 200 OK" in answer and expected in answer


@pytest.mark.parametrize("service", SERVICES)
def test_honest_clients_are_answered_beside_slow_ones(service):
    """100 clients that have sent half a head, half a body, or nothing, and stay."""
    serve, _, body, expected = SERVICES[service]
    beginnings = (b"", b"POST / HT", b"POST / HTTP/1.1\r\nContent-Le", HEAD % 1000 + body)
    with serve() as address, ExitStack() as stack:
        for number in range(100):
            line = stack.enter_context(socket.create_connection(address, timeout=120))
            line.sendall(beginnings[number % len(beginnings)])
        with ThreadPoolExecutor(20) as pool:
            answered = list(pool.map(lambda _: honest(address, body, expected), range(200)))
    assert answered == [True] * 200


@pytest.mark.parametrize("service", SERVICES)
def test_a_byte_now_and_then_does_not_keep_a_place(service, monkeypatch):
    """The deadline is for the whole request: each of these bytes comes soon after the one before."""
    serve, module, _, _ = SERVICES[service]
    monkeypatch.setattr(module, "TIME_LIMIT", 0.5)
    over = threading.Event()
    with serve() as address, socket.create_connection(address, timeout=120) as line:
        line.sendall(b"POST / HTTP/1.1\r\nX: ")

        def drip():
            while not over.wait(0.05):
                try:
                    line.send(b"y")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            while line.recv(4096):  # a refusal, and the end
                pass
        except ConnectionResetError:
            pass
        finally:
            over.set()
            dripping.join()


@pytest.mark.parametrize("service", SERVICES)
def test_too_many_connections_are_turned_away(service, monkeypatch):
    serve, module, body, expected = SERVICES[service]
    monkeypatch.setattr(module, "CONNECTIONS", 3)
    with serve() as address:
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(socket.create_connection(address, timeout=120)).sendall(b"POST")
            while honest_or_refused(address, body) != b"503":
                pass
        while honest_or_refused(address, body) != b"200":  # the others have gone
            pass
        assert honest(address, body, expected)


def honest_or_refused(address, body):
    with socket.create_connection(address, timeout=120) as line:
        try:
            line.sendall(HEAD % len(body) + body)
            return line.recv(100)[9:12]
        except ConnectionError:
            return b"503"


def test_a_costly_query_is_refused_and_the_others_do_not_wait():
    body = b"<Request action='Query'><Object>Node</Object>%s</Request>" % (b"<Get name='Id'/>" * 5000)
    with node_service() as address:
        assert not honest(address, body, b"<Code>000")
        assert honest(address, body, b"5000 Get and Where; 200 are allowed in one request")
    many = [SssNode(id=f"n{number}") for number in range(50_000)]
    with NodeServer(lambda _: many, port=0) as server:
        body = b"<Request action='Query'><Object>Node</Object>%s</Request>" % (b"<Get name='Id'/>" * 50)
        assert honest(server.address, body, b"50 Get and Where over 50000 nodes; 40 are allowed with so many")


def test_parentheses_without_end_are_refused():
    where = b"<Where name='Id' group='1000000000'>x</Where>"
    body = b"<Request action='Query'><Object>Node</Object>%s</Request>" % where
    with node_service() as address:
        assert honest(address, body, b"<Value>Failure</Value>")


def test_answers_are_computed_beside_each_other():
    """Two requests that wait for each other inside: under one lock neither would be answered."""
    meeting = threading.Barrier(2, timeout=60)

    class Slow(list):
        def __iter__(self):
            meeting.wait()
            return super().__iter__()

    with NodeServer(lambda _: Slow(NODES), port=0) as server, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: honest(server.address, QUERY, b"<Code>000"), range(2)))
    assert answers == [True, True]


@pytest.mark.parametrize(
    "body",
    [
        xmlrpc.client.dumps((), "no_such_method").encode(),
        xmlrpc.client.dumps((1, 2, 3), "get_hosts").encode(),
        xmlrpc.client.dumps(({"a": 1},), "cancel_lease").encode(),
        b"<methodCall><methodName>get_hosts</methodName><params><param><value><int>x</int></value></param></params></methodCall>",
        b"<?xml version='1.0' encoding='undefined'?><methodCall/>",
        b"<?xml version='1.0' encoding='punycode'?><methodCall/>",
        b"<methodCall/>",
        b"",
        b"\xff\xfe",
    ],
)
def test_faults_name_no_classes(body):
    with leases() as address, socket.create_connection(address, timeout=60) as line:
        line.sendall(HEAD % len(body) + body)
        answer = b""
        while part := line.recv(1 << 16):
            answer += part
    assert b"<fault>" in answer
    for leak in (b"&lt;class", b"Traceback", b"Error", b"windtunnel.", b"_Methods"):
        assert leak not in answer, answer


def test_a_length_of_thousands_of_digits_is_none():
    for address_of in (leases, node_service):
        with address_of() as address, socket.create_connection(address, timeout=60) as line:
            line.sendall(b"POST / HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n")
            assert line.recv(100)[9:12] == b"411"
