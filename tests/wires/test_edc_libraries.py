"""Decision components as shared libraries, in process and isolated: the C interface, and all that can go wrong."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from tests.shared import missing
from tests.wires.peers import EXAMPLES, ROOT, build, jobs, simulate

from windtunnel import vocabulary as v
from windtunnel.diagnostics import ComponentError, ComponentTimeoutError, ProtocolError
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.batprotocol.idl import SCHEMA_FILE
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.isolated import IsolatedTransport
from windtunnel.wires.library import LibraryTransport

BOTH = pytest.mark.parametrize("transport", [LibraryTransport, IsolatedTransport])


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    return build(ROOT / "tests" / "wires" / "peer.c", tmp_path_factory.mktemp("peer"))


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory):
    return build(EXAMPLES / "one_by_one.c", tmp_path_factory.mktemp("example"))


@pytest.fixture
def started(peer):
    """Start the peer in a mode; stopped after the test."""
    running = []

    def start(kind, mode: bytes, **options):
        transport = kind(peer, **options)
        running.append(transport)
        return transport, transport.start(mode)

    yield start
    for transport in running:
        transport.stop()


def test_the_example_is_at_most_60_lines():
    assert len((EXAMPLES / "one_by_one.c").read_text().splitlines()) <= 60


@BOTH
def test_the_example_schedules(transport, one_by_one):
    workload = jobs((0.0, 2, 10.0), (1.0, 1, 5.0), (1.0, 9, 5.0), (2.0, 4, 1.0), (30.0, 1, 1.0))
    starts = simulate(BatprotocolComponent(transport(one_by_one)), workload)
    assert starts.ran == {
        "w0!0": (0.0, 10.0, "0-1"),
        "w0!1": (10.0, 15.0, "0"),
        "w0!3": (15.0, 16.0, "0-3"),
        "w0!4": (30.0, 31.0, "0"),
    }
    assert starts.rejected == ["w0!2"]


@pytest.fixture(scope="module")
def fcfs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fcfs")
    compiler, flatc = shutil.which("g++"), shutil.which("flatc")
    if compiler is None:
        missing("g++")
    if flatc is None:
        missing("flatc (flatbuffers-compiler)")
    subprocess.run([flatc, "--cpp", "-o", folder, SCHEMA_FILE], check=True)
    command = [compiler, "-Wall", "-Wextra", "-O1", "-shared", "-fPIC", f"-I{folder}", f"-I{EXAMPLES}"]
    subprocess.run([*command, EXAMPLES / "fcfs.cpp", "-o", folder / "libfcfs.so"], check=True)
    return str(folder / "libfcfs.so")


@BOTH
def test_the_example_in_cpp_does_what_ours_does_in_process(transport, fcfs):
    workload = jobs(*((float(i // 3), 1 + i * 7 % 5, 1.0 + i * 5 % 11) for i in range(100)))
    component = BatprotocolComponent(transport(fcfs))
    theirs = simulate(component, workload)
    component.stop()
    ours = simulate(make_scheduler("fcfs"), workload)
    assert (theirs.ran, theirs.rejected) == (ours.ran, ours.rejected)
    assert (len(ours.ran), len(ours.rejected)) == (80, 20)


@BOTH
def test_flags_hello_and_buffers_are_copied_through(transport, started):
    component, (flags, hello) = started(transport, b"R\x01the hello, any bytes \x00\xff")
    assert flags == 1
    assert hello == b"the hello, any bytes \x00\xff"
    first = component.ask(b"first \x00 message")
    assert component.ask(b"second") == b"second"
    assert first == b"first \x00 message"
    assert component.ask(b"") == b""


@BOTH
@pytest.mark.parametrize(
    "mode, said",
    [
        (b"I", "Error while calling init on the EDC library: returned 3"),
        (b"H", "did not receive an answer to its Hello message"),
        (b"T", "did not receive an answer to its Hello message"),
        (b"R\x02[1, 2]", "malformed batprotocol message"),
        (b"R\x01\x01\x02\x03", "malformed batprotocol message: Message: 3 bytes are too few"),
    ],
)
def test_bad_starts_are_errors_in_upstreams_words(transport, mode, said, peer):
    component = BatprotocolComponent(transport(peer), mode)
    with pytest.raises(ComponentError, match=said):
        component.hello()
    component.stop()


@BOTH
@pytest.mark.parametrize(
    "mode, said",
    [
        (b"E", "Error while calling take_decisions on the EDC library: returned 7"),
        (b"N", "take_decisions gave 10 bytes at a null pointer"),
        (b"G", "malformed batprotocol message: JSON text"),
        (b"B", r"event timestamp \(1e\+09\) is after message's now"),
    ],
)
def test_bad_decisions_are_errors_with_the_date(transport, mode, said, peer):
    component = BatprotocolComponent(transport(peer), mode)
    try:
        with pytest.raises(ComponentError, match=said) as caught:
            simulate(component, jobs((1.0, 1, 1.0)))
        assert caught.type is (ProtocolError if mode in {b"G", b"B"} else ComponentError)
    finally:
        component.stop()


@BOTH
def test_a_reply_of_the_past_is_one_of_the_present(transport, peer):
    component = BatprotocolComponent(transport(peer), b"o")
    assert component.hello().name == "peer"
    assert component.decide(5.0, []).now == 5.0
    component.stop()


@pytest.mark.parametrize(
    "mode, said",
    [(b"i", r"crashed \(SIGSEGV\) during init"), (b"l", "init did not return within 0.5 s; its process was killed")],
)
def test_an_isolated_library_that_fails_at_its_start_ends_nothing_else(mode, said, peer):
    transport = IsolatedTransport(peer, timeout=0.5 if mode == b"l" else 30)
    with pytest.raises(ComponentError, match=said):
        transport.start(mode)
    transport.stop()
    transport.stop()


@pytest.mark.parametrize(
    "mode, said, kind",
    [
        (b"C", r"the library crashed \(SIGSEGV\) during take_decisions", ComponentError),
        (b"Q", r"the library crashed \(signal 3\d\) during take_decisions", ComponentError),
        (b"X", r"the library ended its process \(exit code 9\) during take_decisions", ComponentError),
        (b"x", r"the library ended its process \(exit code 0\) during take_decisions", ComponentError),
        (b"L", r"take_decisions did not return within 2 s; its process was killed", ComponentTimeoutError),
    ],
)
def test_an_isolated_library_may_crash_leave_or_hang(mode, said, kind, started):
    transport, _ = started(IsolatedTransport, mode, timeout=2)
    with pytest.raises(kind, match=said):
        transport.ask(b"{}")
    with pytest.raises(ComponentError):
        transport.ask(b"{}")


@pytest.mark.parametrize("method", ["dlopen", "dlmopen"])
def test_a_library_that_ends_the_process_does_not_do_so_quietly(method, peer, tmp_path):
    """It is said, what was recorded is kept and marked, and the exit code is not a success."""
    (tmp_path / "log.swf").write_text("".join(f"{n} {n} -1 5 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n" for n in (1, 2)))
    program = (
        "import sys, windtunnel as wt\n"
        "from windtunnel.wires.batprotocol.session import BatprotocolComponent\n"
        "from windtunnel.wires.library import LibraryTransport\n"
        "library = BatprotocolComponent(LibraryTransport(sys.argv[1], sys.argv[2]), sys.argv[3].encode())\n"
        "if sys.argv[3] == 'x':\n"
        "    wt.simulate('hosts:4', 'log.swf', library, out='out')\n"
        "library.hello()\n"  # and a normal end, at which nothing is said
    )
    for mode, code in (("x", 1), ("o", 0)):
        command = [sys.executable, "-c", program, peer, method, mode]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        said = f"windtunnel: the library {peer} has ended the process (exit)\n" if code else ""
        assert (done.returncode, done.stderr) == (code, said)
    state = json.loads((tmp_path / "out" / "run.json").read_text())
    assert (state["status"], state["reason"]) == ("incomplete", "the process ended before the run")


def test_no_file_in_the_working_directory_is_taken_for_python_s_own(peer, tmp_path, monkeypatch):
    """Whoever sends a folder of data could have put a module into it that the child process imports."""
    monkeypatch.chdir(tmp_path)
    for name in ("ctypes", "socket", "windtunnel"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w').close()\n")
    transport = IsolatedTransport(peer)
    transport.start(b"")
    transport.stop()
    assert not (tmp_path / "imported").exists()


@BOTH
def test_deinit_is_called_once_and_its_return_ignored(transport, peer, tmp_path, monkeypatch):
    monkeypatch.setenv("PEER_TRACE", str(tmp_path / "trace"))
    for mode in (b"D", b"d"):
        component = transport(peer)
        component.start(mode)
        component.stop()
        component.stop()
    assert (tmp_path / "trace").read_text() == "deinit"


@BOTH
def test_what_cannot_be_loaded_is_named(transport, tmp_path):
    component = transport("no/such/library.so")
    with pytest.raises(ComponentError, match=r"dynamic loader failed while loading .*no/such/library.so"):
        component.start(b"")
    component.stop()


def test_missing_functions_are_named(tmp_path):
    (tmp_path / "empty.c").write_text("int nothing;\n")
    transport = LibraryTransport(build(tmp_path / "empty.c", tmp_path))
    with pytest.raises(ComponentError, match="Could not load symbol 'batsim_edc_init'"):
        transport.start(b"")
    transport.stop()


def test_dlmopen_gives_each_component_its_own_copy(started):
    shared = [started(LibraryTransport, b"K")[0] for _ in range(2)]
    assert [component.ask(b"") for component in shared] == [b"1", b"2"]
    own = [started(LibraryTransport, b"K", load_method="dlmopen")[0] for _ in range(2)]
    assert [component.ask(b"") for component in own] == [b"1", b"1"]


def test_dlmopen_says_what_it_cannot_load():
    with pytest.raises(ComponentError, match=r"dynamic loader failed while loading .*no/such"):
        LibraryTransport("no/such/library.so", "dlmopen").start(b"")


def test_asking_too_early_is_an_error(peer):
    for transport in (LibraryTransport(peer), IsolatedTransport(peer)):
        with pytest.raises(ComponentError):
            transport.ask(b"")
        transport.stop()


def test_json_messages_end_with_nul_and_another_version_is_a_warning(caplog):
    hello = json.dumps(
        {
            "events": [
                {
                    "event_type": "EDCHelloEvent",
                    "event": {
                        "batprotocol_version": "0.9",
                        "decision_component_name": "echo",
                        "decision_component_version": "",
                        "requested_simulation_features": {"profile_reuse": True},
                    },
                }
            ]
        }
    ).encode()
    asked = []

    class Spy:
        name = "spy"

        def start(self, init_data):
            return 2, hello

        def ask(self, message, within=None):
            asked.append(message)
            return b'{"now": 0, "events": []}\0'

        def stop(self):
            pass

    component = BatprotocolComponent(Spy())
    greeting = component.hello()
    assert "echo speaks batprotocol 0.9, we speak 1.0.0: going on" in caplog.text
    assert greeting.features.profile_reuse
    assert not greeting.features.dynamic_registration
    component.decide(1.0, [])
    assert asked == [], "nothing happened: nothing is sent"
    component.decide(1.0, [v.AllStaticJobsHaveBeenSubmitted(1.0)])
    (message,) = asked
    assert message.endswith(b"\0")
    event = {"timestamp": 1.0, "event_type": "AllStaticJobsHaveBeenSubmittedEvent", "event": {}}
    assert json.loads(message[:-1]) == {"now": 1.0, "events": [event]}


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8 on other systems")
def test_an_error_of_a_library_whose_name_is_no_utf_8(peer, tmp_path):
    """The child that holds it failed to say what was wrong."""
    library = os.fsdecode(os.fsencode(tmp_path) + b"/peer\xff.so")
    shutil.copy(peer, library)
    transport = IsolatedTransport(library)
    try:
        with pytest.raises(ComponentError, match="returned 3"):
            transport.start(b"I")
    finally:
        transport.stop()
