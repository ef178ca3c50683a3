"""Files of other programs that lie beside what is read, and what is to be given instead."""

import re
from collections.abc import Collection
from typing import Final

import msgspec

__all__ = ["is_haizea", "members_of", "of_other_programs", "what_it_is"]

_KNOWN: Final = (
    ({"jobs_file", "platform_file"}, "this is a configuration of ElastiSim: windtunnel elastisim FILE"),
    ({"phases"}, "this is an application model of ElastiSim: give the file of jobs that names it"),
    ({"clusters"}, "this looks like a topology of OpenDC, which is not read"),
    ({"topologies", "workloads"}, "this looks like an experiment of OpenDC, which is not read"),
    ({"topology", "workload"}, "this looks like a scenario of OpenDC, which is not read"),
)
_HAIZEA: Final = (
    rb"(?:\s*[#;].*\n)*\s*\[(?:general|scheduling|simulation|accounting|deploy-imagetransfer|tracefile|opennebula"
    rb"|pricing|multi|common:[\w-]+)\]\s*?(?:[#;].*)?(?:\n|\Z)"
)
"""Up to the first section of a configuration file."""


def is_haizea(head: bytes) -> bool:
    """Whether a file that begins so is a configuration of Haizea."""
    return re.match(_HAIZEA, head) is not None


def of_other_programs(head: bytes) -> str:
    """What a file is that begins so, as a hint; "" if that is not known."""
    if head[257:262] == b"ustar":
        return "this is a tar archive: unpack it, and name the file in it"
    if is_haizea(head):
        return "this is a configuration of Haizea: windtunnel lease run --config FILE"
    return what_it_is(members_of(head))


def what_it_is(members: Collection[str]) -> str:
    """What an object with such members is, as a hint; "" if that is not known."""
    for some, text in _KNOWN:
        if some <= set(members):
            return text
    return ""


def members_of(head: bytes) -> Collection[str]:
    """The names of the members of a JSON object, if it is whole and small."""
    try:
        return msgspec.json.decode(head, type=dict[str, msgspec.Raw]).keys()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
