"""Run all benchmarks, or those named on the command line, and print their figures.

``--against DIR`` names a checkout of another commit: beside it instructions are counted and whole runs are timed.
"""

import argparse
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

from benchmarks import AGAINST, NOT_RUN


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--against", metavar="DIR", type=Path, help="a checkout of another commit")
    options = parser.parse_args(words)
    names = options.names
    modules = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])}
    known = sorted(modules - {"__main__", *NOT_RUN})
    unknown = set(names) - set(known)
    if unknown:
        print(f"no such benchmark: {', '.join(sorted(unknown))}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    if options.against is not None:
        if not (options.against / "src" / "windtunnel").is_dir():
            print(f"{options.against} is not a checkout: there is no src/windtunnel in it", file=sys.stderr)
            return 2
        os.environ[AGAINST] = str(options.against.resolve())
    if len(names or known) > 1:  # each in a process of its own: what one leaves behind is not a memory of the next
        return max(subprocess.call([sys.executable, "-m", "benchmarks", name]) for name in names or known)
    for name in names:
        print(f"== {name}", flush=True)
        for figure in importlib.import_module(f"benchmarks.{name}").run():
            goal = f"   (goal: {figure.goal})" if figure.goal else ""
            print(f"{figure.what:72s} {figure.value:12.4g} {figure.unit}{goal}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
