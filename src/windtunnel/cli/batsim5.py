"""``windtunnel batsim5``: Batsim 5's command line (batsim-cli.md 1); plays Batsim for decision components."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import DeadlockError, UsageError

__all__ = ["batsim5", "parser"]

_REFUSED: Final = {
    "-E": "the energy of links is not simulated; --energy-host simulates that of hosts",
    "--energy": "the energy of links is not simulated; --energy-host simulates that of hosts",
    "--energy-link": "the energy of links is not simulated",
    "--sg-log": "there is no SimGrid here, hence none of its logs",
    "--simgrid-version": "there is no SimGrid here",
    "--simgrid-git-commit": "there is no SimGrid here",
    "--batsim-git-commit": "this is not Batsim",
}
_DEADLOCK: Final = "The simulation could NOT finish because a deadlock was detected in SimGrid"
"""What tools look for."""
_EXAMPLES: Final = """\
examples:
  windtunnel batsim5 -p cluster.xml -w jobs.json -l ./libedc.so '' -e out/run1/
  windtunnel batsim5 -p cluster.xml -w jobs.json -L ./libedc.so edc-init.json --energy-host --trace-machine-state
  windtunnel batsim5 -p cluster.xml -w jobs.json -s ipc:///tmp/batsim ''
  windtunnel batsim5 -c run.toml --mmax 64
a scheduler of ours as a process:
  windtunnel scheduler easy --protocol batprotocol --endpoint ipc:///tmp/batsim
"""
_DEFAULTS: Final[dict[str, Any]] = {
    "platform": None,
    "workload": [],
    "external_events": [],
    "master_host": "master_host",
    "add_role": [],
    "components": [],
    "edc_library_load_method": "dlopen",
    "edc_isolated": False,
    "energy_host": False,
    "export": "out/",
    "trace_machine_state": False,
    "trace_pstate_changes": False,
    "trace_probe_data": "auto",
    "mmax": 0,
    "mmax_workload": False,
    "verbosity": "info",
    "quiet": False,
    "sg_cfg": [],
    "timeout": 600.0,
    "config": None,
    "gen_config": None,
    "dump_execution_context": False,
    "version": False,
}


class _AddComponent(argparse.Action):
    """Components of all kinds go into one list: their order is that in which they decide."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        del parser, option_string
        added = [*getattr(namespace, "components", []), (self.option_strings[-1][2:], *values)]
        namespace.components = added


def parser() -> argparse.ArgumentParser:
    """All options of Batsim 5, and ``--edc-isolated`` and ``--timeout``, which it lacks; defaults are left out."""
    made = argparse.ArgumentParser(
        "windtunnel batsim5",
        description="Batsim 5's command line.",
        epilog=_EXAMPLES,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    inputs = made.add_argument_group("inputs").add_argument
    inputs("-p", "--platform", metavar="FILE", help="SimGrid platform")
    inputs("-w", "--workload", action="append", metavar="FILE", help="workload (w0, w1, ... by position)")
    inputs(
        "--ee", "--external-events", dest="external_events", action="append", metavar="FILE", help="(ee0, ee1, ...)"
    )
    inputs("-m", "--master-host", metavar="NAME", help="host of the scheduler [master_host]")
    inputs(
        "-r",
        "--add-role",
        "--add-role-to-hosts",
        dest="add_role",
        action="append",
        nargs=2,
        metavar=("HOST", "ROLE"),
        help="e.g. pfs storage",
    )
    inputs("--mmax", type=int, metavar="NB", help="keep only so many hosts [0: all]")
    inputs("--mmax-workload", action="store_true", help="keep only as many hosts as the workloads say")
    inputs("--energy-host", action="store_true", help="simulate the energy of hosts")
    inputs("--sg-cfg", action="append", metavar="KEY:VALUE", help="only network/TCP-gamma has a meaning here")
    edc = made.add_argument_group("decision components (several share the simulation, in this order)").add_argument
    for short, kind, where, init in (
        ("-l", "library-str", "LIBRARY", "INIT"),
        ("-L", "library-file", "LIBRARY", "INIT-FILE"),
        ("-s", "socket-str", "ENDPOINT", "INIT"),
        ("-S", "socket-file", "ENDPOINT", "INIT-FILE"),
    ):
        text = f"a {'shared library' if 'lib' in kind else 'process'}, and its initialisation data"
        edc(
            short, f"--edc-{kind}", action=_AddComponent, dest="components", nargs=2, metavar=(where, init), help=text
        )
    edc("--edc-library-load-method", choices=["dlopen", "dlmopen"], help="[dlopen]")
    edc("--edc-isolated", action="store_true", help="(ours) each library in a process of its own")
    edc("--timeout", type=float, metavar="SECONDS", help="(ours) for each answer of processes [600]")
    out = made.add_argument_group("outputs").add_argument
    out("-e", "--export", metavar="PREFIX", help="prefix of the output files [out/]")
    out("--trace-machine-state", action="store_true", help="machine_states.csv")
    out(
        "--trace-pstate-changes",
        "--trace-pstate-change",
        dest="trace_pstate_changes",
        action="store_true",
        help="pstate_changes.csv",
    )
    out("--trace-probe-data", choices=["always", "never", "auto"], help="probes.csv [auto: when there are data]")
    out("-v", "--verbosity", type=str.lower, choices=["quiet", "info", "debug"], help="[info]")
    out("-q", "--quiet", action="store_true", help="as --verbosity quiet")
    other = made.add_argument_group("other").add_argument
    other("-c", "--config", metavar="FILE", help="options from a file (TOML, or INI where it ends in .ini)")
    other("--gen-config", metavar="FILE", help="write these options to such a file, and go on")
    other("--dump-execution-context", action="store_true", help="print where things are, as JSON, and leave")
    other("--version", "--batsim-version", dest="version", action="store_true", help="print the version")
    return made


def batsim5(argv: Sequence[str]) -> int:
    """Run Batsim 5's command line.

    Raises:
        WindtunnelError: like ``windtunnel run``.
    """
    for word in argv:
        refused = _REFUSED.get(word.partition("=")[0])
        if refused:
            raise UsageError(f"{word.partition('=')[0]} is not supported: {refused}")
    options = _options(argv)
    if options.version:
        from windtunnel import __version__

        print(f"windtunnel {__version__} (as Batsim 5.0.0-rc2)")
        return 0
    _check(options)
    if options.gen_config:
        from windtunnel.cli.batsim5_config import write_config

        write_config(options.gen_config, options)
    if options.dump_execution_context:
        print(_context(options))
        return 0
    return _run(options, argv)


def _run(options: argparse.Namespace, argv: Sequence[str]) -> int:
    """Simulate; a terminated process still marks its files."""
    import logging
    import signal

    from windtunnel.cli.summary import print_warnings, stop_on_signal

    simulation = _simulation(options, argv)
    if _quiet(options):
        logging.getLogger("windtunnel").setLevel(logging.ERROR)
    else:
        print_warnings(simulation.engine.world.platform.warnings)
    signal.signal(signal.SIGTERM, stop_on_signal)
    try:
        simulation.run()
    except DeadlockError:
        print(f"{_DEADLOCK} (here: in the simulation engine).", file=sys.stderr)
        raise
    return 0


def _options(argv: Sequence[str]) -> argparse.Namespace:
    """The command line before the configuration file before the defaults."""
    made = parser()
    given = vars(made.parse_args(list(argv)))
    values = dict(_DEFAULTS)
    if "config" in given:
        from windtunnel.cli.batsim5_config import config_words

        values |= vars(made.parse_args(config_words(given["config"])))
    return argparse.Namespace(**values | given)


def _check(options: argparse.Namespace) -> None:
    if not options.components:
        raise UsageError(
            "At least one external decision component (EDC) should be set.",
            "-l LIBRARY INIT, -L LIBRARY INIT-FILE, -s ENDPOINT INIT or -S ENDPOINT INIT-FILE",
        )
    if options.platform is None:
        raise UsageError("The SimGrid platform has not been set.", "-p FILE")
    if options.mmax < 0:
        raise UsageError(f"--mmax {options.mmax} is negative")
    if not options.timeout > 0:
        raise UsageError(f"--timeout {options.timeout:g} is not a positive number of seconds")


def _context(options: argparse.Namespace) -> str:
    """As ``--dump-execution-context`` prints it, and as components are told."""
    import json

    endpoints = [where for kind, where, _ in options.components if "socket" in kind]
    return json.dumps({"socket_endpoint": (endpoints or [""])[0], "export_prefix": options.export})


def _simulation(options: argparse.Namespace, argv: Sequence[str]) -> Any:
    """Everything put together."""
    from windtunnel import __version__, api
    from windtunnel.engine import Options
    from windtunnel.formats.batsim_events import read_events
    from windtunnel.formats.batsim_workload import read_batsim5

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
    from windtunnel.cli.batsim4 import with_sg_cfg
    from windtunnel.formats.registry import read_platform

    limit = options.mmax
    if options.mmax_workload:
        wanted = max((w.hosts for w in workloads), default=0)
        limit = min(limit, wanted) if limit and wanted else limit or wanted
    platform = read_platform(
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
        return Path(init).read_bytes()
    except OSError as fault:
        raise UsageError(f"the initialisation file {init} cannot be read: {fault.strerror}") from fault


def _log(what: str, text: str) -> None:
    """As Batsim 5 writes it when a component talks JSON, and as tools look for it."""
    print(f"[edc/INFO] {what} '{text}'", file=sys.stderr)
