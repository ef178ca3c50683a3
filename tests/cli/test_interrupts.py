"""Ctrl-C at any point of the start: a message and 130, never a traceback."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import windtunnel
from windtunnel.cli.main import main

ROW = "1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
START = "from windtunnel.cli.start import main; sys.exit(main())"
ASKED = """
import signal, sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == WHERE:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
"""
"""Presses Ctrl-C when a module is about to be loaded."""
NOTED = """
import signal, sys  # what presses Ctrl-C has loaded both
asked = {}
class Asked:
    def find_spec(self, name, path=None, target=None):
        asked[name] = True
sys.meta_path.insert(0, Asked())
"""
"""Notes which modules are looked for; compiled ones load some of each other without."""


def test_modules_are_loaded_in_this_order(loaded):
    assert loaded.index("windtunnel.cli.main") < loaded.index("typer") < loaded.index("windtunnel.engine")


def test_nothing_slow_is_loaded_before_ctrl_c_is_a_message():
    """What the interpreter itself does before is not ours; what comes before the first line of ours is little."""
    place = str(Path(windtunnel.__file__).parents[1])
    program = f"import sys; sys.path.append({place!r}); import windtunnel.cli.start; print(*sys.modules)"
    command = [sys.executable, "-S", "-c", program]  # without what packages of this environment load at the start
    names = {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}
    assert not names & {"inspect", "pathlib", "re", "typing", "windtunnel.cli.main", "windtunnel.diagnostics"}
    assert "windtunnel.cli.start" in names


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupts") / "one.swf"
    path.write_text(ROW)
    return ["run", "hosts:4", str(path), "-q", "-s", "easy"]


@pytest.fixture(scope="module")
def loaded(command):
    """The modules that a run looks for, in order."""
    program = NOTED + START.replace("sys.exit(main())", "main(); print(*asked)")
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.split()


@pytest.mark.parametrize("share", [*range(0, 100, 9), 99])
def test_ctrl_c_while_something_is_loaded(loaded, command, share):
    after = loaded[loaded.index("windtunnel.cli.main") :]
    where = after[len(after) * share // 100]
    program = ASKED.replace("WHERE", repr(where)) + START
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, text=True, check=False, timeout=120
    )
    assert (where, done.returncode, "interrupted" in done.stderr, "Traceback" in done.stderr) == (
        where,
        130,
        True,
        False,
    )


@pytest.mark.parametrize("where", ["windtunnel.cli.main", "windtunnel.cli.run", "windtunnel.engine"])
def test_ctrl_c_while_a_class_is_made(command, where):
    """Python 3.11 makes a RuntimeError of what is raised then: it was called an internal error of ours."""
    raised = ASKED.replace("WHERE", repr(where)).replace(
        "signal.raise_signal(signal.SIGINT)", "raise RuntimeError('Error calling __set_name__') from KeyboardInterrupt"
    )
    done = subprocess.run(
        [sys.executable, "-c", raised + START, *command], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, "interrupted" in done.stderr, "internal" in done.stderr) == (130, True, False)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_terminate_leaves_no_half_a_file(tmp_path, monkeypatch, capsys, number):
    before = signal.getsignal(number)
    monkeypatch.setattr(Path, "replace", lambda *_: signal.raise_signal(number))
    assert main(["convert", "poisson:10", str(tmp_path / "made.swf")]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]
    assert signal.getsignal(number) is before


def test_what_ignores_a_closed_terminal_goes_on_ignoring_it(tmp_path, monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda *paths: (signal.raise_signal(signal.SIGHUP), replace(*paths)))
    try:
        assert main(["convert", "poisson:10", str(tmp_path / "made.swf")]) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
    assert [path.name for path in tmp_path.iterdir()] == ["made.swf"]


LOST = """
import signal, sys, time
class Freed:
    def __del__(self):
        signal.raise_signal(signal.NUMBER)
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "windtunnel.engine":
            Freed()
            for _ in range(6000):
                time.sleep(0.01)
sys.meta_path.insert(0, Interrupts())
"""
"""Ends the process from outside while an object is freed, where Python tells exceptions but does not raise them."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", ["clear", "recorders", "engine", "account"])
def test_no_run_says_that_it_goes_on(tmp_path, monkeypatch, where, number, command):
    """From the marker of a run under way on, all that ends it is marked."""

    def press(*_, **__):
        signal.raise_signal(number)

    from windtunnel import simulation
    from windtunnel.cli import summary
    from windtunnel.results import recording

    place = {
        "clear": (recording.Place, "clear"),
        "recorders": (recording, "recorders"),
        "engine": (simulation, "EngineSimulation"),
        "account": (summary, "print_account"),
    }
    monkeypatch.setattr(*place[where], press)
    words = [word for word in command if word != "-q"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 130
    ended = json.loads((tmp_path / "out" / "run.json").read_text())
    assert (ended["status"], ended["reason"]) == ("incomplete", "interrupted")


FORGOTTEN = """
import signal
class Hashed:
    def __hash__(self):
        signal.raise_signal(signal.NUMBER)
        return 0
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "windtunnel.engine":
            try:
                hash(Hashed())
            except KeyboardInterrupt:
                pass
import sys
sys.meta_path.insert(0, Interrupts())
"""
"""Ends the process from outside where an error is forgotten, as code in C does that looks something up."""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("met", [LOST, FORGOTTEN], ids=["lost", "forgotten"])
def test_none_is_lost(command, name, met):
    program = met.replace("NUMBER", name) + START
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (130, "windtunnel run: interrupted\n")


def test_a_run_whose_last_mark_is_interrupted_does_not_say_that_it_goes_on(tmp_path, monkeypatch, command):
    from windtunnel.results import marker, recording

    def press(files, state, account):
        if state.status != "running":
            monkeypatch.setattr(recording, "mark", marker.mark)
            signal.raise_signal(signal.SIGTERM)
        marker.mark(files, state, account)

    monkeypatch.setattr(recording, "mark", press)
    assert main([*command, "--out", str(tmp_path / "out")]) == 130
    ended = json.loads((tmp_path / "out" / "run.json").read_text())
    assert (ended["status"], ended["reason"]) == ("incomplete", "interrupted")
