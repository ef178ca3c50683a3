"""Accounts, users and QOS of a site as ``sacctmgr -P show assoc`` and ``sacctmgr -P show qos`` print them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings, Severity, did_you_mean, read_text
from windtunnel.formats.slurm.limits import NAMES, limits_of
from windtunnel.formats.slurm.values import time_span
from windtunnel.model.slurm import PARENT, Association, Qos

__all__ = [
    "Told",
    "association_of",
    "priority_of",
    "qos_of",
    "read_associations",
    "read_qos",
    "shares_of",
    "table_rows",
]

_MOST_BYTES: Final = 1 << 28
_MOST: Final = 1e15
"""No number of a QOS is larger, nor one that is none."""
_OF_ASSOC: Final = frozenset(
    {"cluster", "account", "user", "partition", "share", "fairshare", "priority", "qos", "def qos", "parentname"}
)
_OF_QOS: Final = frozenset(
    {"name", "priority", "gracetime", "preempt", "preemptexempttime", "preemptmode", "flags", "usagethres"}
    | {"usagethreshold", "usagefactor", "limitfactor"}
)
_THRESHOLDS: Final = ("usagethres", "usagethreshold")
_DESCRIBING: Final = frozenset({"id", "parentid", "lineage", "wopilft", "lft", "rgt", "comment", "descr", "org"})

Row = tuple[int, dict[str, str]]
"""Line number, and the fields by name in small letters."""


class Told:
    """Notes faults of one file."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self.path = path
        self.findings = findings

    def fault(self, line: int, message: str, code: str = "value", hint: str = "") -> None:
        """An error."""
        self.findings.add(message, code=code, line=line, file=str(self.path), hint=hint)

    def warn(self, line: int, message: str, code: str, hint: str = "") -> None:
        """A warning."""
        self.findings.add(message, code=code, line=line, file=str(self.path), hint=hint, severity=Severity.WARNING)


def shares_of(text: str) -> int | None:
    """``Fairshare``: a number, or :data:`PARENT` for ``parent`` (2147483647 in a dump); None: it is neither."""
    if text.lower() == "parent" or text == "2147483647":
        return PARENT
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def table_rows(path: Path, findings: Findings, needed: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a table with ``|`` between fields, and a head that names ``needed`` columns."""
    told = Told(path, findings)
    try:
        lines = read_text(path, encoding="utf-8-sig", errors="replace", most=_MOST_BYTES).split("\n")
    except OSError as error:
        told.fault(0, f"cannot be read: {error.strerror}", "unreadable")
        return
    head = [name.strip().lower() for name in lines[0].rstrip("\r").removesuffix("|").split("|")]
    for name in needed:
        if name.lower() not in head:
            told.fault(1, f"there is no column {name!r}", "column", "print the table with sacctmgr -P show ...")
            return
    for number, text in enumerate(lines[1:], 2):
        if not text.strip():
            continue
        fields = text.rstrip("\r").split("|")
        if len(fields) == len(head) + 1 and not fields[-1]:
            fields.pop()
        if len(fields) != len(head):
            told.fault(number, f"{len(fields)} fields, and {len(head)} columns in the header", "fields")
            continue
        yield number, dict(zip(head, fields, strict=True))


def _tell_columns(told: Told, row: Mapping[str, str], heard: frozenset[str]) -> None:
    for name in row:
        if name not in heard and name not in NAMES and name not in _DESCRIBING:
            hint = did_you_mean(name, [*heard, *NAMES])
            told.warn(1, f"the column {name!r} has no effect", "ignored", hint if hint.startswith("did") else "")


def read_associations(path: Path, findings: Findings) -> tuple[Association, ...]:
    """The associations of the (first) cluster in the table, in the table's order."""
    told = Told(path, findings)
    found: list[Association] = []
    cluster: str | None = None
    for number, row in table_rows(path, findings, ("Account", "User")):
        if cluster is None:
            cluster = row.get("cluster", "")
            _tell_columns(told, row, _OF_ASSOC)
        if row.get("cluster", "") != cluster:
            told.warn(number, f"of another cluster than {cluster!r}: left out", "left-out")
            continue
        found.append(association_of(number, row, told))
    return tuple(found)


def association_of(number: int, row: Mapping[str, str], told: Told) -> Association:
    """The association of a row, by the names of its columns in small letters."""
    share = row.get("share") or row.get("fairshare") or "1"
    shares = shares_of(share)
    if shares is None:
        told.fault(number, f"Share is {share!r}, a number or parent is expected", "number")
    return Association(
        account=row["account"],
        user=row["user"],
        partition=row.get("partition", ""),
        parent=row.get("parentname", ""),
        shares=1 if shares is None else shares,
        priority=priority_of(number, row, told),
        limits=limits_of(row, lambda text: told.fault(number, text)),
        qos=tuple(filter(None, row["qos"].split(","))) or None if row.get("qos") else None,
        default_qos=row.get("def qos", ""),
        order=number - 2,
    )


def priority_of(number: int, row: Mapping[str, str], told: Told) -> int | None:
    """The priority of an association; None: that of the account above."""
    text = row.get("priority", "")
    if text.isascii() and text.isdigit():
        return int(text[:12])
    if text not in ("", "-1"):
        told.fault(number, f"Priority is {text!r}, an integer >= 0 is expected", "number")
    return None


def read_qos(path: Path, findings: Findings) -> tuple[Qos, ...]:
    """The QOS in the table."""
    told = Told(path, findings)
    found: list[Qos] = []
    for number, row in table_rows(path, findings, ("Name",)):
        if not found:
            _tell_columns(told, row, _OF_QOS)
        found.append(qos_of(number, row, told))
    return tuple(found)


def qos_of(number: int, row: Mapping[str, str], told: Told) -> Qos:
    """The QOS of a row, by the names of its columns in small letters."""

    def amount(name: str, default: float) -> float:
        text = row.get(name, "")
        try:
            found = float(text) if text else default
            if abs(found) < _MOST:
                return found
        except ValueError:
            pass
        told.fault(number, f"{name} is {text!r}, a number is expected", "number")
        return default

    def span(name: str) -> int | None:
        text = row.get(name, "")
        try:
            return time_span(text) if text else None
        except ValueError as error:
            told.fault(number, f"{name} is {text!r}, {error}")
            return None

    mode = row.get("preemptmode", "").lower()
    return Qos(
        name=row["name"],
        priority=int(amount("priority", 0)),
        limits=limits_of(row, lambda text: told.fault(number, text)),
        preempt=tuple(filter(None, row.get("preempt", "").split(","))),
        preempt_mode=None if mode in {"", "cluster"} else tuple(mode.upper().split(",")),
        preempt_exempt_time=span("preemptexempttime"),
        grace_time=span("gracetime") or 0,
        usage_factor=amount("usagefactor", 1.0),
        usage_threshold=next((amount(name, 0.0) for name in _THRESHOLDS if row.get(name)), None),
        limit_factor=amount("limitfactor", 0.0) or None,
        flags=tuple(filter(None, row.get("flags", "").split(","))),
    )
