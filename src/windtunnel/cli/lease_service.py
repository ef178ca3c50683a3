"""``windtunnel serve leases``, and the commands of ``windtunnel lease`` that talk to such a service."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Optional

import typer

if TYPE_CHECKING:
    from windtunnel.model.lease import Lease
    from windtunnel.services.lease_client import LeaseClient

__all__ = [
    "DEFAULT_SERVER",
    "SERVER",
    "TOKEN",
    "TRUST_CODE",
    "cancel",
    "client_of",
    "hosts",
    "list_leases",
    "queue",
    "serve_leases",
    "settings",
    "show",
    "text_of",
]

SERVER: Final = typer.Option("--server", "-s", help="The lease service.", envvar="WINDTUNNEL_LEASES")
TOKEN: Final = typer.Option("--token-file", help="A file with the token of the service.", metavar="FILE")
DEFAULT_SERVER: Final = "http://127.0.0.1:42493/RPC2"
_OPTIONS = typer.Option(
    "--option", "-o", metavar="KEY=VALUE", help="A setting of the lease manager (Haizea's names)."
)
TRUST_CODE: Final = typer.Option("--trust-code", help="Let --config load code (module:Class in its policies).")


def settings(texts: list[str]) -> dict[str, str]:
    """Settings of the lease manager from a command line."""
    from windtunnel.cli.values import key_values

    return {key: str(value) for key, value in key_values(texts, "setting").items()}


def client_of(server: str, token_file: Path | None) -> "LeaseClient":
    """A client of a service, with the token in a file if there is one."""
    from windtunnel.services.lease_client import LeaseClient

    return LeaseClient(server, _token(token_file))


def _token(path: Path | None) -> str:
    from windtunnel.diagnostics import UsageError

    if path is None:
        return ""
    token = text_of(path).strip()
    if not token:
        raise UsageError(f"{path} is empty")
    return token


def text_of(path: Path) -> str:
    """The text of a file named on the command line."""
    from windtunnel.diagnostics import UsageError, read_text

    try:
        return read_text(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not text in UTF-8: {error.reason} at byte {error.start}") from error


def cancel(
    number: Annotated[int, typer.Argument(help="The lease's id.", metavar="ID")],
    server: Annotated[str, SERVER] = DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Cancel a lease.

    Example:
      windtunnel lease cancel 2
    """
    with client_of(server, token_file) as client:
        client.cancel(number)


def list_leases(
    server: Annotated[str, SERVER] = DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """List the leases that are not over.

    Example:
      windtunnel lease list --server http://127.0.0.1:42493/RPC2
    """
    with client_of(server, token_file) as client:
        _print(client.leases(), "No leases.")


def queue(
    server: Annotated[str, SERVER] = DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """List the leases that wait, in order.

    Example:
      windtunnel lease queue
    """
    with client_of(server, token_file) as client:
        _print(client.queue(), "Queue is empty.")


def show(
    number: Annotated[int, typer.Argument(help="The lease's id.", metavar="ID")],
    server: Annotated[str, SERVER] = DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Show one lease, over or not, and why it was rejected or waits.

    Example:
      windtunnel lease show 2
    """
    with client_of(server, token_file) as client:
        found, reason = client.lease(number)
    _print([found], "")
    if reason:
        print(f"reason: {reason}")


def hosts(
    server: Annotated[str, SERVER] = DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """List the nodes of the site.

    Example:
      windtunnel lease hosts
    """
    with client_of(server, token_file) as client:
        print(f"{'ID':>4}  {'Hostname':<16} {'CPUs':>6} {'Mem':>8}")
        for host in client.hosts():
            print(f"{host.id:>4}  {host.hostname:<16} {host.cpu / 100:>6g} {host.mem:>8}")


def _print(leases: "list[Lease]", otherwise: str) -> None:
    from windtunnel.formats.haizea.lwf_times import format_length, format_timestamp
    from windtunnel.model.lease import When
    from windtunnel.services.lease_client import EPOCH

    if not leases:
        print(otherwise)
        return
    print(f"{'ID':>4}  {'Type':<12} {'State':<20} {'Starting time':<20} {'Duration':<14} {'Nodes':>5}")
    for found in leases:
        words = {When.NOW: "Now", When.UNSPECIFIED: "Unspecified"}
        start = words[found.start] if isinstance(found.start, When) else format_timestamp(found.start, EPOCH)[:19]
        length = format_length(found.duration).rpartition(".")[0]
        kind, state = str(found.kind), found.state.label
        print(f"{found.id or 0:>4}  {kind:<12} {state:<20} {start:<20} {length:<14} {found.numnodes:>5}")


def serve_leases(
    site: Annotated[str, typer.Option(help="A site file, or '4 CPU:100,Memory:1024'.", metavar="SITE")],
    config: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--config", "-c", help="A configuration file of Haizea: how leases are scheduled."),
    ] = None,
    trust_code: Annotated[bool, TRUST_CODE] = False,
    option: Annotated[list[str], _OPTIONS] = [],  # noqa: B006 -- typer copies it
    state: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--state", help="Where leases are kept (SQLite); default: in memory.", metavar="FILE"),
    ] = None,
    speed: Annotated[float, typer.Option(help="How many times as fast as the wall clock to run.")] = 1.0,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = 42493,
    token_file: Annotated[Optional[Path], TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Lease nodes to clients over XML-RPC (Haizea's API).

    It does so until it is interrupted.

    Examples:
      windtunnel serve leases --site site.xml --state leases.db

      windtunnel serve leases --site "4 CPU:100,Memory:1024" --speed 60
    """
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.haizea.ini import read_haizea_config
    from windtunnel.leases.registry import read_settings
    from windtunnel.services.lease_inputs import read_site_or_text
    from windtunnel.services.lease_live import LiveLeases
    from windtunnel.services.lease_rpc import LeaseServer
    from windtunnel.services.lease_store import LeaseStore

    if trust_code and config is None:
        raise UsageError("--trust-code lets --config load code, and there is no --config")
    base = None if config is None else read_haizea_config(config, trust_code=trust_code).options
    options = read_settings(settings(option), base)
    nodes = read_site_or_text(site)
    if state is not None and not state.exists():
        os.close(os.open(state, os.O_CREAT | os.O_WRONLY, 0o600))  # what users ask for is not everybody's business
    live = LiveLeases(nodes, options, LeaseStore(state), speed=speed)
    with LeaseServer(live, host=host, port=port, token=_token(token_file)) as server:
        print(f"leases of {live.site.numnodes} nodes on {server.url} (Ctrl-C ends)", flush=True)
        server.wait()
