"""Writing what ElastiSim needs besides jobs: its configuration, and a platform.

A platform that was read from a SimGrid file is that file again. Others are written host by host, if communication is
free on them: ElastiSim knows no such thing and gets links on which it takes next to no time.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.sax.saxutils import quoteattr

import msgspec

from windtunnel.diagnostics import UsageError, counted, read_input, replacing
from windtunnel.formats.elastisim.configuration import Configuration
from windtunnel.formats.elastisim.platform import PROPERTIES, read_elastic_platform
from windtunnel.model import Platform, Workload
from windtunnel.model.application import ElasticProfile

__all__ = ["configuration_for", "platform_content", "write_configuration", "write_platform"]

_ALWAYS: Final = ("jobs_file", "platform_file", "zmq_url", "job_statistics", "node_utilization")
_FASTEST: Final = 1e18
"""bytes/s of links where communication is free."""
_XML: Final = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"


def configuration_for(workload: Workload, jobs: Path, platform: Path) -> tuple[Configuration, list[str]]:
    """A configuration that calls the scheduler whenever something happens, and what of the workload it cannot say.

    Args:
        workload: its jobs say whether their requests are kept within their limits.
        jobs: the file of jobs; it lies in the working directory of ElastiSim.
        platform: the file of the platform, there as well.
    """
    clips = {job.profile.clip_requests for job in workload if isinstance(job.profile, ElasticProfile)}
    made = Configuration(
        jobs_file=jobs.name,
        platform_file=platform.name,
        zmq_url="ipc://elastisim.socket",
        job_statistics="job_statistics.csv",
        node_utilization="node_utilization.csv",
        schedule_on_job_submit=True,
        schedule_on_job_finalize=True,
        schedule_on_scheduling_point=True,
        clip_evolving_requests=True in clips or not clips,
    )
    if len(clips) > 1:
        return made, ["requests beyond a job's limits are clipped for all jobs or for none: here for all"]
    return made, []


def write_configuration(configuration: Configuration, path: str | Path) -> None:
    """Write a configuration: what it must have, and what is not as usual.

    Raises:
        UsageError: nothing can be written there.
    """
    usual = Configuration(jobs_file="", platform_file="", zmq_url="", job_statistics="", node_utilization="")
    members = {
        name: getattr(configuration, name)
        for name in Configuration.__struct_fields__
        if name != "warnings" and (name in _ALWAYS or getattr(configuration, name) != getattr(usual, name))
    }
    with replacing(Path(path)) as beside:
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(members), indent=2) + b"\n")


def write_platform(platform: Platform, path: str | Path) -> list[str]:
    """Write a platform; answers what was lost.

    Raises:
        UsageError: its network has no form there, or nothing can be written there.
        InputError: it is a SimGrid file that ElastiSim could not read.
    """
    path = Path(path)
    content = platform_content(platform)
    if platform.network is None or path.resolve() != Path(platform.path).resolve():
        with replacing(path) as beside:
            beside.write_bytes(content)
    if platform.network is None:
        return list(_lost(platform))
    return list(_differences(platform, read_elastic_platform(path)))


def platform_content(platform: Platform) -> bytes:
    """What :func:`write_platform` writes.

    Raises:
        UsageError: its network has no form there.
    """
    if platform.network is None:
        return _text_of(platform).encode()
    if Path(platform.path).suffix.lower() != ".xml":
        hint = "give its SimGrid file, or a platform without a network, such as hosts:128"
        raise UsageError(f"the network of {platform.name!r} cannot be written for ElastiSim", hint)
    return read_input(Path(platform.path))


def _text_of(platform: Platform) -> str:
    names = _names(platform)
    lines = ['<platform version="4.1">', '  <zone id="site" routing="Cluster">']
    for host, name in zip(platform.hosts, names, strict=True):
        head = (
            f"    <host id={quoteattr(name)} speed={quoteattr(f'{host.speed!r}f')} core={quoteattr(str(host.cores))}"
        )
        told = {key: value for key, value in host.properties.items() if key in PROPERTIES}
        if told:
            lines.append(f"{head}>")
            lines += [f"      <prop id={quoteattr(key)} value={quoteattr(value)}/>" for key, value in told.items()]
            lines.append("    </host>")
        else:
            lines.append(f"{head}/>")
    for name in names:
        link = quoteattr(f"link of {name}")
        lines.append(f'    <link id={link} bandwidth="{_FASTEST!r}Bps" latency="0s" sharing_policy="FATPIPE"/>')
        lines.append(f"    <host_link id={quoteattr(name)} up={link} down={link}/>")
    lines += ['    <router id="site router"/>', "  </zone>", "</platform>", ""]
    return _XML + "\n".join(lines)


def _names(platform: Platform) -> list[str]:
    """Names whose order, byte by byte, is that of the hosts' numbers: ElastiSim numbers them so."""
    names = [host.name for host in platform.hosts]
    if all(names) and names == sorted({*names}, key=str.encode):
        return names
    width = len(str(len(names) - 1))
    return [f"n{number:0{width}}" for number in range(len(names))]


def _lost(platform: Platform) -> Iterator[str]:
    if _names(platform) != [host.name for host in platform.hosts]:
        yield "ElastiSim numbers hosts by their names: they are called n0, n1... with as many digits as they need"
    hosts = platform.hosts
    counts = {
        "power states but that of the start, and watts, are left out": sum(
            len(host.pstates) > 1 or host.pstates[0].idle is not None for host in hosts
        ),
        "changes of speed and state over time are left out": sum(
            bool(host.speed_profile or host.state_profile) for host in hosts
        ),
        "resources such as memory are left out": sum(
            bool({*host.resources} - {*PROPERTIES, "gpus"}) for host in hosts
        ),
    }
    yield from (f"{counted(count, 'host')}: {text}" for text, count in counts.items() if count)
    if platform.storages:
        yield f"{counted(len(platform.storages), 'storage')}: left out"
    if platform.events is not None and platform.events.events:
        yield "events of the site are left out"


def _differences(ours: Platform, theirs: Platform) -> Iterator[str]:
    """What ElastiSim takes the hosts of a SimGrid file for, where that is something else than here."""
    mine, its = [host.name for host in ours.hosts], [host.name for host in theirs.hosts]
    if extra := [name for name in its if name not in {*mine}]:
        yield f"{len(extra)} hosts that do not compute here are nodes in ElastiSim ({extra[0]}...)"
    if missing := [name for name in mine if name not in {*its}]:
        yield f"{len(missing)} hosts are no nodes in ElastiSim ({missing[0]}...)"
    if not extra and not missing and mine != its:
        yield "hosts have other numbers in ElastiSim, which goes by the order of their names"
