"""The inputs of a simulation as users of the library give them: workloads, events, arguments."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from windtunnel.diagnostics import InputError, UsageError
from windtunnel.diagnostics.at_once import raise_all, tried
from windtunnel.model import EventList, HostSet, Job, JobList, Platform, Workload
from windtunnel.model.abilities import CountingProcessors, NamingOthers, OfSharedNodes
from windtunnel.model.event_kinds import event_kind
from windtunnel.model.lease_jobs import LeaseJobs

if TYPE_CHECKING:
    from windtunnel.workloads.arranged import Arranged

__all__ = [
    "arrange",
    "changed",
    "check_arguments",
    "check_events",
    "chosen",
    "on_its_own",
    "read_workloads",
    "site_of",
]


_LISTED: Final = "a list of jobs becomes one by windtunnel.model.JobList('w0', jobs)"


def check_arguments(**given: tuple[Any, Any, str]) -> None:
    """Check that arguments are of the right kind, as faults would otherwise show up much later and elsewhere."""
    for name, (value, kinds, expected) in given.items():
        if not isinstance(value, kinds):
            raise UsageError(f"{name} is {expected}, not {'None' if value is None else f'a {type(value).__name__}'}")


def read_workloads(
    workload: "str | Path | Workload | Sequence[str | Path | Workload]",
    platform: Platform,
    operations: Sequence[str] = (),
    **options: Any,
) -> list[Workload]:
    """Workloads from files or objects, named w0, w1... by position (as Batsim does), sized for the platform.

    ``operations`` are applied to each of them (:func:`arrange`); merged files are read with the same options.
    """
    from windtunnel.formats.registry import read_workload

    given: Sequence[Any] = workload if isinstance(workload, (list, tuple)) else [workload]
    found: list[Workload] = []
    known: set[str] = set()
    for rank, one in enumerate(given):
        read = read_workload(one, name=f"w{rank}", **options) if isinstance(one, (str, Path)) else one
        if not isinstance(read, Workload):
            hint = _LISTED if isinstance(read, Job) else ""
            raise UsageError(f"a workload must be a file or a Workload, not a {type(read).__name__}", hint)
        if read is one:
            if options:
                raise UsageError(f"a Workload takes no options ({', '.join(options)}): only files do")
            if isinstance(one, JobList):
                from windtunnel.made_jobs import check_jobs  # files have their own checks

                check_jobs(one, known)
        found.append(read)
    made: list[Workload] = []
    for one in _settled(found):
        asked = changed(one, operations, **options) if operations else one
        sized = asked.with_cores(platform.cores_per_host) if isinstance(asked, CountingProcessors) else asked
        made.append(sized.in_parts() if platform.shares_nodes and isinstance(sized, OfSharedNodes) else sized)
    return made


def _settled(workloads: list[Workload]) -> list[Workload]:
    """With the profiles that jobs have of other workloads, where there are such jobs."""
    if not any(isinstance(one, NamingOthers) and one.elsewhere for one in workloads):
        return workloads
    from windtunnel.formats.batsim.elsewhere import settled

    return settled(workloads)


def arrange(workload: "str | Path | Workload", *operations: str) -> "Arranged":
    """A workload with operations applied in the given order, written as on the command line::

        wt.arrange("kth.swf", "slice('1996-10', weeks=4)", "scale_load(0.9)")
        wt.arrange("kth.swf").slice("1996-10", weeks=4).scale_load(0.9)

    Both lines mean the same. ``merge(FILE)`` reads the other workload. The account of a run lists what each operation
    did.

    Raises:
        InputError: a file is invalid.
        UsageError: there is no such operation or option, or it cannot be applied to leases.
    """
    from windtunnel.formats.registry import read_workload

    return changed(read_workload(workload) if isinstance(workload, (str, Path)) else workload, operations)


def changed(base: Workload, operations: Sequence[str], **options: Any) -> "Arranged":
    """A workload with operations applied, as :func:`arrange` does; files that are merged are read with the options.

    Raises:
        InputError, UsageError: as :func:`arrange`.
    """
    from windtunnel.formats.registry import read_workload
    from windtunnel.workloads.arranged import Arranged
    from windtunnel.workloads.operations import parse_operation

    check_arguments(workload=(base, Workload, "a file or a Workload"))
    if isinstance(base, LeaseJobs):
        raise UsageError("operations change jobs, and this workload is one of leases")
    faults: list[InputError | UsageError] = []
    asked = [tried(partial(parse_operation, text), faults) for text in operations]
    raise_all(faults)
    arranged = base if isinstance(base, Arranged) else Arranged(base)
    for operation in filter(None, asked):
        if operation.name == "merge":
            arranged = arranged.merge(
                read_workload(str(operation.options["other"]), **options),
                by_date=operation.options.get("by_date", False),
            )
        else:
            arranged = arranged.apply(operation.name, **operation.options)
    return arranged


def on_its_own(path: str | Path, operations: Sequence[str] = (), **options: Any) -> tuple[Platform, Workload] | None:
    """The workload of a file given alone, and the platform it says it needs; None if it is not a workload.

    A log gives the number of hosts in its header (MaxProcs), a Batsim workload in ``nb_res``, leases define a site.

    Raises:
        InputError: the file is invalid, or in no known format.
        UsageError: it does not say what it needs.
    """
    from windtunnel.formats.registry import is_workload, read_workload

    if not is_workload(path, **options):
        return None
    workload = read_workload(path, **options)
    if operations:
        workload = changed(workload, operations, **options)
    return site_of(path, workload), workload


def site_of(path: str | Path, workload: Workload, **options: Any) -> Platform:
    """The platform that a workload, read with these options, says it needs.

    Raises:
        UsageError: it does not say.
    """
    from windtunnel.formats.registry import read_platform

    hosts = workload.hosts
    if isinstance(workload, LeaseJobs) and hosts:
        return read_platform(path, format="lwf", **options)
    if not hosts:
        most = max((job.request.hosts for job in workload), default=0)
        raise UsageError(
            f"{path} is a workload that does not say how many hosts it needs",
            f"name a platform before it, such as hosts:{most}: its largest job asks for {most}"
            if most
            else "name a platform before it",
        )
    return read_platform(f"hosts:{hosts}", **options)


def check_events(events: EventList, hosts: int) -> None:
    """Check that all events are valid for their kind and on existing hosts, before the first of them occurs."""
    for event in events.events:
        kind = event_kind(event.kind)
        if kind is not None:
            try:
                kind.read(event.attributes)
            except ValueError as fault:
                place = f"{events.path or events.name}: external event {event.kind!r} at t={event.timestamp!r} s"
                raise UsageError(f"{place}: {fault}") from None
        if event.hosts and event.hosts.last >= hosts:
            beyond = event.hosts - HostSet.span(hosts)
            raise UsageError(
                f"{events.path or events.name}: external event {event.kind!r} at t={event.timestamp!r} s: "
                f"there are no hosts {beyond} (the platform has {hosts})",
                f"hosts are numbered from 0 to {hosts - 1}",
            )


def chosen(given: Any, usual: Any) -> dict[str, Any]:
    """The options that differ from their defaults."""
    return {
        name: value for name in given.__struct_fields__ if (value := getattr(given, name)) != getattr(usual, name)
    }
