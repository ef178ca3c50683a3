"""Sites: platforms with hosts, and the environments they stand in."""

import re
from typing import Final

from windtunnel.formats import recognise
from windtunnel.formats.format import Format

__all__ = ["FORMATS", "is_host_spec", "looks_like_environment", "looks_like_nodes"]

_ENVIRONMENT: Final = rb'"(environment|datacenters|definitions)"\s*:'
_NODE: Final = rb"<(\w+:)?Node[\s>]"


def looks_like_environment(head: bytes) -> bool:
    """A JSON object with one of the format's first keys."""
    return re.search(_ENVIRONMENT, head) is not None


def looks_like_nodes(head: bytes) -> bool:
    """XML with an SSS node object near its beginning."""
    return re.search(_NODE, head) is not None


def is_host_spec(text: str) -> bool:
    """Whether a platform argument is meant to be a word (``hosts:64x32``) rather than a file."""
    return text.startswith("hosts:")


FORMATS: Final = (
    Format(
        name="hosts",
        kind="platform",
        description="hosts:128, hosts:64x32: that many identical hosts (with that many cores)",
        looks_like=recognise.nothing,
        word=is_host_spec,
        reader="windtunnel.formats.sites.host_spec:read_host_spec",
    ),
    Format(
        name="environment",
        kind="platform",
        description="JSSPP-OSP environment (JSON): datacenters down to memory modules, and their events",
        starts="{",
        looks_like=looks_like_environment,
        reader="windtunnel.formats.sites.environment.as_platform:read_platform",
    ),
    Format(
        name="sss",
        kind="platform",
        description="SSS node objects 3.1.0 (XML)",
        starts="<",
        looks_like=looks_like_nodes,
        reader="windtunnel.formats.sites.sss.platform:read_platform",
    ),
    Format(
        name="simgrid",
        kind="platform",
        description="SimGrid platform (XML, versions 4 to 4.1)",
        starts="<",
        looks_like=recognise.xml,
        catch_all=True,
        reader="windtunnel.formats.sites.simgrid_xml:read_platform",
    ),
)
"""In the order in which they are tried."""
