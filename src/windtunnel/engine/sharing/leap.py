"""Many rounds of the fair-bottleneck rule at once.

Where the tightest constraint of a task is a FATPIPE that it has in common with a settled, slow task, every round
takes the slow one's little increment off the FATPIPE and gives the fast one what is left once more: SimGrid goes
round 100,000 times and more (golden/simgrid random_10, 12 and 14). As long as nothing else happens, what is left
falls by the same amount each time, so that the increments are an arithmetic series.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Rounds", "leap"]


@dataclass(slots=True)
class Rounds:
    """Where the rule stands between two rounds; the lists are the rule's own (see ``fair_bottleneck``)."""

    bounds: Sequence[float]
    own: list[list[list[float]]]
    uses: list[list[tuple[int, float]]]
    fatpipes: Sequence[bool]
    elements: Sequence[Sequence[tuple[int, float]]]
    count: list[int]
    left: list[float]
    values: list[float]
    increments: list[float]


def leap(state: Rounds, active: Sequence[int], standing: Sequence[int]) -> float:
    """Go on by as many rounds as are alike; how many.

    0: the next round is different. Infinite: all are alike indefinitely, because the slow task stands still; then
    nothing is done.
    """
    limits: dict[int, tuple[int, float]] = {}
    for v in active:
        shares = [
            ((state.left[c] if state.fatpipes[c] else state.left[c] / state.count[c]) / w, c, w)
            for c, w in state.uses[v]
        ]
        if not shares:
            return 0
        _, c, weight = min(shares)
        if not state.fatpipes[c]:
            return 0
        limits[v] = c, weight
    takes = {c: _steady_take(state, c, limits) for c in standing if state.fatpipes[c]}
    rounds = min(_room(state, limits, takes, standing))
    if rounds < 2:
        return 0
    if rounds == math.inf:
        return rounds
    _go_on(state, limits, takes, standing, math.floor(rounds))
    return math.floor(rounds)


def _steady_take(state: Rounds, c: int, limits: dict[int, tuple[int, float]]) -> float:
    """What a round takes from a FATPIPE while settled tasks decide it."""
    return min([w * state.increments[v] for v, w in state.elements[c] if v not in limits], default=math.inf)


def _room(
    state: Rounds, limits: dict[int, tuple[int, float]], takes: dict[int, float], standing: Sequence[int]
) -> Iterator[float]:
    """For each thing that could become different: the number of rounds until it may."""
    left = state.left
    first = {v: left[c] / weight for v, (c, weight) in limits.items()}
    for v, increment in first.items():
        yield _rounds(state.bounds[v] - state.values[v], increment)
        for rest, weight in state.own[v]:
            yield _rounds(rest, weight * increment)
    for c in standing:
        used = [(w * first[v] if v in first else w * state.increments[v]) for v, w in state.elements[c]]
        largest = max([w * first[v] for v, w in state.elements[c] if v in first], default=0.0)
        if not state.fatpipes[c]:
            yield _rounds(left[c] - state.count[c] * largest, sum(used, 0.0))
            continue
        for v, w in state.elements[c]:
            if v in limits:
                tight, weight = limits[v]
                # Its own use stays above what the settled ones take, and its tightest FATPIPE stays the tightest.
                yield _rounds(left[tight] - takes[c] * weight / w, takes[tight])
                if tight != c:
                    yield _rounds(left[c] / w - first[v], takes[c] / w - takes[tight] / weight)


def _rounds(room: float, step: float) -> float:
    """How often a step may be made, with one to spare."""
    if not room > 0.0:
        return 0.0
    return room / step - 2.0 if step > 0.0 else math.inf


def _go_on(
    state: Rounds, limits: dict[int, tuple[int, float]], takes: dict[int, float], standing: Sequence[int], rounds: int
) -> None:
    gains: dict[int, float] = {}
    for v, (c, weight) in limits.items():
        gains[v] = (rounds * state.left[c] - takes[c] * (rounds * (rounds - 1) / 2.0)) / weight
        state.values[v] += gains[v]
        state.increments[v] = (state.left[c] - (rounds - 1) * takes[c]) / weight
        for limit in state.own[v]:
            limit[0] -= limit[1] * gains[v]
    for c in standing:
        if state.fatpipes[c]:
            state.left[c] -= rounds * takes[c]
        else:
            used = [w * (gains[v] if v in gains else rounds * state.increments[v]) for v, w in state.elements[c]]
            state.left[c] -= sum(used, 0.0)
