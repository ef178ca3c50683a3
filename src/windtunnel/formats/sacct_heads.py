"""The first line of a log of ``sacct``: what stands between its columns, and whether their names are there."""

import re
from typing import Final

__all__ = ["first_line", "is_headless", "separator_of"]

_SEPARATED: Final = rb"(?:^|([,;:\t^~@%!#&]))JobID(?(1)\1|([,;:\t^~@%!#&]))"
_USUAL: Final = frozenset(b"Submit Start End Elapsed ElapsedRaw State NCPUS AllocCPUS ReqCPUS User Partition".split())
_HEADLESS: Final = rb"\d+(_(\d+|\[[^|]*\]))?(\+\d+)?(\.\w+)?(\|[^|]*){5}"


def first_line(head: bytes) -> bytes:
    """The first line that is not empty, without the quotes of CSV if it has some."""
    line = head.lstrip(b"\r\n").partition(b"\n")[0]
    return line.replace(b'"', b"") if line.startswith(b'"') else line


def separator_of(first: bytes) -> str:
    """What stands between the columns, if it is no stroke; empty: it is no such head."""
    found = re.search(_SEPARATED, first)
    mark = (found[1] or found[2]) if found is not None else b""
    fields = set(first.strip().split(mark)) if mark else set()
    return mark.decode("ascii", "replace") if b"JobID" in fields and len(fields & _USUAL) > 1 else ""


def is_headless(first: bytes) -> bool:
    """Whether it is a row as ``sacct -n -P`` prints them: the reader says what is missing."""
    return re.match(_HEADLESS, first) is not None
