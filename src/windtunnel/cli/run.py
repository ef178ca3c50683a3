"""``windtunnel run``."""

from math import inf
from pathlib import Path
from typing import Annotated, Any, Final, Optional

import typer

from windtunnel.cli import electricity
from windtunnel.cli.run_options import (
    check_energy,
    checkpoints,
    chosen,
    failure_model,
    inputs,
    snapshots,
    watching,
    with_given,
)
from windtunnel.cli.values import key_values, moment, positive

__all__ = ["run"]

PATIENCE: Final = 300.0
"""Seconds that a scheduler out of process may take for a reply, unless told otherwise."""


def run(
    platform: Annotated[
        str,
        typer.Argument(
            help="A platform file, hosts:128, hosts:64x32, or example:NAME (which brings its own workload). A "
            "workload alone runs on the hosts that it says it needs: a log on hosts:MaxProcs, leases on their site.",
            metavar="PLATFORM",
        ),
    ],
    workloads: Annotated[Optional[list[str]], typer.Argument(help="Workload files.", metavar="WORKLOAD...")] = None,  # noqa: UP045 -- typer reads it
    scheduler: Annotated[
        list[str],
        typer.Option(
            "--scheduler",
            "-s",
            help="Default: the schedulers that an environment describes, the lease planner for leases, else easy. "
            "A name (windtunnel schedulers), "
            "module:Class, file.py:Class, an endpoint such as tcp://127.0.0.1:28000 (Batsim 4) or "
            "batprotocol+tcp://127.0.0.1:28000 (Batsim 5), or lib:./libedc.so. Given several times, they share "
            "the site (a scheduler and a power manager).",
            metavar="NAME",
        ),
    ] = [],  # noqa: B006 -- typer copies it
    option: Annotated[
        list[str], typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the scheduler.")
    ] = [],  # noqa: B006 -- typer copies it
    out: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option(
            "--out", metavar="DIR", help="Directory for the files of the run; an earlier run there is replaced."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also replace files in --out that no run wrote.")
    ] = False,
    events: Annotated[list[Path], typer.Option("--events", help="External events (JSON lines).")] = [],  # noqa: B006 -- typer copies it
    walltime: Annotated[
        str, typer.Option(help="SWF jobs that ran longer than they requested: extend the limit, or kill them at it.")
    ] = "extend",
    dependencies: Annotated[bool, typer.Option("--dependencies", help="Honour SWF fields 17 and 18.")] = False,
    keep_epoch: Annotated[bool, typer.Option("--keep-epoch", help="Keep SWF submit times as they are.")] = False,
    apply: Annotated[
        list[str],
        typer.Option(
            "--apply",
            metavar="OPERATION",
            help="Change each workload first: scale_load(0.9), slice('1996-10', weeks=4), filter(user='ann'), "
            "first(1000), resample(SEED), shake(SEED, seconds=60), merge('other.swf'), to_hosts(64), "
            "with_estimates('tsafrir'); may be given several times.",
        ),
    ] = [],  # noqa: B006 -- typer copies it
    strict_input: Annotated[
        bool,
        typer.Option(
            "--strict-input", help="Treat anything requested or written that would have no effect as an error."
        ),
    ] = False,
    workload_option: Annotated[
        list[str],
        typer.Option(
            "--workload-option",
            metavar="KEY=VALUE",
            help="An option of the workload's format; format=NAME forces it.",
        ),
    ] = [],  # noqa: B006 -- typer copies it
    platform_option: Annotated[
        list[str], typer.Option("--platform-option", metavar="KEY=VALUE", help="An option of the platform's format.")
    ] = [],  # noqa: B006 -- typer copies it
    numbering: Annotated[
        str, typer.Option(help="Order of hosts: natural (Batsim 5) or lexicographic (Batsim 4).")
    ] = "natural",
    failures: Annotated[
        str,
        typer.Option(
            help="Generate failures: between=exponential:86400;repair=lognormal:7,1;until=604800 (s); also "
            "rack-between, rack-repair, seed.",
        ),
    ] = "",
    on_failure: Annotated[
        str, typer.Option(help="What happens to jobs whose machine fails, halts or is maintained: kill or requeue.")
    ] = "kill",
    on_maintenance: Annotated[
        str, typer.Option(help="What happens to running jobs when maintenance begins: kill or drain.")
    ] = "kill",
    checkpoint: Annotated[
        str,
        typer.Option(
            help="Delay jobs (fixed run time), such as those of logs, write checkpoints: seconds of work between, "
            "and their cost, as 3600,60."
        ),
    ] = "",
    nodes_every: Annotated[
        Optional[float],  # noqa: UP045 -- typer reads it
        typer.Option(
            parser=positive,
            metavar="SECONDS",
            help="Write SSS nodes of all machines every so many seconds (needs --out).",
        ),
    ] = None,
    energy: Annotated[
        bool, typer.Option("--energy", help="Simulate energy; the platform must give the watts of its hosts.")
    ] = False,
    energy_rule: Annotated[
        str, typer.Option(help="How meters are read: exact (the integral) or simgrid (when SimGrid reads them).")
    ] = "exact",
    delays_compute: Annotated[
        bool,
        typer.Option(
            "--delays-compute", help="Delay jobs (fixed run time), as those of logs, keep their cores busy (watts)."
        ),
    ] = False,
    job_energy: Annotated[
        str, typer.Option(help="Energy of a job on shared hosts: fair (its share), or whole (that of whole hosts).")
    ] = "fair",
    carbon: electricity.Carbon = None,
    price: electricity.Price = None,
    generation: electricity.Generation = None,
    export_price: electricity.ExportPrice = None,
    power_cap: electricity.PowerCap = None,
    pue: electricity.Pue = None,
    second_zero: electricity.SecondZero = None,
    supply: electricity.Supply = None,
    battery: electricity.Battery = None,
    sharing: Annotated[
        str, typer.Option(help="How jobs share hosts and links: simgrid (its rule) or maxmin (max-min fairness).")
    ] = "simgrid",
    share_compute: Annotated[
        bool, typer.Option("--share-compute", help="Let several jobs compute on one host.")
    ] = False,
    share_hosts: Annotated[
        bool, typer.Option("--share-hosts", help="Pack jobs by cores: several may have cores of one host.")
    ] = False,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Tell the scheduler about refused decisions and go on.")
    ] = False,
    warm_up: Annotated[str, typer.Option(help="Leave out the first seconds (or share, as 5%) in the metrics.")] = "0",
    cool_down: Annotated[str, typer.Option(help="Leave out the last seconds (or share) in the metrics.")] = "0",
    until: Annotated[
        Optional[Any],  # noqa: UP045 -- typer reads it
        typer.Option(
            parser=moment,
            metavar="TIME",
            help="Stop at this simulated time: seconds, 5h, 2d, or a date in the log's calendar (1996-10-01 14:05).",
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            parser=positive, metavar="SECONDS", help="Seconds to wait for each reply of a scheduler out of process."
        ),
    ] = PATIENCE,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="Keep what is known of each job in temporary files, not in memory: for SWF logs of millions of jobs "
            "(needs --out).",
        ),
    ] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="Also write jobs.parquet.")] = False,
    live: Annotated[
        bool,
        typer.Option("--live", help="Serve a page on this machine that shows the run and lets you act on it."),
    ] = False,
    live_paused: Annotated[
        bool, typer.Option("--live-paused", help="With --live: start paused, until the page resumes the run.")
    ] = False,
    live_port: Annotated[
        int, typer.Option("--live-port", min=0, max=65535, help="With --live: where to listen; 0 takes a free port.")
    ] = 0,
    report: Annotated[Optional[Path], typer.Option(help="Also write an HTML report.")] = None,  # noqa: UP045 -- typer reads it
    as_json: Annotated[bool, typer.Option("--json", help="Print the metrics as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no summary.")] = False,
) -> None:
    """Simulate a workload on a platform under a scheduler.

    Examples:
      windtunnel run example:small --scheduler easy

      windtunnel run hosts:128 trace.swf.gz --out out --parquet

      windtunnel run cluster.xml jobs.json -s batsched/easy_bf -o queue_order=asc_size

      windtunnel run hosts:128 trace.swf.gz --live --live-paused

      windtunnel run "lublin:1000?hosts=256&estimates=tsafrir" --apply "scale_load(0.8)"

      windtunnel run cluster.xml jobs.json -s my_module:MyScheduler --json
    """
    from windtunnel import api
    from windtunnel.cli import summary
    from windtunnel.cli.progress import progress_observers
    from windtunnel.cli.run_course import carry_out, print_result
    from windtunnel.diagnostics import UsageError, without_garbage_collection
    from windtunnel.engine import Options

    check_energy(energy=energy, energy_rule=energy_rule, job_energy=job_energy, delays_compute=delays_compute)
    workload_options = with_given(
        chosen(walltime=(walltime, "extend"), dependencies=(dependencies, False), keep_epoch=(keep_epoch, False)),
        workload_option,
        "workload option",
    )
    platform_file, workload_files = inputs(platform, workloads or [], events, workload_options)
    if stream and live:
        raise UsageError("--stream cannot be combined with --live: the page shows all jobs", "leave out one of them")
    watched = watching(live=live, paused=live_paused, port=live_port)
    summary.check_targets(out, report, [platform_file, *workload_files, *events], parquet=parquet, force=force)
    with without_garbage_collection():
        simulation = api.Simulation(
            platform_file,
            workload_files,
            None if not scheduler else scheduler[0] if len(scheduler) == 1 else scheduler,
            scheduler_options=key_values(option, "scheduler option"),
            events=events,
            out=out,
            platform_options=with_given(
                chosen(numbering=(numbering, "natural")), platform_option, "platform option"
            ),
            workload_options=workload_options,
            options=Options(
                compute_sharing=share_compute,
                strict=not lenient,
                energy=energy,
                delays_compute=delays_compute,
                **chosen(
                    on_failure=(on_failure, "kill"),
                    on_maintenance=(on_maintenance, "kill"),
                    energy_rule=(energy_rule, "exact"),
                    job_energy=(job_energy, "fair"),
                    sharing=(sharing, "simgrid"),
                ),
                **checkpoints(checkpoint),
            ),
            failures=failure_model(failures) if failures else None,
            record=api.RecordingOptions(warm_up=summary.trim(warm_up), cool_down=summary.trim(cool_down)),
            observers=[*progress_observers(wanted=not quiet), *snapshots(out, nodes_every)],
            timeout=timeout,
            **electricity.arguments(
                carbon, price, generation, export_price, power_cap, pue, second_zero, supply, battery
            ),
            share_hosts=share_hosts,
            force=force,
            operations=apply,
            strict_input=strict_input,
            until=inf if until is None else until,
            stream=stream,
            unattended=not live,
        )
    with simulation.recording.holding():
        if timeout != PATIENCE and not any("://" in one or one.startswith("lib:") for one in scheduler):
            simulation.account.tell("without-effect", "--timeout has no effect: no scheduler is out of process")
        done = carry_out(
            simulation,
            watched=watched,
            quiet=quiet,
            trimmed={warm_up, cool_down} != {"0"},
            out=out,
            parquet=parquet,
            report=report,
        )
    print_result(done, out, as_json=as_json, quiet=quiet)
