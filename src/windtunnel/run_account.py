"""Drawing up the account of a run: what was read and what is asked, against what the schedulers honour (law 9)."""

from collections.abc import Container, Iterable, Sequence
from math import inf
from operator import attrgetter
from typing import Any, Final

from windtunnel.diagnostics import Account, counted
from windtunnel.model import EventList, ExternalEvent, JobList, Platform, Workload
from windtunnel.model.abilities import report_of
from windtunnel.model.asks import Ask, Asking, Asks, Sized, Warned
from windtunnel.model.demands import described_by
from windtunnel.model.lease_batch import BatchLeases, asks_of
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.platform import column_of, kinds_of
from windtunnel.vocabulary import PARTS, Ability, Component, honoured_by
from windtunnel.vocabulary.component import FollowsSignals, Named

__all__ = ["draw_up", "tell_event", "tell_followers", "tell_idle", "tell_partitions"]

_MOST: Final = 10_000_000
"""No platform in one word has more hosts."""


def draw_up(
    platform: Platform,
    workloads: Sequence[Workload],
    events: Sequence[EventList],
    components: Sequence[Component],
    names: Sequence[str],
    *,
    share_hosts: bool,
) -> Account:
    """What does not take effect in a run of these; ``names`` are what the components are called."""
    account = Account()
    for thing in (platform, *workloads, *events):
        if isinstance(thing, Warned):
            account.take(thing.warnings)
    for workload in workloads:
        _other_site(account, platform, workload)
        _other_dates(account, events, workload)
    _sizes(account, platform, workloads, by_cores=share_hosts)
    honoured = [honoured_by(component, platform) for component in components]
    if not share_hosts and not all(Ability.PROCESSORS in abilities for abilities in honoured):
        _in_vain(account, workloads)
    of_site = asks_of_site(platform, events)
    if any(ask.ability == Ability.ANNOUNCED_UNAVAILABILITY.value for ask in of_site):
        _endless(account, workloads)
    for workload in workloads:
        asks = _asks(workload)
        if not isinstance(workload, LeaseJobs):
            _compare_all(account, platform, asks, [*map(_of_jobs, honoured)], names)
            continue
        # A planner of leases rejects those that ask for what no node has, except for memory.
        asks = [
            ask for ask in asks if ask.resource in {"", "cores", "memory"} or Ability.EXACT_STARTS not in honoured[0]
        ]
        _compare_all(account, platform, asks, honoured, names)
    _compare_all(account, platform, of_site, honoured, names)
    return account


def tell_event(
    account: Account, platform: Platform, event: ExternalEvent, components: Sequence[Component], names: Sequence[str]
) -> None:
    """What schedulers do not honour of an event that is put into a run while it goes on."""
    asks = Asks()
    _ask_of_event(asks, f"put into the run, t={event.timestamp:g} s", event)
    honoured = [honoured_by(component, platform) for component in components]
    _compare_all(account, platform, asks.found(), honoured, names)


def tell_idle(
    account: Account,
    platform: Platform,
    events: Sequence[EventList],
    *,
    on_failure: str,
    on_maintenance: str,
    unattended: bool,
) -> None:
    """Options about what goes away, where nothing does; notes, where somebody may still make it happen meanwhile."""
    if on_failure == on_maintenance == "kill":
        return
    states = {
        str(event.attributes.get("state")) for one in events for event in one.events if event.kind == "machine_state"
    }
    links = platform.network.links if platform.network is not None else ()
    fails = bool(states - {"ACTIVE"}) or any(
        thing.state_profile for things in (kinds_of(platform.hosts), platform.storages, links) for thing in things
    )
    vain = "has no effect" if unattended else "has no effect unless events are put into the run while it goes on"
    hint = "--failures and --events make machines fail (failures=..., events=... in Python)"
    if on_failure != "kill" and not fails:
        reason = f"on-failure {on_failure} {vain}: no machine is known to fail, halt or be maintained"
        account.tell("without-effect", reason, hint=hint, note=not unattended)
    if on_maintenance != "kill" and "MAINTENANCE" not in states:
        reason = f"on-maintenance {on_maintenance} {vain}: no maintenance of a machine is known"
        hint = "--events may have some (events=... in Python)"
        account.tell("without-effect", reason, hint=hint, note=not unattended)


def _of_jobs(honoured: frozenset[Ability]) -> frozenset[Ability]:
    """What is honoured of jobs: a planner of leases gives those that are not leases whole hosts."""
    return honoured - PARTS if Ability.EXACT_STARTS in honoured else honoured


def _endless(account: Account, workloads: Sequence[Workload]) -> None:
    """Nobody can plan around an outage who does not know how long jobs last."""
    for workload in workloads:
        endless = [job.id for job in workload if job.walltime == inf] if isinstance(workload, JobList) else []
        if endless:
            reason = "jobs without walltime may be running when an outage begins, though it is announced"
            account.tell("not-honoured", reason, count=len(endless), place=endless[0])


def _compare_all(
    account: Account,
    platform: Platform,
    asks: Sequence[Ask],
    honoured: Sequence[frozenset[Ability]],
    names: Sequence[str],
) -> None:
    described = described_by(kinds_of(platform.hosts)) if any(ask.resource for ask in asks) else frozenset()
    for ask in asks:
        if ask.resource and ask.resource not in described:
            account.tell(
                "not-described",
                f"{ask.reason}: the platform does not define {ask.resource}, so it is ignored",
                count=ask.count,
                place=ask.place,
                hint=f"a platform whose hosts have {ask.resource} honours it",
            )
            continue
        _compare(account, ask, honoured, names)


def _other_dates(account: Account, events: Sequence[EventList], workload: Workload) -> None:
    """The first job of a log is submitted at 0, whatever its date; dates of events stay what they are."""
    report = report_of(workload)
    dated = [source for source in events if source.path and any(event.timestamp > 0 for event in source.events)]
    if report is None or not report.shifted or not dated:
        return
    reason = f"the jobs come {report.shifted:g} s earlier than written (the first at 0), the events of {{}} do not"
    account.tell(
        "shifted-dates",
        reason.format(" and ".join(source.path for source in dated)),
        count=len(workload),
        place=workload.path,
        hint="--keep-epoch keeps the dates of the log (workload_options={'keep_epoch': True})",
    )


def _other_site(account: Account, platform: Platform, workload: Workload) -> None:
    """A workload of leases brings a site of its own, which another may stand in for."""
    if not isinstance(workload, LeaseJobs | BatchLeases) or workload.work is None or workload.work.site is None:
        return
    if platform.path != workload.path:
        reason = f"the site in {workload.path or workload.name} is not used: {platform.name} is"
        account.tell("other-site", reason, hint="without a platform the leases run on their own site", note=True)


def _asks(workload: Workload) -> Sequence[Ask]:
    if isinstance(workload, LeaseJobs):
        return asks_of(workload)
    return workload.asks if isinstance(workload, Asking) else ()


def _compare(account: Account, ask: Ask, honoured: Sequence[frozenset[Ability]], names: Sequence[str]) -> None:
    """A line, if any of the components does not honour what is asked."""
    ability = Ability(ask.ability)
    deaf = [name for abilities, name in zip(honoured, names, strict=True) if ability not in abilities]
    if not deaf:
        return
    who = " and ".join(deaf)
    several = len(deaf) > 1
    if ability is Ability.UNAVAILABLE_HOSTS:
        does = f"{who} may end the run when that happens"
    elif ability in PARTS:
        does = f"{who} {'give whole hosts and ignore' if several else 'gives whole hosts and ignores'} it"
    else:
        does = f"{who} {'do' if several else 'does'} not honour {ability.value}"
    hint = _HINTS.get(ability, "")
    account.tell("not-honoured", f"{ask.reason}: {does}", count=ask.count, place=ask.place, hint=hint)


_HINTS: Final = {
    Ability.DESCRIBED_SCHEDULERS: "without --scheduler the described schedulers are followed",
    Ability.EXACT_STARTS: "--scheduler leases honours leases",
    Ability.SLURM_DECISIONS: "without --scheduler the site's own Slurm decides",
    Ability.PREEMPTABILITY: "the scheduler leases with -o policy-preemption=ar-preempts-everything honours it",
    Ability.UNAVAILABLE_HOSTS: "windtunnel schedulers NAME shows whether a scheduler handles failed hosts",
}


def asks_of_site(platform: Platform, events: Sequence[EventList]) -> tuple[Ask, ...]:
    """What a site and what will happen to it ask for."""
    asks = Asks()
    if platform.site is not None:
        _ask_of_description(asks, platform.site, platform.path)
    for source in events:
        for event in source.events:
            _ask_of_event(asks, f"{source.path or source.name}, t={event.timestamp:g} s", event)
    if any(map(attrgetter("state_profile"), kinds_of(platform.hosts))):
        for host in platform.hosts:
            if not host.state_profile:
                continue
            asks.note(Ability.UNAVAILABLE_HOSTS.value, "hosts are off for a time", host.name)
    return asks.found()


def _ask_of_description(asks: Asks, site: Any, path: str) -> None:
    """What an environment asks for, or a Slurm site: few platforms are described so."""
    from windtunnel.model.site import Site

    if isinstance(site, Site):
        for number, datacenter in enumerate(site.datacenters):
            if datacenter.scheduler is not None:
                place = f"{path}#/environment/datacenters/{number}/operational/scheduler"
                asks.note(Ability.DESCRIBED_SCHEDULERS.value, "datacenters describe their scheduler", place)
    else:
        from windtunnel.model.slurm.asks import asks_of_slurm

        asks_of_slurm(asks, site, path)


def _ask_of_event(asks: Asks, place: str, event: ExternalEvent) -> None:
    if event.kind == "scheduler_change":
        asks.note(Ability.DESCRIBED_SCHEDULERS.value, "events change the scheduler of a datacenter", place)
    elif event.kind == "machine_unavailable":
        asks.note(Ability.UNAVAILABLE_HOSTS.value, "hosts become unavailable", place)
    elif event.kind == "machine_state" and (state := event.attributes.get("state")) != "ACTIVE":
        asks.note(Ability.UNAVAILABLE_HOSTS.value, "machines fail, halt or are maintained", place)
        if state in {"MAINTENANCE", "HALT"} and event.timestamp > 0:
            reason = "outages of machines are announced beforehand"
            asks.note(Ability.ANNOUNCED_UNAVAILABILITY.value, reason, place)


def _sizes(account: Account, platform: Platform, workloads: Iterable[Workload], *, by_cores: bool) -> None:
    """Jobs that want more than there is."""
    hosts, cores = len(platform.hosts), sum(column_of(platform.hosts, "cores"))
    for workload in workloads:
        if not isinstance(workload, Sized):
            continue
        larger = workload.larger_than(hosts, cores if by_cores else None)
        if larger is not None:
            count, first, most = larger
            there = counted(cores, "core") if by_cores else counted(hosts, "host")
            enough = max(most, workload.hosts)
            account.tell(
                "too-large",
                f"jobs of {workload.path or workload.name} want more than the {there} of the platform (up to {most})",
                count=count,
                place=first,
                hint=f"run it on hosts:{_enough(platform, enough, by_cores=by_cores)}" if enough <= _MOST else "",
            )


def _in_vain(account: Account, workloads: Iterable[Workload]) -> None:
    """Cores that are given with their hosts though nobody asked for them."""
    for workload in workloads:
        vain = workload.cores_in_vain() if isinstance(workload, Sized) else None
        if vain is not None:
            count, first, number = vain
            reason = f"jobs get whole hosts and use fewer cores than these have ({number:,} cores unused)"
            account.tell("cores-in-vain", reason, count=count, place=first, hint="--share-hosts packs by cores")


def _enough(platform: Platform, wanted: int, *, by_cores: bool) -> str:
    """The word for a platform of hosts such as these on which so many hosts (or cores) can be had."""
    cores = platform.cores_per_host
    if cores == 1:
        return str(wanted)
    return f"{-(-wanted // cores) if by_cores else wanted}x{cores}"


def tell_partitions(account: Account, site: Any, workloads: Iterable[Workload]) -> None:
    """Tell of jobs that name partitions which a Slurm site has not, and go to those that it has."""
    from windtunnel.model.slurm import SlurmSite

    known = {one.name for one in site.partitions} if isinstance(site, SlurmSite) else set()
    for workload in workloads if known else ():
        for job in workload if not isinstance(workload, LeaseJobs) else ():
            for name in job.ask.partitions if job.ask is not None else ():
                if name not in known:
                    told = f"jobs name the partition {name!r}, which the site has not: another takes them"
                    account.tell("not-described", told, place=job.id)


def tell_followers(account: Account, components: Sequence[Component], signals: Container[str]) -> None:
    """Tell of schedulers that would follow a signal which the run has not."""
    for component in components:
        if isinstance(component, FollowsSignals) and component.follows not in signals:
            name = component.name if isinstance(component, Named) else ""
            account.tell(
                "without-effect",
                f"{name or type(component).__name__} defers no job: the run has no {component.follows}",
                hint=f"add --energy --{component.follows.replace('_', '-')} FILE ({component.follows}=...)",
            )
