"""``PartitionName`` lines of slurm.conf, and records of ``scontrol show partition``."""

from typing import Final

from windtunnel.diagnostics import Severity, did_you_mean
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.nodes import hosts_in
from windtunnel.formats.slurm.values import megabytes, time_span, tres_weights
from windtunnel.model.slurm import OverSubscribe, Partition
from windtunnel.model.slurm.cluster import FOR_EVER

__all__ = ["default_memory", "minutes", "over_time_limit", "partition_of"]

_STATES: Final = ("UP", "DOWN", "DRAIN", "INACTIVE")


def minutes(text: str) -> int | None:
    """Whole minutes of a time limit; None: unlimited.

    Raises:
        ValueError: it is none.
    """
    found = time_span(text)
    return None if found is None else -(-found // 60)


def over_time_limit(line: Line, default: int | None, key: str = "OverTimeLimit") -> int | None:
    """Minutes that jobs may run beyond their limit, or (``ResvOverRun``) beyond the end of their reservation."""
    if line.text(key).upper() == "NONE":  # scontrol, of a partition without one of its own
        return default
    found: int | None = line.integer(key, default, endless=True)
    return FOR_EVER if found is None and line.text(key) else found


def _allowed(line: Line, key: str) -> tuple[str, ...] | None:
    words = line.words(key)
    return None if not words or words == ("ALL",) else words


def _tier(line: Line, key: str) -> int:
    """``PriorityTier`` and ``PriorityJobFactor``; the old ``Priority`` sets both."""
    found: int = line.integer(key if line.has(key) else "Priority", 1)
    return found


def default_memory(line: Line, key: str) -> int | None:
    """MB; None and 0: unlimited."""
    text = line.text(key)
    if not text or text.upper() in {"UNLIMITED", "INFINITE"}:
        return None
    found: int | None = line.ask(key, megabytes, None)
    return found or None


def _job_defaults(line: Line) -> dict[str, int]:
    found: dict[str, int] = {}
    for key in ("DefCpuPerGPU", "DefMemPerGPU"):
        if line.has(key):
            found[key] = line.ask(key, megabytes, 0)
    for word in line.words("JobDefaults"):
        name, _, value = word.partition("=")
        known = {"defcpupergpu": "DefCpuPerGPU", "defmempergpu": "DefMemPerGPU"}.get(name.lower())
        if known is None or not value.isdecimal():
            line.note(f"JobDefaults holds {word!r}, DefCpuPerGPU=... or DefMemPerGPU=... is expected", "value")
        else:
            found[known] = int(value[:15])
    return found


def _chosen(line: Line, key: str, known: tuple[str, ...], default: str) -> str:
    value = line.text(key, default).upper() or default
    if value in known:
        return value
    line.note(
        f"{line.written[key.lower()]} is {line.text(key)!r}, one of {', '.join(known)} is expected",
        "value",
        hint=_near(value, known),
    )
    return default


def _near(value: str, known: tuple[str, ...]) -> str:
    hint = did_you_mean(value, known)
    return hint if hint.startswith("did") else ""


def _exclusive(line: Line) -> str:
    """``Exclusive=`` of Slurm 26.11, in capitals: it stands for older keys."""
    found = _chosen(line, "Exclusive", ("NO", "NODE", "USER", "TOPO"), "NO")
    if found == "TOPO":
        line.note("Exclusive=TOPO is not simulated", "ignored", Severity.WARNING)
    return found


def _sharing(line: Line) -> tuple[OverSubscribe, int]:
    key = "OverSubscribe" if line.has("OverSubscribe") else "Shared"
    if not line.text(key):
        return OverSubscribe.NO, 4
    kind, _, count = line.text(key).partition(":")
    kind = {"EXCL": "EXCLUSIVE"}.get(kind.upper(), kind.upper())
    try:
        number = int(count) if count else 4
        return OverSubscribe(kind), number
    except ValueError:
        expected = "NO, YES, YES:n, FORCE, FORCE:n or EXCLUSIVE is expected"
        line.note(f"{line.written[key.lower()]} is {line.text(key)!r}, {expected}", "value")
        return OverSubscribe.NO, 4


def _default_time(line: Line) -> int | None:
    """Minutes; ``MaxTime`` stands in its place where it is longer, as slurmctld has it."""
    text, most = line.text("DefaultTime"), line.text("MaxTime")
    found: int | None = line.ask("DefaultTime", minutes, None)
    try:
        longest = minutes(most) if most else None
    except ValueError:
        return found  # what is wrong with MaxTime is noted where that is read
    endless = text.upper() in {"UNLIMITED", "INFINITE", "-1"}
    if longest is None or not (endless or (found is not None and found > longest)):
        return found
    told = f"DefaultTime={text} exceeds MaxTime={most}: it has no effect, and jobs without a limit get MaxTime"
    line.note(told, "ignored", Severity.WARNING)
    return None


def partition_of(line: Line) -> Partition:
    """The partition that a line, with the defaults before it, describes."""
    everything = line.text("Nodes").upper() == "ALL"
    sharing, count = _sharing(line)
    exclusive = _exclusive(line)
    return Partition(
        name=line.text("PartitionName"),
        nodes=None if everything else tuple(dict.fromkeys(hosts_in(line, "Nodes"))),
        default=line.flag("Default"),
        state=_chosen(line, "State", _STATES, "UP"),
        default_time=_default_time(line),
        max_time=line.ask("MaxTime", minutes, None),
        min_nodes=line.integer("MinNodes", 0),
        max_nodes=line.integer("MaxNodes", None, endless=True),
        max_cpus_per_node=line.integer("MaxCPUsPerNode", None, endless=True),
        priority_tier=_tier(line, "PriorityTier"),
        priority_job_factor=_tier(line, "PriorityJobFactor"),
        over_subscribe=OverSubscribe.EXCLUSIVE if exclusive == "NODE" else sharing,
        share_count=count,
        exclusive_user=line.flag("ExclusiveUser") or exclusive == "USER",
        lln=line.flag("LLN"),
        preempt_mode=tuple(word.upper() for word in line.words("PreemptMode")) or None,
        grace_time=line.integer("GraceTime", 0),
        allow_accounts=_allowed(line, "AllowAccounts"),
        deny_accounts=line.words("DenyAccounts"),
        allow_qos=_allowed(line, "AllowQos"),
        deny_qos=line.words("DenyQos"),
        allow_groups=_allowed(line, "AllowGroups"),
        qos=line.text("QOS"),
        default_memory_per_cpu=default_memory(line, "DefMemPerCPU"),
        default_memory_per_node=default_memory(line, "DefMemPerNode"),
        max_memory_per_cpu=default_memory(line, "MaxMemPerCPU"),
        max_memory_per_node=default_memory(line, "MaxMemPerNode"),
        job_defaults=_job_defaults(line),
        billing_weights=line.ask("TRESBillingWeights", tres_weights, {}),
        require_reservation=line.flag("ReqResv"),
        root_only=line.flag("RootOnly"),
        over_time_limit=over_time_limit(line, None),
    )
