"""Redis servers that die, hang or answer nonsense, in both roles: one clear error, and what was simulated is kept."""

import csv
import json

import pytest
from tests.wires.batsim4_cases import served
from tests.wires.fake_redis import HANG, LEAVE, fake_redis
from tests.wires.test_redis import PLATFORM, WORKLOAD

from windtunnel.cli.main import main
from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, ProtocolError
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.json.server import Server
from windtunnel.wires.redis_store import RedisStore

NONSENSE = {
    "no Redis": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "no number": b":abc\r\n",
    "no length": b"$x\r\n",
    "a number": b":5\r\n",
    "a list": b"*1\r\n$1\r\na\r\n",
    "lists within lists": b"*1\r\n" * 5000,
    "another text": b"$3\r\nyes\r\n",
    "nothing": b"\r\n",
}
PLAIN = {"full": b"-OOM command not allowed when used memory > 'maxmemory'.\r\n", "locked": b"-NOAUTH needed\r\n"}
THIS = (b"SET", b"default:job_w0!two")
"""What is asked when the second job is submitted; the first has ended by then."""


@pytest.fixture
def server():
    with fake_redis() as made:
        yield made


@pytest.fixture
def run(tmp_path, server, capsys):
    """Run ``batsim4`` with the server: its exit code, what it says, and how ``run.json`` says that it ended."""
    (tmp_path / "p.xml").write_text(PLATFORM)
    (tmp_path / "w.json").write_text(json.dumps(WORKLOAD))

    def runs(answer=None, timeout=20):
        with served(answer or Server(make_scheduler("easy")).answer) as endpoint:
            words = ["-p", tmp_path / "p.xml", "-w", tmp_path / "w.json", "-e", tmp_path / "out", "-s", endpoint, "-q"]
            words += ["--enable-redis", "--redis-port", server.port, "--timeout", timeout]
            code = main(["batsim4", *map(str, words)])
        return code, capsys.readouterr().err, json.loads((tmp_path / "out_run.json").read_text())

    return runs


def misbehaves(answer, at=THIS):
    return lambda command, key: answer if (command, key) == at else None


def rows(tmp_path):
    return list(csv.DictReader((tmp_path / "out_jobs.csv").read_text().splitlines()))


def test_a_server_that_behaves(run, server, tmp_path):
    code, _, ended = run()
    assert (code, ended["status"]) == (0, "complete")
    assert server.held[b"default:nb_res"] == b"2"
    assert len(rows(tmp_path)) == 2


@pytest.mark.parametrize("answer", [*NONSENSE.values(), *PLAIN.values(), LEAVE], ids=[*NONSENSE, *PLAIN, "gone"])
def test_in_mid_run(run, server, tmp_path, answer):
    server.misbehave = misbehaves(answer)
    code, said, ended = run()
    assert code == 1
    assert f"the Redis server at 127.0.0.1:{server.port}" in said
    assert "(at t=20.0 s)" in said
    assert "internal error" not in said
    assert "raised" not in said
    assert ended["status"] == "incomplete"
    assert "Redis" in ended["reason"]
    first, *_ = rows(tmp_path)
    assert (first["job_id"], first["final_state"]) == ("0", "COMPLETED_SUCCESSFULLY")


def test_a_server_that_hangs_in_mid_run(run, server):
    server.misbehave = misbehaves(HANG)
    code, said, ended = run(timeout=1)
    assert code == 1
    assert "has not answered within 1 s (at t=20.0 s)" in said
    assert ended["status"] == "incomplete"


@pytest.mark.parametrize("answer", [*NONSENSE.values(), *PLAIN.values(), LEAVE], ids=[*NONSENSE, *PLAIN, "gone"])
def test_at_the_beginning(run, server, answer):
    server.misbehave = misbehaves(answer, (b"PING", b""))
    code, said, ended = run()
    assert (code, ended["status"]) == (1, "incomplete")
    assert f"the Redis server at 127.0.0.1:{server.port}" in said
    assert "internal error" not in said


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (LEAVE, ComponentError, "is not there"),
        (NONSENSE["a number"], ProtocolError, "answers nonsense"),
        (NONSENSE["lists within lists"], ProtocolError, "answers nonsense"),
        (b"$-1\r\n", ProtocolError, "Redis has no key job_w0!two"),
        (b"$1\r\n{\r\n", ProtocolError, "what Redis has under job_w0!two is not JSON"),
        (b"$2\r\n[]\r\n", ProtocolError, "under job_w0!two is [], an object is expected"),
        (b'$4\r\n"\xe4\xf6"\r\n', ProtocolError, "under job_w0!two is not UTF-8"),
    ],
)
def test_for_our_scheduler_when_served(run, server, answer, kind, said):
    """The scheduler ends with the error, and Batsim sees it leave."""
    server.misbehave = misbehaves(answer, (b"GET", THIS[1]))
    serving, faults = Server(make_scheduler("easy")), []

    def answers(request):
        try:
            return serving.answer(request)
        except ComponentError as fault:
            faults.append(fault)
            return b""

    code, _, ended = run(answers)
    assert (code, ended["status"]) == (1, "incomplete")
    assert type(faults[0]) is kind
    assert said in str(faults[0])


def test_one_that_hangs_is_asked_once(server):
    asked = []
    server.misbehave = lambda command, _: asked.append(command) or (HANG if command == b"GET" else None)
    store = RedisStore("127.0.0.1", server.port, "p", 0.1)
    with pytest.raises(ComponentTimeoutError, match=r"has not answered within 0\.1 s"):
        store.get("x")
    assert asked.count(b"GET") == 1
    store.close()


def test_servers_of_old_are_not_asked_what_they_do_not_know(server):
    """Before Redis 6 there was no HELLO, with which newer clients begin."""
    asked = []
    server.misbehave = lambda command, _: asked.append(command)
    RedisStore("127.0.0.1", server.port, "p").close()
    assert b"PING" in asked
    assert b"HELLO" not in asked


def test_a_connection_that_was_idle_for_too_long_is_made_again(server):
    store = RedisStore("127.0.0.1", server.port, "p")
    store.put("x", "{}")
    server.drop()
    assert store.get("x") == "{}"
    store.close()


@pytest.mark.parametrize("name", ["." * 70, "no host"])
def test_a_name_that_no_host_can_have(name):
    with pytest.raises(ComponentError, match="the Redis server at"):
        RedisStore(name, 6379, "p", 5)
