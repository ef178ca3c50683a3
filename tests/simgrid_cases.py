"""Scenarios that were played on SimGrid: those in tests/golden/simgrid, and the others in the shared folder."""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.shared import shared

from windtunnel.formats.sites.simgrid_xml import parse_platform
from windtunnel.model.host import Host
from windtunnel.model.platform import Platform

HERE = Path(__file__).parent / "golden" / "simgrid"
ELSEWHERE = ("cluster512_msgs", "cluster512_small", "cluster512_two", "pfs", "small_msgs", "small_platform_homog")
SMPI_ELSEWHERE = ("smpi_batsim_collectives", "smpi_batsim_mixed")


def names() -> list[str]:
    """All scenarios with tasks."""
    return sorted({path.name.split(".")[0] for path in HERE.glob("*.json*")} | set(ELSEWHERE))


def smpi_names() -> list[str]:
    """All replays of traces."""
    return sorted({path.stem for path in (HERE / "smpi").glob("*.json")} | set(SMPI_ELSEWHERE))


def scenario(name: str) -> Any:
    """One scenario."""
    folder = "smpi/" if name.startswith("smpi_") else ""
    for path in (HERE / folder / f"{name}.json", HERE / folder / f"{name}.json.gz"):
        if path.exists():
            return json.loads(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    return json.loads(shared(f"golden/simgrid/{folder}{name}.json").read_bytes())


def platform_of(case: Any, *, energy: bool = False) -> tuple[Platform, list[Host]]:
    """The platform of a scenario, and all its hosts whatever their role."""
    platform = parse_platform(case["platform_xml"].encode(), numbering="lexicographic", master="", energy=energy)
    hosts = [*platform.hosts, *platform.storages]
    known = {host.name for host in hosts}
    network: Any = platform.network
    for task in case.get("tasks", ()):
        for name in (task.get("src"), task.get("dst")):
            if name is not None and name not in known:
                known.add(name)
                hosts.append(Host(id=len(hosts), name=name, endpoint=network.endpoint(name)))
    return platform, hosts
