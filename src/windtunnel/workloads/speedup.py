"""How much faster a job is on more hosts, as an expression of ``num_nodes`` that a performance model can hold.

``amdahl``: a part of the work is serial (G. M. Amdahl: Validity of the single processor approach to achieving large
scale computing capabilities. AFIPS 1967). ``downey``: an average parallelism and its variation (A. B. Downey: A
parallel workload model and its implications for processor allocation. HPDC 1997, equations 1 and 2). ``linear``: n
hosts are n times as fast.
"""

from typing import Literal

from windtunnel.model.expressions import evaluate, substituted

__all__ = ["Model", "amdahl", "downey", "speedup_on"]

Model = Literal["linear", "amdahl", "downey"]


def amdahl(serial: float) -> str:
    """The speed-up of work of which a part (0 to 1) is serial."""
    return f"1 / ({serial!r} + {1.0 - serial!r} / num_nodes)"


def downey(average: float, sigma: float) -> str:
    """The speed-up of work of an average parallelism (at least 1) that varies by ``sigma`` (0: not at all)."""
    a, s = max(1.0, average), sigma
    if s <= 1.0:
        rising = f"{a!r} * num_nodes / ({a!r} + {s / 2.0!r} * (num_nodes - 1))"
        bending = f"{a!r} * num_nodes / ({s * (a - 0.5)!r} + num_nodes * {1.0 - s / 2.0!r})"
        return f"num_nodes <= {a!r} ? {rising} : num_nodes <= {2.0 * a - 1.0!r} ? {bending} : {a!r}"
    rising = f"num_nodes * {a * (s + 1.0)!r} / ({s!r} * (num_nodes + {a - 1.0!r}) + {a!r})"
    return f"num_nodes <= {a + a * s - s!r} ? {rising} : {a!r}"


def speedup_on(speedup: str, hosts: int) -> float:
    """A speed-up on so many hosts."""
    return evaluate(substituted(speedup, [("num_nodes", str(hosts))]))
