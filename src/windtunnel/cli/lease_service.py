"""``windtunnel serve leases``, and the commands of ``windtunnel lease`` that talk to such a service."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Optional

import typer

if TYPE_CHECKING:
    from windtunnel.model.lease import Lease
    from windtunnel.services.lease_client import LeaseClient

__all__ = ["TRUST_CODE", "cancel", "hosts", "list_leases", "queue", "request", "serve_leases", "settings", "show"]

_SERVER = typer.Option("--server", "-s", help="The lease service.", envvar="WINDTUNNEL_LEASES")
_TOKEN = typer.Option("--token-file", help="A file with the token of the service.", metavar="FILE")
_DEFAULT_SERVER = "http://127.0.0.1:42493/RPC2"
_OPTIONS = typer.Option("--option", "-o", help="A setting of the lease manager, as name=value (Haizea's names).")
TRUST_CODE: Final = typer.Option("--trust-code", help="Let --config load code (module:Class in its policies).")
_UNLIMITED = 36500 * 86400


def settings(texts: list[str]) -> dict[str, str]:
    """Settings of the lease manager from a command line."""
    from windtunnel.cli.values import key_values

    return {key: str(value) for key, value in key_values(texts, "setting").items()}


def _client(server: str, token_file: Path | None) -> "LeaseClient":
    from windtunnel.services.lease_client import LeaseClient

    return LeaseClient(server, _token(token_file))


def _token(path: Path | None) -> str:
    from windtunnel.diagnostics import UsageError

    if path is None:
        return ""
    token = _text(path).strip()
    if not token:
        raise UsageError(f"{path} is empty")
    return token


def _text(path: Path) -> str:
    from windtunnel.diagnostics import UsageError, read_text

    try:
        return read_text(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not text in UTF-8: {error.reason} at byte {error.start}") from error


def request(
    file: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--file", "-f", help="A <lease> in LWF instead of the options below."),
    ] = None,
    start: Annotated[
        str, typer.Option("--start", "-t", help="now, best_effort, a timestamp, or +D:HH:MM:SS from now.")
    ] = "best_effort",
    duration: Annotated[
        str, typer.Option("--duration", "-d", help="HH:MM:SS, D:HH:MM:SS or unlimited.")
    ] = "01:00:00",
    numnodes: Annotated[int, typer.Option("--numnodes", "-n", min=1, help="How many nodes.")] = 1,
    preemptible: Annotated[bool, typer.Option(help="Whether it may be preempted.")] = False,
    cpu: Annotated[float, typer.Option("--cpu", "-c", help="The share of a CPU on each node, up to 1.")] = 1.0,
    memory: Annotated[int, typer.Option("--memory", "-m", min=0, help="MB on each node.")] = 512,
    image: Annotated[str, typer.Option("--vmimage", "-i", help="A disk image.")] = "",
    image_size: Annotated[int, typer.Option("--vmimagesize", "-z", min=0, help="Its size in MB.")] = 0,
    deadline: Annotated[str, typer.Option(help="The deadline: a timestamp, or +D:HH:MM:SS from now.")] = "",
    server: Annotated[str, _SERVER] = _DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], _TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Ask a lease service for a lease; prints its id.

    Examples:
      windtunnel lease request -n 4 -d 02:00:00

      windtunnel lease request -t +1:00:00:00 -d 02:00:00 -n 4 -m 1024 --non-preemptible
    """
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.haizea.lwf_times import parse_length
    from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, NodeSet, When

    if image_size and not image:
        raise UsageError("--vmimagesize is the size of a --vmimage", "add --vmimage NAME")
    if file is not None:
        usual = {"start": "best_effort", "duration": "01:00:00", "numnodes": 1, "preemptible": False, "cpu": 1.0}
        usual |= {"memory": 512, "vmimage": "", "deadline": ""}
        given = [start, duration, numnodes, preemptible, cpu, memory, image, deadline]
        if beside := [f"--{name}" for (name, value), one in zip(usual.items(), given, strict=True) if one != value]:
            raise UsageError(f"--file says all of a lease: {', '.join(beside)} cannot be given with it")
    with _client(server, token_file) as client:
        if file is not None:
            wanted = _from_file(file, client)
        else:
            if not 0.01 <= cpu <= 1:
                raise UsageError(f"--cpu must be a share of a CPU, from 0.01 to 1, not {cpu:g}")
            words: dict[str, float | When] = {"now": When.NOW, "best_effort": When.UNSPECIFIED}
            if deadline and start in words:
                raise UsageError(f"--deadline requires a start time, not --start {start}")
            try:
                length = _UNLIMITED if duration == "unlimited" else parse_length(duration)
            except ValueError as error:
                raise UsageError(f"--duration: {error}") from error
            wanted = Lease(
                nodes=(NodeSet(numnodes, {CPU: (round(100 * cpu),), MEMORY: (memory,)}),),
                start=words[start] if start in words else _date(start, client, "--start"),
                duration=length,
                deadline=_date(deadline, client, "--deadline") if deadline else None,
                preemptible=preemptible,
                software=DiskImage(image, image_size) if image else None,
            )
        print(f"Lease submitted correctly.\nLease ID: {client.request(wanted)}")


def _date(text: str, client: "LeaseClient", option: str) -> float:
    """A timestamp, or +LENGTH from the service's present, in seconds from the client's epoch."""
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.haizea.lwf_times import parse_length, parse_timestamp
    from windtunnel.services.lease_client import EPOCH

    try:
        if text.startswith("+"):
            return (client.time() - EPOCH).total_seconds() + parse_length(text)
        return parse_timestamp(text, EPOCH)
    except ValueError as error:
        words = "now, best_effort, " if option == "--start" else ""
        hint = f"such as {words}2026-01-31 08:00:00, or +01:00:00 from now"
        raise UsageError(f"{option}: {error}", hint) from error


def _from_file(path: Path, client: "LeaseClient") -> "Lease":
    """A lease from a file; a start relative to now becomes a date."""
    import re

    from windtunnel.formats.haizea.lwf import read_lease_text
    from windtunnel.formats.haizea.lwf_times import format_timestamp
    from windtunnel.services.lease_client import EPOCH

    text = _text(path)

    def absolute(found: re.Match[str]) -> str:
        return f'{found[1]}"{format_timestamp(_date(found[2], client, str(path)), EPOCH)}"'

    text = re.sub(r'(<(?:exact|deadline)\s+time=)"(\+[^"]*)"', absolute, text)
    return read_lease_text(text.encode(), epoch=EPOCH, file=str(path))


def cancel(
    number: Annotated[int, typer.Argument(help="The lease's id.", metavar="ID")],
    server: Annotated[str, _SERVER] = _DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], _TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Cancel a lease.

    Example:
      windtunnel lease cancel 2
    """
    with _client(server, token_file) as client:
        client.cancel(number)


def list_leases(
    server: Annotated[str, _SERVER] = _DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], _TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """List the leases that are not over.

    Example:
      windtunnel lease list --server http://127.0.0.1:42493/RPC2
    """
    with _client(server, token_file) as client:
        _print(client.leases(), "No leases.")


def queue(
    server: Annotated[str, _SERVER] = _DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], _TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """List the leases that wait, in order.

    Example:
      windtunnel lease queue
    """
    with _client(server, token_file) as client:
        _print(client.queue(), "Queue is empty.")


def show(
    number: Annotated[int, typer.Argument(help="The lease's id.", metavar="ID")],
    server: Annotated[str, _SERVER] = _DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], _TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Show one lease, over or not, and why it was rejected or waits.

    Example:
      windtunnel lease show 2
    """
    with _client(server, token_file) as client:
        found, reason = client.lease(number)
    _print([found], "")
    if reason:
        print(f"reason: {reason}")


def hosts(
    server: Annotated[str, _SERVER] = _DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], _TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """List the nodes of the site.

    Example:
      windtunnel lease hosts
    """
    with _client(server, token_file) as client:
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
    token_file: Annotated[Optional[Path], _TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Lease nodes to clients over XML-RPC (Haizea's API), until interrupted.

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
    if state is not None and not state.exists():
        os.close(os.open(state, os.O_CREAT | os.O_WRONLY, 0o600))  # what users ask for is not everybody's business
    live = LiveLeases(read_site_or_text(site), options, LeaseStore(state), speed=speed)
    with LeaseServer(live, host=host, port=port, token=_token(token_file)) as server:
        print(f"leases of {live.site.numnodes} nodes on {server.url} (Ctrl-C ends)", flush=True)
        server.wait()
