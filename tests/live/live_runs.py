"""Small simulations to drive."""

from tests.results.small_runs import workload

import windtunnel as wt


def simulation(**options) -> wt.Simulation:
    """Sixty jobs on eight hosts under EASY."""
    return wt.Simulation("hosts:8", workload(), "easy", **options)
