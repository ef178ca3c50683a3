"""The limits of associations and QOS under the several names that sacctmgr has for each."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from windtunnel.formats.slurm.values import time_span, tres_counts
from windtunnel.model.slurm import Limits

__all__ = ["NAMES", "limits_of"]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ValueError("an integer >= 0 is expected")
    return int(text)


def _minutes(text: str) -> int | None:
    found = time_span(text)
    return None if found is None else -(-found // 60)


_KINDS: Final[tuple[tuple[str, str, Callable[[str], Any]], ...]] = (
    ("grp_tres", "GrpTRES", tres_counts),
    ("grp_tres_mins", "GrpTRESMins", tres_counts),
    ("grp_tres_run_mins", "GrpTRESRunMins GrpTRESRunMin", tres_counts),
    ("grp_jobs", "GrpJobs", _number),
    ("grp_jobs_accrue", "GrpJobsAccrue", _number),
    ("grp_submit_jobs", "GrpSubmitJobs GrpSubmit", _number),
    ("grp_wall", "GrpWall", _minutes),
    ("max_tres_per_job", "MaxTRESPerJob MaxTRES", tres_counts),
    ("max_tres_per_node", "MaxTRESPerNode", tres_counts),
    ("max_tres_mins_per_job", "MaxTRESMinsPerJob MaxTRESMins", tres_counts),
    ("max_wall_per_job", "MaxWallDurationPerJob MaxWall", _minutes),
    ("max_jobs", "MaxJobs", _number),
    ("max_jobs_accrue", "MaxJobsAccrue", _number),
    ("max_submit_jobs", "MaxSubmitJobs MaxSubmit", _number),
    ("min_priority", "MinPrioThreshold MinPrioThresh", _number),
    ("max_tres_per_user", "MaxTRESPerUser MaxTRESPU", tres_counts),
    ("max_tres_per_account", "MaxTRESPerAccount MaxTRESPA", tres_counts),
    ("max_jobs_per_user", "MaxJobsPerUser MaxJobsPU", _number),
    ("max_jobs_per_account", "MaxJobsPerAccount MaxJobsPA", _number),
    ("max_jobs_accrue_per_user", "MaxJobsAccruePerUser MaxJobsAccruePU", _number),
    ("max_jobs_accrue_per_account", "MaxJobsAccruePerAccount MaxJobsAccruePA", _number),
    ("max_submit_jobs_per_user", "MaxSubmitJobsPerUser MaxSubmitPU MaxSubmitJobsPU", _number),
    ("max_submit_jobs_per_account", "MaxSubmitJobsPerAccount MaxSubmitPA MaxSubmitJobsPA", _number),
    ("min_tres_per_job", "MinTRESPerJob MinTRES", tres_counts),
)
_OLD: Final = (
    ("grp_tres", "cpu", "GrpCPUs"),
    ("grp_tres", "node", "GrpNodes"),
    ("grp_tres", "mem", "GrpMemory GrpMem"),
    ("grp_tres_mins", "cpu", "GrpCPUMins"),
    ("grp_tres_run_mins", "cpu", "GrpCPURunMins GrpCPURunMin"),
    ("max_tres_per_job", "cpu", "MaxCPUsPerJob MaxCPUs"),
    ("max_tres_per_job", "node", "MaxNodesPerJob MaxNodes"),
    ("max_tres_mins_per_job", "cpu", "MaxCPUMinsPerJob MaxCPUMins"),
    ("max_tres_per_user", "cpu", "MaxCPUsPerUser MaxCPUsPU"),
    ("max_tres_per_user", "node", "MaxNodesPerUser MaxNodesPU"),
    ("min_tres_per_job", "cpu", "MinCPUs"),
)
"""Limits before Slurm 15.08: of one resource each."""


def _of(tres: str) -> Callable[[str], dict[str, int]]:
    return lambda text: tres_counts(f"{tres}={text if tres == 'mem' else _number(text)}")


NAMES: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    **{name.lower(): (field, convert) for field, names, convert in _KINDS for name in names.split()},
    **{name.lower(): (field, _of(tres)) for field, tres, names in _OLD for name in names.split()},
}
"""Name in small letters -> field and how its value is read."""


def limits_of(given: Mapping[str, str], fault: Callable[[str], None]) -> Limits:
    """The limits among some values by name; ``fault`` is told what cannot be understood."""
    found: dict[str, Any] = {}
    for name, text in given.items():
        known = NAMES.get(name.lower())
        if known is None or text in {"", "-1"}:
            continue
        try:
            value = known[1](text)
            found[known[0]] = found.get(known[0], {}) | value if isinstance(value, dict) else value
        except ValueError as error:
            fault(f"{name} is {text!r}, {error}")
    return Limits(**found)
