"""How long the command line takes to say anything (wall clock), and to start on a very large site (CPU seconds).

Whole processes, the best of five.
"""

import tempfile
from pathlib import Path

from benchmarks import Figure
from benchmarks.child import python, windtunnel
from benchmarks.generate import swf_log

__all__ = ["run"]


def _best(*arguments):
    return min(python(*arguments).wall for _ in range(5))


def run():
    bare = _best("-c", "pass")
    yield Figure("python that does nothing", bare, "s")
    yield Figure("windtunnel --help", _best("-m", "windtunnel", "--help"), "s", "at most 0.2")
    yield Figure("windtunnel run --help", _best("-m", "windtunnel", "run", "--help"), "s")
    yield Figure("import windtunnel", _best("-c", "import windtunnel") - bare, "s")
    with tempfile.TemporaryDirectory() as name:
        log = swf_log(Path(name) / "log.swf", jobs=12, processors=256, load=0.7)
        for hosts, goal in ((256, ""), (1_000_000, "less than 1")):
            words = ("run", f"hosts:{hosts}", str(log), "--scheduler", "easy", "--quiet", "--out", f"{name}/out")
            costs = [windtunnel(*words) for _ in range(5)]
            yield Figure(f"a run of 12 jobs on hosts:{hosts}", min(cost.cpu for cost in costs), "CPU-s", goal)
            yield Figure("    its memory", min(cost.memory for cost in costs), "MB")
