"""``windtunnel elastisim``: ElastiSim's command line; plays ElastiSim for an algorithm that speaks its protocol."""

import argparse
import gc
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.diagnostics import UsageError, as_text

if TYPE_CHECKING:
    from windtunnel.diagnostics import Finding
    from windtunnel.formats.elastisim.configuration import Configuration

__all__ = ["elastisim", "play", "prepare", "sensing_of", "simulation_of"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="windtunnel elastisim",
        description="Simulate what an ElastiSim configuration describes, for an algorithm that\n"
        "connects to its zmq_url (such as one written with elastisim-python). Paths are\n"
        "relative to the working directory.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Exit code: 0 success, 1 failed simulation, 2 faulty input.\n\n"
        "Example:\n  windtunnel elastisim configuration.json",
    )
    parser.add_argument("configuration", help="the configuration (JSON)")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds to wait for each answer (600)")
    parser.add_argument("--quiet", action="store_true", help="no warnings about the input")
    parser.add_argument(
        "--faithful",
        action="store_true",
        help="changes decided while a job prepares its start are forgotten when it has, as by ElastiSim",
    )
    return parser


def elastisim(argv: Sequence[str]) -> int:
    """Run ElastiSim's command line.

    Raises:
        WindtunnelError: like ``windtunnel run``.
    """
    try:
        options = _parser().parse_args(argv)
    except SystemExit as leave:
        return int(leave.code or 0)
    if not 0 < options.timeout < 2e6:
        raise UsageError(f"a timeout must be more than 0 s and less than 2e6 s, not {options.timeout:g} s")
    from windtunnel.formats.elastisim.configuration import read_configuration
    from windtunnel.wires.elastisim.pair import Pair

    config = read_configuration(Path(options.configuration))
    platform, jobs = prepare(config)
    if not options.quiet:
        warnings = (*config.warnings, *platform.warnings, *jobs.warnings)
        if warnings:
            print(as_text(warnings), file=sys.stderr)
    with ExitStack() as files:
        peer = Pair(config.zmq_url, bind=True, timeout=options.timeout)
        sensing = sensing_of(config, platform, files)
        simulation = simulation_of(config, platform, jobs, peer, files, faithful=options.faithful)
        gc.freeze()  # what was loaded and read stays: it need not be looked through for garbage
        play(simulation, sensing, config.sensing_interval)
        gc.freeze()
    return 0


def prepare(config: "Configuration") -> tuple[Any, Any]:
    """The platform and the jobs of a configuration.

    Raises:
        InputError: with everything that is wrong in either.
    """
    from windtunnel.diagnostics import InputError
    from windtunnel.formats.elastisim.jobs import read_jobs
    from windtunnel.formats.elastisim.platform import read_elastic_platform

    findings: list[Finding] = []
    platform = jobs = None
    try:
        platform = read_elastic_platform(config.platform_file)
    except InputError as error:
        findings += error.findings
    try:
        grace, clip = config.job_kill_grace_period, config.clip_evolving_requests
        jobs = read_jobs(Path(config.jobs_file), folder=".", grace=grace, clip_requests=clip)
    except InputError as error:
        findings += error.findings
    if findings:
        raise InputError(findings)
    return platform, jobs


def sensing_of(config: "Configuration", platform: Any, files: ExitStack) -> Any:
    """What writes the files of sensing, which ``files`` closes; None if nothing is to be sensed.

    Raises:
        UsageError: it names links that the platform does not have.
    """
    if not config.sensing:
        return None
    from windtunnel.results.elastisim_sensing import Sensing, links_named
    from windtunnel.results.files import text_to_be_written

    read, write = (links_named(platform, names) for names in (config.pfs_read_links, config.pfs_write_links))
    names = ("cpu_utilization", "network_activity", "pfs_utilization", "gpu_utilization")
    opened = {name: files.enter_context(text_to_be_written(Path(getattr(config, name)))) for name in names}
    return Sensing(platform, opened, read, write)


def play(simulation: Any, sensing: Any, interval: float) -> None:
    """Run to the end; with samples from the beginning on, each after what happened until its date."""
    if sensing is None:
        simulation.run()
        return
    from windtunnel.results.elastisim_sensing import Levels

    world = simulation.world

    hosts, links = len(sensing.hosts), len(sensing.bandwidth)

    def levels() -> Levels:
        sharing = world.sharing  # what shares by then: it is made when it is needed
        gpus = {} if world.gpus is None else world.gpus.busy
        return Levels(sharing.host_loads(hosts), sharing.link_loads(links), gpus)

    date = 0.0
    sensing.sample(date, levels())
    last = -1.0
    while simulation.run_until(date + interval):
        date += interval
        if world.now == last:
            sensing.again(date)
        else:
            last = world.now
            sensing.sample(date, levels())


def simulation_of(
    config: "Configuration", platform: Any, jobs: Any, peer: Any, files: ExitStack, *, faithful: bool = False
) -> Any:
    """The simulation that a configuration describes, with its output files, which ``files`` closes."""
    from windtunnel.engine.simulation import Simulation
    from windtunnel.engine.state.options import Options
    from windtunnel.results.elastisim import ElastisimFiles
    from windtunnel.results.files import text_to_be_written
    from windtunnel.wires.elastisim.codes import Triggers
    from windtunnel.wires.elastisim.driven import ElastisimAlgorithm

    triggers = Triggers(
        submit=config.schedule_on_job_submit,
        finalize=config.schedule_on_job_finalize,
        point=config.schedule_on_scheduling_point,
        reconfiguration=config.schedule_on_reconfiguration,
        interval=config.scheduling_interval,
        least_interval=config.min_scheduling_interval,
        grace=config.job_kill_grace_period,
    )
    names = [config.job_statistics, config.node_utilization]
    if config.log_task_times:
        names.append(config.task_times)
    opened = [files.enter_context(text_to_be_written(Path(name))) for name in names]
    recorder = ElastisimFiles(opened[0], opened[1], opened[2] if config.log_task_times else None)
    algorithm = ElastisimAlgorithm(peer, triggers, faithful=faithful, nodes_changed=recorder.nodes_changed)
    options = Options(one_by_one=True, compute_sharing=config.allow_oversubscription)
    return Simulation(platform, (jobs,), (algorithm,), options=options, observers=(recorder,))
