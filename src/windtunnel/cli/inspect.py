"""``windtunnel inspect``."""

from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

if TYPE_CHECKING:
    from windtunnel.model.description import HostGroup, PlatformDescription, RouteDescription

__all__ = ["inspect"]

ROWS = 12
"""Of each table so many rows are shown without ``--all``."""


def inspect(
    platform: Annotated[
        str,
        typer.Argument(
            help="A platform file, hosts:128, hosts:64x32, or example:NAME (its platform).", metavar="PLATFORM"
        ),
    ],
    route: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045 -- typer reads it
        typer.Option("--route", help="Print the route between two hosts.", metavar="A B"),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every kind of host and link.")] = False,
    energy: Annotated[bool, typer.Option("--energy", help="Treat faults in power tables as errors.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the description as JSON.")] = False,
) -> None:
    """Describe a platform: hosts, zones, links; or one of its routes.

    Examples:
      windtunnel inspect example:small

      windtunnel inspect cluster.xml
      windtunnel inspect cluster.xml --route node0 node1
    """
    import sys

    from windtunnel.diagnostics import UsageError
    from windtunnel.formats.registry import read_platform
    from windtunnel.model.description import PlatformDescription, describe, describe_route

    if everything and route is not None:
        raise UsageError("--all shows every kind of host and link, and --route one route", "leave out one of them")
    options: dict[str, Any] = {"energy": True} if energy else {}
    made = read_platform(platform, **options)
    for finding in made.warnings:
        print(finding, file=sys.stderr)
    found = describe(made) if route is None else describe_route(made, *route)
    if json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    elif isinstance(found, PlatformDescription):
        _show(found, everything=everything)
    else:
        _show_route(found)


def _amount(value: float, unit: str) -> str:
    """``125 MBps``: at most four digits and a prefix."""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"


def _seconds(value: float) -> str:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value / 1e-9:.4g} ns" if value else "0 s"


def _show(found: "PlatformDescription", *, everything: bool) -> None:
    from windtunnel.diagnostics import counted

    most = None if everything else ROWS
    size = f"{counted(found.hosts, 'host')}, {counted(found.cores, 'core')}"
    print(f"{found.name}: {size}, {_amount(found.speed, 'flop/s')}")
    if found.master:
        print(f"master: {found.master}")
    for title, groups in (("hosts", found.compute), ("storages", found.storages)):
        if groups:
            print(f"\n{title}")
        for group in groups[:most]:
            print(f"  {_host_line(group)}")
        _more(len(groups), most)
    if found.zones:
        print("\nzones")
    for zone in found.zones[:most]:
        there = (zone.zones, "zone"), (zone.hosts, "host"), (zone.routers, "router")
        inside = ", ".join(counted(n, word) for n, word in there if n)
        print(f"  {'  ' * zone.depth}{zone.name} ({zone.routing}): {inside or 'nothing'}")
    _more(len(found.zones), most)
    if found.links:
        print("\nlinks")
    for link in found.links[:most]:
        name = link.first if link.count == 1 else f"{link.count} x {link.first}"
        policy = "" if link.shared else ", FATPIPE"
        print(f"  {name}: {_amount(link.bandwidth, 'Bps')}, {_seconds(link.latency)}{policy}")
    _more(len(found.links), most)
    if found.config:
        print("\nconfiguration")
    for name, value in found.config.items():
        print(f"  {name} = {value}")


def _more(count: int, most: int | None) -> None:
    if most is not None and count > most:
        print(f"  ... and {count - most} more (--all)")


def _host_line(group: "HostGroup") -> str:
    name = group.first if group.count == 1 else f"{group.count} x {group.first} ... {group.last}"
    speeds = ", ".join(_amount(speed, "f") for speed in group.speeds)
    text = f"{name}: {group.cores} core{'s' if group.cores > 1 else ''}, {speeds}"
    watts = group.watts[group.pstate]
    if watts is not None:
        text += f"; {watts[0]:g} to {watts[2]:g} W"
    if group.sleep_pstates:
        text += f"; sleeps in {', '.join(map(str, group.sleep_pstates))}"
    if group.profiles:
        text += f"; {' and '.join(group.profiles)} change with time"
    return text


def _show_route(found: "RouteDescription") -> None:
    print(f"{found.source} -> {found.target}: {len(found.links)} links, latency {_seconds(found.latency)}")
    for link in found.links:
        policy = "" if link.shared else ", FATPIPE"
        print(f"  {link.id}: {_amount(link.bandwidth, 'Bps')}, {_seconds(link.latency)}{policy}")
    if found.bandwidth is None:
        print("bottleneck: none; data arrive after the latency")
        return
    print(f"bottleneck: {found.bottleneck}, {_amount(found.bandwidth, 'Bps')}")
    if found.window is not None and found.window < found.bandwidth:
        print(f"a single flow gets at most {_amount(found.window, 'Bps')}, limited by TCP's window at this latency")
