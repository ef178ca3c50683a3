"""Accounts and users of a site as ``sacctmgr dump CLUSTER`` writes them."""

import re
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import Findings, did_you_mean, read_text
from windtunnel.formats.slurm.accounts import Told, priority_of, shares_of
from windtunnel.formats.slurm.limits import NAMES, limits_of
from windtunnel.model.slurm import Association

__all__ = ["read_dump"]

_LINE: Final = re.compile(r"(\w+) - ('[^']*'|[^\s:]+)(:.*)?")
_FIELD: Final = re.compile(r":([A-Za-z]\w*)([+-]?)=('(?:[^']|'(?!:|$))*'|[^:']*)")
_HEARD: Final = frozenset({"fairshare", "share", "qos", "defaultaccount", "defaultqos", "partition", "priority"})
_DESCRIBING: Final = frozenset(
    {"description", "organization", "adminlevel", "defaultwckey", "wckeys", "classification", "flags", "coordinator"}
    | {"comment"}
)


def read_dump(path: Path, findings: Findings) -> tuple[Association, ...]:
    """The associations of a dump: root, then as they stand there."""
    told = Told(path, findings)
    try:
        text = read_text(path, encoding="utf-8-sig", errors="replace", most=1 << 28)
    except OSError as error:
        told.fault(0, f"cannot be read: {error.strerror}", "unreadable")
        return ()
    reader = _Dump(told)
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if line and not line.startswith("#"):
            reader.take(number, line)
    return tuple(reader.found)


def _changed(sign: str, value: str) -> str:
    """``QOS+=a,b`` as ``+a,+b``."""
    return ",".join(f"{sign}{word}" for word in value.split(",")) if sign else value


class _Dump:
    """Follows ``Parent`` lines."""

    def __init__(self, told: Told) -> None:
        self.found: list[Association] = []
        self._told = told
        self._above = ""
        self._accounts: set[str] = set()
        self._cluster_qos: tuple[str, ...] = ()

    def take(self, number: int, line: str) -> None:
        matched = _LINE.fullmatch(line)
        rest = matched[3] or "" if matched else ""
        if matched is None or _FIELD.sub("", rest) not in {"", ":"}:
            self._told.fault(
                number, f"{line[:60]!r} is not a line of a dump", "syntax", "such as User - 'ann':Fairshare=1"
            )
            return
        kind, name = matched[1].lower(), matched[2].strip("'")
        given = {key.lower(): _changed(sign, value.strip("'")) for key, sign, value in _FIELD.findall(rest)}
        if kind == "qos":
            self._told.warn(number, f"QOS {name!r} is read from what sacctmgr -P show qos prints only", "ignored")
            return
        self._tell(number, given)
        if kind == "cluster":
            self._cluster_qos = tuple(filter(None, given.get("qos", "").split(",")))
            self._add(number, "root", "", given, parent="")
        elif kind == "parent":
            if name not in self._accounts:
                self._told.fault(number, f"there is no account {name!r} before this line", "reference")
            self._above = name
        elif kind in {"account", "project"}:
            self._add(number, name, "", given, parent=self._above or "root")
        elif kind == "user":
            self._add(number, self._above or "root", name, given, parent="")
        else:
            hint = did_you_mean(kind, ("cluster", "parent", "account", "user"))
            self._told.fault(
                number, f"{matched[1]!r} is not one of Cluster, Parent, Account and User", "syntax", hint
            )

    def _tell(self, number: int, given: dict[str, str]) -> None:
        for key in given:
            if key not in _HEARD and key not in NAMES and key not in _DESCRIBING:
                hint = did_you_mean(key, [*_HEARD, *NAMES])
                self._told.warn(
                    number, f"{key!r} has no effect", "unknown-key", hint if hint.startswith("did") else ""
                )

    def _add(self, number: int, account: str, user: str, given: dict[str, str], *, parent: str) -> None:
        if not user:
            self._accounts.add(account)
        shares = shares_of(given.get("fairshare") or given.get("share") or "1")
        if shares is None:
            self._told.fault(
                number, f"Fairshare is {given.get('fairshare')!r}, a number or parent is expected", "number"
            )
        self.found.append(
            Association(
                account=account,
                user=user,
                parent=parent,
                partition=given.get("partition", ""),
                shares=1 if shares is None else shares,
                priority=priority_of(number, given, self._told),
                limits=limits_of(given, lambda text: self._told.fault(number, text)),
                qos=self._qos(given.get("qos", "")),
                default_qos=given.get("defaultqos", ""),
                default=bool(user) and given.get("defaultaccount", "") == account,
                order=len(self.found),
            )
        )

    def _qos(self, text: str) -> tuple[str, ...] | None:
        """Names; with ``+`` or ``-`` before them they change what the cluster gives."""
        names = [name for name in text.split(",") if name]
        if not names:
            return None
        if not any(name[0] in "+-" for name in names):
            return tuple(names)
        added = [name[1:] for name in names if name[0] == "+"]
        gone = {name[1:] for name in names if name[0] == "-"}
        return tuple(name for name in dict.fromkeys([*self._cluster_qos, *added]) if name not in gone)
