"""Whole recorded workloads of the real Slurm, pass by pass: each decided by our core when Slurm decided it (tests only).

The log says when jobs came and ended and when each loop ran. From one pass to the next our core keeps its own state;
what it starts, and where, has to be what Slurm started then. The first difference ends it.
"""

import re
from collections import Counter
from itertools import combinations

from slurm_recorded import log_of, names, pairs, read_ask, read_json, read_site
from slurm_replay import ENDING, MOST_BUSY, stamp
from windtunnel.model.slurm import Reservation
from windtunnel.schedulers.slurm.admission import rank
from windtunnel.schedulers.slurm.jobs.countdown import Countdown
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of, union
from windtunnel.schedulers.slurm.reservations import Bookings
from windtunnel.schedulers.slurm.state import State

LINES = (
    ("submit", re.compile(r"_slurm_rpc_submit_batch_job: JobId=(\d+) ")),
    ("main", re.compile(r"sched: Running job scheduler for (\w+)")),
    ("backfill", re.compile(r"_attempt_backfill: (beginning)")),
    ("start", re.compile(r"sched: Allocate JobId=(\S+) NodeList=(\S+)")),
    ("start", re.compile(r"_start_job: Started JobId=(\S+) in \S+ on (\S+)")),
    ("done", re.compile(r"_job_complete: JobId=(\S+) done")),
    ("requeue", re.compile(r"Requeuing JobId=(\S+)")),
    ("victim", re.compile(r"preempted JobId=(\S+) has been (\w+) to reclaim")),
    ("suspend", re.compile(r"gang: suspending JobId=(\S+)")),
    ("resume", re.compile(r"gang: resuming JobId=(\S+)")),
    ("cancel", re.compile(r"REQUEST_KILL_JOB JobId=(\S+)")),
    ("cancel", re.compile(r"Time limit exhausted for JobId=(\S+)")),
    ("node", re.compile(r"update_node: node (\S+) state set to (\w+)")),
    ("tick", re.compile(r"Decay factor over (\d+) seconds")),
    ("reserve", re.compile(r"sched: Created reservation=(\S+) ")),
)
REQUEUED = 121
"""Seconds until a requeued job is eligible."""


def name_of(text):
    """``12_3(15)`` is task 3 of array 12."""
    return text.partition("(")[0]


class Timeline:
    """A recorded workload, and how far our core goes along with it."""

    def __init__(self, folder):
        self.site = read_site(folder)
        self.index = {node.name: i for i, node in enumerate(self.site.nodes)}
        self.submitted = {str(job["jobid"]): job for job in read_json(folder, "jobs.json") if job["jobid"]}
        outcome = read_json(folder, "outcome.json")
        self.rows = {row["JobID"]: row for row in outcome["sacct"]}
        self.ill = {row["JobID"] for row in outcome["sacct"] if row["State"] not in ("COMPLETED", "RUNNING")}
        self.accounts = {row["JobIDRaw"]: row["Account"] for row in outcome["sacct"]}
        self.commands = [pairs(line["do"]) for line in read_json(folder, "timeline.json")]
        self.given = []
        """Of each pass the nodes that were not yet free."""
        self.depths = []
        """Of each pass whether its depth was not limited."""
        self.booked = {}
        self.events = list(self.read(folder))
        self.state = State(self.site, int(self.events[0][0]) - 1)
        self.countdown = Countdown()
        self.ended = []
        """When jobs ended lately, and on which nodes: their daemons need a moment."""
        self.away = {}
        """Since when jobs are suspended."""
        self.compared = Counter()
        self.difference = None

    def read(self, folder):
        """(date, kind, what the line names), the starts of a pass with it."""
        last = None
        for line in log_of(folder):
            when = stamp(line)
            for kind, pattern in LINES:
                match = pattern.search(line) if when is not None else None
                if match is None:
                    continue
                if kind == "start":
                    last[2].append((name_of(match[1]), frozenset(self.index[one] for one in names(match[2]))))
                elif kind in ("main", "backfill"):
                    last = (when, kind, [])
                    self.depths.append(match[1] == "full")
                    yield last
                else:
                    yield (when, kind, match.groups())
                break

    def run(self):
        for when, kind, what in self.events:
            self.state.now = int(when)
            if kind in ("main", "backfill"):
                self.decide(when, kind, what)
                if self.difference is not None:
                    break
            else:
                getattr(self, kind)(when, *what)
        return self

    # what happens

    def tick(self, when, over):
        """A round of the decay thread, so many seconds after the last one."""
        state = self.state
        state.ledger.last = state.now - int(over)
        state.ledger.tick(state.now, [one.spending for one in state.running.values()])
        state.limits.tick(state.running.values(), state.now)
        for job in state.pending.values() if self.site.priority.multifactor else ():
            rank(state, job)

    def submit(self, when, key):
        state, submission = self.state, self.submitted.get(key)
        if submission is None:
            return
        ask = read_ask(submission)
        account = self.accounts.get(key) or state.tree.default_account(submission["user"])
        member = state.tree.find(account, submission["user"])
        qos = state.cluster.qos.get(ask.qos or "normal")
        job = PendingJob(key, int(key), ask, int(when), state.cluster, member, qos)
        if self.site.priority.multifactor:
            rank(state, job)
        else:
            self.countdown.rank(job)
        state.pending[key] = job
        state.dependencies.announce(key)

    def done(self, when, text):
        name = name_of(text)
        if name in self.state.running:
            self.ended.append((when, self.state.running[name].holding.nodes))
            self.state.end(name, int(when), name not in self.ill)

    def cancel(self, when, text):
        """Cancelled by somebody, or for its time limit."""
        name = name_of(text)
        self.state.pending.pop(name, None)
        if name in self.state.running:
            self.ended.append((when, self.state.running[name].holding.nodes))
            self.state.end(name, int(when), False)

    def node(self, when, name, what):
        """Drained or down, or back again."""
        one = 1 << self.index[name]
        if what.startswith(("DRAIN", "DOWN")):
            self.state.unusable |= one
        else:
            self.state.unusable &= ~one
            self.ended.append((when, one))  # its daemon needs a moment, too

    def victim(self, when, text, fate):
        name = name_of(text)
        running = self.state.running.get(name)
        if running is None:
            return
        self.ended.append((when, running.holding.nodes))
        if fate == "requeued":
            self.state.end(name, int(when), False)
            again = PendingJob(
                name, int(name), running.pending.ask, running.pending.submitted, self.state.cluster,
                running.pending.member, running.pending.qos,
            )  # fmt: skip
            again.last_gpus = running.pending.last_gpus
            again.begin = int(when) + REQUEUED
            if self.site.priority.multifactor:
                rank(self.state, again)
            else:
                again.take_place_of(running.pending)
            self.state.pending[name] = again
        else:
            self.state.end(name, int(when), False)

    def requeue(self, when, text):
        """It was a victim, and is gone by now."""

    def suspend(self, when, text):
        self.away[name_of(text)] = when

    def resume(self, when, text):
        name = name_of(text)
        since = self.away.pop(name)
        if name in self.state.running:
            self.state.put_off(name, round(when - since))

    def reserve(self, when, name):
        made = next(one for one in self.commands if one.get("reservationname") == name)
        start = int(when) + 60 * int(re.search(r"now\+(\d+)minutes", made["starttime"])[1])
        booked = Reservation(
            name=name, start=start, end=start + 60 * int(made["duration"]), nodes=names(made["nodes"]),
            users=(made["users"],),
        )  # fmt: skip
        self.booked[name] = booked
        self.state.bookings = Bookings([booked], self.state.cluster)

    # what is decided

    def decide(self, when, kind, started):
        """A pass; if jobs ended just before, also with nodes that were not yet free and that nobody got."""
        want = set(started)
        first = None
        for ending in self.endings(when, mask_of(node for _, nodes in started for node in nodes)):
            self.state.completing = ending
            got = self.passed(kind)
            found = {(one.id, frozenset(bits(one.holding.nodes))) for one in got.started}
            if found == want:
                self.state.completing = 0
                self.given.append(ending)
                self.compared["passes"] += 1
                self.compared["starts"] += len(want)
                return
            first = first or (want - found, found - want)
            self.undo(got)
        self.difference = (round(when - self.events[0][0], 2), kind, "only Slurm", first[0], "only ours", first[1])

    def endings(self, when, given):
        """Which nodes may not yet be free: none, all, those of one job, or some."""
        recent = [nodes & ~given for date, nodes in self.ended if when - ENDING < date]
        every = union(recent)
        yield from dict.fromkeys((0, every, *recent))
        busy = list(bits(every))
        for count in range(1, min(len(busy), MOST_BUSY) + 1):
            yield from map(mask_of, combinations(busy, count))

    def passed(self, kind):
        if kind == "backfill":
            return backfill_pass(self.state)
        return main_pass(self.state, self.depths[len(self.given)])

    def undo(self, done):
        """As if a pass had not been."""
        for one in reversed(done.started):
            job = one.pending
            self.state.give_up(one.id)
            if one.task is not None:
                job.tasks.insert(0, one.task)
            self.state.pending[job.id] = job
        for job in done.failed:
            self.state.pending[job.id] = job
        for victim, _ in done.victims:
            if victim.holding.leaving:
                victim.holding.leaving = False
                self.state.held.add(victim.holding)
                self.state.selector.took(victim.holding)
