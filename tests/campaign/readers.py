"""Cases of the campaign: bytes fed to one reader each. Whatever they are, it answers or refuses them with findings."""

import contextlib
import io
import zlib
from collections.abc import Callable
from pathlib import Path

from tests.campaign import seeds
from tests.formats.signals.sources import SOURCES, SUPPLY

from windtunnel.cli import batsim5_options
from windtunnel.cli.main import main
from windtunnel.diagnostics import UNFORESEEN, WindtunnelError
from windtunnel.formats.haizea.ini import read_haizea_config
from windtunnel.formats.haizea.lwf import read_annotations, read_lwf, read_site
from windtunnel.formats.haizea.multi import read_haizea_multi
from windtunnel.formats.registry import read_events, read_platform, read_workload
from windtunnel.formats.signals import read_signal
from windtunnel.formats.supply import read_supply

Feed = Callable[[bytes, Path], None]


def _quiet(call: Callable[[], object]) -> None:
    """Errors of ours are right, but for those of the last net."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            call()
    except WindtunnelError as error:
        said = str(error)
        if f"[{UNFORESEEN}]" in said:
            raise AssertionError(said[:500]) from error.__cause__
        assert "\x1b" not in said


def _file(reader: Callable[[Path], object], name: str) -> Feed:
    def feed(data: bytes, folder: Path) -> None:
        path = folder / name
        path.write_bytes(data)
        _quiet(lambda: reader(path))

    return feed


def workload(path: Path, **options: object) -> None:
    """Read a workload, and look at all of its jobs."""
    found = read_workload(path, **options)
    for job in found:
        assert job.id


def _mapped(path: Path) -> None:
    csv = path.with_name("jobs.csv")
    csv.write_bytes(seeds.CSV)
    workload(csv, mapping=str(path))


def _csv(path: Path) -> None:
    mapping = path.with_name("mapping.toml")
    mapping.write_bytes(seeds.MAPPING)
    workload(path, mapping=str(mapping))


def _validate(path: Path) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(["validate", str(path)])
    said = out.getvalue()
    assert code in (0, 1, 2), said
    assert f"[{UNFORESEEN}]" not in said, said[:500]
    assert "an internal error of windtunnel" not in said, said[:500]


def _trace(path: Path) -> None:
    from windtunnel.diagnostics import Findings
    from windtunnel.entities.trace_files import load_traces
    from windtunnel.model import TraceType

    for kind in TraceType:
        load_traces(path, kind, Findings(str(path)))


def _beside_slurm(path: Path) -> None:
    site = path.with_name("slurm.conf")
    site.write_bytes(b"TopologyPlugin=topology/tree\n" + seeds.SLURM)
    read_platform(site)


def _signal(quantity: str) -> Callable[[Path], object]:
    def look(path: Path) -> None:
        signal, _ = read_signal(path, quantity)
        signal.integral(signal.first, signal.dates[-1])

    return look


def _seldom(feed: Feed, each: int) -> Feed:
    """One of so many cases: those that start a process take long."""

    def some(data: bytes, folder: Path) -> None:
        if each == 1 or zlib.crc32(data) % each == 0:
            feed(data, folder)

    return some


def _config(path: Path) -> None:
    with contextlib.suppress(SystemExit):
        batsim5_options.parse(["-c", str(path)])


READERS: dict[str, tuple[bytes, Feed]] = {
    **{f"workload-{name}": (data, _file(workload, name)) for name, data in seeds.WORKLOADS.items()},
    **{f"platform-{name}": (data, _file(read_platform, name)) for name, data in seeds.PLATFORMS.items()},
    **{
        f"validate-{name}": (data, _file(_validate, name))
        for name, data in (seeds.WORKLOADS | seeds.PLATFORMS).items()
    },
    **{f"slurm-{name}": (data, _file(_beside_slurm, name)) for name, data in seeds.BESIDE_SLURM.items()},
    "events": (seeds.EVENTS, _file(read_events, "events.txt")),
    "csv": (seeds.CSV, _file(_csv, "jobs.csv")),
    "mapping": (seeds.MAPPING, _file(_mapped, "mapping.toml")),
    "leases": (seeds.LWF, _file(read_lwf, "w.lwf")),
    "leases-site": (seeds.LWF, _file(read_site, "site.xml")),
    "annotations": (seeds.LWF, _file(read_annotations, "w.lwfa")),
    "haizea": (seeds.HAIZEA, _file(read_haizea_config, "haizea.conf")),
    "haizea-multi": (seeds.MULTI, _file(read_haizea_multi, "multi.conf")),
    "batsim5-toml": (seeds.BATSIM5_TOML, _file(_config, "c.toml")),
    "batsim5-ini": (seeds.BATSIM5_INI, _file(_config, "c.ini")),
    **{
        f"signal-{name}": (data, _seldom(_file(_signal(quantity), name), 10 if data.startswith(b"PAR1") else 1))
        for name, (quantity, data) in SOURCES.items()
    },
    "supply": (SUPPLY, _file(read_supply, "supply.json")),
    "trace-list": (b"t0\nt1\n", _file(_trace, "traces")),
}
"""What each begins with, and how its cases are fed in."""
