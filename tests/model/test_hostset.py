"""Host sets and pools against Python's own sets, in both forms (bits and intervals)."""

import pickle
import random
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model import HostPool, HostSet

small = st.sets(st.integers(0, 300), max_size=40)
large = st.sets(st.one_of(st.integers(0, 300), st.integers(9000, 9300)), max_size=40)
either = st.one_of(small, large)


@given(either)
def test_text_round_trip(hosts):
    made = HostSet(hosts)
    assert sorted(hosts) == list(made)
    assert HostSet.parse(str(made)) == made
    assert len(made) == len(hosts)
    assert bool(made) == bool(hosts)
    assert pickle.loads(pickle.dumps(made)) == made
    assert HostSet.of_bits(made.bits) == made
    assert hash(HostSet.of_bits(made.bits)) == hash(made)


@given(either, either)
def test_algebra(a, b):
    x, y = HostSet(a), HostSet(b)
    assert set(x | y) == a | b
    assert set(x & y) == a & b
    assert set(x - y) == a - b
    assert (x <= y) == (a <= b)
    assert x.isdisjoint(y) == a.isdisjoint(b)


@given(either, st.integers(0, 45))
def test_lowest_index_and_membership(a, n):
    x = HostSet(a)
    assert list(x.lowest(n)) == sorted(a)[:n]
    assert [x[i] for i in range(len(a))] == sorted(a)
    assert all((h in x) == (h in a) for h in range(305))
    with pytest.raises(IndexError):
        x[len(a)]


@given(
    either,
    st.lists(
        st.tuples(st.sampled_from(["take", "take_together", "claim", "add", "remove"]), st.integers(0, 20), either),
        max_size=12,
    ),
)
def test_pool_follows_a_set(start, moves):
    pool, plain = HostPool(HostSet(start)), set(start)
    for what, count, hosts in moves:
        if what == "take":
            got = pool.take(count)
            if count > len(plain):
                assert got is None
            else:
                assert list(got) == sorted(plain)[:count]
                plain -= set(got)
        elif what == "take_together":
            got = pool.take_together(count)
            if count > len(plain):
                assert got is None
            else:
                assert list(got) == (runs_of(plain, count) or sorted(plain)[:count])
                plain -= set(got)
        elif what == "claim":
            few = HostSet(sorted(hosts & plain)[:count])
            assert pool.claim(HostSet(hosts)) == (hosts <= plain)
            plain -= hosts if hosts <= plain else set()
            assert pool.claim(few) == (set(few) <= plain)
            plain -= set(few)
        elif what == "add":
            pool |= HostSet(hosts)
            plain |= hosts
        else:
            pool -= HostSet(hosts)
            plain -= hosts
        assert set(pool) == plain
        assert len(pool) == len(plain)
        assert pool.covers(HostSet(hosts)) == (hosts <= plain)
        assert pool.copy() == pool


def test_a_pool_in_many_pieces_follows_a_set():
    """Compiled, it is kept otherwise from some number of pieces on."""
    rng = random.Random(5)
    pool, plain = HostPool(HostSet.span(400)), set(range(400))
    for _ in range(600):
        some = set(rng.sample(range(400), rng.choice([1, 2, 5, 60])))
        what = rng.choice(["claim", "add", "remove", "take", "take"])
        if what == "claim":
            assert pool.claim(HostSet(some)) == (some <= plain)
            plain -= some if some <= plain else set()
        elif what == "add":
            pool.add(HostSet(some))
            plain |= some
        elif what == "remove":
            pool.remove(HostSet(some))
            plain -= some
        else:
            count = rng.choice([1, 2, 3, 7, 30])
            before = pool.copy()
            got = pool.take_together(count)
            wanted = runs_of(plain, count) or sorted(plain)[:count]
            assert (got is None) if count > len(plain) else (list(got) == wanted)
            plain -= set(got or ())
            assert set(before) == plain | set(got or ())
        assert set(pool) == plain
        assert pool.size == len(plain)
        assert pool.covers(HostSet(some)) == (some <= plain)
    assert set(pickle.loads(pickle.dumps(pool))) == plain


def runs_of(hosts, count):
    """The first ``count`` consecutive numbers, by the plain definition; empty when there are none."""
    return next((list(range(h, h + count)) for h in sorted(hosts) if all(h + i in hosts for i in range(count))), [])


@given(either, st.integers(1, 5))
def test_contiguous(a, n):
    got = HostPool(HostSet(a)).pick_contiguous(n)
    assert (list(got) if got else []) == runs_of(a, n)


def test_on_large_sites_a_thousand_runs_are_looked_at():
    scattered = HostSet.of_runs(tuple((2 * k, 2 * k) for k in range(8000)))
    near = HostPool(scattered | HostSet([1]))
    assert near.take_together(2) == HostSet([0, 1])
    far = HostPool(scattered | HostSet([15_999, 15_997]))
    assert far.take_together(2) == HostSet([0, 2])
    assert far.pick_contiguous(2) == HostSet([15_996, 15_997])


@pytest.mark.parametrize("text", ["a", "1-", "-1", "3-1", "1--2", "1.0", "²", "1-2-3"])
def test_what_is_not_an_interval_set_is_named(text):
    with pytest.raises(ValueError, match=r"is not a host number|empty interval"):
        HostSet.parse(f"0 {text}")


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.sampled_from(["", "0", " ", ","]))))
def test_in_whatever_order_intervals_are_written(items):
    """Unsorted, touching, overlapping, with zeros before numbers, more blanks than needed, and commas."""
    text = " ".join(f"{odd}{low}-{low + more}" if more else f"{low}{odd[1:]}" for low, more, odd in items)
    assert set(HostSet.parse(text)) == {host for low, more, _ in items for host in range(low, low + more + 1)}


def read(text):
    """The intervals of a text, of however many hosts; None if it is refused."""
    try:
        return HostSet.parse(text).runs
    except ValueError:
        return None


def joined(intervals):
    """Sorted and disjoint intervals of the same hosts."""
    found = []
    for first, last in sorted(intervals):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


@given(st.text("0123 -", max_size=12))
def test_texts_of_digits_blanks_and_dashes(text):
    """A text says what its items say one by one; it is refused where one of them is."""
    parts = [read(f"{item},") for item in text.split()]
    assert read(text) == (None if None in parts else joined(chain(*parts)))


@pytest.mark.parametrize(
    "hosts", [HostSet.span(100), HostSet.of_runs(tuple((3 * k, 3 * k + 1) for k in range(5000)))]
)
def test_numbers_of_numpy_are_numbers(hosts):
    import numpy as np

    count, pool = np.int64(70), HostPool(hosts)  # 70 bits are more than numpy's numbers have
    for got, wanted in [
        (pool.pick(count), pool.pick(70)),
        (pool.pick_contiguous(np.int64(2)), pool.pick_contiguous(2)),
        (hosts.lowest(count), hosts.lowest(70)),
        (HostSet.span(count, np.int64(3)), HostSet.span(70, 3)),
        (pool.copy().take(count), pool.copy().take(70)),
        (pool.copy().take_together(count), pool.copy().take_together(70)),
    ]:
        assert got
        assert (got, got.bits, type(got.size)) == (wanted, wanted.bits, int)
        assert all(type(end) is int for run in got.runs for end in run)
    assert np.int64(1) in hosts
    assert np.int64(1) in pool
    assert np.int64(-1) not in pool
    assert 1.0 not in hosts
    assert hosts[np.int64(-1)] == hosts.last
    left = pool.copy()
    left.take(count)
    assert (len(left), type(len(left))) == (len(hosts) - 70, int)


def test_a_count_that_is_none_is_refused():
    with pytest.raises(TypeError, match="float"):
        HostPool(HostSet.span(4)).pick(1.5)


@pytest.mark.parametrize("text", ["2147483648", "0-99999999999999999999", "9" * 5000, "1-" + "0" * 5000])
def test_hosts_that_no_site_has_are_no_text(text):
    """Their number could not even be told by ``len``."""
    with pytest.raises(ValueError, match="larger than any host number"):
        HostSet.parse(text)
    assert len(HostSet.parse("0-2147483647")) == 1 << 31
