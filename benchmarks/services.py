"""What slow clients cost honest ones: 200 requests at once to each service, alone and beside 100 dripping clients.

The services run in processes of their own, as users start them. A slow client sends a byte of an endless head every
second, and comes again when it is turned away; an honest one connects, asks, and reads the answer (wall clock).
"""

import socket
import subprocess
import sys
import tempfile
import threading
import time
import xmlrpc.client
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks import Figure

__all__ = ["run"]

HONEST, SLOW, ROUNDS = 200, 100, 3
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n"
CALL = xmlrpc.client.dumps((), "get_hosts").encode()
QUERY = b"<Request action='Query'><Object>Node</Object><Get name='Id'/><Get name='State'/></Request>"
ROW = "{n} {n} -1 50 1 -1 -1 1 90 -1 1 1 1 1 1 1 -1 -1\n"


@contextmanager
def service(*words):
    """A service in a process of its own; its address."""
    command = [sys.executable, "-m", "windtunnel", *words, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            place = process.stdout.readline().partition(" on ")[2].split()[0]
            host, _, port = place.removeprefix("http://").partition("/")[0].rpartition(":")
            yield host, int(port)
        finally:
            process.kill()


def ask(address, body):
    """One honest request: the seconds it took.

    Raises:
        OSError: it was not answered.
    """
    begun = time.perf_counter()
    answer = b""
    with socket.create_connection(address, timeout=60) as line:
        line.sendall(HEAD % len(body) + body)
        while part := line.recv(1 << 16):
            answer += part
    if b" 200 OK" not in answer[:20]:
        raise OSError(f"not answered: {answer[:100]!r}")
    return time.perf_counter() - begun


def drip(address, over):
    """A slow client, again and again."""
    while not over.is_set():
        with suppress(OSError), socket.create_connection(address, timeout=60) as line:
            line.sendall(b"POST / HTTP/1.1\r\nX: ")
            while not over.wait(1.0):
                line.sendall(b"y")


def latencies(address, body):
    """The seconds of all honest requests, in order."""
    found, failed = [], []

    def one(meeting):
        meeting.wait()
        try:
            found.append(ask(address, body))
        except OSError as error:
            failed.append(error)

    for _ in range(ROUNDS):
        meeting = threading.Barrier(HONEST)
        threads = [threading.Thread(target=one, args=(meeting,)) for _ in range(HONEST)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failed:
        raise OSError(f"{len(failed)} of {ROUNDS * HONEST} requests were not answered: {failed[0]}")
    return sorted(found)


def measured(name, address, body):
    """The figures of one service."""
    ask(address, body)
    over = threading.Event()
    alone = latencies(address, body)
    slow = [threading.Thread(target=drip, args=(address, over)) for _ in range(SLOW)]
    for thread in slow:
        thread.start()
    time.sleep(2.0)  # until all of them are connected and drip
    try:
        beside = latencies(address, body)
    finally:
        over.set()
        for thread in slow:
            thread.join()
    last = 95 * len(alone) // 100
    yield Figure(f"{name}: 95th percentile of {HONEST} requests at once, alone", alone[last], "s")
    yield Figure(f"{name}: the same beside {SLOW} slow clients", beside[last], "s")
    yield Figure(f"{name}: what the slow clients add", beside[last] - alone[last], "s", "at most 2")


def run():
    with service("serve", "leases", "--site", "100 CPU:100,Memory:1024") as address:
        yield from measured("serve leases", address, CALL)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.swf"
        log.write_text("".join(ROW.format(n=n) for n in range(1, 100)))
        command = [sys.executable, "-m", "windtunnel", "run", "hosts:100", str(log), "-q", "--out", f"{folder}/run"]
        subprocess.run(command, check=True)
        with service("serve", "nodes", f"{folder}/run") as address:
            yield from measured("serve nodes", address, QUERY)
