"""How Slurm's Reasons spell the limits of what is counted (§6.3)."""

from typing import Final

__all__ = ["OF_LIMITS", "least", "most_held", "most_minutes", "per_account", "per_job", "per_node", "per_user"]

OF_LIMITS: Final = frozenset(
    f"{of}{rest}"
    for of, own in (
        (
            "QOS",
            "MaxCpuPerUserLimit MaxJobsPerUserLimit MaxNodePerUserLimit MaxSubmitJobPerUserLimit MinCpuNotSatisfied",
        ),
        ("Assoc", "MaxJobsLimit MaxSubmitJobLimit"),
    )
    for rest in (
        *("GrpCpuLimit", "GrpCPUMinutesLimit", "GrpCPURunMinutesLimit", "GrpJobsLimit", "GrpMemLimit"),
        *("GrpNodeLimit", "GrpSubmitJobsLimit", "GrpWallLimit", "MaxCpuPerJobLimit", "MaxCpuMinutesPerJobLimit"),
        *("MaxNodePerJobLimit", "MaxWallDurationPerJobLimit"),
        *own.split(),
    )
)
"""The Reasons that Slurm takes for those of limits: newer ones (GRES, licences, billing, per account) are not among
them, and stay until something else is said."""

_WORDS: Final = {"cpu": "Cpu", "mem": "Mem", "node": "Node", "billing": "Billing", "energy": "Energy"}


def _word(tres: str, memory: str = "Mem") -> str:
    if tres == "mem":
        return memory
    if tres in _WORDS:
        return _WORDS[tres]
    kind = tres.partition("/")[0]
    return {"gres": "GRES", "license": "License", "bb": "BB"}.get(kind, "Unknown")


def _limit(tres: str, *old: str) -> str:
    """The older Reasons end with one word more."""
    return "Limit" if tres in old else ""


def most_held(of: str, tres: str) -> str:
    """GrpTRES ``of`` an Assoc or a QOS."""
    return f"{of}Grp{_word(tres)}{_limit(tres, 'cpu', 'mem', 'node')}"


def most_minutes(of: str, tres: str, run: str = "") -> str:
    """GrpTRESMins, or with ``Run`` GrpTRESRunMins."""
    word = "CPU" if tres == "cpu" else _word(tres, _memory(of))
    return f"{of}Grp{word}{run}Minutes{_limit(tres, 'cpu')}"


def per_job(of: str, tres: str, minutes: bool = False) -> str:
    """MaxTRES of a job, or MaxTRESMins."""
    word = _word(tres, _memory(of))
    return f"{of}Max{word}MinutesPerJob{_limit(tres, 'cpu')}" if minutes else (
        f"{of}Max{word}PerJob{_limit(tres, 'cpu', 'node')}"
    )


def per_node(of: str, tres: str) -> str:
    """MaxTRESPerNode."""
    word = "Unknown" if tres == "node" or tres.startswith("license/") else _word(tres, _memory(of))
    return f"{of}Max{word}PerNode"


def per_user(tres: str) -> str:
    """MaxTRESPerUser of a QOS."""
    return f"QOSMax{_word(tres, 'Memory')}PerUser{_limit(tres, 'cpu', 'node')}"


def per_account(tres: str) -> str:
    """MaxTRESPerAccount of a QOS."""
    return f"Max{_word(tres, 'Memory')}PerAccount"


def least(tres: str) -> str:
    """MinTRES of a QOS."""
    return "QOSMinCpuNotSatisfied" if tres == "cpu" else f"QOSMin{_word(tres, 'Memory')}"


def _memory(of: str) -> str:
    return "Memory" if of == "QOS" else "Mem"
