"""Who decides in a simulation: from names, endpoints, functions and objects to decision components."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import UsageError
from windtunnel.model import Platform, Workload
from windtunnel.model.asks import Asking
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.options import checked_options
from windtunnel.schedulers.packing.forms import packing
from windtunnel.schedulers.registry import make_scheduler, name_of, scheduler_names
from windtunnel.vocabulary import PARTS, Ability, Component, Decision

__all__ = [
    "SchedulerLike",
    "asks_for_parts",
    "gives_parts",
    "kept_to_site",
    "make_components",
    "packed",
    "scheduler_name",
    "spare_schedulers",
    "usual_scheduler",
]

SchedulerLike = str | Component | Callable[..., Iterable[Decision] | None] | type[Component]
"""A name, ``module:Class``, an endpoint (``tcp://...``, ``batprotocol+tcp://...``), ``lib:PATH``, a function of
a view, a class or an object."""


def _component(scheduler: SchedulerLike, options: Mapping[str, Any], timeout: float) -> Component:
    """A decision component: in process, in a shared library, or at the other end of a socket."""
    if isinstance(scheduler, str) and scheduler.startswith(("lib:", "batprotocol+")):
        from windtunnel.wires.batprotocol.address import component_at

        if options:
            raise UsageError("a library or process takes its options in its initialisation data (?init=...)")
        return component_at(scheduler, timeout)
    if isinstance(scheduler, str) and "://" in scheduler:
        from windtunnel.wires.json.client import JsonComponent, JsonOptions

        told = checked_options(f"scheduler {scheduler!r}", JsonComponent, options)  # its own are on its command line
        return JsonComponent(scheduler, timeout=timeout, options=JsonOptions(**told))
    if isinstance(scheduler, str) and scheduler.startswith(("tcp:", "ipc:")):
        raise UsageError(f"{scheduler!r} is not an endpoint", "such as tcp://127.0.0.1:28000 or ipc:///tmp/socket")
    return make_scheduler(scheduler, **options)


def make_components(given: Sequence[SchedulerLike], options: Mapping[str, Any], timeout: float) -> list[Component]:
    """The decision components of one simulation."""
    if len(given) > 1:
        from windtunnel.schedulers.together import check_together

        check_together(given)
    return [_component(one, options, timeout) for one in given]


def usual_scheduler(platform: Platform, workloads: Sequence[Workload]) -> str:
    """The default scheduler: the one that the input describes or is made for, otherwise ``easy`` (decisions.md 31).

    Raises:
        UsageError: the input implies two different schedulers.
    """
    wanted = {}
    if platform.site is not None:  # few platforms are described so
        from windtunnel.model.site import Site, describes_schedulers
        from windtunnel.model.slurm.cluster import SlurmSite

        if isinstance(platform.site, Site) and describes_schedulers(platform.site):
            wanted["datacenters"] = "the environment describes schedulers"
        elif isinstance(platform.site, SlurmSite):
            wanted["slurm"] = "the platform is a Slurm site"
    if any(isinstance(one, LeaseJobs) for one in workloads):
        wanted["leases"] = "the workload is one of leases"
    if len(wanted) > 1:
        raise UsageError(
            f"{' and '.join(wanted.values())}: both cannot be followed at once",
            f"choose one: --scheduler {' or --scheduler '.join(wanted)} (scheduler= in Python)",
        )
    return next(iter(wanted), "easy")


def asks_for_parts(workloads: Sequence[Workload]) -> bool:
    """Whether jobs request amounts of the resources of hosts."""
    parts = {ability.value for ability in PARTS}
    return any(
        ask.ability in parts
        for one in workloads
        if isinstance(one, Asking) and not isinstance(one, LeaseJobs)
        for ask in one.asks
    )


def gives_parts(honoured: frozenset[Ability], workloads: Sequence[Workload]) -> bool:
    """Whether these abilities mean that jobs get parts of hosts; a lease planner does so for leases only."""
    planner = Ability.EXACT_STARTS in honoured
    return Ability.SHARES in honoured and not (planner and not any(isinstance(one, LeaseJobs) for one in workloads))


def packed(component: Component, *, share_hosts: bool, by_amounts: bool) -> Component:
    """A scheduler that packs if requested: by cores, ours by all amounts that jobs name (decisions.md 31)."""
    if by_amounts:
        component = packing(component)
    if not share_hosts:
        return component
    from windtunnel.schedulers.by_core import packing_by_cores  # few sites are packed so

    return packing_by_cores(component)


def kept_to_site(component: Component, platform: Platform) -> Component:
    """A scheduler on a Slurm site: restricted to partitions and limits if it does not enforce them itself."""
    if platform.site is None:
        return component
    from windtunnel.model.slurm.cluster import SlurmSite  # few sites are

    if not isinstance(platform.site, SlurmSite) or not platform.site.partitions:
        return component
    from windtunnel.schedulers.partitioned.component import Partitioned, can_be_partitioned

    return Partitioned(component) if can_be_partitioned(component) else component


def scheduler_name(scheduler: SchedulerLike) -> str:
    """The name of a scheduler in outputs."""
    if isinstance(scheduler, str):
        return scheduler
    return name_of(scheduler)


def spare_schedulers(workload: Any) -> None:
    """Refuse a scheduler in the place of a workload by what it is, not as a file that is not there.

    Raises:
        UsageError: there is one.
    """
    for one in workload if isinstance(workload, list | tuple) else (workload,):
        if isinstance(one, str):
            found = one in scheduler_names() and not Path(one).exists()
        else:
            found = not isinstance(one, Workload) and (isinstance(one, Component) or callable(one))
        if found:
            raise UsageError(
                f"{scheduler_name(one)} is a scheduler, and a workload is expected in its place",
                "name it: scheduler=... in Python, --scheduler on the command line",
            )
