"""``windtunnel lease``: simulate leases, draw them; what talks to a service stands in ``lease_service``."""

import math
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from windtunnel.cli import electricity, lease_service
from windtunnel.cli.lease_request import request
from windtunnel.cli.lease_service import TRUST_CODE, settings
from windtunnel.cli.values import date, factor

__all__ = ["lease"]

lease = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Simulate leases as Haizea schedules them, or ask a lease service for some.

    Examples:
      windtunnel lease run day.lwf --out out

      windtunnel lease request -n 4 -d 02:00:00
    """,
)

_OPTIONS = typer.Option(
    "--option", "-o", metavar="KEY=VALUE", help="A setting of the lease manager (Haizea's names)."
)


@lease.command("run")
def run(
    work: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Argument(help="A lease workload (LWF); may be left out with --config.", metavar="[FILE.lwf]"),
    ] = None,
    config: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--config", "-c", help="A configuration file of Haizea."),
    ] = None,
    site: Annotated[
        str, typer.Option(help="A site or any platform, or '4 CPU:100,Memory:1024'; default: the workload's.")
    ] = "",
    option: Annotated[list[str], _OPTIONS] = [],  # noqa: B006 -- typer copies it
    haizea_compat: Annotated[
        Optional[bool],  # noqa: UP045 -- typer reads it
        typer.Option(help="Reproduce Haizea's quirks; default: only with --config."),
    ] = None,
    lwf_times: Annotated[str, typer.Option(help="haizea: 1:02:03 is H:M:S; document: DD:HH:MM.SS too.")] = "haizea",
    annotations: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option(help="An annotation file (.lwfa)."),
    ] = None,
    injected: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--inject", help="A second workload, whose leases are added."),
    ] = None,
    probe: Annotated[list[str], typer.Option(help="Probes to record; default: all.")] = [],  # noqa: B006
    out: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--out", metavar="DIR", help="Directory for the files of the run; windtunnel report reads it."),
    ] = None,
    trust_code: Annotated[bool, TRUST_CODE] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also replace files in --out that no run wrote.")
    ] = False,
    events: Annotated[list[Path], typer.Option("--events", help="External events (JSON lines).")] = [],  # noqa: B006
    failures: Annotated[str, typer.Option(help="Generate failures of machines, as windtunnel run does.")] = "",
    on_failure: Annotated[
        str, typer.Option(help="What happens to leases whose machine fails: kill, or requeue (they restart).")
    ] = "kill",
    on_maintenance: Annotated[
        str, typer.Option(help="What happens to leases when maintenance begins: kill or drain.")
    ] = "kill",
    energy: Annotated[
        bool, typer.Option("--energy", help="Simulate energy; --site must be a platform that gives watts.")
    ] = False,
    energy_rule: Annotated[str, typer.Option(help="How meters are read: exact or simgrid.")] = "exact",
    carbon: electricity.Carbon = None,
    price: electricity.Price = None,
    generation: electricity.Generation = None,
    export_price: electricity.ExportPrice = None,
    power_cap: electricity.PowerCap = None,
    pue: electricity.Pue = None,
    second_zero: electricity.SecondZero = None,
    supply: electricity.Supply = None,
    battery: electricity.Battery = None,
    until: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option(parser=date, metavar="SECONDS", help="Stop at this simulated time."),
    ] = None,
    speed: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option(parser=factor, metavar="TIMES", help="Run this many times as fast as the wall clock."),
    ] = None,
    strict_input: Annotated[
        bool,
        typer.Option(
            "--strict-input", help="Treat anything requested or written that would have no effect as an error."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No account and no summary.")] = False,
) -> None:
    """Simulate a workload of leases.

    Examples:
      windtunnel lease run day.lwf --out out -o suspension=all -o policy-preemption=ar-preempts-everything

      windtunnel lease run day.lwf --site cluster.xml --energy --failures "between=exponential:86400" --until 604800
    """
    from msgspec.structs import replace

    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.haizea.lwf import read_annotations
    from windtunnel.formats.haizea.multi import is_multi
    from windtunnel.leases.haizea.workload import annotate, inject
    from windtunnel.leases.registry import read_settings
    from windtunnel.model.failures import parse_failures
    from windtunnel.model.lease_options import LeaseOptions, Stop
    from windtunnel.services.lease_inputs import leases_in, load_haizea

    if not energy and energy_rule != "exact":
        raise UsageError("--energy-rule says how energy is simulated", "add --energy")
    if force and out is None:
        raise UsageError("--force needs --out: it replaces files there")
    _about_config(config, trust_code=trust_code)
    engine = {
        "events": events,
        "failures": parse_failures(failures) if failures else None,
        "engine": _engine(
            energy=energy,
            delays_compute=energy,
            energy_rule=energy_rule,
            on_failure=on_failure,
            on_maintenance=on_maintenance,
        ),
        **electricity.arguments(
            carbon, price, generation, export_price, power_cap, pue, second_zero, supply, battery
        ),
        "force": force,
        "strict_input": strict_input,
        "unattended": True,
        "quiet": quiet,
    }
    if lwf_times not in {"haizea", "document"}:
        raise UsageError(f"--lwf-times is haizea or document, not {lwf_times!r}")
    document = lwf_times == "document"
    if config is not None and is_multi(config):
        for name, given in (("FILE.lwf", work), ("--annotations", annotations), ("--inject", injected)):
            if given is not None:
                raise UsageError(
                    f"{config} describes several runs with workloads of their own: {name} cannot be given with it",
                    "name the files in it",
                )
        ways = {"document_times": document, "compat": haizea_compat, "probes": tuple(probe)}
        _several(config, out, settings(option), engine, ways, site=site, until=until, speed=speed, trust=trust_code)
        return
    stop, probes, start = Stop(), tuple(probe), None
    more: dict[str, Any] = {"inputs": [one for one in (work, config, annotations, injected) if one], **engine}
    if config is not None:
        facts, found = load_haizea(config, work=work, document_times=document, trust_code=trust_code)
        options, stop, probes, start = facts.options, facts.stop, probes or facts.probes, facts.start_time
        more |= {"attributes": facts.attributes, "sanity_check": facts.sanity_check}
    elif work is not None:
        found, options = leases_in(work, document), LeaseOptions()
    else:
        raise UsageError("nothing to simulate", "give a workload of leases, or --config FILE")
    options = read_settings(settings(option), options)
    if haizea_compat is not None:
        options = replace(options, haizea_compat=haizea_compat)
    leases = list(found.leases)
    if injected is not None:
        leases = inject(leases, leases_in(injected, document, start).leases)
    if annotations is not None:
        leases = annotate(leases, read_annotations(annotations, document_times=document))
    found = replace(found, leases=leases)
    if probes:
        more["probes"] = probes
    made = _simulated(found, until, speed, site=site or None, options=options, stop=stop, out=out, **more)
    if not quiet:
        print(made)


def _about_config(config: Path | None, *, trust_code: bool) -> None:
    """What says how a configuration is read needs one."""
    from windtunnel.diagnostics import UsageError

    if trust_code and config is None:
        raise UsageError("--trust-code lets --config load code, and there is no --config")


def _engine(**chosen: Any) -> Any:
    """Options of the engine; their values are checked there."""
    from windtunnel.engine import Options

    return Options(**chosen)


def _simulated(work: Any, until: float | None, speed: float | None, *, quiet: bool, **options: Any) -> Any:
    """Carry out a run; one that is interrupted still marks its files."""
    from windtunnel.cli.endings import end_if_asked
    from windtunnel.cli.summary import print_account
    from windtunnel.engine.rounds.pace import Pacer
    from windtunnel.services.lease_run import LeaseRun, lease_simulation

    simulation = lease_simulation(work, **options)
    with simulation.recording.kept():
        told = simulation.account.lines
        if not quiet:
            print_account(told)
        simulation.engine.pace = None if speed is None else Pacer(speed)
        end_if_asked()
        try:
            simulation.run_until(math.inf if until is None else until)
        finally:
            simulation.close()
            if not quiet:
                print_account(simulation.account.since(told))
    return LeaseRun.of(simulation.recording)


@lease.command("gantt")
def gantt(
    run: Annotated[Path, typer.Argument(help="A directory written by windtunnel lease run --out.", metavar="RUN")],
    to: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--to", help="The picture (SVG) to write; default: gantt.svg in the run."),
    ] = None,
    start: Annotated[float, typer.Option("--from", parser=date, metavar="SECONDS", help="From this time on.")] = 0.0,
    until: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option("--until", parser=date, metavar="SECONDS", help="Up to this time."),
    ] = None,
) -> None:
    """Draw which node ran what.

    That is machines, suspensions, resumptions, migrations and image transfers.

    Example:
      windtunnel lease gantt out
    """
    from windtunnel.report.lease_gantt import write_lease_gantt

    print(write_lease_gantt(run, to or run / "gantt.svg", start=start, end=until))


def _several(
    config: Path,
    out: Path | None,
    chosen: dict[str, str],
    engine: dict[str, Any],
    ways: dict[str, Any],
    *,
    site: str,
    until: float | None,
    speed: float | None,
    trust: bool,
) -> None:
    """Carry out the runs of a configuration of several, one after the other."""
    from msgspec.structs import replace

    from windtunnel.formats.haizea.multi import read_haizea_multi
    from windtunnel.leases.registry import read_settings
    from windtunnel.services.lease_inputs import prepared

    runs = read_haizea_multi(config, trust_code=trust)
    for name, found in runs.items():
        facts, work = prepared(found, config, document_times=ways["document_times"])
        probes = ways["probes"] or facts.probes
        more: dict[str, Any] = {"probes": probes} if probes else {}
        options = read_settings(chosen, facts.options)
        if ways["compat"] is not None:
            options = replace(options, haizea_compat=ways["compat"])
        made = _simulated(
            work,
            until,
            speed,
            site=site or None,
            options=options,
            stop=facts.stop,
            out=None if out is None else out / name,
            attributes={"profile": name.partition("_")[0], **facts.attributes},
            sanity_check=facts.sanity_check,
            inputs=[config],
            **engine,
            **more,
        )
        if not engine["quiet"]:
            print(f"{name}: {str(made).replace(chr(10), '; ')}", flush=True)


lease.command("request")(request)
lease.command("cancel")(lease_service.cancel)
lease.command("list")(lease_service.list_leases)
lease.command("queue")(lease_service.queue)
lease.command("show")(lease_service.show)
lease.command("hosts")(lease_service.hosts)
