"""The command line: finds the command, loads only what it needs, and turns errors into exit codes.

The list of commands is written here rather than asked from the commands, so that ``windtunnel --help`` answers at
once without importing them.
"""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import cleandoc
from typing import Any, Final, NamedTuple

from windtunnel.cli.streams import prepare_streams, silence

__all__ = ["COMMANDS", "main"]


class Command(NamedTuple):
    """Where a command lives (``module:attribute``) and what it does in one line."""

    where: str
    summary: str


COMMANDS: Final[dict[str, Command]] = {
    "run": Command("run:run", "Simulate a workload on a platform under a scheduler."),
    "report": Command("runs:report", "Write an HTML page about a recorded run."),
    "metrics": Command("runs:metrics", "Print the metrics of a recorded run."),
    "compare": Command("runs:compare", "Compare runs, job by job and overall."),
    "why": Command("runs:why", "Explain why a job waited."),
    "plot": Command("runs:plot", "Plot a run."),
    "batsim4": Command("batsim4:batsim4", "Stand in for Batsim 4, with its own command line."),
    "batsim5": Command("batsim5:batsim5", "Stand in for Batsim 5, with its own command line."),
    "elastisim": Command("elastisim:elastisim", "Stand in for ElastiSim, with its own command line."),
    "scheduler": Command("scheduler:scheduler", "Serve a scheduler to Batsim or ElastiSim."),
    "schedulers": Command("lists:schedulers", "List the schedulers, or describe one."),
    "validate": Command("validate:validate", "Report everything that is wrong with a file, with its location."),
    "resolve": Command("resolve:resolve", "Print an environment with all inheritance resolved."),
    "nodes": Command("nodes:nodes", "Print the machines of a run as SSS node objects, or query them."),
    "serve": Command("nodes:serve", "Serve queries about the machines of a run, or leases."),
    "lease": Command("lease:lease", "Simulate leases as Haizea does, or request some from a service."),
    "study": Command("study:study", "Run many simulations from one file, and analyse the results."),
    "convert": Command("convert:convert", "Convert a workload from one format into another."),
    "formats": Command("lists:formats", "List the file formats that can be read and written."),
    "slurm": Command("slurm:slurm", "Print the script that extracts a Slurm site."),
    "calibrate": Command("slurm:calibrate", "Measure how well a replay of a Slurm log matches what was."),
    "what-if": Command("slurm:what_if", "Predict the effect of a change to a Slurm site, on its own log."),
    "inspect": Command("inspect:inspect", "Describe a platform, or a route between two of its hosts."),
}

_EXAMPLES: Final = """\
Examples:
  windtunnel run example:small --scheduler easy      a bundled example
  windtunnel run hosts:128 trace.swf.gz --out out    a log on 128 processors
  windtunnel schedulers easy                         a scheduler and its options
  windtunnel COMMAND --help                          more on a command
"""


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = ["Usage: windtunnel [--version] [--help] COMMAND [ARGUMENTS]", ""]
    lines += [
        "A wind tunnel for schedulers: put a site and a stream of work in front of a",
        "scheduler and see how it flies.",
        "",
        "Commands:",
    ]
    lines += [f"  {name:{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join([*lines, "", _EXAMPLES])


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code (0 success, 1 failed simulation, 2 mistake of the user)."""
    prepare_streams()
    try:
        code = _dispatch(argv)
        sys.stdout.flush()  # a full disk is met here rather than at exit
    except KeyboardInterrupt:  # before the command has begun, while it is loaded
        print("windtunnel: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except OSError as fault:
        place = "" if fault.filename is None else f"{fault.filename}: "
        if not place and isinstance(fault, FileNotFoundError):
            place = "the current directory: "
        print(f"windtunnel: {place}{fault.strerror or fault}", file=sys.stderr)
        silence(sys.stdout)
        return 2 if place else 1  # a place that cannot be used was named; what has no name is our own stream
    return code


def _dispatch(argv: Sequence[str] | None) -> int:
    """Find the command and run it."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [*arguments[1:], "--help"]
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        print(_help(), end="")
        return 0 if arguments else 2
    name = arguments.pop(0)
    if name == "--version":
        from windtunnel.version import __version__, build

        print(f"windtunnel {__version__} ({build()})")
        return 0
    command = COMMANDS.get(name)
    if command is None:
        print(f"windtunnel: there is no command {name!r}\n  hint: {_instead(name, arguments)}", file=sys.stderr)
        return 2
    module, _, attribute = command.where.partition(":")
    return _guarded(name, getattr(import_module(f"windtunnel.cli.{module}"), attribute), arguments)


def _instead(name: str, more: Sequence[str]) -> str:
    """What may have been meant by what is no command."""
    from windtunnel.diagnostics import did_you_mean

    if name.lower() in ("version", "-v"):
        return "windtunnel --version"
    command = next((word for word in more if word in COMMANDS), "")
    if name.startswith("-") and command:
        return f"options follow the command: windtunnel {command} ... {name}"
    return did_you_mean(name, COMMANDS)


_INTERRUPTED: Final = 130

_TRACEBACK: Final = "WINDTUNNEL_TRACEBACK"

_PLAIN: Final = ("batsim4", "batsim5", "elastisim")
"""Commands that read the words of their line themselves."""


def _guarded(name: str, command: Any, arguments: Sequence[str]) -> int:
    """Run one command; a user's mistake is a message, never a traceback."""
    from windtunnel.cli.endings import ended_as_by_ctrl_c, interrupted
    from windtunnel.diagnostics import WindtunnelError, files_read

    try:
        with ended_as_by_ctrl_c(), files_read():
            if name in _PLAIN:
                return int(command(arguments))
            return _typer(name, command, arguments)
    except OSError:  # of our own streams; said by main
        raise
    except (Exception, KeyboardInterrupt) as fault:
        if interrupted(fault):
            print(f"windtunnel {name}: interrupted", file=sys.stderr)
            return _INTERRUPTED
        if isinstance(fault, WindtunnelError):
            from windtunnel.cli.together import MistakesError

            for one in fault.each if isinstance(fault, MistakesError) else (fault,):
                print(f"windtunnel {name}: {one}", file=sys.stderr)
            return fault.exit_code
        if os.environ.get(_TRACEBACK):
            raise
        from windtunnel.diagnostics.places import place_of_ours

        what = f"{type(fault).__name__}: {fault}{place_of_ours(fault)}"
        print(
            f"windtunnel {name}: an internal error of windtunnel: {what:.1000}\n"
            f"  hint: please report it; with {_TRACEBACK}=1 in the environment a traceback is shown",
            file=sys.stderr,
        )
        return 1


def _help_of(text: str) -> str:
    """The help of a command, from a docstring whose examples keep their lines.

    Click wraps a paragraph unless it begins with a backspace, so the examples become one paragraph.
    """
    text, example, examples = cleandoc(text).partition("\nExample")
    return text + (f"\n\b{example}" + examples.replace("\n\n", "\n") if example else "")


_TAKEN: Final = {"str": "TEXT", "text": "TEXT", "path": "PATH", "int range": "N", "integer range": "N", "float": "X"}
"""What options take that have no word of their own for it, by the name that typer has for its kind."""


def _refine(command: Any) -> None:
    """An empty word names no file (as a path it would be the current directory), nor anything; ``-h`` asks for help.

    Help names what an option takes in words for people, and says which options may be repeated.
    """
    from windtunnel.cli.values import not_empty, said

    for sub in getattr(command, "commands", {}).values():
        _refine(sub)
    command.context_settings.setdefault("help_option_names", ["--help", "-h"])
    for parameter in command.params:
        if parameter.type.name == "path":
            parameter.type.convert = not_empty(parameter.type.convert)
        elif parameter.default == "" and parameter.callback is None:
            parameter.callback = said
        if parameter.param_type_name == "option" and not parameter.is_flag:
            parameter.metavar = parameter.metavar or _TAKEN.get(parameter.type.name)
            if parameter.multiple and "several" not in parameter.help:
                parameter.help = f"{parameter.help.removesuffix('.')}; may be given several times."


def _typer(name: str, command: Any, arguments: Sequence[str]) -> int:
    import typer

    # Newer versions of typer bring a click of their own: its errors are found through the one that typer shows.
    click_error: Any = typer.BadParameter.__mro__[2]
    app = command
    if not isinstance(command, typer.Typer):
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        function: Callable[..., Any] = command
        app.command(help=_help_of(function.__doc__ or ""))(function)
    else:
        given = str(app.info.help)
        app.info.help = given if "\b" in given else _help_of(given)  # of one that was asked for before
        for one in app.registered_commands:
            one.help = _help_of(one.callback.__doc__ or "") if one.callback else one.help
    try:
        made = typer.main.get_command(app)
        _refine(made)
        code = made(list(arguments), prog_name=f"windtunnel {name}", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except typer.Exit as leave:
        return leave.exit_code
    except click_error as fault:
        fault.show(sys.stderr)
        return 2
    if code == _INTERRUPTED:  # newer versions of typer make an exit code of Ctrl-C
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
