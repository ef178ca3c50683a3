"""What must hold of our schedulers on any jobs: nobody oversubscribes (the loop checks), everybody runs or is
rejected, EASY never delays its head, conservative never delays anybody, and both do what their plain definition says.
"""

import pickle
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_harness import job, play
from windtunnel.model import HostSet, JobState, Platform
from windtunnel.schedulers import make_scheduler
from windtunnel.vocabulary import (
    ExecuteJob,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    JobCompleted,
    JobSubmitted,
    SimulationBegins,
)

HOSTS = 8
SANE = ("fcfs", "easy", "conservative", "filler")
ORDERS = ("fcfs", "lcfs", "asc_size", "desc_size", "asc_walltime", "desc_walltime", "desc_slowdown")
EXACT = sorted({f"batsched/{v}" for v in ("fcfs", "easy_bf", "easy_bf_fast", "conservative_bf", "filler")})

dates = st.integers(0, 60).map(float) | st.floats(0, 60)
lengths = st.integers(1, 30).map(float) | st.floats(0.01, 30)


@st.composite
def workloads(draw, exact=False, endless=True, largest=HOSTS + 2):
    found = []
    for k in range(draw(st.integers(1, 25))):
        duration = draw(lengths)
        walltime = duration if exact else duration + draw(lengths | st.just(0.0))
        if endless and not exact and draw(st.integers(0, 9)) == 0:
            walltime = inf
        found.append((job(k, draw(dates), draw(st.integers(1, largest)), walltime), duration))
    return sorted(found, key=lambda item: item[0].submission_time)


def everybody(out, jobs):
    for j, _ in jobs:
        assert (j.id in out.start) != (j.id in out.rejected)
        if j.id in out.rejected:
            assert j.request.hosts > HOSTS


@pytest.mark.parametrize("name", SANE)
@given(jobs=workloads(), order=st.sampled_from(ORDERS))
@settings(max_examples=30)
def test_everybody_runs_or_is_rejected(name, jobs, order):
    everybody(play(make_scheduler(name, queue_order=order), jobs, HOSTS), jobs)


@pytest.mark.parametrize("name", ["fcfs", "filler"])
@given(jobs=workloads())
@settings(max_examples=20)
def test_contiguous_hosts_are_contiguous(name, jobs):
    out = play(make_scheduler(name, policy="contiguous"), jobs, HOSTS)
    everybody(out, jobs)
    assert all(len(hosts.runs) == 1 for hosts in out.hosts.values())


@pytest.mark.parametrize("name", ["easy", "conservative"])
@given(jobs=workloads())
@settings(max_examples=30)
def test_which_hosts_are_given_does_not_change_when(name, jobs):
    together, lowest = (
        play(make_scheduler(name, policy=p), jobs, HOSTS) for p in ("best_effort_contiguous", "basic")
    )
    assert together.start == lowest.start
    assert together.rejected == lowest.rejected
    for policy, out in (("best_effort_contiguous", together), ("basic", lowest)):
        for j, _ in jobs:
            if j.id in out.start:
                assert out.hosts[j.id] == hosts_by_definition(out, j, policy)


def hosts_by_definition(out, job, policy):
    """What is left to a job by those that run when it starts, or that were started before it at that instant."""
    before = list(out.start)[: list(out.start).index(job.id)]
    now = out.start[job.id]
    free = set(range(HOSTS)).difference(*(out.hosts[name] for name in before if out.end.get(name, inf) > now))
    count = job.request.hosts
    runs = [h for h in sorted(free) if all(h + i in free for i in range(count))]
    if policy == "basic" or not runs:
        return HostSet(sorted(free)[:count])
    return HostSet.span(count, runs[0])


@pytest.mark.parametrize("name", EXACT)
@given(jobs=workloads(endless=False, largest=HOSTS))
@settings(max_examples=20)
def test_everybody_runs_under_the_exact_variants(name, jobs):
    everybody(play(make_scheduler(name), jobs, HOSTS), jobs)


@given(jobs=workloads(endless=False))
@settings(max_examples=50)
def test_fcfs_starts_in_order(jobs):
    out = play(make_scheduler("fcfs"), jobs, HOSTS)
    starts = [out.start[j.id] for j, _ in jobs if j.id in out.start]
    assert starts == sorted(starts)


class PlainEasy:
    """EASY by its definition: at each instant, the whole queue, everything computed anew."""

    def __init__(self, hosts, key=lambda j: 0):
        self.free, self.queue, self.running, self.key = hosts, [], [], key

    def instant(self, now, ended, arrived):
        for j in ended:
            self.free += j.request.hosts
            self.running = [item for item in self.running if item[1] is not j]
        self.queue = sorted(self.queue + arrived, key=self.key)  # stable: ties by arrival
        started = []

        def start(j):
            self.free -= j.request.hosts
            self.running.append((now + j.walltime, j))
            started.append(j)

        while self.queue and self.queue[0].request.hosts <= self.free:
            start(self.queue.pop(0))
        if not self.queue:
            return started
        need = self.queue[0].request.hosts
        ends = sorted({end for end, _ in self.running})
        count = {end: self.free + sum(j.request.hosts for e, j in self.running if e <= end) for end in ends}
        shadow = next(end for end in ends if count[end] >= need)
        extra = count[shadow] - need
        for j in self.queue[1:]:
            size = j.request.hosts
            if size > self.free:
                continue
            if now + j.walltime <= shadow and j.walltime < inf:
                start(j)
            elif size <= extra:
                extra -= size
                start(j)
        self.queue = [j for j in self.queue if j not in started]
        return started


class Recorder:
    """Stands before a scheduler and asks the plain one the same."""

    def __init__(self, scheduler, plain):
        self.scheduler, self.plain = scheduler, plain

    def hello(self):
        return self.scheduler.hello()

    def stop(self):
        self.scheduler.stop()

    def decide(self, now, notices):
        reply = self.scheduler.decide(now, notices)
        ended = [n.job for n in notices if isinstance(n, JobCompleted)]
        arrived = [n.job for n in notices if isinstance(n, JobSubmitted)]
        expected = self.plain.instant(now, ended, arrived)
        assert {d.job_id for d in reply.decisions} == {j.id for j in expected}, now
        return reply


KEYS = {
    "fcfs": lambda j: 0,
    "lcfs": lambda j: -j.submission_time,
    "asc_walltime": lambda j: j.walltime,
    "desc_walltime": lambda j: -j.walltime,
    "asc_size": lambda j: j.request.hosts,
    "desc_size": lambda j: -j.request.hosts,
}


@pytest.mark.parametrize("order", sorted(KEYS))
@given(jobs=workloads(largest=HOSTS))
@settings(max_examples=60)
def test_easy_is_its_definition(order, jobs):
    play(Recorder(make_scheduler("easy", queue_order=order), PlainEasy(HOSTS, KEYS[order])), jobs, HOSTS)


class HeadWatcher(Recorder):
    """Notes what EASY promises its head, and that later promises to the same head are no worse."""

    def __init__(self, scheduler):
        super().__init__(scheduler, None)
        self.promises = {}

    def decide(self, now, notices):
        reply = self.scheduler.decide(now, notices)
        queue = self.scheduler.queue
        if queue.count:
            head = queue.first()
            self.scheduler._reserve(now, head.request.hosts)
            shadow = self.scheduler._shadow
            assert shadow <= self.promises.get(head.id, inf)
            self.promises[head.id] = shadow
        return reply


@given(jobs=workloads(exact=True, largest=HOSTS))
@settings(max_examples=100)
def test_easy_never_delays_its_head_when_walltimes_are_exact(jobs):
    watcher = HeadWatcher(make_scheduler("easy"))
    out = play(watcher, jobs, HOSTS)
    for name, promised in watcher.promises.items():
        assert out.start[name] <= promised


class PromiseWatcher(Recorder):
    """Notes the first reservation of every job, and that none moves later."""

    def __init__(self, scheduler):
        super().__init__(scheduler, None)
        self.last = {}

    def decide(self, now, notices):
        reply = self.scheduler.decide(now, notices)
        for name, date in self.scheduler._reserved.items():
            assert date <= self.last.get(name, inf)
            self.last[name] = date
        return reply


@pytest.mark.parametrize("order", ["fcfs", "asc_size"])
@pytest.mark.parametrize("short", [100, 2])
@given(jobs=workloads(endless=False, largest=HOSTS), review=st.sampled_from([0.0, 0.01, 1.0]))
@settings(max_examples=50)
def test_conservative_never_delays_anybody(order, short, jobs, review):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("windtunnel.schedulers.conservative._SHORT", short)
        watcher = PromiseWatcher(make_scheduler("conservative", queue_order=order, review=review))
        out = play(watcher, jobs, HOSTS)
    for name, promised in watcher.last.items():
        assert out.start[name] <= promised + 1e-6  # plans are made of whole microseconds


@given(jobs=workloads(exact=True, largest=HOSTS))
@settings(max_examples=75)
def test_conservative_keeps_its_first_promise_when_walltimes_are_exact(jobs):
    """Without early ends nothing is ever compressed: each job starts when it was told on arrival."""
    watcher = PromiseWatcher(make_scheduler("conservative"))
    first = {}
    decide = watcher.decide

    def noting(now, notices):
        reply = decide(now, notices)
        for name, date in watcher.scheduler._reserved.items():
            first.setdefault(name, date)
        return reply

    watcher.decide = noting
    out = play(watcher, jobs, HOSTS)
    for name, date in first.items():
        assert out.start[name] == pytest.approx(date, abs=3e-5)  # each of 25 ends may be rounded up to a microsecond


@pytest.mark.parametrize("name", SANE)
@given(
    jobs=workloads(endless=False, largest=HOSTS), away=st.lists(st.tuples(dates, lengths, st.sets(st.integers(0, 7))))
)
@settings(max_examples=30)
def test_unavailable_hosts_are_given_to_nobody(name, jobs, away):
    """Overlapping absences are told as they begin and end; the last word stands, and all are back at the end."""
    notices = []
    for begin, length, hosts in away:
        if hosts:
            notices.append((begin, HostsBecameUnavailable(begin, HostSet(hosts))))
            notices.append((begin + length, HostsBecameAvailable(begin + length, HostSet(hosts))))
    absent = set()

    class Watcher(Recorder):
        def decide(self, now, messages):
            for n in messages:
                if isinstance(n, HostsBecameUnavailable):
                    absent.update(n.hosts)
                elif isinstance(n, HostsBecameAvailable):
                    absent.difference_update(n.hosts)
            reply = self.scheduler.decide(now, messages)
            for d in reply.decisions:
                assert not (isinstance(d, ExecuteJob) and absent.intersection(d.hosts))
            return reply

    everybody(play(Watcher(make_scheduler(name), None), jobs, HOSTS, notices=notices), jobs)


@pytest.mark.parametrize("name", [*SANE, *EXACT, "batsim5/easy", "batsim5/fcfs", "sequencer"])
def test_pickled_in_the_middle_it_goes_on_the_same(name):
    jobs = [(job(k, float(k), 1 + k * 5 % 8, 10.0 + k % 7), 5.0 + k % 6) for k in range(60)]
    whole = play(make_scheduler(name), jobs, HOSTS)

    class Forked(Recorder):
        calls = 0

        def decide(self, now, notices):
            self.calls += 1
            if self.calls == 40:
                self.scheduler = pickle.loads(pickle.dumps(self.scheduler))
            return self.scheduler.decide(now, notices)

    assert play(Forked(make_scheduler(name), None), jobs, HOSTS).start == whole.start


@pytest.mark.parametrize("name", [*SANE, "batsched/easy_bf", "batsim5/easy"])
def test_a_second_run_forgets_the_first(name):
    jobs = [(job(k, float(k), 1 + k * 3 % 8, 20.0), 15.0) for k in range(20)]
    scheduler = make_scheduler(name)
    scheduler.hello()
    scheduler.decide(0.0, [SimulationBegins(0.0, Platform.uniform(4))])
    scheduler.decide(1.0, [JobSubmitted(1.0, job("left over", 1.0, 3, 10.0), 1.0)])
    assert play(scheduler, jobs, HOSTS).start == play(make_scheduler(name), jobs, HOSTS).start


def test_a_job_refused_by_the_engine_is_rejected():
    from windtunnel.vocabulary import DecisionRefused

    scheduler = make_scheduler("easy")
    scheduler.hello()
    scheduler.decide(0.0, [SimulationBegins(0.0, Platform.uniform(4))])
    first = scheduler.decide(0.0, [JobSubmitted(0.0, job(1, 0.0, 4, 9.0), 0.0)]).decisions[0]
    reply = scheduler.decide(
        0.0, [DecisionRefused(0.0, first, "asleep", "host 2 sleeps"), JobSubmitted(0.0, job(2, 0.0, 4, 9.0), 0.0)]
    )
    assert [(type(d).__name__, d.job_id) for d in reply.decisions] == [("RejectJob", "w0!1"), ("ExecuteJob", "w0!2")]


def test_an_end_is_counted_once():
    scheduler = make_scheduler("filler")
    scheduler.hello()
    scheduler.decide(0.0, [SimulationBegins(0.0, Platform.uniform(4))])
    one = job(1, 0.0, 3, 9.0)
    scheduler.decide(0.0, [JobSubmitted(0.0, one, 0.0)])
    ended = JobCompleted(5.0, one, JobState.COMPLETED_SUCCESSFULLY, 0, HostSet.span(3))
    scheduler.decide(5.0, [ended, ended])
    assert len(scheduler.view.free) == 4
