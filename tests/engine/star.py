"""A site on which durations can be computed by hand: hosts and storages behind links of 100 MB/s, no latency."""

from itertools import combinations

from windtunnel.formats.sites.simgrid_xml import parse_platform

STORAGE = '<prop id="role" value="storage"/>'


def star(hosts=4, storages=("pfs", "nvme"), *, cores=2, latency="0s", props="", speed="1Gf", text=False, **options):
    """Hosts n0, n1... of 1 Gf a core; each pair is joined by the two links of its ends, shared by both directions."""
    names = [f"n{i}" for i in range(hosts)] + list(storages)
    lines = [f'<host id="n{i}" speed="{speed}" core="{cores}">{props}</host>' for i in range(hosts)]
    lines += [f'<host id="{name}" speed="{speed}" core="{cores}">{STORAGE}{props}</host>' for name in storages]
    lines += [f'<link id="l-{name}" bandwidth="100MBps" latency="{latency}"/>' for name in names]
    lines += [
        f'<route src="{a}" dst="{b}"><link_ctn id="l-{a}"/><link_ctn id="l-{b}"/></route>'
        for a, b in combinations(names, 2)
    ]
    zone = f'<zone id="Z" routing="Full">{"".join(lines)}</zone>'
    written = f"<?xml version='1.0'?><platform version=\"4.1\">{zone}</platform>"
    return written if text else parse_platform(written.encode(), numbering="natural", master="", **options)
