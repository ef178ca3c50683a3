"""What a plain run loads: the start of a short run is mostly that."""

import subprocess
import sys

PROGRAM = """
import gc, sys
sys.argv = ["windtunnel", "run", *sys.argv[2:], "--quiet", "--out", sys.argv[1]]
from windtunnel.cli.start import main
looked = lambda: sum(generation["collections"] for generation in gc.get_stats())
before = looked()
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(looked() - before, *sys.modules)
"""
NEEDLESS = {
    "asyncio",
    "logging",
    "multiprocessing",
    "pickle",
    "polars",
    "random",
    "rich",
    "shlex",
    "socket",
    "unittest",
    "xml",
    "zmq",
}


def loaded_by(folder, *words):
    """The names of the modules that a run loads."""
    command = [sys.executable, "-c", PROGRAM, str(folder / "out"), *words]
    collections, *names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert int(collections) < 5, "garbage is looked for while modules load"
    return set(names)


def test_a_run_of_a_log_on_hosts_makes_no_classes_while_it_loads(tmp_path):
    """Beyond what msgspec makes: ``dataclasses`` writes their code and compiles it."""
    (tmp_path / "jobs.swf").write_text("1 0 -1 60 2 -1 -1 2 90 -1 1 1 1 1 1 1 -1 -1\n")
    assert "dataclasses" not in loaded_by(tmp_path, "hosts:4", str(tmp_path / "jobs.swf"))


def test_a_plain_run_loads_nothing_that_it_does_not_need(tmp_path):
    loaded = loaded_by(tmp_path, "example:small")
    assert "windtunnel.engine.simulation" in loaded
    assert not loaded & NEEDLESS
    rooms = (
        "engine.jobs.elastic",
        "engine.probes",
        "model.slurm.cluster",
        "results.lease_accounting",
        "results.paje",
    )
    assert not [name for name in loaded if name.startswith(tuple(f"windtunnel.{room}" for room in rooms))]
    energy = {name for name in loaded if name.startswith("windtunnel.engine.energy.")}
    assert energy <= {"windtunnel.engine.energy.choice"}
