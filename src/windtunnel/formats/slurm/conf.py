r"""Slurm's ``slurm.conf``: a site with its nodes, partitions and settings.

``NodeName=DEFAULT`` and ``PartitionName=DEFAULT`` set what following lines leave open; lines go on behind a ``\``;
``Include`` names further files; keys are case-insensitive. ``gres.conf`` and ``topology.conf`` are read where they
stand beside it, and accounts, QOS and reservations from the files that ``windtunnel slurm extract`` writes. What
becomes of each key: :mod:`windtunnel.formats.slurm.keys`.
"""

from collections.abc import Iterable, Mapping
from math import inf
from pathlib import Path
from typing import Annotated, Any

import msgspec

from windtunnel.diagnostics import Findings, Severity, UsageError
from windtunnel.formats.slurm.keys import TABLES
from windtunnel.formats.slurm.lines import Line, lines_of
from windtunnel.formats.slurm.node_sets import NodeSets
from windtunnel.formats.slurm.nodes import called, hosts_in, node_of, with_devices
from windtunnel.formats.slurm.partitions import partition_of
from windtunnel.formats.slurm.settings import settings_in
from windtunnel.formats.slurm.site import accounting_of, chosen, in_partitions, platform_of, reservations_of, zone_of
from windtunnel.formats.slurm.topology import switches_beside
from windtunnel.formats.slurm.unsimulated import tell_unsimulated
from windtunnel.model import Platform
from windtunnel.model.slurm import Partition, SlurmNode, SlurmSite

__all__ = ["read_as", "read_lines", "read_slurm_conf"]


def read_slurm_conf(
    path: str | Path,
    *,
    partition: str = "",
    all_states: bool = False,
    speed: Annotated[float, msgspec.Meta(gt=0)] = 1e9,
    accounts: str = "",
    qos: str = "",
    reservations: str = "",
    usage: str = "",
    tz: str = "UTC",
) -> Platform:
    """Read a site; its nodes are the hosts, in the order of the file.

    Args:
        path: the file; files that it includes are found relative to it.
        partition: only the nodes of this partition.
        all_states: also nodes whose State says that they are not there (DOWN, DRAIN, FAIL, FUTURE).
        speed: flop/s of one core, which Slurm does not know.
        accounts: what ``sacctmgr dump`` (a file ``.cfg``) or ``sacctmgr -P show assoc`` printed; ``no``: none.
        qos: what ``sacctmgr -P show qos`` printed.
        reservations: what ``scontrol show reservation`` printed.
        usage: what ``sshare -a -l -P`` printed when the log begins: where fair share starts.
        tz: the time zone of dates without one, such as Europe/Berlin.

    Raises:
        InputError: a file cannot be read, or is at fault; all faults are named with their line.
        UsageError: there is no such partition or time zone, or the speed is none.
    """
    chosen_files = {"accounts": accounts, "qos": qos, "reservations": reservations, "usage": usage, "tz": tz}
    return read_as(path, {}, partition=partition, all_states=all_states, speed=speed, **chosen_files)


def read_as(
    path: str | Path,
    texts: Mapping[Path, str],
    *,
    partition: str = "",
    all_states: bool = False,
    speed: float = 1e9,
    accounts: str = "",
    qos: str = "",
    reservations: str = "",
    usage: str = "",
    tz: str = "UTC",
) -> Platform:
    """The site as if its slurm.conf, or files that it includes, read as ``texts``; else as :func:`read_slurm_conf`.

    Raises:
        InputError, UsageError: as there.
    """
    if not 0 < speed < inf:
        raise UsageError(f"the speed of a core is {speed!r} flop/s", "it is more than 0, such as speed=1e9")
    path = Path(path).absolute()
    findings = Findings(str(path))
    return read_lines(
        path,
        findings,
        lines_of(path, findings, texts),
        partition=partition,
        all_states=all_states,
        speed=speed,
        accounts=accounts,
        qos=qos,
        reservations=reservations,
        usage=usage,
        tz=tz,
    )


def read_lines(
    path: Path,
    findings: Findings,
    lines: Iterable[Line],
    *,
    partition: str,
    all_states: bool,
    speed: float,
    accounts: str,
    qos: str,
    reservations: str,
    usage: str,
    tz: str,
) -> Platform:
    """The site that lines of slurm.conf describe, wherever they come from; other files stand beside ``path``.

    Raises:
        InputError, UsageError: as :func:`read_slurm_conf`.
    """
    reader = _Cluster(findings)
    for line in lines:
        reader.take(line)
    zone_of(tz)  # there is such a time zone
    settings = settings_in(reader.globals(str(path)), tz)
    nodes = reader.nodes(path, all_states=all_states)
    partitions = reader.partitions()
    nodes = chosen(nodes, partitions, partition)
    if not nodes and not findings.has_errors:
        findings.add("there is no node", code="empty")
    associations, found_qos = accounting_of(path, findings, accounts, qos, usage)
    switches = switches_beside(path, findings, tree=settings["select"].tree)
    if switches:
        settings["select"] = msgspec.structs.replace(settings["select"], tree=True)
    site = SlurmSite(
        nodes=tuple(nodes),
        partitions=in_partitions(nodes, partitions, findings, reader.all_names),
        switches=switches,
        associations=associations,
        qos=found_qos,
        **settings,
        **reservations_of(path, findings, reservations, tz),
    )
    _check_names(site, findings)
    tell_unsimulated(site, findings)
    findings.raise_if_errors()
    return platform_of(site, path, findings, speed=speed, properties=reader.properties())


def _check_names(site: SlurmSite, findings: Findings) -> None:
    """Whether partitions name QOS and accounts that there are, where it is known which there are."""
    qos, accounts = {one.name for one in site.qos}, {one.account for one in site.associations}
    for part in site.partitions:
        for name in filter(None, (part.qos, *(part.allow_qos or ()), *part.deny_qos)):
            if qos and name not in qos:
                findings.warn(f"partition {part.name!r}: there is no QOS {name!r}", code="reference")
        for name in (*(part.allow_accounts or ()), *part.deny_accounts):
            if accounts and name not in accounts:
                findings.warn(f"partition {part.name!r}: there is no account {name!r}", code="reference")


class _Cluster:
    """Collects what the lines say."""

    def __init__(self, findings: Findings) -> None:
        self._partitions: list[Partition] = []
        self._findings = findings
        self._globals: dict[str, tuple[str, str, Line]] = {}
        self._defaults: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
        self._nodes: dict[str, Line] = {}
        self._sets = NodeSets()

    @property
    def all_names(self) -> list[str]:
        """The nodes that are named, also those that are not there."""
        return list(self._nodes)

    def partitions(self) -> list[Partition]:
        """All partitions, node sets spelled out."""
        return self._sets.spelled_out(self._partitions, self._nodes)

    def take(self, line: Line) -> None:
        """One line of the file."""
        kind = line.kind
        TABLES[kind].tell(line)
        if kind not in ("", "NodeName", "PartitionName"):
            self._sets.take(kind, line)
            return
        if not kind:
            for key, value in line.values.items():
                self._take_global(key, value, line)
            return
        values, written = self._defaults.setdefault(kind, ({}, {}))
        if line.text(kind).upper() == "DEFAULT":
            values |= {key: value for key, value in line.values.items() if key != kind.lower()}
            written |= line.written
        elif kind == "NodeName":
            whole = line.over(values, written)
            names = hosts_in(line, kind)
            if again := [name for name in names if name in self._nodes]:
                message = called(again, one="is given more than once", several="are given more than once")
                line.note(message, "duplicate")
            self._nodes |= dict.fromkeys(names, whole)
        else:
            one = partition_of(line.over(values, written))
            if one.name in {other.name for other in self._partitions}:
                line.note(f"partition {one.name!r} is given more than once", "duplicate")
            self._partitions.append(one)

    def _take_global(self, key: str, value: str, line: Line) -> None:
        known = self._globals.get(key)
        if known is not None and known[1] != value and key in {name.lower() for name in TABLES[""].simulated}:
            first = known[2]
            message = f"{line.written[key]} was {known[1]!r} in line {first.number}: the last one holds"
            line.note(message, "duplicate", Severity.WARNING)
        self._globals[key] = (line.written[key], value, line)

    def globals(self, path: str) -> Line:
        """All global keys, as one line; values are noted at the place where they stand."""
        return _Globals(path, self._globals, self._findings)

    def nodes(self, path: Path, *, all_states: bool) -> list[SlurmNode]:
        """The nodes that are there, with what gres.conf says of them."""
        devices = self._devices(path.parent / "gres.conf")
        made: list[SlurmNode] = []
        read: dict[int, SlurmNode] = {}
        gone: dict[str, list[str]] = {}
        odd: dict[tuple[Line, str], list[str]] = {}
        for name, line in self._nodes.items():
            known = read.get(id(line))
            if known is None:  # one reading, and one set of faults, for all nodes of a line
                known = read[id(line)] = node_of(name, line)
            node, state = self._sets.state_of(msgspec.structs.replace(known, name=name))
            if not all_states and not node.usable:
                gone.setdefault(state or line.text("State"), []).append(name)
                continue
            lines = [one for nodes, one in devices if nodes is None or name in nodes]
            made.append(with_devices(node, lines, odd) if lines and node.gres else node)
        for (line, told), names in odd.items():
            line.note(f"{called(names, one='has', several='have')} {told}", "reference", Severity.WARNING)
        for state, names in gone.items():
            message = called(names, one="is left out: its State is", several="are left out: their State is")
            self._nodes[names[0]].note(f"{message} {state}", "left-out", Severity.NOTE)
        if gone and not made:
            hint = "all_states=true takes all nodes, whatever their State"
            self._findings.add("there is no node", code="empty", hint=hint)
        return made

    def _devices(self, path: Path) -> list[tuple[frozenset[str] | None, Line]]:
        if not path.is_file():
            return []
        found: list[tuple[frozenset[str] | None, Line]] = []
        for line in lines_of(path, self._findings):
            _GRES.tell(line)
            nodes = frozenset(hosts_in(line, "NodeName")) if line.has("NodeName") else None
            if line.has("Name"):
                found.append((nodes, line))
        return found

    def properties(self) -> dict[str, dict[str, str]]:
        """What else the lines say of nodes, as written."""
        keys = ("feature", "features", "gres", "weight", "state")
        return {
            name: {key: line.values[key] for key in keys if key in line.values} for name, line in self._nodes.items()
        }


_GRES = TABLES["gres.conf"]


class _Globals(Line):
    """The global keys of a file and of those it includes: each knows its own line."""

    __slots__ = ("_places",)

    def __init__(self, path: str, found: dict[str, tuple[str, str, Line]], findings: Findings) -> None:
        super().__init__(path, 0, [(written, value) for written, value, _ in found.values()], findings)
        self._places = {key: line for key, (_, _, line) in found.items()}

    def note(self, message: str, code: str, severity: Severity = Severity.ERROR, hint: str = "") -> None:
        words: Any = message.replace(" in SchedulerParameters", " SchedulerParameters").replace("=", " ").split()
        place = next((self._places[word.lower()] for word in words if word.lower() in self._places), None)
        if place is None:
            super().note(message, code, severity, hint)
        else:
            place.note(message, code, severity, hint)
