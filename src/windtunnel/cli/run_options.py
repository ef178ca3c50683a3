"""What the options of ``windtunnel run`` say, in the words of the library."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windtunnel.model.failures import FailureModel

__all__ = [
    "check_energy",
    "checkpoints",
    "chosen",
    "failure_model",
    "inputs",
    "snapshots",
    "tell_page",
    "watching",
    "with_given",
]


def check_energy(*, energy: bool, energy_rule: str, job_energy: str, delays_compute: bool) -> None:
    """How energy is simulated is not asked of a run that has none."""
    from windtunnel.diagnostics import UsageError

    if not energy and (energy_rule, job_energy, delays_compute) != ("exact", "fair", False):
        what = "--energy-rule, --job-energy and --delays-compute"
        raise UsageError(f"{what} say how energy is simulated", "add --energy")


def chosen(**options: tuple[Any, Any]) -> dict[str, Any]:
    """The options that differ from their default: a format refuses those it does not have."""
    return {name: value for name, (value, default) in options.items() if value != default}


def with_given(options: dict[str, Any], items: list[str], what: str) -> dict[str, Any]:
    """The options that have words of their own, and those given as ``key=value``: each of them once."""
    from windtunnel.cli.values import key_values
    from windtunnel.diagnostics import UsageError

    given = key_values(items, what)
    for name in options.keys() & given.keys():
        raise UsageError(
            f"{what} {name!r} is given twice: {given[name]!r} and by --{name.replace('_', '-')}", "remove one of them"
        )
    return options | given


def failure_model(text: str) -> "FailureModel":
    """What is loaded by the few runs that have some."""
    from windtunnel.model.failures import parse_failures

    return parse_failures(text)


def checkpoints(text: str) -> dict[str, Any]:
    """The engine's options for ``INTERVAL,COST``."""
    from windtunnel.diagnostics import UsageError

    if not text:
        return {}
    try:
        interval, cost = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"--checkpoint is INTERVAL,COST in seconds, not {text!r}") from None
    if interval == 0.0:
        raise UsageError("--checkpoint needs an interval of more than 0 s")
    return {"checkpoint_interval": interval, "checkpoint_cost": cost}


def snapshots(out: Path | None, every: float | None) -> list[Any]:
    """What writes nodes while the run goes on."""
    from windtunnel.diagnostics import UsageError

    if every is None:
        return []
    if out is None:
        raise UsageError("--nodes-every writes files: say where with --out")
    from windtunnel.results.node_snapshots import NodeSnapshots

    return [NodeSnapshots(out / "nodes", every)]


def inputs(
    platform: str, workloads: list[str], events: list[Path], options: dict[str, Any]
) -> tuple[str, list[str]]:
    """The files of a bundled example, or those given; ``options`` are those for reading workloads."""
    if not platform.startswith("example:"):
        if not workloads and not events and _is_platform(platform, options):
            from windtunnel.diagnostics import UsageError

            raise UsageError(
                "there is nothing to simulate",
                "name a workload after the platform: a file, or 'lublin:1000?hosts=64&estimates=exact'",
            )
        _check_order(platform, workloads, options)
        return platform, workloads
    from windtunnel.examples import find

    example = find(platform.removeprefix("example:"))
    return example.platform, workloads or list(example.workloads)


def _check_order(platform: str, workloads: list[str], options: dict[str, Any]) -> None:
    """Refuse a workload before its platform; what neither is its reader says better."""
    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.recognition import word_format

    first = next((one for one in workloads if word_format(one, "platform") is not None), "")
    if first and word_format(platform, "platform") is None and not _is_platform(platform, options):
        from shlex import join

        raise UsageError(
            f"{first} is a platform, and stands where workloads do",
            f"the platform comes first: {join(['windtunnel', 'run', first, platform])}",
        )


def _is_platform(file: str, options: dict[str, Any]) -> bool:
    """Whether a file is not a workload, which may stand alone; of what is no file its reader says so."""
    from windtunnel.formats.recognition import word_format
    from windtunnel.formats.registry import is_workload

    return (word_format(file) is not None or Path(file).is_file()) and not is_workload(file, **options)


def watching(*, live: bool, paused: bool, port: int) -> dict[str, Any] | None:
    """How the run is to be watched, if it is."""
    from windtunnel.diagnostics import UsageError

    if live:
        return {"paused": paused, "port": port}
    if paused or port:
        raise UsageError("--live-paused and --live-port say how a run is watched", "add --live")
    return None


def tell_page(url: str) -> None:
    """Where the page is; on standard error, as standard output may be the metrics."""
    print(f"live view (only on this machine, keep the address to yourself): {url}", file=sys.stderr, flush=True)
