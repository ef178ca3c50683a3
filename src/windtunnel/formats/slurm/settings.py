"""The lines of slurm.conf that are about neither nodes nor partitions: how the site's Slurm decides."""

from typing import Any, Final

from windtunnel.diagnostics import Severity, did_you_mean
from windtunnel.formats.slurm.keys import TABLES, tell_words
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.partitions import default_memory, over_time_limit
from windtunnel.formats.slurm.values import time_span, tres_weights
from windtunnel.model.slurm import (
    BackfillSettings,
    MainLoopSettings,
    PreemptSettings,
    PrioritySettings,
    SelectSettings,
)

__all__ = ["licences_in", "settings_in"]

_PLUGINS: Final = {
    "SelectType": ("select", ("linear", "cons_res", "cons_tres")),
    "SchedulerType": ("sched", ("backfill", "builtin")),
    "PriorityType": ("priority", ("basic", "multifactor")),
    "PreemptType": ("preempt", ("none", "qos", "partition_prio")),
    "TopologyPlugin": ("topology", ("none", "default", "flat", "tree")),
}
"""Plugins that are simulated; the first word is what stands before the stroke."""
_TRACKED: Final = ("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages")
"""The TRES that are tracked wherever there is accounting."""
_PERIODS: Final = ("NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY")


def settings_in(line: Line, tz: str = "UTC") -> dict[str, Any]:
    """The fields of a site that the global keys, joined into one line, say.

    Args:
        line: the keys.
        tz: the name of the time zone of the site.
    """
    kinds = {key: _plugin(line, key, *known) for key, known in _PLUGINS.items()}
    tell_words("SchedulerParameters", line, "SchedulerParameters")
    tell_words("SelectTypeParameters", line, "SelectTypeParameters")
    tell_words("TopologyParam", line, "TopologyParam")
    given = _parameters(line)
    if line.text("FastSchedule") == "0":  # nodes are what they say when they start, not what is written
        line.note("FastSchedule=0 is not simulated", "ignored", Severity.WARNING)
    enforce = line.text("EnforcePartLimits", "NO").upper()
    return {
        "name": line.text("ClusterName"),
        "main": MainLoopSettings(
            **_fields(MainLoopSettings, given, line),
            complete_wait=line.integer("CompleteWait", 0),
            kill_wait=line.integer("KillWait", 30),
            message_timeout=line.integer("MessageTimeout", 10),
            builtin=kinds["SchedulerType"] == "builtin",
        ),
        "backfill": BackfillSettings(**_fields(BackfillSettings, given, line)),
        "select": _select(line, kinds),
        "preempt": _preempt(line, kinds["PreemptType"], given),
        "priority": _priority(line, kinds["PriorityType"], tz),
        "licences": licences_in(line, "Licenses"),
        "enforce_partition_limits": {"YES": "ALL"}.get(enforce, enforce),
        "enforce": tuple(word.lower() for word in line.words("AccountingStorageEnforce")),
        "tracked": tuple(word.lower() for word in line.words("AccountingStorageTRES")),
        "default_memory_per_cpu": default_memory(line, "DefMemPerCPU"),
        "default_memory_per_node": default_memory(line, "DefMemPerNode"),
        "max_memory_per_cpu": default_memory(line, "MaxMemPerCPU"),
        "max_memory_per_node": default_memory(line, "MaxMemPerNode"),
        "job_defaults": {key: line.integer(key, 0) for key in ("DefCpuPerGPU", "DefMemPerGPU") if line.text(key)},
        "over_time_limit": over_time_limit(line, 0) or 0,
        "reservation_over_run": over_time_limit(line, 0, "ResvOverRun") or 0,
        "requeue": line.text("JobRequeue", "1") != "0",
        "max_array_size": line.integer("MaxArraySize", 1001),
        "max_job_count": line.integer("MaxJobCount", 10000),
    }


def _plugin(line: Line, key: str, before: str, known: tuple[str, ...]) -> str:
    """Which plugin is chosen; the usual one where nothing is said."""
    value = line.text(key)
    name = value.lower().removeprefix(f"{before}/")
    if not value:
        return {"SelectType": "cons_tres", "SchedulerType": "backfill", "PriorityType": "basic"}.get(key, "none")
    if name not in known:
        hint = did_you_mean(name, known)
        line.note(
            f"{line.written[key.lower()]} is {value!r}, which is not simulated", "ignored", Severity.WARNING, hint
        )
        return known[0] if key == "TopologyPlugin" else ""
    return name


def _parameters(line: Line) -> dict[str, str]:
    """What is given; of what is given twice slurmctld finds the first."""
    given: dict[str, str] = {}
    for word in line.words("SchedulerParameters"):
        name, _, value = word.partition("=")
        given.setdefault(name.lower(), value)
    return given


def _fields(kind: type[Any], given: dict[str, str], line: Line) -> dict[str, Any]:
    """The SchedulerParameters that are fields of a structure."""
    found: dict[str, Any] = {}
    usual = kind()
    for name in kind.__struct_fields__:
        if name not in given or name.lower() not in {one.lower() for one in TABLES["SchedulerParameters"].known()}:
            continue
        value = given[name]
        if isinstance(getattr(usual, name), str):
            found[name] = value.lower()
        elif isinstance(getattr(usual, name), bool):
            found[name] = value.lower() not in {"0", "no", "false"}
        elif value.lstrip("-").isdigit() and value.isascii() and len(value) < 12 and int(value) >= -1:
            found[name] = int(value)
        else:
            line.note(f"{name} in SchedulerParameters is {value!r}, an integer is expected", "number")
    return found


def _select(line: Line, kinds: dict[str, str]) -> SelectSettings:
    marks = [word.upper() for word in line.words("SelectTypeParameters")]
    counts = "CPU"
    for mark in marks:
        for unit in ("CPU", "CORE", "SOCKET"):
            if mark in {f"CR_{unit}", f"CR_{unit}_MEMORY"}:
                counts = unit
    extra = ("CR_LLN", "CR_PACK_NODES", "CR_ONE_TASK_PER_CORE", "CR_CORE_DEFAULT_DIST_BLOCK")
    return SelectSettings(
        type=kinds["SelectType"] or "cons_tres",
        counts=counts,
        memory=any(mark == "CR_MEMORY" or mark.endswith("_MEMORY") for mark in marks),
        flags=tuple(mark for mark in marks if mark in extra),
        tree=kinds["TopologyPlugin"] == "tree",
        tree_optional="topooptional" in (word.lower() for word in line.words("TopologyParam")),
    )


def _preempt(line: Line, kind: str, given: dict[str, str]) -> PreemptSettings:
    count = given.get("preempt_reorder_count", "1")
    if not (count.isascii() and count.isdigit() and len(count) < 9):
        line.note(f"preempt_reorder_count in SchedulerParameters is {count!r}, an integer is expected", "number")
        count = "1"
    return PreemptSettings(
        type=kind if kind != "none" else "",
        mode=tuple(word.upper() for word in line.words("PreemptMode")) or ("OFF",),
        exempt_time=_seconds(line, "PreemptExemptTime", 0),
        youngest_first="preempt_youngest_first" in given,
        strict_order="preempt_strict_order" in given,
        reorder_count=int(count),
        time_slice=line.integer("SchedulerTimeSlice", 30),
    )


def _seconds(line: Line, key: str, default: int) -> int:
    text = line.text(key)
    if text.upper() in {"", "NONE", "-1"}:
        return default
    found: int | None = line.ask(key, time_span, default)
    return default if found is None else found


def _accounted_weight(line: Line, key: str, accounted: bool) -> int:
    """A weight that Slurm ignores where no slurmdbd keeps accounts."""
    weight: int = line.integer(key, 0)
    if weight and not accounted:
        line.note(
            f"{key} has no effect without AccountingStorageType=accounting_storage/slurmdbd: Slurm ignores it",
            "no-slurmdbd",
            Severity.WARNING,
        )
        return 0
    return weight


def _priority(line: Line, kind: str, tz: str) -> PrioritySettings:
    if kind != "multifactor":
        return PrioritySettings(multifactor=False)
    factor = line.text("FairShareDampeningFactor", "1") or "1"
    try:
        dampening = float(factor)
    except ValueError:
        line.note(f"FairShareDampeningFactor is {factor!r}, a number is expected", "number")
        dampening = 1.0
    storage = line.text("AccountingStorageType").lower()
    enforces = line.text("AccountingStorageEnforce").lower() not in {"", "none", "0"}
    accounted = storage.endswith("slurmdbd") or (not storage and enforces)  # what is enforced is kept somewhere
    return PrioritySettings(
        accounted=accounted,
        weight_age=_accounted_weight(line, "PriorityWeightAge", accounted),
        weight_assoc=line.integer("PriorityWeightAssoc", 0),
        weight_fair_share=_accounted_weight(line, "PriorityWeightFairshare", accounted),
        weight_job_size=line.integer("PriorityWeightJobSize", 0),
        weight_partition=line.integer("PriorityWeightPartition", 0),
        weight_qos=line.integer("PriorityWeightQOS", 0),
        weight_tres=_weights(line),
        max_age=_seconds(line, "PriorityMaxAge", 7 * 86400),
        decay_half_life=_seconds(line, "PriorityDecayHalfLife", 7 * 86400),
        calc_period=_seconds(line, "PriorityCalcPeriod", 300),
        usage_reset_period=_period(line),
        time_zone=tz,
        favor_small=line.flag("PriorityFavorSmall"),
        flags=tuple(word.upper() for word in line.words("PriorityFlags")),
        dampening=dampening,
    )


def _weights(line: Line) -> dict[str, float]:
    """PriorityWeightTRES; what is not tracked weighs nothing, and that is told."""
    found: dict[str, float] = line.ask("PriorityWeightTRES", tres_weights, {})
    tracked = {*_TRACKED, *(word.lower() for word in line.words("AccountingStorageTRES"))}
    for name in [name for name in found if name.lower() not in tracked]:
        told = f"PriorityWeightTRES names {name}, which is not in AccountingStorageTRES: it counts nothing"
        line.note(told, "ignored", Severity.WARNING, hint=f"AccountingStorageTRES={name}")
        del found[name]
    return found


def _period(line: Line) -> str:
    found = line.text("PriorityUsageResetPeriod", "NONE").upper() or "NONE"
    if found not in _PERIODS:
        line.note(f"PriorityUsageResetPeriod is {found!r}, {', '.join(_PERIODS)} are possible", "value")
        return "NONE"
    return found


def licences_in(line: Line, key: str) -> dict[str, int]:
    """``matlab:5,ansys`` as counts; one without a number is one."""
    found: dict[str, int] = {}
    for word in line.words(key):
        name, _, count = word.replace("=", ":").partition(":")
        if count and not (count.isascii() and count.isdigit() and len(count) < 12):
            line.note(f"{line.written[key.lower()]} holds {word!r}: {count!r} is not a number of licences", "number")
            continue
        found[name] = int(count or 1)
    return found
