"""Schedulers that die, hang, truncate, repeat, reorder or garble their replies: one clear error, and no row is lost."""

import copy
import csv
import io
import json
import threading
from contextlib import contextmanager, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.wires.faulty import Talker, build

from windtunnel.api import Dialect, Layout
from windtunnel.cli.main import main
from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, SimulationError
from windtunnel.schedulers import make_scheduler
from windtunnel.vocabulary import Observer
from windtunnel.wires.json.server import Server
from windtunnel.wires.zmq_peer import Replier


class Ended(Observer):
    """How many jobs have left, which is how many rows there must be."""

    def __init__(self):
        self.count = 0

    def on_job_ended(self, now, record):
        self.count += 1

    def on_job_rejected(self, now, record):
        self.count += 1


def run(answer=None, **options):
    """Run to the end or to the error, which is returned; nothing may be lost either way."""
    simulation = build(answer, **options)
    ended = Ended()
    simulation.engine.observe([*simulation.recording.observers, ended])
    try:
        simulation.run()
        fault = None
    except SimulationError as error:
        fault = error
    check_kept(simulation, ended.count, fault)
    return fault


def check_kept(simulation, ended, fault):
    """All rows are there, and the record says how it ended."""
    done = simulation.result()
    rows = list(csv.DictReader(io.StringIO(done.read("jobs.csv").decode())))
    assert len(rows) == ended
    state = json.loads(done.read("run.json"))
    assert state["status"] == ("complete" if fault is None else "incomplete")
    assert done.read("schedule.csv")
    if fault is not None:
        assert str(fault) in state["reason"]
        assert fault.exit_code == 1
        assert " raised " not in str(fault), fault
        assert len(str(fault)) < 3000


def legal():
    """The dialogue as it should be."""
    talker, said = Talker(), []

    def answer(request):
        said.append((request, talker.answer(request)))
        return said[-1][1]

    assert run(answer) is None
    return said


LEGAL = legal()
LENGTH = len(LEGAL)


def test_the_dialogue_is_long_enough():
    assert LENGTH >= 20
    kinds = {event["type"] for _, reply in LEGAL for event in json.loads(reply)["events"]}
    assert len(kinds) == 12  # all but TO_JOB_MSG, which needs a job that receives


# -- the peer -------------------------------------------------------------------------------------------------------


@contextmanager
def peer(wrong_at, behave, answer=None):
    """A scheduler behind a socket that does something wrong at one message."""
    answer = answer or Talker().answer
    replier = Replier("tcp://127.0.0.1:*", timeout=60.0)
    endpoint = replier.open()
    over = threading.Event()

    def serve():
        try:
            for _ in range(wrong_at):
                replier.reply(answer(replier.receive()))
            behave(replier, replier.receive(), over)
        except ComponentError:
            pass
        replier.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        over.set()
        thread.join(10)


def dies(replier, request, over):
    replier._socket.close(0)


def hangs(replier, request, over):
    over.wait(5)


@pytest.mark.parametrize("at", range(LENGTH))
def test_peer_dies(at):
    """It is noticed, not waited for: that would be another fault."""
    with peer(at, dies) as endpoint:
        fault = run(endpoint=endpoint, timeout=60.0)
    assert "has gone away" in str(fault)


@pytest.mark.parametrize("at", range(LENGTH))
def test_peer_hangs(at):
    with peer(at, hangs) as endpoint:
        fault = run(endpoint=endpoint, timeout=0.15)
    assert isinstance(fault, ComponentTimeoutError)
    assert "has not answered within 0.15 s" in str(fault)


def test_nobody_is_there():
    fault = run(endpoint="tcp://127.0.0.1:1", timeout=0.2)
    assert isinstance(fault, ComponentTimeoutError)
    assert "nobody answers" in str(fault) or "has not answered" in str(fault)


# -- its replies ----------------------------------------------------------------------------------------------------


def with_fault(at, change):
    """Answer as the talker does, but for one reply."""
    talker = Talker()
    replies = []

    def answer(request):
        replies.append(talker.answer(request))
        return change(replies) if len(replies) == at + 1 else replies[-1]

    return answer


@pytest.mark.parametrize("at", range(LENGTH))
def test_truncated(at):
    size = len(LEGAL[at][1])
    for end in {0, 1, size // 3, size // 2, size - 1}:
        fault = run(with_fault(at, lambda replies, end=end: replies[-1][:end]))
        assert "the scheduler's reply is not JSON" in str(fault)


@pytest.mark.parametrize("at", range(1, LENGTH))
def test_repeated(at):
    """The reply before, again: its decisions are of the past, or are for jobs that are no longer waiting."""
    fault = run(with_fault(at, lambda replies: replies[-2]))
    before = json.loads(LEGAL[at - 1][1])
    if before["now"] != json.loads(LEGAL[at][1])["now"]:
        assert "before the time of the message" in str(fault)


@pytest.mark.parametrize("at", range(LENGTH))
def test_reordered_events(at):
    """The events of a reply the other way round: legal, or refused by a rule."""
    run(with_fault(at, lambda replies: json.dumps(backwards(json.loads(replies[-1]))).encode()))


def backwards(message):
    return message | {"events": message["events"][::-1]}


@pytest.mark.parametrize("at", range(LENGTH - 1))
def test_reordered_replies(at):
    """The next reply in the place of this one, and the other way round."""
    order = [reply for _, reply in LEGAL]
    order[at], order[at + 1] = order[at + 1], order[at]
    replies = iter(order)
    run(lambda _: next(replies, b'{"now": 1e9, "events": []}'))


NUMBERS = [0, -1, 1, 10**18, 2**64, 10**400, -(10**400), 1e308, -1e308, 5e-324, 0.1, True]
TEXTS = ["", "0", "0-3", "3-0", "99999999999999999999", "0-99999999999", "w0!0", "w0", "!", "w0!", "\x00", "\n", "é"]
JSON = st.recursive(
    st.none() | st.booleans() | st.sampled_from(NUMBERS) | st.sampled_from(TEXTS) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "type", "0"]), inner, max_size=3)
    ),
    max_leaves=5,
)
RAW = st.sampled_from([b"\xff", b"\\ud800", b"[" * 5000, b"1e999", b"NaN", b"}", b",", b'"', b"\x00", b"9" * 5000])


def places(value, path=()):
    """All places inside a JSON value."""
    found = [path]
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        found += places(inner, (*path, key))
    return found


@st.composite
def mutations(draw):
    """(message, function on its legal reply)."""
    at = draw(st.integers(0, LENGTH - 1))
    reply = LEGAL[at][1]
    if draw(st.integers(0, 4)) == 0:
        cut = draw(st.integers(0, len(reply)))
        garbage = draw(RAW | st.binary(max_size=4))
        return at, reply[:cut] + garbage + reply[cut + draw(st.integers(0, 3)) :]
    message = copy.deepcopy(json.loads(reply))
    for _ in range(draw(st.integers(1, 3))):
        mutate(draw, message)
    return at, json.dumps(message).encode()


def mutate(draw, message):
    """Change one place."""
    path = draw(st.sampled_from(places(message)))
    if not path:
        return
    holder = message
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    what = draw(st.sampled_from(["replace", "replace", "drop", "twice", "move"]))
    if what == "drop":
        del holder[key]
    elif what == "replace":
        holder[key] = draw(JSON)
    elif isinstance(holder, list):
        holder.insert(draw(st.integers(0, len(holder))), holder.pop(key) if what == "move" else holder[key])
    else:
        holder[draw(st.sampled_from(["job_id", "alloc", "timestamp", "data", "x"]))] = holder[key]


@pytest.mark.slow
@settings(max_examples=2000, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
@given(mutations())
def test_mutated_replies(mutation):
    at, garbled = mutation
    run(with_fault(at, lambda _: garbled))


# -- the other role -------------------------------------------------------------------------------------------------


def told_to_easy():
    """What a Batsim says to our scheduler."""
    server, said = Server(make_scheduler("easy")), []

    def answer(request):
        said.append(request)
        return server.answer(request)

    assert run(answer, dynamic=False) is None
    return said


TOLD = told_to_easy()


@settings(max_examples=400, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
@given(st.data())
def test_garbled_batsim(data):
    """Our scheduler, served to a Batsim that talks nonsense: one clear error, or it is understood."""
    server = Server(make_scheduler("easy"))
    at = data.draw(st.integers(0, len(TOLD) - 1))
    for request in TOLD[:at]:
        server.answer(request)
    message = json.loads(TOLD[at])
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(data.draw, message)
    with suppress(ComponentError):
        server.answer(json.dumps(message).encode())


def test_replies_in_parts():
    """A reply of several frames leaves the socket in a state in which nothing can be asked."""

    def in_parts(replier, request, over):
        replier._socket.send_multipart([b'{"now":0,"events":[]}', b"more"])
        over.wait(5)

    with peer(0, in_parts) as endpoint:
        fault = run(endpoint=endpoint)
    assert isinstance(fault, ComponentError)


def test_sequences_of_nothing():
    """A billion steps that take no time are not waited for."""
    nothing = {"type": "parallel_homogeneous", "cpu": 0, "com": 0}
    often = {"type": "composed", "repeat": 10**9, "seq": ["z"]}

    def answer(request):
        if b"SIMULATION_BEGINS" not in request:
            return b'{"now":0,"events":[]}'
        events = [
            ("REGISTER_PROFILE", {"workload_name": "d", "profile_name": "z", "profile": nothing}),
            ("REGISTER_PROFILE", {"workload_name": "d", "profile_name": "s", "profile": often}),
            ("REGISTER_JOB", {"job_id": "d!1", "job": {"id": "d!1", "res": 1, "profile": "s"}}),
            ("EXECUTE_JOB", {"job_id": "d!1", "alloc": "0"}),
        ]
        said = [{"timestamp": 0, "type": kind, "data": data} for kind, data in events]
        return json.dumps({"now": 0, "events": said}).encode()

    assert "steps without time passing" in str(run(answer))


# -- the command line -----------------------------------------------------------------------------------------------


def test_exit_code_and_files(tmp_path, capsys):
    """One line on standard error, exit code 1, files that say how it ended."""
    (tmp_path / "w.json").write_text(
        json.dumps(
            {
                "nb_res": 4,
                "jobs": [{"id": k, "subtime": k, "res": 1, "profile": "d"} for k in range(3)],
                "profiles": {"d": {"type": "delay", "delay": 0.5}},
            }
        )
    )
    (tmp_path / "p.xml").write_text(
        "<?xml version='1.0'?><platform version='4.1'><zone id='a' routing='Full'>"
        "<host id='master_host' speed='1f'/><host id='h' speed='1f'/></zone></platform>"
    )

    def one_by_one(request):
        message = json.loads(request)
        now = message["now"]
        ids = [event["data"]["job_id"] for event in message["events"] if event["type"] == "JOB_SUBMITTED"]
        events = [{"timestamp": now, "type": "EXECUTE_JOB", "data": {"job_id": job, "alloc": "0"}} for job in ids]
        return json.dumps({"now": now, "events": events}).encode()

    def goes_mad(replier, request, over):
        replier.reply(
            b'{"now":2,"events":[{"timestamp":2,"type":"EXECUTE_JOB","data":{"job_id":"w0!9","alloc":"0"}}]}'
        )
        over.wait(5)

    with peer(5, goes_mad, one_by_one) as endpoint:
        words = ["-p", tmp_path / "p.xml", "-w", tmp_path / "w.json", "-e", tmp_path / "out", "-s", endpoint, "-q"]
        assert main(["batsim4", *map(str, words)]) == 1
    said = capsys.readouterr().err
    assert said == (
        "windtunnel batsim4: ExecuteJob refused: there is no job 'w0!9' (never submitted, or its end has already been "
        "told) (at t=2.0 s)\n"
    )
    assert len((tmp_path / "out_jobs.csv").read_text().splitlines()) == 3
    assert json.loads((tmp_path / "out_run.json").read_text())["status"] == "incomplete"
    assert (tmp_path / "out_schedule.csv").exists()


def test_memory_layout_is_the_one_of_files(tmp_path):
    """What the campaign looks at in memory is what files hold."""
    talker = Talker()
    done = build(talker.answer, layout=Layout.batsim4(str(tmp_path / "out"))).run()
    other = build(Talker().answer, layout=Layout(None, Dialect.BATSIM4)).run()
    assert done.read("jobs.csv") == other.read("jobs.csv") == (tmp_path / "out_jobs.csv").read_bytes()
