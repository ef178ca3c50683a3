"""Shared by the engine's tests: run a script and get what it saw."""

from windtunnel.engine import Options, Simulation
from windtunnel.model import HostSet
from windtunnel.testing import InvariantChecker, Scripted, platform
from windtunnel.vocabulary import Execute, Features, JobSubmitted


def simulate(script, *workloads, hosts=4, site=None, features=Features(), events=(), **options):
    component = Scripted(script, features)
    checker = InvariantChecker(sharing=options.get("compute_sharing", False))
    simulation = Simulation(
        site or platform(hosts),
        workloads,
        [component],
        events=events,
        options=Options(**options),
        observers=[checker],
    )
    simulation.run()
    return component, checker, simulation


def start_all(now, notices):
    """Start every job on hosts 0.. as it comes."""
    return [Execute(n.job, HostSet.span(n.job.hosts)) for n in notices if isinstance(n, JobSubmitted)]


def kinds(component):
    """The messages as (now, names of notices)."""
    return [(now, [type(n).__name__ for n in notices]) for now, notices in component.log]
