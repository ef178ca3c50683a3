"""What else Slurm's commands print: recognised, and refused with the command that prints what can be read.

These listings tell how things stand just now, cut short for people, or sums of what was: no site and no jobs can be
made of them that another command does not tell better.
"""

import re
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import Findings
from windtunnel.formats.files import read_bytes

__all__ = ["command_of", "looks_like_listing", "read_listing"]

_JOBS: Final = (
    "sacct -a -X -P -S 2024-01-01 --format=ALL > jobs.txt; for the jobs that run and wait now: scontrol show job"
)
_SITE: Final = "the site's slurm.conf, or what scontrol show node prints"
_DATED: Final = re.compile(rb"\A\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\n")

_FIRST_LINES: Final = {
    "squeue": rb"\s*JOBID\s+(PARTITION\s+NAME|ARRAY_JOB_ID)|\s*STEPID\s+NAME\s|ACCOUNT\|TRES_PER_NODE\|",
    "sprio": rb"\s*JOBID\s+PARTITION\s+(USER\s+)?PRIORITY",
    "sinfo": rb"PARTITION\s+AVAIL\s|NODELIST(\s+NODES\s+PARTITION|\|PARTITION)|REASON\s+USER\s|RESV_NAME\s+STATE\s",
    "sshare": rb"Account(\|User\|RawShares|\s+User\s+RawShares)",
    "sdiag": rb"\*{20,}\nsdiag output",
    "sreport": rb"(\$ sreport [^\n]*\n)?-{20,}\n[A-Z][\w/ ]+ \d{4}-\d\d-\d\dT",
    "scontrol show step": rb"StepId=",
    "scontrol show licenses": rb"LicenseName=",
    "scontrol show partition": rb"PartitionName=\S+\n? +Allow",
    "scontrol show reservation": rb"ReservationName=",
    "scontrol show config": rb"Configuration data as of ",
    "scontrol show assoc_mgr": rb"Current Association Manager state",
    "sacctmgr show": rb"Cluster\|(Account\|User|NodeName|Name|ControlHost)|Account\|Descr\||User\|Def |Type\|Name\|ID"
    rb"|Time\|Action\|Actor|Name\|Priority\||\s+Name\s+Priority\s+GraceTime|Account\s+User\s+Share",
    "sacctmgr dump": rb"# To edit this file start with a cluster line",
    "sacct -e": rb"Account\s+AdminComment\s+AllocCPUS",
}
_PATTERNS: Final = {command: re.compile(rb"\A(?:" + first + rb")") for command, first in _FIRST_LINES.items()}
_BESIDE: Final = {
    "scontrol show partition": "put it beside scontrol show node as scontrol-partition.txt",
    "scontrol show reservation": "put it beside slurm.conf as scontrol-reservation.txt (reservations=FILE)",
    "scontrol show config": "put it beside scontrol show node as scontrol-config.txt",
    "sacctmgr show": "accounts and QOS go beside slurm.conf (sacctmgr-assoc.txt, sacctmgr-qos.txt)",
    "sacctmgr dump": "put it beside slurm.conf as sacctmgr-dump.cfg, or name it: accounts=FILE",
    "sshare": "the usage of accounts goes with the site: usage=FILE",
}


def command_of(head: bytes) -> str:
    """The command of Slurm that prints such a text; empty: none that is known here."""
    text = _DATED.sub(b"", head.lstrip(b"\r\n").replace(b"\r\n", b"\n"))
    return next((command for command, pattern in _PATTERNS.items() if pattern.match(text)), "")


def looks_like_listing(head: bytes) -> bool:
    """Whether it is a listing that nothing is made of by itself."""
    return bool(command_of(head))


def read_listing(path: str | Path, name: str = "", **options: Any) -> Any:
    """Refuse it, by name.

    Raises:
        InputError: always.
    """
    del name, options
    path = Path(path).absolute()
    findings = Findings(str(path))
    command = command_of(read_bytes(path, findings)[: 1 << 16])
    if not findings.has_errors:
        plain = command.partition(" --")[0]
        findings.add(
            f"this is what {command} prints: neither a site nor jobs can be read from it",
            code="listing",
            line=1,
            hint=_SITE if plain == "sinfo" else _BESIDE.get(plain, _JOBS),
        )
    findings.raise_if_errors()
