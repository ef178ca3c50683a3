"""Where the command line begins: from here on Ctrl-C is a message, also while everything else is being loaded."""

import gc
import sys

__all__ = ["main"]


def main() -> int:
    """Load the command line and run it; returns its exit code."""
    gc.set_threshold(100_000)  # objects; with the usual 700, garbage is looked for forty times while modules load
    try:
        from windtunnel.cli.main import main as command_line

        return command_line()
    except (KeyboardInterrupt, RuntimeError) as fault:
        from windtunnel.cli.endings import interrupted

        if not interrupted(fault):
            raise
        sys.stderr.write("windtunnel: interrupted\n")
        return 130
