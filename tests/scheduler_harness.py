"""A loop without latency that plays jobs of known duration to a scheduler: the least a simulator can be."""

import csv
import gzip
import json
from heapq import heappop, heappush
from math import inf

from windtunnel.model import DelayProfile, HostSet, Job, JobState, Platform, Request
from windtunnel.vocabulary import (
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    ExecuteJob,
    JobCompleted,
    JobSubmitted,
    OneShot,
    RejectJob,
    RequestedCall,
    SimulationBegins,
    SimulationEnds,
)

ENDS, CALLS, ARRIVALS = 0, 1, 2


def job(name, submitted, hosts, walltime=inf, workload="w0"):
    return Job(
        id=f"{workload}!{name}",
        request=Request(hosts),
        profile=DelayProfile(delay=0.0),
        submission_time=submitted,
        walltime=walltime,
    )


def microseconds(t):
    """Dates as Batsim prints them."""
    return float(f"{t:.6f}")


class Outcome:
    """start[id], end[id], hosts[id], rejected"""

    def __init__(self):
        self.start, self.end, self.hosts, self.rejected = {}, {}, {}, []
        self.calls = 0
        self.seconds = 0.0


def play(scheduler, jobs, hosts, *, digits=False, notices=(), check=True):
    """``jobs``: (job, duration) by submission. ``notices``: (date, notice) besides. Ends before arrivals.

    With ``digits``, dates are told rounded to the microsecond, as Batsim prints them.
    """
    told = microseconds if digits else float  # dates that print alike are one instant
    out = Outcome()
    seq = 0
    heap = []
    duration = {}
    for j, seconds in jobs:
        duration[j.id] = min(seconds, j.walltime)
        heap.append((told(j.submission_time), ARRIVALS, seq, j))
        seq += 1
    for date, notice in notices:
        heap.append((date, CALLS, seq, notice))
        seq += 1
    heap.sort()
    left = len(jobs)
    busy = 0
    scheduler.hello()
    messages = [SimulationBegins(0.0, Platform.uniform(hosts))]
    now = 0.0
    known = {}
    while True:
        reply = scheduler.decide(now, messages)
        out.calls += 1
        assert reply.now == now
        for d in reply.decisions:
            kind = type(d)
            if kind is ExecuteJob:
                j = known[d.job_id]
                if check:
                    assert not (busy & d.hosts.bits), f"{d.job_id} on busy hosts at {now}"
                    assert len(d.hosts) == j.request.hosts
                    assert d.hosts.bits < 1 << hosts
                    assert d.job_id not in out.start
                    busy |= d.hosts.bits
                out.start[d.job_id] = now
                out.hosts[d.job_id] = d.hosts
                heappush(heap, (told(now + duration[d.job_id]), ENDS, seq, d.job_id))
                seq += 1
            elif kind is RejectJob:
                assert d.job_id not in out.start
                assert d.job_id in known
                out.rejected.append(d.job_id)
            elif kind is CallMeLater:
                assert isinstance(d.when, OneShot)
                heappush(heap, (d.when.time, CALLS, seq, RequestedCall(d.when.time, d.call_me_later_id)))
                seq += 1
            else:
                raise AssertionError(d)
        if not heap:
            break
        now = heap[0][0]
        messages = []
        while heap and heap[0][0] == now:
            _, kind, _, what = heappop(heap)
            if kind == ENDS:
                j = known[what]
                out.end[what] = now
                if check:
                    busy &= ~out.hosts[what].bits
                state = JobState.COMPLETED_SUCCESSFULLY
                messages.append(JobCompleted(now, j, state, 0, out.hosts[what], out.start[what]))
            elif kind == ARRIVALS:
                known[what.id] = what
                messages.append(JobSubmitted(now, what, what.submission_time))
                left -= 1
                if not left:
                    messages.append(AllStaticJobsHaveBeenSubmitted(now))
            else:
                messages.append(what)
    scheduler.decide(now, [SimulationEnds(now)])
    scheduler.stop()
    return out


def swf(path, limit=None):
    """(job, duration) of an SWF file, by the yardstick's rules."""
    found = []
    with open(path) as lines:
        for line in lines:
            if line[0] == ";":
                continue
            f = line.split()
            run = int(f[3])
            size = int(f[7]) if int(f[7]) > 0 else int(f[4])
            if run <= 0 or size <= 0:
                continue
            found.append((job(f[0], float(f[1]), size, float(max(int(f[8]), run))), float(run)))
            if len(found) == limit:
                break
    return found


def mean_wait(out, jobs):
    return sum(out.start[j.id] - j.submission_time for j, _ in jobs) / len(jobs)


__all__ = [
    "HostSet",
    "Outcome",
    "batsim_jobs",
    "batsim_outcome",
    "job",
    "mean_wait",
    "microseconds",
    "play",
    "printed",
    "swf",
]


def batsim_jobs(path):
    """(job, duration) of a workload of delays in Batsim's JSON, either generation, and its number of hosts."""
    data = json.loads(path.read_text())
    delays = {name: profile["delay"] for name, profile in data["profiles"].items()}
    found = []
    for j in data["jobs"]:
        walltime = j.get("walltime", -1)
        made = job(j["id"], j["subtime"], j["res"], inf if walltime == -1 else float(walltime))
        found.append((made, delays[j["profile"]]))
    return found, data["nb_res"]


def batsim_outcome(path):
    """id -> (start, end, hosts), as printed, of a jobs.csv; ids of rejected jobs."""
    opener = gzip.open if path.suffix == ".gz" else open
    ran, rejected = {}, set()
    with opener(path, "rt") as lines:
        for row in csv.DictReader(lines):
            name = f"{row['workload_name']}!{row['job_id']}"
            if row["starting_time"]:
                ran[name] = (row["starting_time"], row["finish_time"], row["allocated_resources"])
            else:
                rejected.add(name)
    return ran, rejected


def printed(out):
    """The same form of an outcome of ours."""
    return {k: (f"{out.start[k]:.6f}", f"{out.end[k]:.6f}", str(out.hosts[k])) for k in out.start}
