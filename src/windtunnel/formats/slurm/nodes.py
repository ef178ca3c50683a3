"""``NodeName`` lines of slurm.conf as nodes, and what gres.conf adds to them."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from windtunnel.diagnostics import Severity, did_you_mean
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.values import expand_hosts, gres_counts
from windtunnel.model.slurm import GresItem, SlurmNode

__all__ = ["called", "hosts_in", "node_of", "state_of", "with_devices"]

_MARKS: Final = {
    "*": "NOT_RESPONDING",
    "~": "POWERED_DOWN",
    "#": "POWERING_UP",
    "!": "POWERING_DOWN",
    "%": "POWERING_DOWN",
    "$": "MAINTENANCE",
    "@": "REBOOT",
    "^": "REBOOT",
    "-": "PLANNED",
}
_LONG: Final = {
    "DRAINED": ("IDLE", "DRAIN"),
    "DRAINING": ("MIXED", "DRAIN"),
    "DRAIN": ("UNKNOWN", "DRAIN"),
    "DRNG": ("MIXED", "DRAIN"),
    "FAILING": ("MIXED", "FAIL"),
    "FAIL": ("IDLE", "FAIL"),
    "MAINT": ("IDLE", "MAINTENANCE"),
    "RESERVED": ("IDLE", "RESERVED"),
    "RESV": ("IDLE", "RESERVED"),
    "PLANNED": ("IDLE", "PLANNED"),
    "COMPLETING": ("IDLE", "COMPLETING"),
    "COMP": ("IDLE", "COMPLETING"),
    "ALLOC": ("ALLOCATED", ""),
    "MIX": ("MIXED", ""),
    "UNK": ("UNKNOWN", ""),
    "INVAL": ("IDLE", "DRAIN"),
}
_WORDS: Final = """
    ALLOCATED BLOCKED CLOUD COMPLETING DOWN DRAIN DYNAMIC_FUTURE DYNAMIC_NORM ERROR EXTERNAL FAIL FUTURE IDLE INVALID
    INVALID_REG MAINTENANCE MIXED NET NO_RESPOND NOT_RESPONDING PERFCTRS PLANNED POWERED_DOWN POWERING_DOWN
    POWERING_UP POWER_DOWN POWER_DRAIN POWER_UP REBOOT REBOOT_CANCEL REBOOT_ISSUED REBOOT_REQUESTED RES RESERVED
    RESUME UNDRAIN UNKNOWN
"""
_STATES: Final = frozenset(_WORDS.split())
"""What Slurm (20.11 to 24.11) says of nodes, as bases and flags."""


def state_of(text: str) -> tuple[str, tuple[str, ...]]:
    """Base state and flags of ``IDLE+DRAIN``, ``drained*``, ``mix``."""
    whole = text.upper()
    marks = []
    while whole and whole[-1] in _MARKS:
        marks.append(_MARKS[whole[-1]])
        whole = whole[:-1]
    base, *flags = whole.split("+")
    base, flag = _LONG.get(base, (base, ""))
    return base or "UNKNOWN", tuple(dict.fromkeys(filter(None, (flag, *flags, *marks))))


def hosts_in(line: Line, key: str) -> list[str]:
    """The names of a host list; what is wrong with it is noted."""
    text = line.text(key)
    if not text and not line.values.get(key.lower(), "x"):
        line.note("'' has an empty part", "hosts")
    if not text:
        return []
    try:
        return expand_hosts(text)
    except ValueError as error:
        line.note(str(error), "hosts")
        return []


def called(names: Sequence[str], *, one: str = "", several: str = "") -> str:
    """``node 'a'``, ``nodes 'a' and 'b'``, ``nodes 'a', 'b' and 30 others``, with what is said of one, or several."""
    if len(names) == 1:
        return f"node {names[0]!r} {one}".rstrip()
    first = ", ".join(repr(name) for name in names[: max(1, min(2, len(names) - 1))])
    last = repr(names[-1]) if len(names) < 4 else f"{len(names) - 2:,} others"
    return f"nodes {first} and {last} {several}".rstrip()


_MOST_CPUS: Final = 65_533
"""Of a node: Slurm has 16 bits for them, and a meaning for two values."""


def node_of(name: str, line: Line) -> SlurmNode:
    """A node as its line describes it."""
    boards = line.integer("Boards", 1, least=1)
    sockets = boards * line.integer("SocketsPerBoard", 1, least=1)
    if line.has("Sockets"):
        sockets = line.integer("Sockets", 1, least=1)
    cores = line.integer("CoresPerSocket", 1, least=1)
    threads = line.integer("ThreadsPerCore", 1, least=1)
    product = sockets * cores * threads
    cpus = line.integer("CPUs" if line.has("CPUs") else "Procs", product, least=1)
    if (line.has("CPUs") or line.has("Procs")) and product == 1 and cpus > 1:
        sockets, cores = (sockets, cpus) if line.has("Sockets") or boards > 1 else (cpus, 1)
    if max(product, cpus) > _MOST_CPUS:
        line.note(f"a node has {max(product, cpus):,} CPUs, and Slurm counts at most {_MOST_CPUS:,}", "number")
        sockets = cores = threads = cpus = 1
    state, flags = state_of(line.text("State", "UNKNOWN"))
    for word in {state, *flags} - _STATES:
        hint = did_you_mean(word, _STATES)
        line.note(f"State {word!r} is not known: it has no effect", "value", Severity.WARNING, hint)
    return SlurmNode(
        name=name,
        cpus=cpus,
        sockets=sockets,
        cores_per_socket=cores,
        threads_per_core=threads,
        memory=line.integer("RealMemory", 1, least=0) or 1,
        memory_reserved=line.integer("MemSpecLimit", 0),
        cores_reserved=line.integer("CoreSpecCount", 0),
        temporary_disk=line.integer("TmpDisk", 0),
        weight=line.integer("Weight", 1),
        features=line.words("Features" if line.has("Features") else "Feature"),
        gres=_gres(line),
        state=state,
        flags=flags,
        reason=line.text("Reason"),
    )


def _gres(line: Line) -> tuple[GresItem, ...]:
    text = line.text("Gres")
    try:
        found = gres_counts(text)
    except ValueError as error:
        line.note(f"gres is {text!r}: {error}", "number")
        return ()
    return tuple(GresItem(name=name, type=kind, count=count) for name, kind, count in found if count)


_DEVICES: Final = ("File", "Files", "MultipleFiles", "AutoDetect", "Type")
"""Keys of gres.conf by which devices are told apart."""
_CORES: Final = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)


def with_devices(node: SlurmNode, devices: Sequence[Line], odd: dict[tuple[Line, str], list[str]]) -> SlurmNode:
    """A node with the types and cores that lines of gres.conf give its generic resources.

    Where counts differ, that of slurm.conf holds: ``odd`` gets the name of the node under the line and what to say.
    """
    items: list[GresItem] = []
    for item in node.gres:
        lines = [
            line
            for line in devices
            if line.text("Name").lower() == item.name and (not item.type or line.text("Type") in {"", item.type})
        ]
        parts = [
            GresItem(
                name=item.name,
                type=item.type or line.text("Type"),
                count=_count(line),
                cores=_bound(line),
                counted=line.has("Type") and not any(line.has(key) for key in ("File", "Files", "MultipleFiles")),
            )
            for line in lines
        ]
        if parts and sum(part.count for part in parts) != item.count:
            here = sum(part.count for part in parts)
            told = f"{item.count} {item.name} in slurm.conf and {here} here: the former is used"
            odd.setdefault((lines[0], told), []).append(node.name)
            parts = []
        plain = [part for part in parts if part.type or part.cores]
        counted = bool(parts) and not any(line.has(key) for line in lines for key in _DEVICES)
        items += parts if len(plain) == len(parts) and parts else [replace(item, counted=counted)]
    return replace(node, gres=tuple(items))


def _count(line: Line) -> int:
    """How many a line stands for: its Count, or as many as files."""
    if line.has("Count"):
        return sum(count for _, _, count in line.ask("Count", lambda text: gres_counts(f"x:{text}"), []))
    files = next((key for key in ("File", "Files") if line.has(key)), "")
    return len(hosts_in(line, files)) if files else 1


def _bound(line: Line) -> tuple[int, ...]:
    """The cores of a device, which may stand in brackets."""
    key = "Cores" if line.has("Cores") else "CPUs"
    cores: list[int] = []
    for part in line.text(key).removeprefix("[").removesuffix("]").split(",") if line.text(key) else ():
        found = _CORES.fullmatch(part.strip())
        if found is None or int(found[2] or found[1]) < int(found[1]):
            line.note(f"{key} is {line.text(key)!r}, numbers of cores such as 0-15 are expected", "value")
            return ()
        cores += range(int(found[1]), int(found[2] or found[1]) + 1)
    return tuple(cores)
