"""The structures under the schedulers against plain ones: queues, availability over time, exact dates, profiles."""

from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_harness import job
from windtunnel.model import HostSet, JobState, Platform
from windtunnel.schedulers import make_scheduler
from windtunnel.schedulers.availability import Availability, later, longest_until
from windtunnel.schedulers.batsched.profile import AvailabilityProfile, lowest_bits
from windtunnel.schedulers.batsched.rationals import exact, nearest
from windtunnel.schedulers.queues import waiting_queue
from windtunnel.schedulers.waiting import ANY
from windtunnel.vocabulary import ExecuteJob, JobCompleted, JobSubmitted, SimulationBegins

sizes = st.integers(1, 6)
times = st.integers(1, 12).map(float)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("add"), sizes, times | st.just(inf)),
        st.tuples(st.just("find"), st.integers(0, 7), st.integers(0, 7)),
        st.tuples(st.just("take"), st.integers(0, 7), st.integers(0, 7)),
        st.tuples(st.just("remove"), st.integers(0, 50), st.just(0)),
        st.tuples(st.just("pop"), st.just(0), st.just(0)),
    ),
    max_size=150,
)
KEYS = {"fcfs": lambda j: 0, "desc_size": lambda j: -j.request.hosts, "asc_walltime": lambda j: j.walltime}


@pytest.mark.parametrize("order", sorted(KEYS))
@given(moves=moves, longest=times, waiting=st.sampled_from([0, 0, 70, 90]))
@settings(max_examples=60)
def test_queues(order, moves, longest, waiting):
    """From an empty queue or one of many jobs, until all have left: with an index and without."""
    before = [("add", k % 6 + 1, float(k % 5 + 1)) for k in range(waiting)]
    after = [(("remove", "take")[k % 9 == 0], 7 * k % 50, 5) for k in range(waiting + len(moves))]
    queue, plain = waiting_queue(order), []
    for k, (what, a, b) in enumerate([*before, *moves, *after]):
        if what == "add":
            new = job(k, 0.0, a, b)
            queue.add(new, 0.0)
            plain.append(new)
            plain.sort(key=KEYS[order])  # stable: ties by arrival
        elif what == "find":
            fits = (j for j in plain if j.request.hosts <= a and (j.request.hosts <= b or j.walltime <= longest))
            assert queue.find(a, b, longest) is next(fits, None)
            lasting = (j for j in plain if j.request.hosts <= a and j.walltime <= longest - j.request.hosts)
            assert queue.find_lasting(a, lambda size: longest - size) is next(lasting, None)
            assert queue.find(a, a, ANY) is next((j for j in plain if j.request.hosts <= a), None)
        elif what == "take":  # whatever fits, as backfilling does
            found = queue.find(a, b, longest)
            while found is not None:
                assert found is next(
                    j for j in plain if j.request.hosts <= a and (j.request.hosts <= b or j.walltime <= longest)
                )
                queue.remove(found)
                plain.remove(found)
                a, b = max(a - found.request.hosts, 0), max(b - found.request.hosts, 0)
                found = queue.find_more(a, b, longest)
            fits = (j for j in plain if j.request.hosts <= a and (j.request.hosts <= b or j.walltime <= longest))
            assert next(fits, None) is None
        elif plain:
            gone = plain.pop(0) if what == "pop" else plain.pop(a % len(plain))
            if what == "pop":
                assert queue.pop() is gone
            elif a % 2:
                queue.remove(gone)
            else:
                assert queue.discard(gone)
                assert not queue.discard(gone)
        assert queue.count == len(plain)
        assert list(queue) == plain
        if plain:
            assert queue.first() is plain[0]
            assert queue.foremost == plain[0].request.hosts
            assert queue.smallest == min(j.request.hosts for j in plain)
            places = [queue.place(j) for j in plain]
            assert places == sorted(places)


def test_more_is_found_when_the_index_was_given_up_meanwhile():
    queue = waiting_queue("fcfs")
    jobs = [job(k, 0.0, 1 if k == 70 else 2, 5.0) for k in range(90)]
    for one in jobs[:80]:
        queue.add(one, 0.0)
    assert queue.find(1, 1, ANY) is jobs[70]
    for one in jobs[80:]:
        queue.add(one, 0.0)
    for one in jobs[:24:-1]:
        queue.remove(one)
    for one in jobs[:24]:
        found = queue.find(2, 2, ANY)
        assert found is one
        queue.remove(one)
        assert queue.find_more(2, 2, ANY) is jobs[jobs.index(one) + 1]


def test_a_job_that_does_not_wait_has_no_place_in_the_queue():
    queue = waiting_queue("fcfs")
    queue.add(job(1, 0.0, 1, 5.0), 0.0)
    with pytest.raises(KeyError):
        queue.place(job(2, 0.0, 1, 5.0))


@given(
    changes=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 20), st.integers(1, 4)), max_size=20),
    size=st.integers(1, 8),
    length=st.integers(1, 12),
    now=st.integers(0, 10),
)
@settings(max_examples=200)
def test_availability(changes, size, length, now):
    plan, plain = Availability(8), [8] * 200
    held = []
    for begin, lasts, hosts in changes:
        if min(plain[begin : begin + lasts]) >= hosts:
            plan.change(float(begin), float(begin + lasts), -hosts)
            held.append((begin, lasts, hosts))
            for t in range(begin, begin + lasts):
                plain[t] -= hosts
    plan.advance(float(now))
    assert plan.dates == sorted(set(plan.dates))
    free = {t: plan.free[max(k for k, d in enumerate(plan.dates) if d <= t)] for t in range(now, 100)}
    assert all(free[t] == plain[t] for t in free)
    fits = [t for t in range(now, 100) if min(plain[t : t + length]) >= size]
    assert plan.find(size, float(length)) == fits[0]
    assert plan.until(size) == next((t for t in range(now, 100) if plain[t] < size), inf)
    for begin, lasts, hosts in held:
        if begin < now:
            continue
        without = plain.copy()
        for t in range(begin, begin + lasts):
            without[t] += hosts
        expected = next(t for t in range(now, 100) if min(without[t : t + lasts]) >= hosts)
        found, bound = plan.earlier(hosts, float(lasts), float(begin), float(now))
        assert found == min(expected, begin)
        assert all(plain[t] < hosts for t in range(now, int(bound)))


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_the_longest_walltime_until_a_date(now, more):
    date = now + more
    longest = longest_until(now, date)
    assert now + longest <= date
    assert now + nextafter(longest, inf) > date


def test_nothing_finite_is_too_long_when_there_is_no_date():
    assert 1e300 < longest_until(5.0, inf) < ANY


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e15))
def test_dates_are_exact(value, other):
    assert nearest(exact(value)) == value
    assert Fraction(exact(value) + exact(other), exact(1.0)) == Fraction(value) + Fraction(other)
    assert (exact(value) <= exact(other)) == (value <= other)


@given(st.integers(0, 1 << 40), st.integers(0, 40))
def test_lowest_bits(bits, count):
    count = min(count, bits.bit_count())
    hosts = [h for h in range(41) if bits >> h & 1][:count]
    assert lowest_bits(bits, count) == sum(1 << h for h in hosts)


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 9), st.booleans()), max_size=25),
    st.sampled_from(["basic", "contiguous"]),
)
@settings(max_examples=100)
def test_profiles_place_at_the_first_fit_on_common_hosts(jobs, policy):
    """Against a table of hosts by seconds."""
    profile = AvailabilityProfile(6, exact(0.0), policy)
    table = [[None] * 300 for _ in range(6)]
    placed = []
    for k, (size, length, stays) in enumerate(jobs):
        found = profile.add(f"j{k}", size, exact(float(length)))
        begin = int(nearest(profile.begins[found[0]]))
        hosts = [h for h in range(6) if found[1] >> h & 1]
        for t in sorted({0, *(b + n for b, n, _ in placed)}):
            common = [h for h in range(6) if not any(table[h][t : t + length])]
            chosen = common[:size] if policy == "basic" else run_of(common, size)
            if chosen is not None and len(chosen) == size:
                assert (begin, hosts) == (t, chosen)
                break
        if stays:
            placed.append((begin, length, k))
            for h in hosts:
                table[h][begin : begin + length] = [f"j{k}"] * length
        else:
            assert profile.remove(f"j{k}") is not None


def run_of(hosts, size):
    return next((list(range(h, h + size)) for h in hosts if all(h + i in hosts for i in range(size))), None)


@given(st.integers(0, 10**13), st.integers(0, 10**12), st.integers(0, 10**12))
def test_sums_that_are_equal_on_paper_are_equal(date, first, second):
    """Up to 10^7 s: whole microseconds, in whatever order they are added."""
    exactly = float(Fraction(date + first + second, 10**6))
    assert later(later(date / 1e6, first / 1e6), second / 1e6) == exactly
    assert later(later(date / 1e6, second / 1e6), first / 1e6) == exactly


@pytest.mark.parametrize("late", [-1e-6, -1e-9, 0.0, 1e-9, 1e-6, 1e-3])
def test_an_end_told_a_little_early_or_late_is_the_planned_one(late):
    """Job 1 is planned for the end of job 0, job 2 for that of job 1: job 3 overtakes whatever the message's date."""
    scheduler = make_scheduler("conservative")
    scheduler.hello()
    scheduler.decide(0.0, [SimulationBegins(0.0, Platform.uniform(4))])
    first, second, third = job(0, 0.0, 4, 0.1), job(1, 0.0, 3, 0.2), job(2, 0.0, 3, 10.0)
    scheduler.decide(0.0, [JobSubmitted(0.0, one, 0.0) for one in (first, second, third)])
    now = 0.1 + late
    reply = scheduler.decide(
        now, [JobCompleted(now, first, JobState.COMPLETED_SUCCESSFULLY, 0, HostSet.span(4), 0.0)]
    )
    assert [d.job_id for d in reply.decisions if isinstance(d, ExecuteJob)] == ["w0!1"]
    assert reply.now == now
    fourth = job(3, now, 1, 60.0)
    reply = scheduler.decide(now, [JobSubmitted(now, fourth, now)])
    assert [d.job_id for d in reply.decisions if isinstance(d, ExecuteJob)] == ["w0!3"]
