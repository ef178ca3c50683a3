"""What a plain run loads: the start of a short run is mostly that."""

import subprocess
import sys

PROGRAM = """
import sys
sys.argv = ["windtunnel", "run", "example:small", "--quiet", "--out", sys.argv[1]]
from windtunnel.cli.start import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sys.modules)
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
    loaded = set(done.stdout.split())
    assert "windtunnel.engine.simulation" in loaded
    assert not loaded & NEEDLESS
    energy = {name for name in loaded if name.startswith("windtunnel.engine.energy.")}
    assert energy <= {"windtunnel.engine.energy.choice"}
