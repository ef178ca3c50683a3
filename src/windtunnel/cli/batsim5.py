"""``windtunnel batsim5``: Batsim 5's command line (batsim-cli.md 1); plays Batsim for decision components."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final

from windtunnel.cli.batsim5_options import check, idle, parse
from windtunnel.diagnostics import DeadlockError, UsageError, read_input

__all__ = ["batsim5"]

_DEADLOCK: Final = "The simulation could NOT finish because a deadlock was detected in SimGrid"
"""What tools look for."""


def batsim5(argv: Sequence[str]) -> int:
    """Run Batsim 5's command line.

    Raises:
        WindtunnelError: like ``windtunnel run``.
    """
    try:
        options = parse(argv)
    except SystemExit as leave:  # argparse has said what is wrong, or has shown its help
        return int(leave.code or 0)
    if options.version:
        from windtunnel.version import __version__

        print(f"windtunnel {__version__} (as Batsim 5.0.0-rc2)")
        return 0
    check(options)
    if options.gen_config:
        from windtunnel.cli.batsim5_config import write_config

        write_config(options.gen_config, options)
    if options.dump_execution_context:
        print(_context(options))
        return 0
    return _run(options, argv)


def _run(options: argparse.Namespace, argv: Sequence[str]) -> int:
    """Simulate, and say what did not take effect."""
    from windtunnel.cli.endings import end_if_asked
    from windtunnel.cli.quietly import only_errors_logged
    from windtunnel.cli.summary import print_account

    simulation = _simulation(options, argv)
    with simulation.recording.kept():
        for reason in idle(options):
            simulation.account.tell("without-effect", reason)
        told = simulation.account.lines
        if not _quiet(options):
            print_account(told)
        end_if_asked()
        try:
            with only_errors_logged(_quiet(options)):
                simulation.run()
        except DeadlockError:
            print(f"{_DEADLOCK} (here: in the simulation engine).", file=sys.stderr)
            raise
        finally:
            if not _quiet(options):
                print_account(simulation.account.since(told))
    return 0


def _context(options: argparse.Namespace) -> str:
    """As ``--dump-execution-context`` prints it, and as components are told."""
    import json

    endpoints = [where for kind, where, _ in options.components if "socket" in kind]
    return json.dumps({"socket_endpoint": (endpoints or [""])[0], "export_prefix": options.export})


def _simulation(options: argparse.Namespace, argv: Sequence[str]) -> Any:
    """Everything put together."""
    from windtunnel import api
    from windtunnel.engine import Options
    from windtunnel.formats.batsim.events import read_events
    from windtunnel.formats.batsim.workload import read_batsim5
    from windtunnel.version import __version__

    workloads = [read_batsim5(path, f"w{rank}") for rank, path in enumerate(options.workload)]
    platform = _platform(options, workloads)
    events = [read_events(path, f"ee{rank}", generation=5) for rank, path in enumerate(options.external_events)]
    version = f"windtunnel {__version__} as 5.0.0-rc2"
    return api.Simulation(
        platform,
        workloads,
        _components(options),
        events=events,
        layout=api.Layout.batsim5(options.export),
        record=api.RecordingOptions(
            machine_states=options.trace_machine_state,
            pstates=options.trace_pstate_changes,
            energy=options.energy_host,
            probes=options.trace_probe_data,
            version=version,
        ),
        options=Options(
            compute_sharing=True,
            check_sizes=False,
            check_registration=False,
            no_more_jobs_apart=True,
            energy=options.energy_host,
            energy_rule="simgrid",
            job_energy="whole",
            forward={
                "batsim_version": version,
                "batsim_arguments": ["batsim5", *argv],
                "batsim_execution_context_json": _context(options),
            },
        ),
        facts={"command": "batsim5", "schedulers": [where for _, where, _ in options.components]},
    )


def _platform(options: argparse.Namespace, workloads: Sequence[Any]) -> Any:
    from windtunnel.cli.simgrid_files import read_simgrid, with_sg_cfg

    limit = options.mmax
    if options.mmax_workload:
        wanted = max((w.hosts for w in workloads), default=0)
        limit = min(limit, wanted) if limit and wanted else limit or wanted
    platform = read_simgrid(
        options.platform,
        numbering="natural",
        master=options.master_host,
        add_roles=[tuple(pair) for pair in options.add_role],
        mmax=limit,
        energy=options.energy_host,
    )
    return with_sg_cfg(platform, options.sg_cfg)


def _components(options: argparse.Namespace) -> list[Any]:
    from windtunnel.wires.batprotocol.session import BatprotocolComponent

    log, debug = None if _quiet(options) else _log, options.verbosity == "debug"
    return [
        BatprotocolComponent(_transport(options, kind, where), _init_data(kind, init), log=log, log_binary=debug)
        for kind, where, init in options.components
    ]


def _quiet(options: argparse.Namespace) -> bool:
    return bool(options.quiet) or options.verbosity == "quiet"


def _transport(options: argparse.Namespace, kind: str, where: str) -> Any:
    if "socket" in kind:
        from windtunnel.wires.process import ProcessTransport

        return ProcessTransport(where, timeout=options.timeout, start_timeout=min(60.0, options.timeout))
    if options.edc_isolated:
        from windtunnel.wires.isolated import IsolatedTransport

        return IsolatedTransport(where, options.edc_library_load_method, timeout=options.timeout)
    from windtunnel.wires.library import LibraryTransport

    return LibraryTransport(where, options.edc_library_load_method)


def _init_data(kind: str, init: str) -> bytes:
    if kind.endswith("-str"):
        return init.encode("utf-8", "surrogateescape")
    try:
        return read_input(init)
    except OSError as fault:
        raise UsageError(f"the initialisation file {init} cannot be read: {fault.strerror}") from fault


def _log(what: str, text: str) -> None:
    """As Batsim 5 writes it when a component talks JSON, and as tools look for it."""
    print(f"[edc/INFO] {what} '{text}'", file=sys.stderr)
