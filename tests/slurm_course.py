"""Whole recorded workloads of the real Slurm on our engine, the loops run when Slurm's ran (tests only).

The sub-second phase of the two loops, and when daemons have cleaned up after a killed job, are inputs (as the notes on
the recordings say): jobs come when the log says they came, run as long as it says, and the loops run at its dates. What
starts in which pass, and where, is the scheduler's.
"""

import re
from collections import Counter, deque
from math import ceil, inf

import msgspec

import windtunnel as wt
from slurm_recorded import read_ask
from slurm_replay import ENDING
from slurm_timeline import name_of
from windtunnel.model import DelayProfile, Host, Job, JobList, JobState, Platform, PowerState, Request
from windtunnel.schedulers.slurm.component import Slurm
from windtunnel.schedulers.slurm.loops.clocks import Clocks
from windtunnel.schedulers.slurm.reservations import Bookings

ORDER = 1e-6
"""Seconds between lines of the log that have one date."""
NEVER = 10**12
HOUR = 3600
LOOPS = {"main": "main_due", "full": "full_due", "backfill": "backfill_due"}


class RecordedClocks(Clocks):
    """The loops run at recorded dates, whatever happens."""

    def __init__(self, site, now, passes):
        super().__init__(site, now)
        self.left = deque(passes)
        self.own = Clocks(site, now)
        """When the loops would run by themselves."""
        self.waits = []
        """(date, loop, seconds from when it should have run to when it did); -inf: nothing asked for it."""
        self.now = now
        self.next_tick = NEVER
        self.show()

    def show(self):
        """The next pass is due, and no other."""
        self.main_due = self.full_due = self.backfill_due = inf
        if self.left:
            when, kind, _ = self.left[0]
            setattr(self, LOOPS[kind], when)

    def changed(self, now):
        self.own.changed(now)

    def again(self):
        self.own.again()

    def expect(self, when):
        self.own.expect(when)

    def expect_cycle(self, when):
        self.own.expect_cycle(when)

    def ran_main(self, now, full):
        when, *_ = self.left.popleft()
        due = self.own.main_due
        if full or due == inf:
            due = min(due, self.own.full_due)
        self.waits.append((when, "full" if full else "main", when - due))
        self.own.ran_main(now, full)
        self.show()

    def ran_backfill(self, now):
        when, *_ = self.left.popleft()
        self.waits.append((when, "backfill", when - self.own.backfill_due))
        self.own.ran_backfill(now)
        self.show()

    def rest(self):
        self.own.rest()
        while self.left and self.left[0][0] <= self.now:
            self.left.popleft()
        self.show()


class Replayed(Slurm):
    """Slurm's decisions on the engine, with what the log alone can tell."""

    def __init__(self, course):
        super().__init__()
        self.course = course
        self.told = deque(course.told)
        self.drained = 0

    def _begin(self, now, notice):
        super()._begin(now, notice)
        self.clocks = RecordedClocks(self.state.site, now, self.course.passes)

    def decide(self, now, notices):
        later = []
        if not isinstance(self.clocks, RecordedClocks):
            reply = super().decide(now, notices)
        else:
            self.clocks.now = now
            while self.told and self.told[0][0] <= now:
                when, kind, what = self.told.popleft()
                getattr(self, kind)(int(when), what, later)
            left = self.clocks.left
            self.state.completing = left[0][2] if left and left[0][0] <= now else 0
            self.clocks.next_tick = next((ceil(when) for when, kind, _ in self.told if kind == "tick"), NEVER)
            reply = super().decide(now, notices)
            self.state.completing = 0
            self.evictions.ends.clear()  # Slurm looks each half minute for who is over the limit: they end as recorded
        return msgspec.structs.replace(reply, decisions=[*later, *reply.decisions]) if later else reply

    def tick(self, when, over, decisions):
        self.state.ledger.last = when + self.start_date - over
        self.clocks.next_tick = when
        self.clocks.calc_period = NEVER
        self._tick(when)

    def reserve(self, when, booked, decisions):
        self.state.bookings = Bookings([booked], self.state.cluster)

    def node(self, when, what, decisions):
        one, away = what
        self.drained = self.drained | one if away else self.drained & ~one
        self.state.cluster.unusable = self.drained
        self.clocks.changed(when)

    def cancel(self, when, name, decisions):
        job = self.state.pending.get(f"w!{name}")
        if job is not None:
            self._cancel(job, decisions)

    def _ended(self, now, notice):
        if notice.job.name in self.course.ill:
            notice = msgspec.structs.replace(notice, state=JobState.COMPLETED_FAILED)
        super()._ended(now, notice)


class Course:
    """A recorded workload as our engine gets it, and its course there and here."""

    def __init__(self, replay):
        self.site, self.index, self.ill = replay.site, replay.index, replay.ill
        events = [(when + ORDER * i, kind, what) for i, (when, kind, what) in enumerate(replay.events)]
        self.zero = int(events[0][0]) // HOUR * HOUR
        """Dates are rounded to full minutes and the like, so that ours may differ by whole hours."""
        self.events = [(when - self.zero, kind, what) for when, kind, what in events]
        self.rows = replay.rows
        self.submitted = replay.submitted
        self.passes, self.starts, self.told = [], [], []
        self.loops = replay.site.main, replay.site.backfill
        self.waits = []
        """See RecordedClocks; after a simulation."""
        self._read(replay)
        self.jobs = list(self._jobs())

    def _read(self, replay):
        endings = iter(replay.given)
        depths = iter(replay.depths)
        for when, kind, what in self.events:
            if kind in ("main", "backfill"):
                deep = next(depths)
                self.passes.append((when, "full" if deep and kind == "main" else kind, next(endings)))
                self.starts += [(when, name, nodes) for name, nodes in what]
            elif kind == "tick":
                self.told.append((when, kind, int(what[0])))
            elif kind == "reserve":
                booked = replay.booked[what[0]]
                moved = msgspec.structs.replace(booked, start=booked.start - self.zero, end=booked.end - self.zero)
                self.told.append((when, kind, moved))
            elif kind == "node":
                away = what[1].startswith(("DRAIN", "DOWN"))
                self.told.append((when, kind, (1 << self.index[what[0]], away)))
            elif kind == "cancel":
                self.told.append((when, kind, name_of(what[0])))

    def _jobs(self):
        """As sacct has them, each task of an array a job of its own: when they came, and how long they ran."""
        came = {what[0]: when for when, kind, what in self.events if kind == "submit"}
        for number, row in self.rows.items():
            key = re.match(r"\d+", number)[0]
            if key not in came or not re.fullmatch(r"\d+(_\d+)?", number):
                continue
            ask = read_ask(self.submitted[key])
            begin = None if ask.begin is None else ask.begin - self.zero
            yield Job(
                id=f"w!{number}", request=Request(hosts=ask.min_nodes or 1, processors=1), user=ask.user,
                profile=DelayProfile(id=f"d{row['JobIDRaw']}", delay=self._ran(number)), walltime=1e6,
                submission_time=came[key], ask=msgspec.structs.replace(ask, begin=begin),
            )  # fmt: skip

    def _ran(self, name):
        """From its last start to its end, but for the time in which it was suspended.

        Suspended jobs go on when another ends, here at once, there some milliseconds later.
        """
        start = end = away = None
        ran = freed = 0.0
        for when, kind, what in self.events:
            if kind in ("main", "backfill"):
                start = when if any(one == name for one, _ in what) else start
                away, ran = (None, 0.0) if start == when else (away, ran)
                continue
            freed = when if kind in ("done", "cancel") else freed
            if not what or name_of(what[0]) != name:
                continue
            if kind == "suspend":
                away = when
            elif kind == "resume":
                ran -= freed - away
            elif kind in ("done", "cancel") and start is not None and end is None:
                end = when
        return 1e5 if start is None or end is None else end - start + ran

    def recorded(self):
        """(pass, job, its nodes), jobs by how often they started."""
        seen, found = Counter(), set()
        for when, name, nodes in self.starts:
            seen[name] += 1
            again = f"#{seen[name]}" if seen[name] > 1 else ""
            found.add((round(when, 3), name + again, tuple(sorted(nodes))))
        return found

    def untimely(self):
        """Passes that started jobs and that our clocks would not have run within an interval of their date.

        One that follows the cleaning of nodes, which takes no time here, is not among them: at most as much later as
        the main loop waits from one run to the next.
        """
        main, backfill = self.loops
        most = {"main": max(1, main.batch_sched_delay), "full": main.sched_interval, "backfill": backfill.bf_interval}
        dates = {round(when, 3) for when, *_ in self.starts}
        cleaned = [when for when, _, busy in self.passes if busy]
        known = [
            (round(when, 3), loop, wait)
            for when, loop, wait in self.waits
            if not any(0 < when - before < ENDING + most["main"] for before in cleaned)
        ]
        return [(when, loop, wait) for when, loop, wait in known if when in dates and abs(wait) > most[loop]]

    def simulated(self):
        """The same on our engine."""
        hosts = tuple(
            Host(id=i, name=node.name, cores=node.cpus, pstates=(PowerState(1e9),))
            for i, node in enumerate(self.site.nodes)
        )
        platform = Platform(name="site", hosts=hosts, site=self.site, shares_nodes=True)
        jobs = sorted(self.jobs, key=lambda job: (job.submission_time, int(re.match(r"\d+", job.name)[0])))
        replayed = Replayed(self)
        run = wt.simulate(platform, JobList("w", jobs), replayed)
        self.waits = replayed.clocks.waits
        return {
            (round(row["starting_time"], 3), row["job_id"], tuple(_numbers(row["allocated_resources"])))
            for row in run.jobs.to_dicts()
            if row["allocated_resources"]
        }


def _numbers(text):
    for one in text.replace(",", " ").split():
        low, _, high = one.partition("-")
        yield from range(int(low), int(high or low) + 1)
