"""``windtunnel scheduler``: one of our schedulers, or yours, served to a Batsim."""

from typing import Annotated, Any, Optional

import typer

from windtunnel.cli.values import positive

__all__ = ["scheduler"]


def scheduler(
    name: Annotated[
        str, typer.Argument(help="A name (windtunnel schedulers), module:Class or file.py:Class.", metavar="NAME")
    ],
    endpoint: Annotated[str, typer.Option(help="Where to listen (elastisim: connect to).")] = "tcp://127.0.0.1:28000",
    protocol: Annotated[
        str, typer.Option(help="json (Batsim 3 and 4), batprotocol (Batsim 5) or elastisim.")
    ] = "json",
    option: Annotated[
        list[str], typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the scheduler.")
    ] = [],  # noqa: B006 -- typer copies it
    timeout: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option(parser=positive, metavar="SECONDS", help="Give up after this long without a message."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="batprotocol: ask for messages in JSON instead of binary.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Serve a scheduler to one simulation of Batsim or ElastiSim.

    Examples:
      windtunnel scheduler easy --endpoint tcp://127.0.0.1:28000

      windtunnel scheduler my_module:MyScheduler -o depth=3

      windtunnel scheduler easy --protocol batprotocol --endpoint ipc:///tmp/batsim

      windtunnel scheduler elastic/shrink-to-start --protocol elastisim --endpoint ipc:///tmp/elastisim
    """
    from windtunnel.cli.quietly import only_errors_logged
    from windtunnel.cli.values import key_values
    from windtunnel.diagnostics import UsageError

    if as_json and protocol != "batprotocol":
        raise UsageError("--json requires --protocol batprotocol; the other protocol is JSON anyway")
    with only_errors_logged(quiet):
        given = key_values(option, "scheduler option")
        _serve(name, given, endpoint, protocol, timeout, as_json=as_json, quiet=quiet)


def _serve(
    name: str,
    given: dict[str, Any],
    endpoint: str,
    protocol: str,
    timeout: float | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    import sys

    from windtunnel.diagnostics import UsageError
    from windtunnel.schedulers.registry import check_data_options, make_scheduler
    from windtunnel.vocabulary.component import FollowsSignals

    component = make_scheduler(name, **given)
    if isinstance(component, FollowsSignals):
        print(f"{name} holds no job back: no protocol has the signal {component.follows!r}", file=sys.stderr)

    def ready(bound: str) -> None:
        if not quiet:
            print(f"{name} listens at {bound}", file=sys.stderr, flush=True)

    if protocol == "json":
        from windtunnel.wires.json.server import serve as serve_json

        serve_json(component, endpoint, timeout=timeout, ready=ready)
    elif protocol == "batprotocol":
        from windtunnel.wires.batprotocol.server import serve as serve_batprotocol

        def make(init_data: bytes) -> Any:
            told = _settings(init_data) if init_data.strip() else {}
            check_data_options(name, told)
            return make_scheduler(name, **told | given) if told else component

        serve_batprotocol(make, endpoint, json=as_json, timeout=timeout, ready=ready)
    elif protocol == "elastisim":
        from windtunnel.wires.elastisim.driving import serve as serve_elastisim

        serve_elastisim(component, endpoint, timeout=600.0 if timeout is None else timeout)
    else:
        raise UsageError(f"there is no protocol {protocol!r}", "choose json, batprotocol or elastisim")


def _settings(init_data: bytes) -> dict[str, Any]:
    """Options of the scheduler that come with Batsim 5's initialisation data: a JSON object."""
    import msgspec

    from windtunnel.diagnostics import UsageError

    try:
        return msgspec.json.decode(init_data, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise UsageError(
            f"the initialisation data are not a JSON object with options of the scheduler: {fault}",
            "give '' or for example '{\"queue_order\": \"asc_size\"}'",
        ) from fault
