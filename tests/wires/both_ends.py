"""One workload under one scheduler of ours: in process, behind ``batsim4``, behind ``batsim5``; all in this process."""

import csv
import json

from tests.wires.faulty import Direct

from windtunnel import api
from windtunnel.cli import batsim4, batsim4_options, batsim5, batsim5_options
from windtunnel.schedulers import make_scheduler
from windtunnel.shipped import SCHEDULERS
from windtunnel.wires.batprotocol.server import SchedulerSession
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.json.server import Server

__all__ = ["ELSEWHERE", "OURS", "behind_batsim4", "behind_batsim5", "in_process", "write_inputs"]

ELSEWHERE = {"datacenters"}
"""What needs an environment that describes schedulers: neither Batsim has one."""

OURS = sorted(name for name in SCHEDULERS if "/" not in name and name not in ELSEWHERE)
"""All others of ours: those with plain names."""

OPTIONS = {"energy-idle-sleeper": {"idle_time": 12.0, "switch_on_time": 5.0, "switch_off_time": 10.0}}
"""What gives them much to do (and tells what Batsim 4 does not: how long switching takes on the site below)."""

SWITCHING = {"energy-idle-sleeper"}
"""Of these, those that switch hosts, which Batsim 4 does under ``--energy`` alone."""


class Served:
    """A scheduler as it is served to Batsim 5, without the socket."""

    name = "served"

    def __init__(self, component, *, json=False):
        self.session = SchedulerSession(component, json=json)

    def start(self, init_data):
        """Its hello."""
        return self.session.greet()

    def ask(self, message, within=None):
        """Its answer."""
        return self.session.answer(message)

    def stop(self):
        """Nothing."""


def write_inputs(folder, random, *, jobs=60, hosts=8, digits=3, gap=7.0, walltimes=0.95):
    """A site without network and a workload of random lengths, in the words of both generations.

    Dates and lengths have so many decimals, so that many sums are equal on paper and not in floating point; ``gap`` is
    the mean time between two submissions (s), ``walltimes`` the share of jobs that have one.
    """
    states = '<prop id="wattage_per_state" value="95:190,10:10,50:50,50:50"/><prop id="sleep_pstates" value="1:2:3"/>'
    rows = "".join(
        f'<host id="h{k:03}" speed="1Gf,1e-9Mf,0.1f,0.2f" pstate="0" coordinates="0 0 0">{states}</host>'
        for k in range(hosts)
    )
    (folder / "site.xml").write_text(
        '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'
        '<zone id="z" routing="Vivaldi"><host id="master_host" speed="1Gf" coordinates="0 0 0">'
        f'<prop id="wattage_per_state" value="0:0"/></host>{rows}</zone></platform>'
    )
    described, profiles, now = [], {}, 0.0
    shortest = 10.0**-digits
    for k in range(jobs):
        now += random.expovariate(0.7 / gap) if random.random() < 0.7 else 0.0
        run = max(shortest, round(random.choice((random.uniform(0.0, 200.0), 1.0, 5.1, 10.2, 33.333, 60.0)), digits))
        job = {
            "id": str(k),
            "subtime": round(now, digits),
            "res": min(hosts, 1 + int(random.expovariate(4 / hosts))),
            "profile": f"p{k}",
        }
        if random.random() < walltimes:
            job["walltime"] = max(shortest, round(run * random.choice((0.8, 1.0, 1.0, 1.5, 3.0)), digits))
        described.append(job)
        profiles[f"p{k}"] = run
    for name, kind in (("work4.json", "delay"), ("work5.json", "DelayProfile")):
        made = {name: {"type": kind, "delay": run} for name, run in profiles.items()}
        (folder / name).write_text(json.dumps({"nb_res": hosts, "jobs": described, "profiles": made}))


def outcome(path):
    """id -> when it started and ended, where and how, as printed."""
    with path.open(newline="") as lines:
        return {
            row["job_id"]: tuple(
                row[name] for name in ("starting_time", "finish_time", "allocated_resources", "final_state")
            )
            for row in csv.DictReader(lines)
        }


def in_process(folder, name):
    """``windtunnel run``, as a call."""
    api.Simulation(
        folder / "site.xml",
        folder / "work4.json",
        name,
        scheduler_options=OPTIONS.get(name, {}),
        layout=api.Layout.batsim4(str(folder / "own")),
        record=api.RecordingOptions(paje=False),
        platform_options={"numbering": "lexicographic", "energy": name in SWITCHING},
        options=api.Options(energy=name in SWITCHING),
    ).run()
    return outcome(folder / "own_jobs.csv")


def behind_batsim4(folder, name):
    """``windtunnel batsim4`` with ``windtunnel scheduler NAME``."""
    words = ["-p", folder / "site.xml", "-w", folder / "work4.json", "-e", folder / "b4", "-q"]
    words += ["-E"] if name in SWITCHING else []
    options = batsim4_options.parser().parse_args([*map(str, words), "--disable-schedule-tracing"])
    made = batsim4._simulation(options)
    made.engine.components[0]._peer = Direct(Server(make_scheduler(name, **OPTIONS.get(name, {}))).answer)
    made.run()
    return outcome(folder / "b4_jobs.csv")


def behind_batsim5(folder, name, *, text=False):
    """``windtunnel batsim5`` with ``windtunnel scheduler NAME --protocol batprotocol``."""
    words = ["-p", folder / "site.xml", "-w", folder / "work5.json", "-e", f"{folder}/b5-", "-q"]
    words += ["--energy-host"] if name in SWITCHING else []
    words = [*map(str, words), "--edc-socket-str", "tcp://127.0.0.1:1", ""]
    options = batsim5_options.parse(words)
    component = BatprotocolComponent(Served(make_scheduler(name, **OPTIONS.get(name, {})), json=text))
    components, batsim5._components = batsim5._components, lambda _: [component]
    try:
        made = batsim5._simulation(options, words)
    finally:
        batsim5._components = components
    made.run()
    return outcome(folder / "b5-jobs.csv")
