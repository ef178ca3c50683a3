"""``windtunnel nodes`` and ``windtunnel serve nodes``: the machines of a run as SSS node objects."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Optional

import typer

from windtunnel.cli.lease_service import serve_leases
from windtunnel.cli.values import date

if TYPE_CHECKING:
    from windtunnel.entities.sss_node import SssNode
    from windtunnel.results.run_nodes import RunNodes

__all__ = ["nodes", "serve"]

serve = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Serve something over the network, on this machine only by default.

    Examples:
      windtunnel serve nodes out --at 3600

      windtunnel serve leases --site "4 CPU:100,Memory:1024"
    """,
)


@serve.callback()
def _serve() -> None:
    """Nothing of its own: what is served is the subcommand."""


_MOST: Final = 1 << 26
"""Bytes of a request."""

_PLATFORM = typer.Option(
    "--platform", help="The platform of the run, if its own files do not lead to it.", metavar="PLATFORM"
)


def nodes(
    run: Annotated[Path, typer.Argument(help="A run's directory, or a file of nodes (XML).", metavar="RUN")],
    at: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option("--at", parser=date, metavar="SECONDS", help="The instant; default: the end of the run."),
    ] = None,
    start: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option("--from", parser=date, metavar="SECONDS", help="Averages and maxima from this time on..."),
    ] = None,
    finish: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option("--to", parser=date, metavar="SECONDS", help="... to this one; default: the end of the run."),
    ] = None,
    query: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--query", help="Answer this SSSRMAP request (XML; - is standard input).", metavar="FILE"),
    ] = None,
    moab: Annotated[bool, typer.Option("--moab", help="Print durations as plain seconds.")] = False,
    platform: Annotated[str, _PLATFORM] = "",
) -> None:
    """Print the state of every machine of a run as SSS node objects.

    Examples:
      windtunnel nodes out --at 3600

      windtunnel nodes out --from 0 --to 86400

      windtunnel nodes out --at 3600 --query request.xml
    """
    from windtunnel.diagnostics import UsageError
    from windtunnel.entities.sss_node import nodes_xml

    if at is not None and (start is not None or finish is not None):
        raise UsageError("give either an instant (--at) or an interval (--from, --to)")
    if run.is_file() and (at is not None or start is not None or finish is not None or platform):
        raise UsageError(f"{run} is a file of nodes: it has one state, and no platform to choose")
    if moab and query is not None:
        raise UsageError("--moab says how nodes are printed; a reply to --query has its own form")
    if query is None:
        sys.stdout.writelines(nodes_xml(_nodes(run, platform, at, start, finish), moab=moab))
        return
    from windtunnel.entities.sss_message import envelope, response_xml
    from windtunnel.services.nodes import response

    found = list(_nodes(run, platform, at, start, finish))
    reply = response(
        _request(query),
        lambda time: found if time is None or run.is_file() else list(_nodes(run, platform, time)),
        dated=not run.is_file(),
    )
    sys.stdout.write(envelope(response_xml(reply), None).decode() + "\n")
    if reply.value == "Failure":
        raise typer.Exit(1)


@serve.command("nodes")
def serve_nodes(
    run: Annotated[Path, typer.Argument(help="A run's directory, or a file of nodes (XML).", metavar="RUN")],
    at: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option(
            "--at",
            parser=date,
            metavar="SECONDS",
            help="The instant asked about unless a request has the option time.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = 7112,
    key_file: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option(help="A file with the key that signs requests and answers (HMAC-SHA1).", metavar="FILE"),
    ] = None,
    platform: Annotated[str, _PLATFORM] = "",
) -> None:
    """Answer SSSRMAP queries for the machines of a run over HTTP.

    It does so until it is interrupted. Nothing can be changed.

    Example:
      windtunnel serve nodes out --at 3600
    """
    from windtunnel.diagnostics import UsageError, read_input
    from windtunnel.services.nodes import NodeServer

    try:
        key = read_input(key_file, most=1 << 16).strip() if key_file else None
    except OSError as error:
        raise UsageError(f"{key_file} cannot be read: {error.strerror}") from error
    if key == b"":
        raise UsageError(f"{key_file} is empty")
    if run.is_file() and (at is not None or platform):
        raise UsageError(f"{run} is a file of nodes: it has one state, and no platform to choose")
    known: dict[float | None, list[SssNode]] = {}

    def source(time: float | None) -> "list[SssNode]":
        when = at if time is None else time
        if when not in known:
            if len(known) >= 8:  # a few recent dates are enough to keep
                known.pop(next(iter(known)))
            known[when] = list(_nodes(run, platform, when))
        return known[when]

    source(at)  # what is wrong with the run is said now
    server = NodeServer(source, host=host, port=port, key=key, dated=not run.is_file())
    print(f"nodes of {run} on http://{server.address[0]}:{server.address[1]}/SSSRMAP3 (Ctrl-C ends)", flush=True)
    try:
        server.serve()
    finally:
        server.close()


def _request(file: Path) -> bytes:
    from windtunnel.diagnostics import UsageError, read_input, read_stream

    try:
        return read_stream(sys.stdin.buffer, most=_MOST) if str(file) == "-" else read_input(file, most=_MOST)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error


def _nodes(
    run: Path, platform: str, at: float | None, start: float | None = None, finish: float | None = None
) -> "Iterable[SssNode]":
    """The nodes of a run or of a file."""
    if run.is_file():
        from windtunnel.formats.sites.sss import read

        return read(run)[0]
    from windtunnel.diagnostics import UsageError, show_seconds

    recorded, stopped = _run_nodes(run, platform)
    latest = max(at or 0.0, start or 0.0, finish or 0.0)
    if stopped is not None and latest > (known := max(stopped, recorded.end)):
        raise UsageError(
            f"{run} stopped at {show_seconds(known)}, so nothing is known of its machines at {show_seconds(latest)}",
            "ask for an earlier instant, or run it to its end",
        )
    if latest > recorded.end:
        print(f"note: the last job of the run ended at {show_seconds(recorded.end)}", file=sys.stderr)
    if start is not None or finish is not None:
        return recorded.between(start or 0.0, recorded.end if finish is None else finish)
    return recorded.at(recorded.end if at is None else at)


def _run_nodes(run: Path, platform: str) -> "tuple[RunNodes, float | None]":
    """What a run recorded of its machines, and when it stopped if that was before its end."""
    from windtunnel.api import load_run
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.registry import read_platform
    from windtunnel.results.run_nodes import RunNodes

    recorded = load_run(run)
    if not recorded.complete:
        print("note: the run did not come to its end: jobs that were not over are not shown", file=sys.stderr)
    facts, stopped = recorded.state.platform, None if recorded.complete else recorded.state.simulated_time
    if not platform and (leased := recorded.file("site.xml")) is not None:  # a run of leases
        from windtunnel.formats.haizea.lwf import read_site_text
        from windtunnel.model.lease_platform import platform_of_site

        made = platform_of_site(read_site_text(leased, file=f"{run}/site.xml"))
        return RunNodes(made.hosts, recorded.file, str(run), made.site), stopped
    given = platform or facts.path or facts.name
    if not platform and not facts.path and not given.startswith("hosts:"):
        raise UsageError(f"{run} does not say which platform it ran on", "name it with --platform")
    site = read_platform(given, **facts.options)
    return RunNodes(site.hosts, recorded.file, str(run), site.site), stopped


# The command stands where leases are; its name is needed here.
serve.command("leases")(serve_leases)
