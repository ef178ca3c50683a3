"""Haizea's leases (LWF, XML) and configurations."""

import re
from typing import Final

from windtunnel.formats.format import Format

__all__ = ["FORMATS", "looks_like_lwf", "looks_like_site"]

_PROLOG: Final = rb"\A(?:\s|<\?.*?\?>|<!--.*?-->)*"
_LEASE: Final = _PROLOG + rb"<lease[\s>]"
_ROOT: Final = _PROLOG + rb"<(nodes|site|lease-workload)[\s>/]"


def looks_like_lwf(head: bytes) -> bool:
    """A lease workload, or one lease."""
    return b"<lease-workload" in head or re.match(_LEASE, head, re.DOTALL) is not None


def looks_like_site(head: bytes) -> bool:
    """Whether a file begins with one of the elements that describe nodes."""
    return re.match(_ROOT, head, re.DOTALL) is not None


FORMATS: Final = (
    Format(
        name="lwf",
        kind="workload",
        description="Haizea lease workload (XML) as jobs: one per lease, one host per virtual node",
        starts="<",
        looks_like=looks_like_lwf,
        reader="windtunnel.formats.haizea.lwf_jobs:read_lwf_jobs",
        writer="windtunnel.formats.haizea.lwf_jobs:write_lwf_jobs",
        suffixes=(".lwf",),
    ),
    Format(
        name="lwf",
        kind="platform",
        description="The site of a Haizea lease workload, a <site> or a list of <nodes> (XML)",
        starts="<",
        looks_like=looks_like_site,
        reader="windtunnel.formats.haizea.lwf_site:read_site_platform",
    ),
    Format(
        name="lwf",
        kind="leases",
        description="Haizea lease workload (XML)",
        starts="<",
        looks_like=looks_like_lwf,
        reader="windtunnel.formats.haizea.lwf:read_lwf",
        writer="windtunnel.formats.haizea.lwf_write:write_lwf",
    ),
)
"""In the order in which they are tried."""
