"""Look-ahead: the sets of jobs by steps are those of a table with a cell for each number of hosts."""

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.schedulers.literature.lookahead import _Cell, _with_one_more
from windtunnel.schedulers.literature.priorities import Waiting
from windtunnel.testing import job


@given(
    st.integers(1, 60),
    st.integers(0, 20),
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 50), st.booleans()), max_size=8),
)
def test_steps_are_the_table(free, extra, jobs):
    steps = [(0, _Cell(0.0, extra, ()))]
    cells = [_Cell(0.0, extra, ())] * (free + 1)
    for rank, (size, expected, late) in enumerate(jobs):
        if size > free:
            continue
        one = Waiting(job(str(rank), size, expected, walltime=float(expected)), submitted=0.0, rank=rank)
        beyond = size if late else 0
        taken = list(cells)
        for hosts in range(size, free + 1):
            before = cells[hosts - size]
            if before.value + size * expected >= cells[hosts].value and before.extra >= beyond:
                taken[hosts] = _Cell(before.value + size * expected, before.extra - beyond, (*before.jobs, one))
        cells = taken
        steps = _with_one_more(steps, one, beyond, free)
    table = [next(cell for begin, cell in reversed(steps) if begin <= hosts) for hosts in range(free + 1)]
    assert table == cells
