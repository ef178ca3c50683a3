"""What files look like: each function is given the first 64 KiB and says whether they are of a format.

What must be asked of most files stands here, so that no reader is loaded only to say no.
"""

import re

__all__ = ["events", "gwf", "json", "nodes", "nothing", "slurm_conf", "swf", "xml"]

_SWF_ROW = re.compile(rb"[ \t]*-?[0-9.]+([ \t;,]+-?[0-9.]+){3}")


def events(head: bytes) -> bool:
    """Lines that are objects with a date."""
    first = head.lstrip().split(b"\n", 1)[0].rstrip()
    return first.startswith(b"{") and first.endswith(b"}") and b'"timestamp"' in first and b'"type"' in first


def nodes(head: bytes) -> bool:
    """XML with an SSS node object near its beginning."""
    return re.search(rb"<(\w+:)?Node[\s>]", head) is not None


def slurm_conf(head: bytes) -> bool:
    """Text that names nodes as slurm.conf does."""
    return re.search(rb"(?im)^[ \t]*(NodeName|ClusterName|SlurmctldHost|ControlMachine)[ \t]*=", head) is not None


def nothing(head: bytes) -> bool:
    """For formats that are only chosen by name."""
    return head is None


def swf(head: bytes) -> bool:
    """Comments that start with a semicolon, or rows of numbers."""
    for line in head.splitlines():
        if line.strip():
            return line.lstrip().startswith(b";") or _SWF_ROW.match(line) is not None
    return False


def json(head: bytes) -> bool:
    """An object."""
    return head.lstrip().startswith(b"{")


def gwf(head: bytes) -> bool:
    """Rows of 29 fields, or a CSV head of workflows."""
    if head.startswith(b"WorkflowID"):
        return b"Dependencies" in head.split(b"\n", 1)[0]
    for line in head.splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return len(line.split()) == 29
    return False


def xml(head: bytes) -> bool:
    """An element."""
    return head.lstrip().startswith(b"<")
