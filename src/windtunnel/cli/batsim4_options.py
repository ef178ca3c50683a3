"""The options of Batsim 4's command line (batsim-cli.md 1)."""

import argparse
from collections.abc import Sequence
from math import inf
from typing import Final

from windtunnel.cli.words import file_name
from windtunnel.diagnostics import UsageError

__all__ = ["check", "check_words", "idle", "parse", "parser"]

_REFUSED: Final = {
    "--sg-log": "SimGrid is not used here, so there are no logs of it",
    "--simgrid-version": "SimGrid is not used here",
    "--unittest": "the tests are run by pytest",
    "--batexec": "it is called --no-sched since Batsim 3",
    "--allow-time-sharing": "it is called --enable-compute-sharing since Batsim 3 (storages are shared anyway)",
    "--config-file": "Batsim has had none since version 3; see --redis-hostname, --redis-port and --redis-prefix, "
    "--enable-dynamic-jobs, --forward-profiles-on-submission",
    "--enable-sg-process-tracing": "SimGrid is not used here",
    "--pfs-host": "hosts have roles since Batsim 3: --add-role-to-hosts NAME:storage",
    "--hpst-host": "hosts have roles since Batsim 3: --add-role-to-hosts NAME:storage",
}
_OF_REDIS: Final = ("redis_hostname", "redis_port", "redis_prefix")
_OF_SCHEDULERS: Final = (
    *("socket_endpoint", "timeout", "sched_cfg", "sched_cfg_file"),
    *("forward_profiles_on_submission", "forward_unknown_events"),
)
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


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read the words of a command line.

    Raises:
        UsageError: an option is not supported, or some do not go together; SystemExit: argparse has said what is
            wrong, or has shown its help.
    """
    check_words(argv)
    options = parser().parse_args(list(argv))
    check(options)
    return options


def check_words(argv: Sequence[str]) -> None:
    """Refuse options that Batsim has and we have not.

    Raises:
        UsageError: one is there; the message says why it is not supported.
    """
    for word in argv:
        refused = _REFUSED.get(word.partition("=")[0])
        if refused:
            raise UsageError(f"{word.partition('=')[0]} is not supported: {refused}")


def check(options: argparse.Namespace) -> None:
    """See that options go together.

    Raises:
        UsageError: some do not.
    """
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


def idle(options: argparse.Namespace) -> list[str]:
    """What was given and has no effect beside the other options, in a sentence each."""
    usual = parser().get_default
    why: dict[str, str] = {}
    if not options.enable_redis:
        why |= dict.fromkeys(_OF_REDIS, "without --enable-redis")
    if not (options.workflow or options.workflow_start):
        why["workflow_jobs_limit"] = "without workflows (-W, --WS)"
    if options.no_sched:
        why |= dict.fromkeys(_OF_SCHEDULERS, "with --no-sched")
    given = [(name, reason) for name, reason in why.items() if getattr(options, name) != usual(name)]
    return [f"--{name.replace('_', '-')} has no effect {reason}" for name, reason in given]
