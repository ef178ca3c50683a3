"""How long the command line takes to say anything: whole processes, the best of five (wall clock)."""

from benchmarks import Figure
from benchmarks.child import python

__all__ = ["run"]


def _best(*arguments):
    return min(python(*arguments).wall for _ in range(5))


def run():
    bare = _best("-c", "pass")
    yield Figure("python that does nothing", bare, "s")
    yield Figure("windtunnel --help", _best("-m", "windtunnel", "--help"), "s", "at most 0.2")
    yield Figure("windtunnel run --help", _best("-m", "windtunnel", "run", "--help"), "s")
    yield Figure("import windtunnel", _best("-c", "import windtunnel") - bare, "s")
