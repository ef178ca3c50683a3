"""The calendar gives its entries in their order, in whatever order they came."""

from heapq import heappop, heappush

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.engine.state.calendar import plan, take_first

DATES = st.sampled_from([0.0, 0.5, 1.0, 1.0 + 2e-16, 2.0, 3.0, 7.25, 1e9])
STEPS = st.lists(st.tuples(st.sampled_from(["plan", "plan", "take"]), DATES, st.integers(-1, 10)), max_size=60)


@given(steps=STEPS)
def test_it_is_pythons_heap(steps: list[tuple[str, float, int]]) -> None:
    ours: list = []
    pythons: list = []
    for sequence, (what, date, priority) in enumerate(steps):
        entry = (date, priority, sequence, 3, object(), -1)
        if what == "plan" or not ours:
            plan(ours, entry)
            heappush(pythons, entry)
        else:
            take_first(ours)
            heappop(pythons)
        assert len(ours) == len(pythons)
        assert not ours or ours[0] is pythons[0]
    while ours:
        assert ours[0] is pythons[0]
        take_first(ours)
        heappop(pythons)
    assert not pythons


def test_entries_of_one_date_come_by_priority_and_then_as_they_were_planned() -> None:
    heap: list = []
    for sequence, priority in enumerate([7, 0, 7, 4, 0]):
        plan(heap, (5.0, priority, sequence, 0, None, -1))
    found = []
    while heap:
        found.append(heap[0][1:3])
        take_first(heap)
    assert found == [(0, 1), (0, 4), (4, 3), (7, 0), (7, 2)]
