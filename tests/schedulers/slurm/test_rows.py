"""Rows of jobs that share cores: what is in one row never meets, and the fullest row comes first."""

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of
from windtunnel.schedulers.slurm.nodes.rows import Rows

PART = "shared"


def holding(name, cores, partition=PART):
    return Holding(name, mask_of(cores), 100, cores=cores, shares=True, partition=partition)


def rows_of(rows, jobs, count):
    return [{one.job for one in jobs if rows.has(PART, row, one)} for row in range(count)]


def meet(one, other):
    return any(one.cores.get(node, 0) & cores for node, cores in other.cores.items())


def test_jobs_join_the_first_row_with_room_and_the_fullest_comes_first():
    rows = Rows({PART: 2})
    small, large, beside = holding("small", {0: 0b11}), holding("large", {0: 0b1111}), holding("beside", {1: 0b1})
    for one in (small, large, beside):
        rows.add(one)
    jobs = [small, large, beside]
    assert rows_of(rows, jobs, 2) == [{"small", "beside"}, {"large"}]
    rows.sort(PART)
    assert rows_of(rows, jobs, 2) == [{"large"}, {"small", "beside"}]
    later = holding("later", {1: 0b10})
    rows.add(later)
    assert rows.has(PART, 0, later)


def test_when_a_job_ends_the_others_are_dealt_out_by_their_first_cores():
    rows = Rows({PART: 2})
    first, second, third = holding("first", {0: 0b1}), holding("second", {0: 0b11}), holding("third", {0: 0b10})
    for one in (first, second, third):
        rows.add(one)
    assert rows_of(rows, [first, second, third], 2) == [{"first", "third"}, {"second"}]
    rows.remove(first)
    assert rows_of(rows, [second, third], 2) == [{"second"}, {"third"}]


def test_a_job_without_room_has_no_row_and_others_keep_theirs():
    rows = Rows({PART: 1})
    one, other = holding("one", {0: 0b1}), holding("other", {0: 0b1})
    rows.add(one)
    rows.add(other)
    assert rows_of(rows, [one, other], 1) == [{"one"}]
    rows.remove(other)
    assert rows_of(rows, [one], 1) == [{"one"}]


def test_where_jobs_share_no_cores_all_are_in_one_row():
    rows = Rows({PART: 2})
    alone = holding("alone", {0: 0b1}, "other")
    rows.add(alone)
    assert rows.has("other", 0, alone)


cores = st.dictionaries(st.integers(0, 2), st.integers(1, 15), min_size=1, max_size=3)


@given(st.lists(st.tuples(cores, st.booleans()), max_size=14), st.integers(1, 4))
def test_jobs_of_one_row_have_no_core_in_common(steps, count):
    rows, jobs = Rows({PART: count}), []
    for number, (wanted, ends) in enumerate(steps):
        if ends and jobs:
            rows.remove(jobs.pop(len(jobs) // 2))
        else:
            jobs.append(holding(str(number), wanted))
            rows.add(jobs[-1])
        rows.sort(PART)
        apart = rows.copy()
        found = [[one for one in jobs if apart.has(PART, row, one)] for row in range(count)]
        assert all(not meet(one, other) for row in found for one in row for other in row if one is not other)
        sizes = [sum(c.bit_count() for one in row for c in one.cores.values()) for row in found]
        assert sizes == sorted(sizes, reverse=True)
        assert sum(map(len, found)) == len({one.job for row in found for one in row})
