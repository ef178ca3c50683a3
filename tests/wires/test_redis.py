"""Redis as Batsim's document and programs use it, against a real server, in both roles."""

import json
import shutil
import subprocess
import time

import pytest
from tests.wires.batsim4_cases import served
from tests.wires.test_pybatsim import free_port

from shared import missing
from windtunnel.cli import batsim4
from windtunnel.diagnostics import ComponentError, ProtocolError
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.json.server import Server

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="a" routing="Full">
<host id="master_host" speed="1f"/><host id="h0" speed="1f"/><host id="h1" speed="1f"/>
</zone></platform>"""
WORKLOAD = {
    "nb_res": 2,
    "jobs": [
        {"id": 0, "subtime": 1, "res": 1, "profile": "d", "walltime": 100, "extra": [1, {"x": 2.5}]},
        {"id": "two", "subtime": 20, "res": 2, "profile": "d"},
    ],
    "profiles": {"d": {"type": "delay", "delay": 10}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A Redis server of our own: a client, and its port."""
    program = shutil.which("redis-server")
    if program is None:
        missing("redis-server")
    import redis

    port, folder = free_port(), tmp_path_factory.mktemp("redis")
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        client = redis.Redis("127.0.0.1", port, decode_responses=True)
        for _ in range(100):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.05)
        yield client, port
        client.close()
        process.kill()


@pytest.fixture
def inputs(tmp_path):
    (tmp_path / "p.xml").write_text(PLATFORM)
    (tmp_path / "w.json").write_text(json.dumps(WORKLOAD))
    return tmp_path


def run(inputs, port, answer, *more):
    """Run with Redis; ``answer(now, events)`` gives the events of each reply."""
    messages = []

    def reply(request):
        message = json.loads(request)
        messages.append(message)
        now = message["now"]
        events = [{"timestamp": now, "type": kind, "data": data} for kind, data in answer(message["events"])]
        return json.dumps({"now": now, "events": events}).encode()

    with served(reply) as endpoint:
        run_to(inputs, endpoint, port, *more)
    return [event for message in messages for event in message["events"]]


def run_to(inputs, endpoint, port, *more):
    words = ["-p", inputs / "p.xml", "-w", inputs / "w.json", "-e", inputs / "out", "-s", endpoint, "-q"]
    batsim4.batsim4([str(w) for w in [*words, "--enable-redis", "--redis-port", port, "--timeout", 20, *more]])


def rows(inputs):
    header, *lines = (inputs / "out_jobs.csv").read_text().splitlines()
    return {line.split(",")[0]: dict(zip(header.split(","), line.split(","), strict=True)) for line in lines}


def test_descriptions_travel_by_redis(server, inputs):
    client, port = server
    told = {}

    def answer(events):
        for event in events:
            kind, data = event["type"], event["data"]
            if kind == "SIMULATION_BEGINS":
                assert data["config"]["redis-enabled"] is True
                assert data["config"]["redis-port"] == port
                assert data["config"]["redis-prefix"] == "default"
                assert client.get("default:nb_res") == "2"
            if kind == "JOB_SUBMITTED":
                assert list(data) == ["job_id"]
                job = json.loads(client.get(f"default:job_{data['job_id']}"))
                told[data["job_id"]] = job, client.get(f"default:profile_w0!{job['profile']}")
                yield "EXECUTE_JOB", {"job_id": data["job_id"], "alloc": f"0-{job['res'] - 1}"}

    run(inputs, port, answer)
    first, second = (dict(job) for job in WORKLOAD["jobs"])
    assert told == {"w0!0": (first | {"id": "w0!0"}, None), "w0!two": (second | {"id": "w0!two"}, None)}


def test_profiles_only_when_forwarded_and_prefix(server, inputs):
    client, port = server
    profiles = []

    def answer(events):
        for event in events:
            if event["type"] == "JOB_SUBMITTED":
                profiles.append(json.loads(client.get("mine:profile_w0!d")))
                yield "REJECT_JOB", event["data"]

    run(inputs, port, answer, "--redis-prefix", "mine", "--forward-profiles-on-submission")
    assert profiles == [{"type": "delay", "delay": 10}] * 2
    assert client.get("mine:nb_res") == "2"
    assert {row["final_state"] for row in rows(inputs).values()} == {"REJECTED"}


@pytest.mark.parametrize("how", ["pushed", "registered"])
def test_dynamic_jobs(server, inputs, how):
    """The description is under its key; its profile was pushed (the document) or registered (the programs)."""
    client, port = server
    job = {"id": f"dyn!{how}", "res": 2, "profile": how, "walltime": 50, "subtime": 3}
    profile = {"type": "delay", "delay": 5}

    def answer(events):
        for event in events:
            kind, data = event["type"], event["data"]
            if kind == "SIMULATION_BEGINS":
                yield "CALL_ME_LATER", {"timestamp": 5}
            if kind == "REQUESTED_CALL":
                client.set(f"default:job_dyn!{how}", json.dumps(job))
                if how == "pushed":
                    client.set(f"default:profile_dyn!{how}", json.dumps(profile))
                else:
                    yield "REGISTER_PROFILE", {"workload_name": "dyn", "profile_name": how, "profile": profile}
                yield "REGISTER_JOB", {"job_id": f"dyn!{how}"}
                yield "NOTIFY", {"type": "registration_finished"}
                yield "EXECUTE_JOB", {"job_id": f"dyn!{how}", "alloc": "0 1"}
            if kind == "JOB_SUBMITTED":
                yield "REJECT_JOB", data

    run(inputs, port, answer, "--enable-dynamic-jobs")
    row = rows(inputs)[how]
    assert row["workload_name"] == "dyn"
    assert float(row["submission_time"]) == 3
    assert float(row["waiting_time"]) == 2
    assert float(row["execution_time"]) == 5


@pytest.mark.parametrize(
    ("stored", "said"),
    [(None, "Redis has no key job_dyn!x"), ("{", "is not JSON"), ("[]", "an object is expected"), ("{}", "'res'")],
)
def test_what_redis_does_not_have(server, inputs, stored, said):
    client, port = server
    client.delete("default:job_dyn!x")
    if stored is not None:
        client.set("default:job_dyn!x", stored)

    reply = b'{"now":0,"events":[{"timestamp":0,"type":"REGISTER_JOB","data":{"job_id":"dyn!x"}}]}'
    with served(lambda _: reply) as endpoint, pytest.raises(ProtocolError, match="REGISTER_JOB") as fault:
        run_to(inputs, endpoint, port, "--enable-dynamic-jobs")
    assert said in str(fault.value)


def test_no_server(inputs):
    with pytest.raises(ComponentError, match=r"the Redis server at 127\.0\.0\.1:\d+ is not there"):
        run_to(inputs, "tcp://127.0.0.1:1", free_port())


@pytest.mark.parametrize(
    "name", ["easy", "fcfs", "filler", "batsched/fcfs_fast", "batsched/easy_bf_fast", "submitter"]
)
def test_our_schedulers_read_redis(server, inputs, name):
    """Both roles are ours."""
    _, port = server
    submits = name == "submitter"
    scheduler = Server(make_scheduler(name, **({"nb_jobs_to_submit": 3} if submits else {})))
    with served(scheduler.answer) as endpoint:
        more = ["--enable-dynamic-jobs", "--acknowledge-dynamic-jobs"] if submits else []
        run_to(inputs, endpoint, port, "--forward-profiles-on-submission", *more)
    lines = (inputs / "out_jobs.csv").read_text().splitlines()[1:]
    assert len(lines) == (5 if submits else 2)
    assert all("COMPLETED_SUCCESSFULLY" in line for line in lines)
