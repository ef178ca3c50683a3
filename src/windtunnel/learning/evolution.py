"""Learning a linear policy by evolution: it tries small random changes of its weights and follows the better ones.

T. Salimans, J. Ho, X. Chen, S. Sidor, I. Sutskever: Evolution strategies as a scalable alternative to reinforcement
learning. arXiv:1703.03864, 2017: mirrored Gaussian changes, rewarded by rank. The sequences of a generation are the
same for all changes, so that none is better by the luck of the draw.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from windtunnel.diagnostics import MissingExtraError, UsageError, replacing
from windtunnel.learning.episode import Episode, Sequences
from windtunnel.model import Platform
from windtunnel.schedulers.learned.choosing import Choosing
from windtunnel.schedulers.learned.linear import LinearPolicy, PolicyFile
from windtunnel.schedulers.learned.sights import FEATURES

__all__ = ["Generation", "Interval", "evolve", "paired", "save_policy", "slowdowns"]


class Generation(NamedTuple):
    """The state of learning after a generation."""

    number: int
    weights: tuple[float, ...]
    score: float
    """Minus the mean logarithm of the mean bounded slowdown of its sequences, averaged over all changes."""


class Interval(NamedTuple):
    """The mean of paired differences, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float


def slowdowns(platform: Platform, sequences: Sequences, starts: Sequence[int], scheduler: Choosing) -> list[float]:
    """The mean bounded slowdown of each of these sequences under a scheduler that makes its own choices."""
    found = []
    for start in starts:
        episode = Episode(platform, sequences.sequence(start), scheduler)
        episode.go_on()
        found.append(episode.mean_slowdown())
    return found


def evolve(
    platform: Platform,
    sequences: Sequences,
    starts: Sequence[int],
    *,
    seed: int,
    generations: int,
    pairs: int = 8,
    per_generation: int = 4,
    step: float = 0.5,
    rate: float = 0.5,
    **options: Any,
) -> Iterator[Generation]:
    """Yield generation after generation, starting from weights of 0; the same seed gives the same weights.

    Args:
        platform: the machine.
        sequences: the source of the sequences.
        starts: the sequences to learn from, by the ranks of their first jobs.
        seed: the seed of the random numbers.
        generations: the number of generations.
        pairs: the number of changes tried in each generation, each in both directions.
        per_generation: the number of sequences in each generation.
        step: the size of the changes.
        rate: the learning rate: how far the better changes are followed.
        **options: options of the policy (``rules``, ``view``, ``window``, ``backfill``, ``longest``).

    Raises:
        MissingExtraError: numpy is not installed.
        UsageError: there is nothing to learn from.
    """
    try:
        import numpy as np
    except ImportError:
        raise MissingExtraError("numpy", "rl") from None
    if not len(starts):
        raise UsageError("there is no sequence to learn from")
    options.setdefault("longest", sequences.longest())
    random = np.random.default_rng(seed)
    weights = np.zeros(len(FEATURES[options.get("view", "windtunnel")]))
    for number in range(generations):
        changes = random.standard_normal((pairs, weights.size))
        both = np.concatenate([changes, -changes])
        drawn = random.choice(np.asarray(starts), min(per_generation, len(starts)), replace=False).tolist()
        tried = [LinearPolicy(weights=tuple((weights + step * one).tolist()), **options) for one in both]
        scores = np.array([-np.log(slowdowns(platform, sequences, drawn, policy)).mean() for policy in tried])
        ranks = scores.argsort().argsort() / (scores.size - 1) - 0.5
        weights = weights + rate * (ranks @ both) / pairs
        yield Generation(number, tuple(weights.tolist()), float(scores.mean()))


def save_policy(path: str | Path, weights: Sequence[float], **options: Any) -> None:
    """Write a policy for the scheduler ``learned/linear`` (``-o policy=FILE``): JSON with numbers and strings only.

    Raises:
        UsageError: the file cannot be written.
    """
    policy = PolicyFile(weights=tuple(map(float, weights)), **options)
    with replacing(Path(path)) as beside:
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(policy)) + b"\n")


def paired(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0, draws: int = 10_000) -> Interval:
    """How much larger ours is than theirs on the same sequences: the mean, with its bootstrap interval (95 %)."""
    import numpy as np

    differences = np.asarray(ours) - np.asarray(theirs)
    random = np.random.default_rng(seed)
    means = random.choice(differences, (draws, differences.size)).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(differences.mean()), float(low), float(high))
