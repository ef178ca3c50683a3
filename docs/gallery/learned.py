"""Learns a linear policy on one half of a workload and tries it on the other; prints the table of learned.md.

python learned.py [GENERATIONS]      about a minute of one core with 30 generations
"""

import random
import sys
from statistics import fmean

from windtunnel.formats.registry import read_workload
from windtunnel.learning.episode import Sequences
from windtunnel.learning.evolution import evolve, paired, slowdowns
from windtunnel.model import Platform
from windtunnel.schedulers.learned.linear import LinearPolicy
from windtunnel.schedulers.registry import make_scheduler

MACHINE = Platform.uniform(256)
LENGTH = 256


def sequences() -> tuple[Sequences, list[int], list[int]]:
    """All sequences, and the first jobs of those to learn from and of those held out: halves of the workload."""
    found = Sequences(read_workload("lublin:10000?hosts=256&seed=1&estimates=exact"), LENGTH)
    half, draw = found.count // 2, random.Random(1)
    learn = [draw.randrange(0, half - LENGTH) for _ in range(40)]
    held_out = [draw.randrange(half, found.count) for _ in range(30)]
    return found, learn, held_out


def table(weights: tuple[float, ...], *, most: int = 30) -> list[tuple[str, float, float, float, float]]:
    """Order -> its mean bounded slowdown on the held-out sequences; by how much the policy's is more, with 95 %."""
    found, _, held_out = sequences()
    held_out = held_out[:most]
    learned = slowdowns(MACHINE, found, held_out, LinearPolicy(weights=weights, longest=found.longest()))
    rows = [("learned", fmean(learned), 0.0, 0.0, 0.0)]
    for order in ("fcfs", "smallest", "sjf", "f1"):
        theirs = slowdowns(MACHINE, found, held_out, make_scheduler("literature/rlscheduler", order=order))
        rows.append((order, fmean(theirs), *paired(learned, theirs)))
    return rows


def main(generations: int) -> None:
    """Learn, then print weights and table."""
    found, learn, _ = sequences()
    *_, last = evolve(MACHINE, found, learn, seed=1, generations=generations)
    sys.stdout.write("weights: " + ", ".join(f"{weight:.3f}" for weight in last.weights) + "\n")
    for order, slowdown, mean, low, high in table(tuple(round(weight, 3) for weight in last.weights)):
        sys.stdout.write(f"| {order} | {slowdown:.1f} | {mean:+.1f} | {low:+.1f} to {high:+.1f} |\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
