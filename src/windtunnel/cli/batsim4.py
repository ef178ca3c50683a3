"""``windtunnel batsim4``: Batsim 4's command line (batsim-cli.md 1); plays Batsim for an external scheduler."""

import argparse
import sys
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

from windtunnel.cli.words import file_name
from windtunnel.diagnostics import UsageError, read_text

__all__ = ["batsim4", "parser", "with_sg_cfg"]

_REFUSED: Final = {
    "--sg-log": "SimGrid is not used here, so there are no logs of it",
    "--simgrid-version": "SimGrid is not used here",
    "--unittest": "the tests are run by pytest",
}
_EXAMPLES: Final = """\
examples:
  windtunnel batsim4 -p cluster.xml -w jobs.json -s tcp://localhost:28000 -e out/run1
  windtunnel batsim4 -p cluster.xml -w jobs.json -E --enable-dynamic-jobs --acknowledge-dynamic-jobs
  windtunnel batsim4 -p cluster.xml -w jobs.json --no-sched
the scheduler is started separately, for example:
  batsched -v easy_bf -s 'tcp://*:28000'
  pybatsim easyBackfill --socket-endpoint 'tcp://*:28000'
  windtunnel scheduler easy --endpoint tcp://127.0.0.1:28000
"""


def parser() -> argparse.ArgumentParser:
    """All options of Batsim 4, and ``--timeout``, which it lacks."""
    made = argparse.ArgumentParser(
        "windtunnel batsim4",
        description="Batsim 4's command line.",
        epilog=_EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add("-p", "--platform", required=True, type=file_name, metavar="FILE", help="SimGrid platform")
    add(
        "-w",
        "--workload",
        action="append",
        default=[],
        type=file_name,
        metavar="FILE",
        help="workload (w0, w1, ... by position)",
    )
    add(
        "-W",
        "--workflow",
        action="append",
        default=[],
        type=file_name,
        metavar="FILE",
        help="Pegasus DAX, starting at 0",
    )
    add(
        "--WS",
        "--workflow-start",
        dest="workflow_start",
        action="append",
        nargs=2,
        default=[],
        metavar=("FILE", "START"),
        help="Pegasus DAX starting at a given time",
    )
    add(
        "--events",
        action="append",
        default=[],
        type=file_name,
        metavar="FILE",
        help="external events (we0, we1, ...)",
    )
    add(
        "-s",
        "--socket-endpoint",
        default="tcp://localhost:28000",
        metavar="ENDPOINT",
        help="endpoint of the scheduler's socket",
    )
    add("-e", "--export", default="out", metavar="PREFIX", help="prefix of the output files [%(default)s]")
    add("-m", "--master-host", default="master_host", metavar="NAME", help="host of the scheduler [%(default)s]")
    add("-r", "--add-role-to-hosts", action="append", default=[], metavar="HOSTS:ROLE", help="e.g. pfs:storage")
    add("-E", "--energy", action="store_true", help="simulate energy")
    add("--enable-redis", action="store_true", help="pass job descriptions through Redis")
    add("--redis-hostname", default="127.0.0.1", metavar="HOST")
    add("--redis-port", default=6379, type=int, metavar="PORT")
    add("--redis-prefix", default="default", metavar="PREFIX")
    add("--disable-schedule-tracing", action="store_true", help="no Pajé trace")
    add("--disable-machine-state-tracing", action="store_true", help="no machine_states.csv")
    add("--mmax", default=0, type=int, metavar="NB", help="keep only this many hosts")
    add("--mmax-workload", action="store_true", help="keep only as many hosts as the workloads say")
    add("--forward-profiles-on-submission", action="store_true")
    add("--enable-dynamic-jobs", action="store_true")
    add("--acknowledge-dynamic-jobs", action="store_true")
    add("--enable-profile-reuse", action="store_true")
    add("--forward-unknown-events", action="store_true")
    add("--enable-compute-sharing", action="store_true")
    add("--disable-storage-sharing", action="store_true")
    add("--no-sched", action="store_true", help="start every job at 0 on its first hosts; no scheduler")
    add("--sched-cfg", default="", metavar="TEXT", help="forwarded to the scheduler")
    add("--sched-cfg-file", default=None, type=file_name, metavar="FILE", help="the same, from a file")
    add("--workflow-jobs-limit", default=0, type=int, metavar="NB", help="tasks of a workflow in the system at once")
    add("--ignore-beyond-last-workflow", action="store_true", help="drop static jobs submitted after the workflows")
    add("-v", "--verbosity", default="information", choices=["quiet", "network-only", "information", "debug"])
    add("-q", "--quiet", action="store_true", help="same as --verbosity quiet")
    add("--sg-cfg", action="append", default=[], metavar="KEY:VALUE", help="only network/TCP-gamma is supported")
    add(
        "--dump-execution-context",
        action="store_true",
        help="print the socket and the output prefix as JSON, and exit",
    )
    add(
        "--estimate-waiting-times",
        action="store_true",
        help="(ours) ask at each submission how long the job would wait; answers in PREFIX_estimates.csv",
    )
    add(
        "--first-submission",
        default=0.0,
        type=float,
        metavar="SECONDS",
        help="(ours) submit nothing before this time: for schedulers that cannot start a job at 0 [%(default)g]",
    )
    add("--omit-rejected", action="store_true", help="(ours) no row for rejected jobs in PREFIX_jobs.csv")
    add(
        "--timeout",
        default=300.0,
        type=float,
        metavar="SECONDS",
        help="(ours) seconds to wait for each answer [%(default)g]",
    )
    add("--version", action="store_true", help="print the version")
    return made


def batsim4(argv: Sequence[str]) -> int:
    """Run Batsim 4's command line.

    Raises:
        WindtunnelError: like ``windtunnel run``.
    """
    for word in argv:
        refused = _REFUSED.get(word.partition("=")[0])
        if refused:
            raise UsageError(f"{word.partition('=')[0]} is not supported: {refused}")
    if "--version" in argv:
        from windtunnel.version import __version__

        print(f"windtunnel {__version__} (as Batsim 4.2.1)")
        return 0
    try:
        options = parser().parse_args(list(argv))
    except SystemExit as leave:  # argparse has said what is wrong, or has shown its help
        return int(leave.code or 0)
    _check(options)
    if options.dump_execution_context:
        _dump(options)
        return 0
    from windtunnel.cli.summary import print_account

    quiet = options.quiet or options.verbosity == "quiet"
    simulation = _simulation(options)
    told = simulation.account.lines
    if not quiet:
        print_account(told)
    try:
        simulation.run()
    finally:
        if not quiet:
            print_account(simulation.account.since(told))
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.forward_unknown_events and not options.events:
        raise UsageError("--forward-unknown-events requires --events")
    if options.sched_cfg and options.sched_cfg_file:
        raise UsageError("give --sched-cfg or --sched-cfg-file, not both")
    if not 0 <= options.first_submission < inf:
        raise UsageError(f"--first-submission {options.first_submission:g} is not a valid time")
    if not options.timeout > 0:
        raise UsageError(f"--timeout {options.timeout:g} is not a valid timeout")
    if not 0 < options.redis_port < 65536:
        raise UsageError(f"--redis-port {options.redis_port} is not a port")
    if options.mmax < 0:
        raise UsageError(f"--mmax {options.mmax} is negative")
    if options.no_sched and (options.enable_redis or options.enable_dynamic_jobs):
        raise UsageError("--no-sched runs without a scheduler: Redis and dynamic jobs make no sense with it")
    if options.no_sched and (options.workflow or options.workflow_start or options.estimate_waiting_times):
        raise UsageError("--no-sched starts every job at 0: workflows and waiting times make no sense with it")
    if options.ignore_beyond_last_workflow and not (options.workflow or options.workflow_start):
        raise UsageError("--ignore-beyond-last-workflow requires workflows (-W, --WS)")
    if not (options.workload or options.workflow or options.workflow_start or options.enable_dynamic_jobs):
        raise UsageError("there is no work", "give workloads (-w), workflows (-W), or --enable-dynamic-jobs")


def _dump(options: argparse.Namespace) -> None:
    import json

    print(
        json.dumps(
            {
                "socket_endpoint": options.socket_endpoint,
                "redis_enabled": options.enable_redis,
                "redis_hostname": options.redis_hostname,
                "redis_port": options.redis_port,
                "redis_prefix": options.redis_prefix,
                "export_prefix": options.export,
                "external_scheduler": not options.no_sched,
            },
            indent=2,
        )
    )


def _simulation(options: argparse.Namespace) -> Any:
    """Everything put together."""
    from windtunnel import api
    from windtunnel.engine import Options
    from windtunnel.formats.batsim.events import read_events
    from windtunnel.schedulers.no_sched import NoScheduler, all_at_once

    workloads = _workloads(options)
    platform = _platform(options, workloads)
    events = [
        read_events(path, f"we{rank}", generation=4, forward_unknown=options.forward_unknown_events)
        for rank, path in enumerate(options.events)
    ]
    record = api.RecordingOptions(
        machine_states=not options.disable_machine_state_tracing,
        pstates=options.energy,
        energy=options.energy,
        paje=not options.disable_schedule_tracing,
        omit_rejected=options.omit_rejected,
    )
    sharing = options.enable_compute_sharing or options.no_sched
    return api.Simulation(
        platform,
        [all_at_once(w) for w in workloads] if options.no_sched else workloads,
        NoScheduler() if options.no_sched else _component(options),
        events=events,
        layout=api.Layout.batsim4(options.export),
        record=record,
        options=Options(
            compute_sharing=sharing,
            storage_sharing=not options.disable_storage_sharing,
            energy=options.energy,
            energy_rule="simgrid",
            job_energy="whole",
            first_submission=options.first_submission,
            ask_waiting_times=options.estimate_waiting_times,
            no_more_jobs_apart=True,
            ranks_tell_their_end=True,
            end_with_workflows=options.ignore_beyond_last_workflow,
        ),
        facts={"command": "batsim4"},
    )


def _workloads(options: argparse.Namespace) -> list[Any]:
    from windtunnel.formats.batsim.workload import read_batsim4
    from windtunnel.formats.workflows.dax import read_workflow

    made: list[Any] = [read_batsim4(path, f"w{rank}") for rank, path in enumerate(options.workload)]
    if options.workflow_jobs_limit < 0:
        raise UsageError(f"--workflow-jobs-limit {options.workflow_jobs_limit} is negative")
    limit = options.workflow_jobs_limit
    for rank, path in enumerate(options.workflow):
        made.append(read_workflow(path, f"wf{rank}", limit=limit))
    for rank, (path, start) in enumerate(options.workflow_start):
        made.append(read_workflow(path, f"wfc{rank}", start=_number(start), limit=limit))
    return made


def _number(text: str) -> float:
    try:
        date = float(text)
    except ValueError:
        date = -1.0
    if not 0 <= date < inf:
        raise UsageError(f"--workflow-start {text!r} is not a time in seconds")
    return date


def _platform(options: argparse.Namespace, workloads: Sequence[Any]) -> Any:
    limit = options.mmax
    if options.mmax_workload:
        wanted = max((w.hosts for w in workloads), default=0)
        limit = min(limit, wanted) if limit and wanted else limit or wanted
    roles = []
    for item in options.add_role_to_hosts:
        hosts, colon, role = item.rpartition(":")
        if not colon or not hosts:
            raise UsageError(f"--add-role-to-hosts {item!r} is not of the form host1,host2:role")
        roles += [(host, role) for host in hosts.split(",")]
    platform = read_simgrid(
        options.platform,
        numbering="lexicographic",
        master=options.master_host,
        add_roles=roles,
        mmax=limit,
        energy=options.energy,
    )
    return with_sg_cfg(platform, options.sg_cfg)


def read_simgrid(file: str, **options: Any) -> Any:
    """The platform in a SimGrid file, with options of its reader.

    Raises:
        UsageError: it is another kind of platform, which has no master and no roles.
    """
    from windtunnel.formats.registry import find_format, read_platform
    from windtunnel.formats.sites import is_host_spec

    kind = "a shorthand" if is_host_spec(file) else find_format(file, "platform").name
    if kind != "simgrid":
        raise UsageError(
            f"Batsim's platforms are SimGrid files, and {file!r} is {kind}",
            "windtunnel run takes all platforms, and the same schedulers: --scheduler tcp://..., lib:..., "
            "batprotocol+tcp://...",
        )
    return read_platform(file, **options)


def with_sg_cfg(platform: Any, items: Sequence[str]) -> Any:
    """The platform with SimGrid's settings in it: those that mean something here.

    Raises:
        UsageError: one does not.
    """
    config = dict(platform.config)
    for item in items:
        key, colon, value = item.partition(":")
        if not colon or key.replace("_", "-") != "network/TCP-gamma":
            raise UsageError(f"--sg-cfg {item!r} is not supported: only network/TCP-gamma:VALUE is supported")
        try:
            gamma = float(value)
        except ValueError:
            gamma = 0.0
        if not 0 < gamma < inf:
            raise UsageError(f"--sg-cfg {item!r}: a number of bytes is expected")
        config["network/TCP-gamma"] = value
    platform.config = config
    return platform


def _component(options: argparse.Namespace) -> Any:
    from windtunnel.wires.json.client import JsonComponent, JsonOptions

    text = options.sched_cfg
    if options.sched_cfg_file:
        try:
            text = read_text(options.sched_cfg_file)
        except (OSError, UnicodeDecodeError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            raise UsageError(f"--sched-cfg-file {options.sched_cfg_file} cannot be read: {reason}") from fault
    quiet = options.quiet or options.verbosity == "quiet"
    return JsonComponent(
        options.socket_endpoint,
        timeout=options.timeout,
        options=JsonOptions(
            redis=options.enable_redis,
            redis_hostname=options.redis_hostname,
            redis_port=options.redis_port,
            redis_prefix=options.redis_prefix,
            forward_profiles=options.forward_profiles_on_submission,
            dynamic_jobs=options.enable_dynamic_jobs,
            acknowledge_dynamic_jobs=options.acknowledge_dynamic_jobs,
            profile_reuse=options.enable_profile_reuse,
            scheduler_config=text,
            forward_unknown_events=options.forward_unknown_events,
        ),
        log=None if quiet else _log,
    )


def _log(what: str, text: str) -> None:
    """As Batsim writes it, and as tools look for it."""
    print(f"[network/INFO] {what} '{text}'", file=sys.stderr)


command: Callable[[Sequence[str]], int] = batsim4
"""Called with the words of the command line."""
