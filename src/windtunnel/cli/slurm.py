"""``windtunnel slurm extract``, ``calibrate`` and ``what-if``: a Slurm site's twin."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from windtunnel.twin.calibrate import Calibration
    from windtunnel.twin.change import Change

__all__ = ["calibrate", "slurm", "what_if"]

_SITE = typer.Argument(
    help="The site's slurm.conf, what scontrol show node printed of it, or example:slurm.", metavar="SITE"
)
_CHANGED_SITE = typer.Argument(help="The site's slurm.conf, or example:slurm.", metavar="SITE")
_LOG = typer.Argument(help="Its accounting (sacct -P or --json).", metavar="LOG")
_TZ = typer.Option("--tz", help="The time zone of dates without one, such as Europe/Berlin.")
_SCHEDULER = typer.Option("--scheduler", "-s", metavar="NAME", help="Use this scheduler instead of the site's own.")
_JSON = typer.Option("--json", help="Print JSON.")
_OF_SITE = typer.Option(
    "--platform-option", metavar="KEY=VALUE", help="An option of the site's format (usage=sshare.txt)."
)
_OF_LOG = typer.Option(
    "--workload-option", metavar="KEY=VALUE", help="An option of the log's format (walltime=kill)."
)
_APPLY: Final = "Change the log first, as windtunnel run does: slice('2024-03', weeks=2), filter(queue='gpu')"
_CHOSEN = typer.Option("--apply", metavar="OPERATION", help=f"{_APPLY}, first(1000). No other operations.")
_ARRANGED = typer.Option("--apply", metavar="OPERATION", help=f"{_APPLY}, scale_load(1.2, hosts=N) and any other.")
_MOST: Final = 12
_ORDER: Final = "the site comes first, then its log: site/slurm.conf site/jobs.txt"
_LISTINGS: Final = ("scontrol", "sinfo-json")
"""The formats of what the daemon tells of a site, with the states of its nodes now."""


def slurm(
    action: Annotated[str, typer.Argument(help="extract: print the script.", metavar="extract")],
    start: Annotated[str, typer.Option(help="Start of the period to extract, in sacct's format.")] = "now-30days",
    end: Annotated[str, typer.Option(help="End of the period.")] = "now",
    folder: Annotated[str, typer.Option(help="Where the script writes.")] = "site",
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Replace users, accounts and names of jobs; the key stays with you.")
    ] = False,
) -> None:
    """Print a shell script that extracts from a Slurm site what a simulation needs. Read it before you run it.

    Examples:
      windtunnel slurm extract --start 2024-01-01 > extract.sh

      windtunnel slurm extract --anonymous > extract.sh
    """
    from windtunnel.diagnostics import UsageError, did_you_mean
    from windtunnel.twin.extract import script

    if action != "extract":
        raise UsageError(f"windtunnel slurm has no {action!r}", did_you_mean(action, ("extract",)))
    print(script(start=start, end=end, folder=folder, anonymous=anonymous), end="")


def calibrate(
    site: Annotated[str, _SITE],
    log: Annotated[str, _LOG] = "",
    tz: Annotated[str, _TZ] = "UTC",
    scheduler: Annotated[str, _SCHEDULER] = "",
    keep_nodes: Annotated[
        bool, typer.Option("--keep-nodes", help="Keep nodes that, according to the log, were unavailable.")
    ] = False,
    report: Annotated[
        str, typer.Option("--report", metavar="PAGE", help="Also write an HTML page with charts and all groups.")
    ] = "",
    platform_option: Annotated[list[str], _OF_SITE] = [],  # noqa: B006 -- typer copies it
    workload_option: Annotated[list[str], _OF_LOG] = [],  # noqa: B006 -- as above
    apply: Annotated[list[str], _CHOSEN] = [],  # noqa: B006 -- as above
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Replay a site's log and measure how closely the replay agrees with what happened.

    Examples:
      windtunnel calibrate site/slurm.conf site/jobs.txt --tz Europe/Berlin

      windtunnel calibrate example:slurm --report calibration.html
    """
    from windtunnel.formats.registry import read_platform, read_workload
    from windtunnel.twin.calibrate import compare

    conf, jobs = _files(site, log)
    form = _format_of(conf)
    if report:
        from windtunnel.cli.summary import check_page

        check_page(Path(report), [conf, jobs])
    # In a listing a node may be away today that the jobs of the log ran on.
    options: dict[str, Any] = {"all_states": True} if form in _LISTINGS else {}
    of_site, of_log = _options(tz, platform_option, workload_option)
    platform = read_platform(conf, format=form, **options | of_site)
    workload = _arranged(read_workload(jobs, **{"format": "sacct"} | of_log), apply)
    found, pairs = compare(platform, workload, scheduler, fit_drains=not keep_nodes)
    for line in found.told:
        print(line, file=sys.stderr)
    print(_as_json(found) if json else _calibration(found))  # also where the page cannot be written
    if report:
        from windtunnel.twin.calibration_page import write_page

        write_page(found, pairs, report, title=f"{platform.name}: how far the replay agrees with the log")


def what_if(
    site: Annotated[str, _CHANGED_SITE],
    log: Annotated[str, _LOG] = "",
    set_: Annotated[
        list[str],
        typer.Option(
            "--set", metavar="CHANGE", help='Such as "PartitionName=gpu MaxTime=2-0" or "QOS=long Priority=10".'
        ),
    ] = [],  # noqa: B006 -- typer copies it
    nodes: Annotated[
        list[str],
        typer.Option(
            "--nodes", metavar="PARTITION:+N", help="Add nodes like those of a partition; :-N takes some away."
        ),
    ] = [],  # noqa: B006 -- as above
    tz: Annotated[str, _TZ] = "UTC",
    scheduler: Annotated[str, _SCHEDULER] = "",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="The number of local worker processes.")] = 1,
    out: Annotated[
        str,
        typer.Option(
            "--out", metavar="DIR", help="Keep the study of both runs here; results already there are reused."
        ),
    ] = "",
    platform_option: Annotated[list[str], _OF_SITE] = [],  # noqa: B006 -- as above
    workload_option: Annotated[list[str], _OF_LOG] = [],  # noqa: B006 -- as above
    apply: Annotated[list[str], _ARRANGED] = [],  # noqa: B006 -- as above
    report: Annotated[
        str, typer.Option("--report", metavar="PAGE", help="Also write an HTML page with charts and all groups.")
    ] = "",
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Run a site's log before and after a change to its slurm.conf or accounting, and show who gains and who loses.

    Examples:
      windtunnel what-if site/slurm.conf site/jobs.txt --set SchedulerParameters=bf_window=2880

      windtunnel what-if site/slurm.conf site/jobs.txt --set "PartitionName=gpu MaxTime=2-0" --nodes gpu:+20

      windtunnel what-if site/slurm.conf site/jobs.txt --set "QOS=long MaxTRESPU=cpu=512" --nodes batch:-4
    """
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.registry import read_workload
    from windtunnel.twin.what_if import try_out

    conf, file = _files(site, log)
    if (form := _format_of(conf)) != "slurm":
        raise UsageError(f"{conf} is in the format {form}: what is changed is a slurm.conf", "name that")
    if report:
        from windtunnel.cli.summary import check_page

        check_page(Path(report), [conf, file], made=Path(out) if out else None)
    of_site, of_log = _options(tz, platform_option, workload_option)
    workload = _arranged(read_workload(file, **{"format": "sacct"} | of_log), apply)
    found, pairs = try_out(conf, workload, sets=set_, nodes=nodes, scheduler=scheduler, jobs=jobs, out=out, **of_site)
    for line in found.told:
        print(line, file=sys.stderr)
    print(_as_json(found) if json else _change(found))  # also where the page cannot be written
    if report:
        from windtunnel.twin.change_page import write_page

        write_page(found, pairs, report, title=f"What if: {', '.join((*set_, *nodes))}")


def _files(site: str, log: str) -> tuple[str, str]:
    """The slurm.conf and the log, also of a bundled example."""
    from windtunnel.diagnostics import UsageError
    from windtunnel.examples import find

    if site.startswith("example:"):
        example = find(site.removeprefix("example:"))
        return example.platform, log or example.workloads[0]
    if not log:
        raise UsageError("name the log after the site", "what sacct -P or sacct --json printed")
    return site, log


def _options(tz: str, of_site: list[str], of_log: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of both readers."""
    from windtunnel.cli.run_options import with_given

    zone = {} if tz == "UTC" else {"tz": tz}
    return with_given(zone, of_site, "platform option"), with_given(zone, of_log, "workload option")


def _arranged(workload: Any, operations: list[str]) -> Any:
    """The log after these operations."""
    from windtunnel.api import changed

    return changed(workload, operations) if operations else workload


def _format_of(conf: str) -> str:
    """The format of a file that describes a Slurm site.

    Raises:
        InputError: the file cannot be read.
        UsageError: it is in another format.
    """
    from windtunnel.diagnostics import InputError, UsageError
    from windtunnel.formats.recognition import find_format, guess_format, word_format

    try:
        found = (word_format(conf, "platform") or find_format(conf, "platform")).name
    except InputError as fault:
        if any(finding.code == "unreadable" for finding in fault.findings):
            raise
        with suppress(InputError):
            if (meant := guess_format(conf)).kind == "workload":
                raise UsageError(f"{conf} is a workload (the format {meant.name})", _ORDER) from None
        return "slurm"  # its reader says what is wrong
    if found not in {"slurm", "slurm-listing", *_LISTINGS}:
        hint = "slurm.conf, scontrol show node or sinfo --json does; windtunnel slurm extract prints how to get it"
        raise UsageError(f"{conf} describes no Slurm site: it is in the format {found}", hint)
    return found


def _as_json(value: Any) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value)).decode()


def _calibration(found: "Calibration") -> str:
    lines = [
        found.verdict,
        "",
        f"utilisation: {found.recorded_use:.1%} recorded, {found.simulated_use:.1%} simulated",
        "",
    ]
    head = f"{'mean wait (s) of':34} {'jobs':>8} {'recorded':>12} {'simulated':>12}"
    lines.append(f"{head} {'same start':>11} {'use recorded':>13} {'simulated':>10}")
    for by in dict.fromkeys(one.by for one in found.groups):
        some = sorted((one for one in found.groups if one.by == by), key=lambda one: -one.jobs)
        for one in some[:_MOST]:
            what = one.name if by == "all" else f"{by} {one.name}"
            waits = f"{what[:34]:34} {one.jobs:8,} {one.recorded_mean:12,.0f} {one.simulated_mean:12,.0f}"
            lines.append(f"{waits} {one.same_start:11.0%} {one.recorded_use:13.1%} {one.simulated_use:10.1%}")
        if len(some) > _MOST:
            lines.append(f"  ... and {len(some) - _MOST} more of {by} (--json has all)")
    for drain in found.drains[:_MOST]:
        lines.append(f"node {drain.node} was not there from {drain.start:,.0f} s to {drain.end:,.0f} s")
    return "\n".join(lines)


def _change(found: "Change") -> str:
    from windtunnel.twin.change import in_whole_seconds

    lines = list(found.in_words())
    lines += ["", f"{'mean wait (s) of':34} {'jobs':>8} {'before':>12} {'after':>12}  change (95 %)"]
    for by in dict.fromkeys(one.by for one in found.shifts):
        some = sorted((one for one in found.shifts if one.by == by), key=lambda one: one.after - one.before)
        chosen = some if len(some) <= _MOST else [*some[: _MOST // 2], *some[-(_MOST // 2) :]]
        for one in chosen:
            what = one.name if by == "all" else f"{by} {one.name}"
            ends = () if one.low is None or one.high is None else (one.low, one.high)
            between = f" ({' to '.join(map(in_whole_seconds, ends))})" if ends else ""
            shift = in_whole_seconds(one.after - one.before)
            lines.append(
                f"{what[:34]:34} {one.jobs:8,} {one.before:12,.0f} {one.after:12,.0f}  {shift}{between}"
            )
        if len(some) > len(chosen):
            lines.append(f"  ... and {len(some) - len(chosen)} more of {by} that change less (--json has all)")
    if found.never_before or found.never_after:
        lines.append(f"never start: {found.never_before:,} jobs before, {found.never_after:,} after")
    for written in filter(None, (found.diff, "\n".join(found.commands))):
        lines += ["", written]
    return "\n".join(lines)
