"""What a plain run loads: the start of a short run is mostly that."""

import subprocess
import sys

PROGRAM = """
import gc, sys
sys.argv = ["windtunnel", "run", "example:small", "--quiet", "--out", sys.argv[1]]
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
    "polars",
    "rich",
    "shlex",
    "unittest",
    "xml",
    "zmq",
}


def test_a_plain_run_loads_nothing_that_it_does_not_need(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "out")], capture_output=True, text=True, check=True
    )
    collections, *names = done.stdout.split()
    assert int(collections) < 5, "garbage is looked for while modules load"
    loaded = set(names)
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
