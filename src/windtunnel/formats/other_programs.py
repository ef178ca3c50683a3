"""JSON documents of other programs that lie beside what is read, and what is to be given instead."""

from collections.abc import Collection
from typing import Final

import msgspec

__all__ = ["members_of", "what_it_is"]

_KNOWN: Final = (
    ({"jobs_file", "platform_file"}, "this is a configuration of ElastiSim: windtunnel elastisim FILE"),
    ({"phases"}, "this is an application model of ElastiSim: give the file of jobs that names it"),
    ({"clusters"}, "this looks like a topology of OpenDC, which is not read"),
    ({"topologies", "workloads"}, "this looks like an experiment of OpenDC, which is not read"),
    ({"topology", "workload"}, "this looks like a scenario of OpenDC, which is not read"),
)


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
