"""The options of Batsim 5's command line (batsim-cli.md 1)."""

import argparse
import os
from collections.abc import Sequence
from typing import Any, Final

from windtunnel.cli.words import file_name
from windtunnel.diagnostics import UsageError

__all__ = ["check", "idle", "parse", "parser"]

_REFUSED: Final = {
    "-E": "the energy of links is not simulated; --energy-host simulates that of hosts",
    "--energy": "the energy of links is not simulated; --energy-host simulates that of hosts",
    "--energy-link": "the energy of links is not simulated",
    "--sg-log": "SimGrid is not used here, so there are no logs of it",
    "--simgrid-version": "SimGrid is not used here",
    "--simgrid-git-commit": "SimGrid is not used here",
    "--batsim-git-commit": "this is not Batsim",
}
_EXAMPLES: Final = """\
examples:
  windtunnel batsim5 -p cluster.xml -w jobs.json -l ./libedc.so '' -e out/run1/
  windtunnel batsim5 -p cluster.xml -w jobs.json -L ./libedc.so edc-init.json --energy-host --trace-machine-state
  windtunnel batsim5 -p cluster.xml -w jobs.json -s ipc:///tmp/batsim ''
  windtunnel batsim5 -c run.toml --mmax 64
a built-in scheduler as a separate process:
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
    "trust_code": False,
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
    inputs("-p", "--platform", type=file_name, metavar="FILE", help="SimGrid platform")
    inputs(
        "-w", "--workload", action="append", type=file_name, metavar="FILE", help="workload (w0, w1, ... by position)"
    )
    inputs(
        "--ee",
        "--external-events",
        dest="external_events",
        action="append",
        type=file_name,
        metavar="FILE",
        help="(ee0, ee1, ...)",
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
    inputs("--mmax", type=int, metavar="NB", help="keep only this many hosts [0: all]")
    inputs("--mmax-workload", action="store_true", help="keep only as many hosts as the workloads say")
    inputs("--energy-host", action="store_true", help="simulate the energy of hosts")
    inputs("--sg-cfg", action="append", metavar="KEY:VALUE", help="only network/TCP-gamma is supported")
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
    edc("--timeout", type=float, metavar="SECONDS", help="(ours) seconds to wait for each answer of processes [600]")
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
    out("-q", "--quiet", action="store_true", help="same as --verbosity quiet")
    other = made.add_argument_group("other").add_argument
    other(
        "-c",
        "--config",
        type=file_name,
        metavar="FILE",
        help="options from a file (TOML, or INI where it ends in .ini)",
    )
    other(
        "--trust-code",
        action="store_true",
        help="(ours) allow the file given with -c to name libraries, which are code",
    )
    other("--gen-config", type=file_name, metavar="FILE", help="also write these options to such a file")
    other(
        "--dump-execution-context",
        action="store_true",
        help="print the socket and the output prefix as JSON, and exit",
    )
    other("--version", "--batsim-version", dest="version", action="store_true", help="print the version")
    return made


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line before the configuration file before the defaults.

    Raises:
        UsageError: an option is one of upstream's that have no meaning here, or the configuration file is at fault.
    """
    for word in argv:
        refused = _REFUSED.get(word.partition("=")[0])
        if refused:
            raise UsageError(f"{word.partition('=')[0]} is not supported: {refused}")
    made = parser()
    given = vars(made.parse_args(list(argv)))
    values = dict(_DEFAULTS)
    if "config" in given:
        from windtunnel.cli.batsim5_config import config_words

        told = vars(made.parse_args(config_words(given["config"])))
        libraries = [where for kind, where, _ in told.get("components", ()) if kind.startswith("edc-library")]
        if libraries and "components" not in given and "trust_code" not in given:
            raise UsageError(
                f"{given['config']}: {libraries[0]!r} is code, which a file may not load",
                "--trust-code allows it; or name the library on the command line (-l, -L)",
            )
        values |= told
    return argparse.Namespace(**values | given)


def check(options: argparse.Namespace) -> None:
    """Raise UsageError where options make no sense together."""
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
    if options.gen_config:
        _spare(options)


def _spare(options: argparse.Namespace) -> None:
    """What is read is not written over, but for the configuration file itself."""
    inits = [init for kind, _, init in options.components if kind.endswith("-file")]
    for one in (options.platform, *options.workload, *options.external_events, *inits):
        if os.path.exists(one) and os.path.exists(options.gen_config) and os.path.samefile(one, options.gen_config):  # noqa: PTH110, PTH121 -- texts
            raise UsageError(f"--gen-config {options.gen_config} is an input: it would be overwritten")


def idle(options: argparse.Namespace) -> list[str]:
    """What was given and has no effect beside the other options, in a sentence each."""
    libraries = any("library" in kind for kind, *_ in options.components)
    waits = options.edc_isolated or any("socket" in kind for kind, *_ in options.components)
    why: dict[str, str] = {}
    if not libraries:
        why |= dict.fromkeys(("edc_library_load_method", "edc_isolated"), "without libraries (-l, -L)")
    if not waits:
        why["timeout"] = "without processes (-s, -S, --edc-isolated)"
    if options.config is None:
        why["trust_code"] = "without a configuration file (-c)"
    given = [(name, reason) for name, reason in why.items() if getattr(options, name) != _DEFAULTS[name]]
    return [f"--{name.replace('_', '-')} has no effect {reason}" for name, reason in given]
