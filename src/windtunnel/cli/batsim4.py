"""``windtunnel batsim4``: Batsim 4's command line (batsim-cli.md 1); plays Batsim for an external scheduler."""

import argparse
import sys
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from windtunnel.cli.batsim4_options import check_words, idle, parse
from windtunnel.cli.simgrid_files import read_simgrid, with_sg_cfg
from windtunnel.diagnostics import UsageError, read_text

__all__ = ["batsim4"]


def batsim4(argv: Sequence[str]) -> int:
    """Run Batsim 4's command line.

    Raises:
        WindtunnelError: like ``windtunnel run``.
    """
    if "--version" in argv:
        from windtunnel.version import __version__

        check_words(argv)
        print(f"windtunnel {__version__} (as Batsim 4.2.1)")
        return 0
    try:
        options = parse(argv)
    except SystemExit as leave:  # argparse has said what is wrong, or has shown its help
        return int(leave.code or 0)
    if options.dump_execution_context:
        _dump(options)
        return 0
    from windtunnel.cli.endings import end_if_asked
    from windtunnel.cli.summary import print_account

    quiet = options.quiet or options.verbosity == "quiet"
    simulation = _simulation(options)
    with simulation.recording.kept():
        for reason in idle(options):
            simulation.account.tell("without-effect", reason)
        told = simulation.account.lines
        if not quiet:
            print_account(told)
        end_if_asked()
        try:
            simulation.run()
        finally:
            if not quiet:
                print_account(simulation.account.since(told))
    return 0


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
