"""Jobs that run beyond an occurrence of their reservation: which of them Slurm ended, and when (see README.md there)."""

import calendar
import json
import re
import time
from pathlib import Path

import msgspec
import pytest

import windtunnel as wt
from slurm_recorded import log_of, names, pairs, read_ask, read_json, read_site
from slurm_replay import stamp
from windtunnel.model import DelayProfile, Host, Job, JobList, Platform, PowerState, Request
from windtunnel.model.slurm import Reservation

pytestmark = pytest.mark.golden

FOLDERS = sorted(one for one in (Path(__file__).parent / "occurrences").iterdir() if one.is_dir())
LAUNCH = 3
"""Seconds that it takes to launch a job, and to end one."""


def date(text):
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


class Occurring:
    """A recorded workload; time begins a minute before the first full run of the main loop, with the daemon's clocks."""

    def __init__(self, folder):
        self.site = read_site(folder)
        self.rows = {row["JobIDRaw"]: row for row in read_json(folder, "outcome.json")["sacct"]}
        lines = log_of(folder)
        ends = [int(row["End"]) for row in self.rows.values() if row["End"].isdigit()]
        self.zero = next(int(stamp(line)) for line in lines if "scheduler for full queue" in line) - 60
        self.ended = max(ends) - self.zero
        self.came = {}
        for line in lines:
            if match := re.search(r"submit_batch_job: JobId=(\d+) ", line):
                self.came[match[1]] = stamp(line) - self.zero
            elif match := re.search(r"Created reservation=(\S+) .* start=(\S+) end=(\S+) ", line):
                self.span = [date(text) - self.zero for text in (match[2], match[3])]
        self.given = pairs(json.loads((folder / "timeline.json").read_text())[0]["do"])
        self.asks = {str(job["jobid"]): (read_ask(job), job["script"]) for job in read_json(folder, "jobs.json")}

    def jobs(self):
        for key, (ask, script) in self.asks.items():
            begin = None if ask.begin is None else ask.begin - self.zero
            yield Job(
                id=f"w!{key}", request=Request(hosts=ask.min_nodes or 1, processors=1), user=ask.user, walltime=1e6,
                profile=DelayProfile(id=f"d{key}", delay=float(script.split()[1])), submission_time=self.came[key],
                ask=msgspec.structs.replace(ask, begin=begin),
            )  # fmt: skip

    def run(self):
        start, end = self.span
        flags = tuple(filter(None, self.given.get("flags", "").split(",")))
        booked = Reservation(
            name=self.given["reservationname"], start=start, end=end, nodes=names(self.given["nodes"]),
            users=tuple(self.given["users"].split(",")), flags=flags,
        )  # fmt: skip
        site = msgspec.structs.replace(self.site, reservations=(booked,))
        hosts = tuple(
            Host(id=i, name=node.name, cores=node.cpus, pstates=(PowerState(1e9),)) for i, node in enumerate(site.nodes)
        )
        platform = Platform(name="site", hosts=hosts, site=site, shares_nodes=True)
        found = wt.simulate(platform, JobList("w", sorted(self.jobs(), key=lambda job: job.submission_time)), "slurm")
        return {row["job_id"]: row for row in found.jobs.to_dicts()}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_jobs_end_with_an_occurrence_where_slurm_ended_them(folder):
    case = Occurring(folder)
    found = case.run()
    for key, row in case.rows.items():
        ours = found[key]
        if row["State"] == "PENDING":  # when all else had ended
            assert ours["starting_time"] > case.ended
            continue
        assert (ours["final_state"] == "COMPLETED_SUCCESSFULLY") is (row["State"] == "COMPLETED"), key
        assert ours["finish_time"] == pytest.approx(int(row["End"]) - case.zero, abs=LAUNCH), key
