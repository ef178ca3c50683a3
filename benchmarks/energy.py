"""What energy costs: jobs of a log on a large site, with it and without, in turn.

The site has 9,600 hosts that draw the same, and the jobs hold about 1,295 of them on average, as on the largest
systems: hosts must be counted, not visited. Delays draw idle watts, or busy ones under ``--delays-compute``.
"""

import json
import random
import tempfile
from pathlib import Path
from statistics import median

from benchmarks import Figure
from benchmarks.child import windtunnel

__all__ = ["run"]

_HOSTS = 9_600
_JOBS = 4_000
_TIMES = 3


def _site(path):
    """One zone of hosts, in SimGrid's form."""
    path.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1"><zone id="z" routing="Full">\n'
        f'<cluster id="c" prefix="n" suffix="" radical="0-{_HOSTS - 1}" speed="1Gf" core="4" bw="1GBps" lat="1us">\n'
        '<prop id="wattage_per_state" value="95:120:200"/></cluster></zone></platform>\n'
    )
    return path


def _log(path):
    draw = random.Random(1)
    date = 0
    rows = [f"; MaxNodes: {_HOSTS}", f"; MaxProcs: {_HOSTS}"]
    for number in range(1, _JOBS + 1):
        date += draw.randint(0, 270)
        size = min(_HOSTS, max(1, int(draw.expovariate(1 / 1_295))))
        seconds = draw.randint(60, 1_800)
        rows.append(f"{number} {date} -1 {seconds} {size} -1 -1 {size} {seconds * 2} -1 1 1 1 -1 1 -1 -1 -1")
    path.write_text("\n".join(rows) + "\n")
    return path


def run():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = ("run", str(_site(folder / "site.xml")), str(_log(folder / "jobs.swf")), "--scheduler", "easy")
        words += ("--quiet", "--out", str(folder / "out"))
        cases = {"idle": ("--energy",), "busy": ("--energy", "--delays-compute")}
        ratios = {what: [] for what in cases}
        for _ in range(_TIMES):
            without = windtunnel(*words).cpu
            for what, more in cases.items():
                ratios[what].append(windtunnel(*words, *more).cpu / without)
        held = json.loads((folder / "out" / "metrics.json").read_text())["consumed_joules"]
        for what, found in ratios.items():
            yield Figure(
                f"energy against none, delays {what}: median of {_TIMES} pairs", median(found), "times", "at most 1.5"
            )
        yield Figure("energy of the site", held / 3.6e9, "MWh")
