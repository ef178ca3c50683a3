"""The page on loopback: behind its token, for its own origin, loaded when somebody opens it."""

import sys
from contextlib import closing
from http.client import HTTPConnection
from threading import Thread
from urllib.parse import urlsplit

import msgspec
import pytest
from tests.live.live_runs import simulation

from windtunnel.diagnostics import MissingExtraError, UsageError
from windtunnel.live import driver as module
from windtunnel.live.driver import Driver
from windtunnel.live.server import Server
from windtunnel.live.watched import Watched

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")


@pytest.fixture(scope="module")
def served():
    before = module._PATIENCE
    module._PATIENCE = 0.2
    driver = Driver(Watched(simulation(), paused=True))
    server = Server(driver, "<easy>")
    thread = Thread(target=driver.drive)
    thread.start()
    yield server.url
    driver.ask(driver.first.resume).result(20)
    thread.join(20)
    server.close()
    module._PATIENCE = before
    assert not thread.is_alive()


def ask(url: str, body: bytes | None = None, path: str = "", **headers: str):
    parts = urlsplit(url)
    method = "GET" if body is None else "POST"
    with closing(HTTPConnection(parts.hostname, parts.port, timeout=20)) as connection:
        connection.request(method, parts.path + path, body, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers


def test_the_page_holds_nothing_of_others_and_may_not_be_kept(served):
    status, page, headers = ask(served)
    assert status == 200
    assert b"&lt;easy&gt;" in page
    assert b"http" not in page.replace(b"http-equiv", b"")
    assert (headers["Cache-Control"], headers["Referrer-Policy"]) == ("no-store", "no-referrer")


def test_questions_are_answered(served):
    status, told, _ = ask(served, b'{"what": "state"}', "state")
    assert (status, msgspec.json.decode(told)["0"]["hosts"]) == (200, 8)
    status, told, _ = ask(served, b'{"what": "until", "time": "soon"}', "do")
    assert status == 400
    assert "not a valid time" in msgspec.json.decode(told)["error"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"what": "burn"}', b'{"what": "step", "more": 1}', b"[]", b" " * 200_000]
)
def test_questions_that_are_none(served, body):
    assert ask(served, body, "do")[0] == 400


def test_only_those_who_know_the_token_on_this_machine_are_let_in(served):
    parts = urlsplit(served)
    assert ask(served.replace(parts.path, "/"))[0] == 404
    assert ask(served.replace(parts.path, "/wrong/"))[0] == 404
    assert ask(served, Host="evil.example")[0] == 404
    assert ask(served, b'{"what": "step"}', "do", Origin="http://evil.example")[0] == 404
    assert ask(served, b'{"what": "state"}', "state", Origin=f"http://127.0.0.1:{parts.port}")[0] == 200
    assert parts.hostname == "127.0.0.1"


def test_tokens_differ_and_a_taken_port_is_said():
    driver = Driver(Watched(simulation()))
    one, two = Server(driver, "a"), Server(driver, "b")
    assert urlsplit(one.url).path != urlsplit(two.url).path
    with pytest.raises(UsageError, match="cannot listen"):
        Server(driver, "c", urlsplit(one.url).port)
    one.close()
    two.close()


def test_nothing_is_loaded_until_somebody_opens_the_page(monkeypatch):
    monkeypatch.setattr("windtunnel.live.server.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"windtunnel\[web\]"):
        Server(Driver(Watched(simulation())), "a")


def test_a_run_that_nobody_watches_loads_no_server():
    import subprocess

    code = (
        "import sys, windtunnel as wt\n"
        "from windtunnel.examples import find\n"
        "small = find('small')\n"
        "told = []\n"
        "run = wt.Simulation(small.platform, small.workloads, 'easy').live(announce=told.append)\n"
        "assert run.complete and told[0].startswith('http://127.0.0.1:')\n"
        "print(sorted({'starlette', 'uvicorn', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")
