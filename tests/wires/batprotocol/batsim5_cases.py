"""Running recorded cases of Batsim 5 with their own command lines."""

import json
import os
import shlex

from tests.shared import shared

from windtunnel.cli import batsim5, batsim5_options
from windtunnel.wires.batprotocol.session import BatprotocolComponent

__all__ = ["arguments", "run"]


def arguments(case, out):
    """The words of a recorded command line, with another place for output files."""
    words = shlex.split(json.loads((case / "case.json").read_text())["batsim_command"])[1:]
    words[words.index("--export") + 1] = f"{out}/"
    return ["--quiet", *(str(case / "edc-init") if word == "edc-init" else word for word in words)]


def run(case, out, transport, monkeypatch):
    """Run a case; ``transport`` stands for the component. The simulation, after its end."""
    here = os.getcwd()
    os.chdir(shared("golden/batsim5"))
    try:
        words = arguments(case, out)
        options = batsim5_options.parse(words)
        batsim5_options.check(options)
        ((kind, _, init),) = options.components
        component = BatprotocolComponent(transport, batsim5._init_data(kind, init))
        monkeypatch.setattr(batsim5, "_components", lambda _: [component])
        made = batsim5._simulation(options, words)
    finally:
        os.chdir(here)
    try:
        made.run()
    finally:
        made.close()
    return made
