"""From what somebody gives (files, names, objects) to what an engine takes: a site, workloads, events, components."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from windtunnel.decision_components import (
    SchedulerLike,
    asks_for_parts,
    gives_parts,
    kept_to_site,
    make_components,
    packed,
    scheduler_name,
    spare_schedulers,
    usual_scheduler,
)
from windtunnel.diagnostics import Account, UsageError, files_read
from windtunnel.examples import PREFIX, find
from windtunnel.inputs import check_arguments, check_events, on_its_own, read_workloads
from windtunnel.model import EventList, Platform, Workload
from windtunnel.model.abilities import start_date_of
from windtunnel.model.lease_batch import as_batch
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.run_account import draw_up, tell_followers, tell_idle, tell_partitions
from windtunnel.vocabulary import Ability, Component, honoured_by
from windtunnel.vocabulary.component import LengthensLeases

if TYPE_CHECKING:
    from windtunnel.model.billing import Billing
    from windtunnel.model.failures import FailureModel
    from windtunnel.run_billing import Electricity

__all__ = ["Assembled", "EventsLike", "PlatformLike", "SchedulersLike", "WorkloadLike", "assemble"]

_KEPT = (
    "{} decides, restricted to the site's partitions (nodes, state, limits of time, nodes and CPUs per node, allowed "
    "accounts and QOS, exclusive nodes), its licences and, where the site enforces them, the limits of associations "
    "and QOS on resources in use and over time"
)
PlatformLike = str | Path | Platform
WorkloadLike = str | Path | Workload | Sequence[str | Path | Workload]
EventsLike = str | Path | EventList | Sequence[str | Path | EventList]
SchedulersLike = SchedulerLike | Sequence[SchedulerLike] | None


class Assembled(NamedTuple):
    """All that a simulation is made of, and what is to be said of it."""

    platform: Platform
    workloads: list[Workload]
    events: list[EventList]
    """Those of the platform, those that were given, those that were generated."""
    events_given: list[str | Path | EventList]
    components: list[Component]
    account: Account
    start_date: float | None
    """When time 0 is (s since 1970, UTC); None where no workload says it."""
    read: list[str]
    """The files that all of it was read from."""
    facts: dict[str, Any]
    """What ``run.json`` says of it."""
    billing: "Billing | None"
    """What is asked of the account of the site's electricity, if there is to be one."""


def assemble(
    platform: PlatformLike,
    workload: WorkloadLike,
    scheduler: SchedulersLike,
    *,
    scheduler_options: Mapping[str, Any],
    events: EventsLike,
    platform_options: Mapping[str, Any],
    workload_options: Mapping[str, Any],
    operations: Sequence[str],
    failures: "FailureModel | None",
    timeout: float,
    share_hosts: bool,
    energy: bool,
    electricity: "Electricity | None",
    checkpoints: tuple[float, float],
    losses: tuple[str, str],
    stream: bool,
    unattended: bool,
) -> Assembled:
    """Read, make and check everything; arguments as for :class:`windtunnel.Simulation`, in s.

    With ``energy`` the watts of hosts are needed; ``checkpoints`` are seconds of work between them (0: none), and the
    seconds that one takes; ``losses`` what becomes of jobs in failures, and in maintenance. With ``stream`` jobs are
    not held in memory; ``unattended`` says that nobody puts events into the run while it goes on.

    Raises:
        InputError: a file is at fault.
        UsageError: something asked for does not exist, or does not fit.
    """
    check_arguments(
        platform=(platform, (str, Path, Platform), "a file, a name such as 'hosts:128', or a Platform"),
        scheduler_options=(scheduler_options, Mapping, "a mapping"),
        platform_options=(platform_options, Mapping, "a mapping"),
        workload_options=(workload_options, Mapping, "a mapping"),
        operations=(operations, (list, tuple), "a list of strings such as 'first(100)'"),
        timeout=(timeout, Real, "a number of seconds"),
    )
    if not timeout > 0:
        raise UsageError(f"a timeout must be more than 0 s, not {timeout!r}")
    if platform_options and isinstance(platform, Platform):
        raise UsageError(f"a Platform takes no options ({', '.join(platform_options)}): only files do")
    spare_schedulers(workload)
    if isinstance(workload, Sequence) and not workload and isinstance(platform, str) and platform.startswith(PREFIX):
        workload = find(platform.removeprefix(PREFIX)).workloads
    if stream:
        workload_options = _streaming(platform, workload, operations, workload_options)
    with files_read() as read:
        site, workloads = _site_and_workloads(
            platform, workload, platform_options, workload_options, operations, energy=energy
        )
    given = _events_given(events)
    with files_read() as more:
        lists = _event_lists(site, given, failures)
    if scheduler is None:
        scheduler = usual_scheduler(site, workloads)
    several = isinstance(scheduler, Sequence) and not isinstance(scheduler, str)
    schedulers: Sequence[SchedulerLike] = scheduler if several else (scheduler,)  # type: ignore[assignment]  # just told apart
    components = make_components(schedulers, scheduler_options, timeout)
    workloads = _leases_for(components, workloads)
    by_amounts = asks_for_parts(workloads)
    components = [packed(one, share_hosts=share_hosts, by_amounts=by_amounts) for one in components]
    alone = components
    if len(components) == 1:
        components = [kept_to_site(components[0], site)]
    parts = all(gives_parts(honoured_by(component), workloads) for component in components)
    names = [scheduler_name(one) for one in schedulers]
    account = draw_up(site, workloads, lists, components, names, share_hosts=share_hosts)
    tell_idle(account, site, lists, on_failure=losses[0], on_maintenance=losses[1], unattended=unattended)
    for one in workloads if operations else ():
        if not len(one):
            reason = f"the operations leave no job of {one.path or one.name}: {', '.join(operations)}"
            account.tell("nothing-left", reason, hint="windtunnel convert LOG NEW.swf --apply ... shows what is left")
    if components != alone:
        account.tell("kept-to-site", _KEPT.format(names[0]), place=site.path, note=True)
    decides = any(Ability.SLURM_REQUESTS in honoured_by(component) for component in components)
    if site.site is not None and (decides or components != alone):
        tell_partitions(account, site.site, workloads)
    if checkpoints[0]:
        workloads = _checkpointed(workloads, *checkpoints, account)
        if decides:
            _tell_limits(account, workloads)
    start_dates = [date for date in map(start_date_of, workloads) if date is not None]
    billing, bills = None, []
    if electricity is not None:
        with files_read() as bills:
            billing = electricity.billing(start_dates, account)
    tell_followers(account, components, () if billing is None else billing.signals)
    packing = "cores" if share_hosts else "parts of hosts" if parts else "whole hosts"
    return Assembled(
        site,
        workloads,
        lists,
        given,
        components,
        account,
        start_dates[0] if start_dates else None,
        list(dict.fromkeys([*read, *more, *_paths(site, *workloads, *lists), *bills])),
        {
            "schedulers": names,
            "packing": packing,
            "scheduler_options": dict(scheduler_options),
            **({"operations": list(operations)} if operations else {}),
            **({} if electricity is None or billing is None else electricity.noted(billing)),
        },
        billing,
    )


def _site_and_workloads(
    platform: PlatformLike,
    workload: WorkloadLike,
    platform_options: Mapping[str, Any],
    workload_options: Mapping[str, Any],
    operations: Sequence[str],
    *,
    energy: bool,
) -> tuple[Platform, list[Workload]]:
    """Both as they are read; a workload without a platform runs on what it says it needs."""
    from windtunnel.formats.registry import read_platform

    if isinstance(workload, Sequence) and not workload and isinstance(platform, str | Path):
        alone = on_its_own(platform, operations, **workload_options)
        if alone is not None:
            if platform_options:
                words = ", ".join(platform_options)
                raise UsageError(
                    f"{platform} is a workload, and there is no platform to take options ({words})",
                    "name a platform before it, or leave them out (--numbering, --platform-option)",
                )
            return alone[0], read_workloads(alone[1], alone[0])
    reading = dict(platform_options) | ({"energy": True} if energy else {})
    site = platform if isinstance(platform, Platform) else read_platform(platform, **reading)
    return site, read_workloads(workload, site, operations, **workload_options)


def _streaming(
    platform: PlatformLike, workload: WorkloadLike, operations: Sequence[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    """The options of the readers of workloads whose jobs are not held in memory."""
    from windtunnel.formats.registry import reads_with

    if operations:
        raise UsageError(
            "--stream cannot be combined with operations (--apply): they change all jobs, in memory",
            "write the changed workload first: windtunnel convert LOG NEW.swf --apply ...",
        )
    several = isinstance(workload, Sequence) and not isinstance(workload, str)
    given: Any = workload if several else (workload,)
    for one in given or (platform,):
        if not isinstance(one, (str, Path)):
            raise UsageError(
                f"a {type(one).__name__} has its jobs in memory already: it cannot be streamed", "give a log's path"
            )
        name, can = reads_with("stream", one, format=options.get("format", ""))
        if not can:
            raise UsageError(
                f"{one} is read as a whole (its format is {name}): it cannot be streamed",
                "--stream reads SWF logs; windtunnel convert writes them from other formats",
            )
    return {**options, "stream": True}


def _events_given(events: EventsLike) -> list[str | Path | EventList]:
    """External events as a list of files and lists."""
    several: Any = [events] if isinstance(events, (str, Path, EventList)) else events
    check_arguments(events=(several, Iterable, "a file, an EventList, or several"))
    given = list(several)
    for number, event in enumerate(given):
        check_arguments(**{f"events[{number}]": (event, (str, Path, EventList), "a file or an EventList")})
    return given


def _event_lists(
    site: Platform, given: Sequence[str | Path | EventList], failures: "FailureModel | None"
) -> list[EventList]:
    """All external events: the platform's own, those given, those generated."""
    from windtunnel.formats.registry import read_events

    lists = [] if site.events is None else [site.events]
    lists += [
        event if isinstance(event, EventList) else read_events(event, name=f"we{rank}")
        for rank, event in enumerate(given)
    ]
    for event_list in lists:
        check_events(event_list, len(site.hosts))
    if failures is not None:
        from windtunnel.model.failures import failures as generated

        lists.append(generated(site.hosts, failures))
    return lists


def _leases_for(components: Sequence[Component], workloads: list[Workload]) -> list[Workload]:
    """Leases as who schedules them sees them: as long as a planner makes them, or as batch jobs."""
    lengthens = next((one for one in components if isinstance(one, LengthensLeases)), None)
    if lengthens is not None:
        workloads = [one.lasting(lengthens.lasts) if isinstance(one, LeaseJobs) else one for one in workloads]
    if not all(Ability.EXACT_STARTS in honoured_by(component) for component in components):
        workloads = [as_batch(one) if isinstance(one, LeaseJobs) else one for one in workloads]
    return workloads


def _checkpointed(workloads: Sequence[Workload], interval: float, cost: float, account: Account) -> list[Workload]:
    """Workloads whose jobs write checkpoints; leases that a planner schedules end when their time is over."""
    from windtunnel.model.checkpoints import CheckpointedWorkload

    for one in workloads:
        if isinstance(one, LeaseJobs):
            reason = "checkpoints do not lengthen leases: they last as long as they ask for"
            account.tell("without-effect", reason, place=one.path)
    return [one if isinstance(one, LeaseJobs) else CheckpointedWorkload(one, interval, cost) for one in workloads]


def _tell_limits(account: Account, workloads: Sequence[Workload]) -> None:
    """Slurm ends jobs at the limits that they ask for, within those of partitions, whatever they write meanwhile."""
    limited = [job.id for one in workloads for job in one if job.ask is not None and job.ask.time_limit is not None]
    if limited:
        reason = "checkpoints do not lengthen the time limits that jobs ask of Slurm: they are ended there"
        account.tell("without-effect", reason, count=len(limited), place=limited[0])


def _paths(*inputs: Platform | Workload | EventList) -> list[str]:
    """Where inputs were read from, if from files."""
    return [one.path for one in inputs if one.path]
