"""Running recorded cases of Batsim 4 with their own command lines, against a scheduler that knows its lines."""

import json
import os
import shlex
import threading
from contextlib import contextmanager

from tests.shared import shared

from windtunnel.cli import batsim4, batsim4_options
from windtunnel.diagnostics import ComponentError, ComponentTimeoutError
from windtunnel.wires.zmq_peer import Replier

__all__ = ["arguments", "in_process", "over_zeromq", "served"]


def arguments(case, prefix, *more):
    """The words of a recorded command line, with another prefix of output files."""
    words = shlex.split(json.loads((case / "case.json").read_text())["batsim_command"])[1:]
    words[words.index("-e") + 1] = str(prefix)
    return [*words, *more]


def simulation(words):
    """What a command line asks for, in the folder of the recorded inputs."""
    here = os.getcwd()
    os.chdir(shared("golden/batsim4/inputs"))
    try:
        options = batsim4_options.parse([str(word) for word in words])
        return batsim4._simulation(options)
    finally:
        os.chdir(here)


def in_process(words, script):
    """Run a command line; ``script.ask`` stands for the socket. The simulation, after its end."""
    made = simulation([*words, "-q"])
    made.engine.components[0]._peer = script
    made.run()
    return made


@contextmanager
def served(answer, endpoint="tcp://127.0.0.1:*"):
    """A scheduler in a thread: ``answer(request)`` gives each reply."""
    replier = Replier(endpoint, timeout=0.2)
    bound = replier.open()
    over = threading.Event()

    def serve():
        while not over.is_set():
            try:
                request = replier.receive()
            except ComponentTimeoutError:
                continue
            except ComponentError:  # Batsim has left
                break
            replier.reply(answer(request))
            if b'"SIMULATION_ENDS"' in request:
                break
        replier.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield bound
    finally:
        over.set()
        thread.join(60.0)


def over_zeromq(words, script, endpoint="tcp://127.0.0.1:*"):
    """Run a command line against a scheduler at the other end of a socket."""
    with served(script.answer, endpoint) as bound:
        made = simulation([*words, "-q", "-s", bound])
        made.run()
    return made
