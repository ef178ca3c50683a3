"""A site as ``scontrol show node`` prints it (with ``-o`` or without), for who cannot read its slurm.conf.

What else ``scontrol`` says is read from files beside it: ``scontrol-partition.txt`` (``scontrol show partition``;
without it, nodes say themselves in which partitions they are) and ``scontrol-config.txt`` (``scontrol show config``).
Each record becomes the line of slurm.conf that says the same; fields that tell how things stand just now (what is
allocated, loads, dates) are left out.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec

from windtunnel.diagnostics import Findings, UsageError, read_text
from windtunnel.entities.unheard import names
from windtunnel.formats.slurm.conf import read_lines
from windtunnel.formats.slurm.keys import TABLES
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.reservations import records_of
from windtunnel.model import Platform

__all__ = ["lines_beside", "read_scontrol"]

_MOST_BYTES: Final = 1 << 26
_SETTING: Final = re.compile(r"([A-Za-z]\w*)\s*=\s?(.*)")
_RENAMED: Final = {"CPUTot": "CPUs", "AvailableFeatures": "Feature"}
_STATUS: Final = names(
    "a record",
    "",
    ignored="Arch CPUAlloc CPUEfctv CPUErr CPULoad ActiveFeatures NodeAddr NodeHostName Port Version OS AllocMem "
    "FreeMem Boards Owner MCS_label Partitions BootTime SlurmdStartTime LastBusyTime ResumeAfterTime CfgTRES "
    "AllocTRES CapWatts CurrentWatts AveWatts LowestJoules ConsumedJoules ExtSensorsJoules ExtSensorsWatts "
    "ExtSensorsTemp Comment Extra GresUsed GresDrain InstanceId InstanceType BcastAddr CpuSpecList CPUSpecList "
    "CoreSpecList TotalCPUs TotalNodes TRES AllocNodes Topology NextState ReservationName TLSCertTokenSet "
    "TLSCertLastRenewal SuspendTime NodeSets Midplanes RackMidplane",
).ignored
"""How things stand, and where daemons are; sockets are those of all boards here."""
_NOTHING: Final = frozenset({"(null)", "N/A", "NONE", ""})


def read_scontrol(
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
        path: what ``scontrol show node`` printed.
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
    if not speed > 0:
        raise UsageError(f"the speed of a core is {speed!r} flop/s", "it is more than 0, such as speed=1e9")
    path = Path(path).absolute()
    findings = Findings(str(path))
    return read_lines(
        path,
        findings,
        lines_beside(path, records_of(path, "NodeName", findings), findings),
        partition=partition,
        all_states=all_states,
        speed=speed,
        accounts=accounts,
        qos=qos,
        reservations=reservations,
        usage=usage,
        tz=tz,
    )


def lines_beside(path: Path, nodes: Iterable[Line], findings: Findings, told: Iterable[Line] = ()) -> Iterator[Line]:
    """The lines of slurm.conf that say the same as records of nodes, and as the files beside them.

    ``told``: partitions as the same command tells them, unless there is a file of them.
    """
    config = path.parent / "scontrol-config.txt"
    if config.is_file():
        yield from _settings(config, findings)
    members: dict[str, list[str]] = {}
    for record in nodes:
        for name in record.words("Partitions"):
            members.setdefault(name, []).append(record.text("NodeName"))
        yield _line(record, findings)
    partitions = path.parent / "scontrol-partition.txt"
    if partitions.is_file():
        for record in records_of(partitions, "PartitionName", findings):
            yield _line(record, findings)
        return
    said = set()
    for line in told:
        said.add(line.text("PartitionName"))
        yield line
    for name, inside in members.items():
        if name not in said:
            yield Line(str(path), 1, [("PartitionName", name), ("Nodes", ",".join(inside))], findings)


def _line(record: Line, findings: Findings) -> Line:
    """A record under the keys of slurm.conf."""
    pairs = []
    for key, written in record.written.items():
        value = record.values[key]
        # Limits of memory that are none, and switches that are off, are not said in slurm.conf.
        if written in _STATUS or value in _NOTHING or (key.endswith(("percpu", "pernode")) and value == "UNLIMITED"):
            continue
        pairs.append((_RENAMED.get(written, written), re.sub(r"\([^)]*\)", "", value) if key == "gres" else value))
    return Line(record.file, record.number, pairs, findings)


def _settings(path: Path, findings: Findings) -> Iterator[Line]:
    """``Key = value``, as far as the key is known and says something: what is not simulated stands there anyway."""
    heard = {name.lower() for name in TABLES[""].known()} - {name.lower() for name in TABLES[""].not_simulated}
    try:
        text = read_text(path, encoding="utf-8-sig", errors="replace", most=_MOST_BYTES)
    except OSError as error:
        findings.add(f"cannot be read: {error.strerror}", code="unreadable", file=str(path))
        return
    for number, line in enumerate(text.split("\n"), 1):
        found = _SETTING.fullmatch(line.strip())
        if found is None or found[1].lower() not in heard or found[2] in _NOTHING:
            continue
        value = found[2].removesuffix(" sec").removesuffix(" min")
        if value != "UNLIMITED":
            yield Line(str(path), number, [(found[1], value)], findings)
