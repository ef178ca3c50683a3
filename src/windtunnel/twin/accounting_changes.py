"""Changes of QOS, accounts and users, as sacctmgr makes them, of a site that has been read."""

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from windtunnel.diagnostics import Findings, UsageError, did_you_mean
from windtunnel.formats.slurm.accounts import Told, association_of, qos_of
from windtunnel.formats.slurm.limits import NAMES
from windtunnel.model.slurm import Association, Limits, Qos, SlurmSite
from windtunnel.twin.changes import Pairs

__all__ = ["ACCOUNTING", "changed_accounting", "without_effect"]

ACCOUNTING: Final = frozenset({"qos", "account", "user"})
"""The keys that such changes begin with, in small letters."""
_One = TypeVar("_One", Qos, Association)
_OF_QOS: Final = {
    "priority": "priority",
    "gracetime": "grace_time",
    "preempt": "preempt",
    "preemptmode": "preempt_mode",
    "preemptexempttime": "preempt_exempt_time",
    "usagefactor": "usage_factor",
    "usagethreshold": "usage_threshold",
    "limitfactor": "limit_factor",
    "flags": "flags",
}
_OF_ASSOC: Final = {
    "fairshare": "shares",
    "share": "shares",
    "priority": "priority",
    "qos": "qos",
    "defaultqos": "default_qos",
}
"""Keys of sacctmgr, and the fields that they set."""
_COLUMNS: Final = {"defaultqos": "def qos", "fairshare": "share"}
"""Where the columns of its tables are named otherwise."""
_RANKING: Final = frozenset({"fairshare", "share", "priority"})


def changed_accounting(site: SlurmSite, pairs: Pairs) -> tuple[SlurmSite, str]:
    """The site with a QOS, an account or a user changed, and the command of sacctmgr that does it.

    Of a user ``Account=`` and ``Partition=`` say in which; without them all are meant. -1 takes a limit away;
    ``QOS+=`` and ``QOS-=`` change a list by what is named.

    Raises:
        UsageError: there is no such QOS, account or user; a key or its value is at fault.
    """
    (kind, name), *rest = [(key, value.strip('"')) for key, value in pairs]
    kind = kind.lower()
    if kind == "qos":
        _known(name, [one.name for one in site.qos], "QOS", "sacctmgr-qos.txt")
        made = tuple(_changed(one, rest, _OF_QOS, _as_qos) if one.name == name else one for one in site.qos)
        return replace(site, qos=made), _command("qos", name, {}, rest)
    where = {key.lower(): value for key, value in rest if key.lower() in _selecting(kind)}
    rest = [(key, value) for key, value in rest if key.lower() not in _selecting(kind)]
    of_kind = [one for one in site.associations if bool(one.user) is (kind == "user")]
    _known(name, [one.user or one.account for one in of_kind], kind, "sacctmgr-assoc.txt")
    meant = [one for one in of_kind if (one.user or one.account) == name and _is_in(one, where)]
    if not meant:
        raise UsageError(f"{kind} {name} is not in {', '.join(f'{key} {text}' for key, text in where.items())}")
    those = {id(one) for one in meant}
    found = tuple(
        _changed(one, rest, _OF_ASSOC, _as_association) if id(one) in those else one for one in site.associations
    )
    return replace(site, associations=found), _command(kind, name, where, rest)


def without_effect(site: SlurmSite, pairs: Pairs) -> str:
    """Why a change of accounting makes no difference on a site; empty: it may make one."""
    keys = {key.lower().rstrip("+-") for key, _ in pairs[1:]}
    if keys & set(NAMES) and not {"limits", "safe"} & set(site.enforce):
        return "limits are not enforced here: AccountingStorageEnforce does not name them"
    if keys & _RANKING and not site.priority.multifactor:
        return "priorities are not reckoned from it here: PriorityType is not priority/multifactor"
    return ""


def _selecting(kind: str) -> frozenset[str]:
    return frozenset({"account", "partition"}) if kind == "user" else frozenset()


def _is_in(one: Association, where: Mapping[str, str]) -> bool:
    return one.account == where.get("account", one.account) and one.partition == where.get("partition", one.partition)


def _known(name: str, names: Iterable[str], what: str, file: str) -> None:
    there = list(dict.fromkeys(names))
    if not there:
        raise UsageError(f"it is not known which {what}s there are", f"put {file} beside slurm.conf")
    if name not in there:
        raise UsageError(f"there is no {what} {name!r}", did_you_mean(name, there))


def _changed(one: _One, pairs: Pairs, fields: Mapping[str, str], read: Callable[[_One, str, str], _One]) -> _One:
    if not pairs:
        raise UsageError("the change sets nothing", "such as QOS=high Priority=1000, Account=physics Fairshare=20")
    for written, value in pairs:
        key, sign = written.lower().rstrip("+-"), written[-1] if written[-1] in "+-" else ""
        if key in NAMES and not sign:
            one = replace(one, limits=_limited(one.limits, written, value))
        elif key in fields:
            seconds = key == "gracetime" and value.isdecimal()  # sacctmgr takes seconds, and prints hours
            text = f"0-0:0:{value}" if seconds else value
            new = getattr(read(one, _COLUMNS.get(key, key), text), fields[key])
            if sign:
                new = _list_changed(written, getattr(one, fields[key]), new, sign)
            one = replace(one, **{fields[key]: new})
        else:
            known = [*fields, *NAMES]
            raise UsageError(f"{written} changes nothing that is simulated", did_you_mean(written, known))
    return one


def _list_changed(written: str, old: Any, new: Any, sign: str) -> tuple[str, ...]:
    """A list with some names more (``+``), or fewer (``-``)."""
    if not isinstance(new, tuple):
        raise UsageError(f"{written} does not name a list: give the whole value with =")
    before: tuple[str, ...] = old or ()
    return tuple(dict.fromkeys([*before, *new])) if sign == "+" else tuple(x for x in before if x not in new)


def _limited(limits: Limits, key: str, text: str) -> Limits:
    """Limits with one set; of resources those that are named, with -1 taken away."""
    field, convert = NAMES[key.lower()]
    old = getattr(limits, field)
    entries = text.split(",")
    gone = {entry.partition("=")[0].lower() for entry in entries if entry.endswith("=-1")}
    set_ = ",".join(entry for entry in entries if not entry.endswith("=-1"))
    new: Any = None
    try:
        if text == "-1":
            new = {} if isinstance(old, Mapping) else None
        elif isinstance(old, Mapping):
            new = {name: count for name, count in old.items() if name not in gone} | (convert(set_) if set_ else {})
        else:
            new = convert(text)
    except ValueError as error:
        raise UsageError(f"{key} is {text!r}, {error}") from None
    return replace(limits, **{field: new})


def _as_qos(one: Qos, column: str, text: str) -> Qos:
    """A QOS of which a row says one thing."""
    return _read(lambda told: qos_of(0, {"name": one.name, column: text}, told))


def _as_association(one: Association, column: str, text: str) -> Association:
    row = {"account": one.account, "user": one.user, column: text}
    return _read(lambda told: association_of(0, row, told))


def _read(read: Callable[[Told], _One]) -> _One:
    findings = Findings("change")
    found = read(Told(Path("change"), findings))
    if findings.has_errors:
        raise UsageError(next(iter(findings)).message)
    return found


def _command(kind: str, name: str, where: Mapping[str, str], pairs: Pairs) -> str:
    of = f" where {' '.join(f'{key}={shlex.quote(text)}' for key, text in where.items())}" if where else ""
    sets = " ".join(f"{key}={shlex.quote(text)}" for key, text in pairs)
    return f"sacctmgr modify {kind} {shlex.quote(name)}{of} set {sets}"
