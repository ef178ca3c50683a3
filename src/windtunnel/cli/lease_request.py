"""``windtunnel lease request``: ask a lease service for a lease."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Optional

import typer

from windtunnel.cli.lease_service import DEFAULT_SERVER, SERVER, TOKEN, client_of, text_of

if TYPE_CHECKING:
    from windtunnel.model.lease import Lease
    from windtunnel.services.lease_client import LeaseClient

__all__ = ["request"]

_UNLIMITED: Final = 36500 * 86400


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
    preemptible: Annotated[
        bool,
        typer.Option("--preemptible/--non-preemptible", " /--no-preemptible", help="Whether it may be preempted."),
    ] = False,
    cpu: Annotated[float, typer.Option("--cpu", "-c", help="The share of a CPU on each node, up to 1.")] = 1.0,
    memory: Annotated[int, typer.Option("--memory", "-m", min=0, help="MB on each node.")] = 512,
    image: Annotated[str, typer.Option("--vmimage", "-i", help="A disk image.")] = "",
    image_size: Annotated[int, typer.Option("--vmimagesize", "-z", min=0, help="Its size in MB.")] = 0,
    deadline: Annotated[str, typer.Option(help="The deadline: a timestamp, or +D:HH:MM:SS from now.")] = "",
    server: Annotated[str, SERVER] = DEFAULT_SERVER,
    token_file: Annotated[Optional[Path], TOKEN] = None,  # noqa: UP045 -- typer reads it
) -> None:
    """Ask a lease service for a lease.

    Its id is printed, and why it was rejected if it was (exit code 1).

    Examples:
      windtunnel lease request -n 4 -d 02:00:00

      windtunnel lease request -t +1:00:00:00 -d 02:00:00 -n 4 -m 1024 --non-preemptible
    """
    from windtunnel.diagnostics import UsageError
    from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, NodeSet, When

    if image_size and not image:
        raise UsageError("--vmimagesize is the size of a --vmimage", "add --vmimage NAME")
    if file is not None:
        usual = {"start": "best_effort", "duration": "01:00:00", "numnodes": 1, "preemptible": False, "cpu": 1.0}
        usual |= {"memory": 512, "vmimage": "", "deadline": ""}
        given = [start, duration, numnodes, preemptible, cpu, memory, image, deadline]
        if beside := [f"--{name}" for (name, value), one in zip(usual.items(), given, strict=True) if one != value]:
            raise UsageError(f"--file says all of a lease: {', '.join(beside)} cannot be given with it")
    with client_of(server, token_file) as client:
        if file is not None:
            wanted = _from_file(file, client)
        else:
            if not 0.01 <= cpu <= 1:
                raise UsageError(f"--cpu must be a share of a CPU, from 0.01 to 1, not {cpu:g}")
            words: dict[str, float | When] = {"now": When.NOW, "best_effort": When.UNSPECIFIED}
            if deadline and start in words:
                raise UsageError(f"--deadline requires a start time, not --start {start}")
            wanted = Lease(
                nodes=(NodeSet(numnodes, {CPU: (round(100 * cpu),), MEMORY: (memory,)}),),
                start=words[start] if start in words else _date(start, client, "--start"),
                duration=_length(duration),
                deadline=_date(deadline, client, "--deadline") if deadline else None,
                preemptible=preemptible,
                software=DiskImage(image, image_size) if image else None,
            )
        _submit(client, wanted)


def _submit(client: "LeaseClient", wanted: "Lease") -> None:
    """Submit a lease, and say what became of it; the exit code is 1 if it was rejected at once."""
    from windtunnel.diagnostics import UsageError
    from windtunnel.model.lease import LeaseState

    number = client.request(wanted)
    try:
        made, reason = client.lease(number)
    except UsageError:  # a service that answers no such question
        made = None
    if made is not None and made.state in {LeaseState.REJECTED, LeaseState.REJECTED_BY_USER}:
        print(f"Lease rejected: {reason or 'the service does not say why'}.\nLease ID: {number}")
        raise typer.Exit(1)
    print(f"Lease submitted correctly.\nLease ID: {number}")


def _length(text: str) -> float:
    """The duration of a lease that was asked for."""
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.haizea.lwf_times import parse_length

    try:
        length = _UNLIMITED if text == "unlimited" else parse_length(text)
    except ValueError as error:
        raise UsageError(f"--duration: {error}") from error
    if length <= 0:
        raise UsageError(f"--duration must be more than 0, not {text}", "such as 01:00:00")
    return length


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

    text = text_of(path)

    def absolute(found: re.Match[str]) -> str:
        return f'{found[1]}"{format_timestamp(_date(found[2], client, str(path)), EPOCH)}"'

    text = re.sub(r'(<(?:exact|deadline)\s+time=)"(\+[^"]*)"', absolute, text)
    return read_lease_text(text.encode(), epoch=EPOCH, file=str(path))
