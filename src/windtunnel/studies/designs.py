"""Which values of the parameters are tried together: a grid, a list, at random, or a Latin hypercube.

A Latin hypercube of n samples (McKay, Beckman & Conover, Technometrics 1979) divides the range of each parameter into
n equal parts and takes one value of each part. The draws are made with Python's own generator, whose sequence for a
seed is fixed: a study that is run again with another version of a library has the same points.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from random import Random
from typing import Any

from windtunnel.studies.words import Span, Words

__all__ = ["rows"]


def rows(words: Words) -> list[dict[str, Any]]:
    """The rows of a design: values of parameters by name, and for a list of points perhaps of axes."""
    parameters = words.parameters
    if words.design in {"grid", "list"}:
        listed = [(name, values) for name, values in parameters.items() if not isinstance(values, Span)]
        crossed = [
            dict(zip([name for name, _ in listed], values, strict=True))
            for values in product(*(values for _, values in listed))
        ]
        return [known | row for row in words.points or ({},) for known in crossed]
    stream = Random(f"{words.design_seed} {words.design}")
    if words.design == "random":
        return [_row(parameters, [stream.random() for _ in parameters]) for _ in range(words.samples)]
    columns = [_stratified(words.samples, stream) for _ in parameters]
    return [_row(parameters, shares) for shares in zip(*columns, strict=True)]


def _stratified(samples: int, stream: Random) -> list[float]:
    """One number of each n-th of [0, 1), shuffled."""
    parts = list(range(samples))
    stream.shuffle(parts)
    return [(part + stream.random()) / samples for part in parts]


def _row(parameters: Mapping[str, Sequence[Any] | Span], shares: Sequence[float]) -> dict[str, Any]:
    return {
        name: values.at(share) if isinstance(values, Span) else values[int(share * len(values))]
        for (name, values), share in zip(parameters.items(), shares, strict=True)
    }
