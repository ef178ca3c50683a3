r"""Slurm's ``slurm.conf``: its nodes as a platform.

Used: ``NodeName`` lines (``DEFAULT`` sets what following lines leave open) with CPUs, or Boards × SocketsPerBoard or
Sockets × CoresPerSocket × ThreadsPerCore; RealMemory (MiB), TmpDisk (MiB), Gres (GPUs), Feature, Weight, State; and
``PartitionName`` lines; and SelectType: where it is select/cons_tres (or cons_res), jobs of traces take cores of
nodes, not whole ones. Lines go on behind a ``\``; ``Include`` names further files; keys are case-insensitive.
"""

import re
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Annotated, Final

import msgspec

from windtunnel.diagnostics import Findings, Severity, UsageError, did_you_mean, read_text
from windtunnel.formats.slurm.values import expand_hosts
from windtunnel.model import Host, Platform, PowerState

__all__ = ["read_slurm_conf"]

MIB: Final = 1 << 20
_OF_ALL: Final = frozenset({"clustername", "selecttype"})
_OF_NODES: Final = frozenset(
    {"nodename", "cpus", "procs", "boards", "socketsperboard", "sockets", "corespersocket", "threadspercore"}
    | {"realmemory", "tmpdisk", "gres", "feature", "features", "weight", "state"}
)
_SHARING: Final = frozenset({"cons_res", "cons_tres"})
"""Kinds of selection (SelectType) that give jobs cores, not whole nodes."""
_OF_PARTITIONS: Final = frozenset({"partitionname", "nodes"})
_PAIR: Final = re.compile(r"""(?<!\w)([A-Za-z]\w*)\s*=\s*("[^"]*"|[^\s"]*)""")
_NOT_THERE: Final = frozenset({"DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "FUTURE"})
_MOST_BYTES: Final = 1 << 26
_MOST_INCLUDES: Final = 50

Line = tuple[str, int, dict[str, str]]
"""File, line number, and the keys (in lower case) and values of a line."""


def read_slurm_conf(
    path: str | Path,
    *,
    partition: str = "",
    all_states: bool = False,
    speed: Annotated[float, msgspec.Meta(gt=0)] = 1e9,
) -> Platform:
    """Read the nodes of a cluster, in the order of the file.

    Args:
        path: the file; files that it includes are found relative to it.
        partition: only the nodes of this partition.
        all_states: also nodes whose State says that they are not there (DOWN, DRAIN, FAIL, FUTURE).
        speed: flop/s of one core, which Slurm does not know.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
        UsageError: there is no such partition, or the speed is none.
    """
    if not 0 < speed < inf:
        raise UsageError(f"the speed of a core is {speed!r} flop/s", "it is more than 0, such as speed=1e9")
    path = Path(path).absolute()
    findings = Findings(str(path))
    reader = _Cluster(findings)
    for line in _lines(path, findings, [0]):
        reader.take(line)
    hosts = reader.hosts(partition, all_states=all_states, speed=speed)
    findings.raise_if_errors()
    return Platform(
        name=reader.name or path.stem,
        hosts=tuple(hosts),
        shares_nodes=reader.shares_nodes,
        path=str(path),
        warnings=tuple(findings),
    )


def _lines(path: Path, findings: Findings, included: list[int]) -> Iterator[Line]:
    """The lines of a file and of those it includes, continued ones joined, without comments."""
    included[0] += 1
    if included[0] > _MOST_INCLUDES:
        findings.add(f"more than {_MOST_INCLUDES} files are included", code="include", file=str(path))
        return
    try:
        text = read_text(path, encoding="utf-8-sig", errors="replace", most=_MOST_BYTES)
    except OSError as error:
        findings.add(f"cannot be read: {error.strerror}", code="unreadable", file=str(path))
        return
    whole, first = "", 1
    for number, raw in enumerate(text.split("\n"), 1):
        first = first if whole else number
        whole += re.sub(r"(?<!\\)#.*", "", raw.rstrip())
        if whole.endswith("\\"):
            whole = whole[:-1] + " "
            continue
        stripped = whole.strip()
        whole = ""
        if stripped.lower().startswith("include ") or stripped.lower().startswith("include\t"):
            yield from _lines(path.parent / stripped[8:].strip(), findings, included)
        elif stripped:
            yield str(path), first, {key.lower(): value.strip('"') for key, value in _PAIR.findall(stripped)}


class _Cluster:
    """Collects nodes and partitions."""

    def __init__(self, findings: Findings) -> None:
        self.name = ""
        self.shares_nodes = False
        self._findings = findings
        self._defaults: dict[str, str] = {}
        self._nodes: dict[str, tuple[Line, dict[str, str]]] = {}
        self._partitions: dict[str, list[str]] = {}
        self._at: Line = ("", 0, {})

    def take(self, line: Line) -> None:
        """One line of the file."""
        self._at = line
        values = line[2]
        self._tell_unheard(values)
        if "selecttype" in values:
            self.shares_nodes = values["selecttype"].removeprefix("select/") in _SHARING
        if "clustername" in values:
            self.name = values["clustername"]
        if "nodename" in values:
            self._take_nodes(values)
        elif "partitionname" in values and values["partitionname"].upper() != "DEFAULT":
            nodes = values.get("nodes", "")
            everything = nodes.upper() == "ALL"
            self._partitions[values["partitionname"]] = ["*"] if everything else self._hosts(nodes, empty=True)

    def _tell_unheard(self, values: dict[str, str]) -> None:
        file, line, _ = self._at
        heard = _OF_NODES if "nodename" in values else _OF_PARTITIONS if "partitionname" in values else _OF_ALL
        for key in values.keys() - heard:
            self._findings.add(
                f"{key} is not simulated", code="ignored", line=line, file=file, severity=Severity.WARNING
            )

    def _fault(self, message: str, code: str, at: Line | None = None) -> None:
        file, line, _ = at or self._at
        self._findings.add(message, code=code, line=line, file=file)

    def _hosts(self, text: str, *, empty: bool = False) -> list[str]:
        if empty and not text:
            return []
        try:
            return expand_hosts(text)
        except ValueError as error:
            self._fault(str(error), "hosts")
            return []

    def _take_nodes(self, values: dict[str, str]) -> None:
        if values["nodename"].upper() == "DEFAULT":
            self._defaults |= {key: value for key, value in values.items() if key != "nodename"}
            return
        whole = self._defaults | values
        for name in self._hosts(values["nodename"]):
            if name in self._nodes:
                self._fault(f"node {name!r} is given more than once", "duplicate")
            self._nodes[name] = self._at, whole

    def hosts(self, partition: str, *, all_states: bool, speed: float) -> list[Host]:
        """The hosts, numbered in order."""
        members: dict[str, list[str]] = {}
        for name, nodes in self._partitions.items():
            for node in self._nodes if nodes == ["*"] else nodes:
                members.setdefault(node, []).append(name)
        if partition and partition not in self._partitions:
            raise UsageError(f"there is no partition {partition!r}", did_you_mean(partition, self._partitions))
        for name, nodes in self._partitions.items():
            for node in nodes:
                if node != "*" and node not in self._nodes:
                    self._findings.warn(f"partition {name!r}: there is no node {node!r}", code="reference")
        made: list[Host] = []
        for name, (at, values) in self._nodes.items():
            if partition and partition not in members.get(name, ()):
                continue
            if not all_states and values.get("state", "").upper().rstrip("*~#!%$@^-") in _NOT_THERE:
                message = f"node {name!r} is left out: its State is {values['state']}"
                file, line, _ = at
                self._findings.add(message, code="left-out", line=line, file=file, severity=Severity.NOTE)
                continue
            made.append(self._host(len(made), name, at, values, members.get(name, []), speed))
        if not made and not self._findings.has_errors:
            self._fault("there is no node", "empty", ("", 0, {}))
        return made

    def _host(
        self, number: int, name: str, at: Line, values: dict[str, str], partitions: list[str], speed: float
    ) -> Host:
        resources = {
            key: float(amount * MIB)
            for key, source in (("memory", "realmemory"), ("disk", "tmpdisk"))
            if (amount := self._integer(values, source, 0, at))
        }
        if gpus := self._gpus(values.get("gres", ""), at):
            resources["gpus"] = float(gpus)
        properties = {"partition": ",".join(partitions)} if partitions else {}
        properties |= {
            key: values[key] for key in ("feature", "features", "gres", "weight", "state") if key in values
        }
        return Host(
            id=number,
            name=name,
            cores=self._cores(values, at),
            pstates=(PowerState(speed),),
            resources=resources,
            properties=properties,
        )

    def _cores(self, values: dict[str, str], at: Line) -> int:
        """CPUs, else what boards, sockets, cores and threads make."""
        if "cpus" in values or "procs" in values:
            return self._integer(values, "cpus" if "cpus" in values else "procs", 1, at, least=1)
        sockets = self._integer(values, "boards", 1, at, least=1) * self._integer(
            values, "socketsperboard", 1, at, least=1
        )
        if "sockets" in values:
            sockets = self._integer(values, "sockets", 1, at, least=1)
        cores = self._integer(values, "corespersocket", 1, at, least=1)
        return sockets * cores * self._integer(values, "threadspercore", 1, at, least=1)

    def _integer(self, values: dict[str, str], key: str, default: int, at: Line, *, least: int = 0) -> int:
        text = values.get(key)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
            self._fault(f"{key} is {text!r}, an integer >= {least} is expected", "number", at)
            return default
        return int(text)

    def _gpus(self, text: str, at: Line) -> int:
        """The number of GPUs in ``gpu:tesla:2,gpu:1,mps:100``."""
        total = 0
        for entry in filter(None, text.split(",")):
            parts = entry.split("(")[0].split(":")
            if parts[0] == "gpu":
                count = parts[-1] if len(parts) > 1 else "1"
                if count.isascii() and count.isdigit():
                    total += int(count)
                elif len(parts) == 2:  # a type without a number is one of it
                    total += 1
                else:
                    self._fault(f"gres is {text!r}: {count!r} is no number of GPUs", "number", at)
        return total
