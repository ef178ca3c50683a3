"""The jobs of an instant as ``squeue --json`` and ``scontrol show job --json`` print them (21.08 to 24.11).

Each job becomes the record that ``scontrol show job`` prints of it, and is read as such.
"""

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import Findings
from windtunnel.entities.unheard import names
from windtunnel.formats.files import read_bytes
from windtunnel.formats.slurm.json_values import duration_text, entries, number, number_text, text, time_text
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.snapshot import read_records
from windtunnel.formats.slurm.values import tres_counts
from windtunnel.formats.traces.workload import TraceWorkload

__all__ = ["read_squeue_json"]

_TEXTS: Final = {
    "name": "JobName", "account": "Account", "qos": "QOS", "partition": "Partition", "state_reason": "Reason",
    "dependency": "Dependency", "required_nodes": "ReqNodeList", "excluded_nodes": "ExcNodeList", "nodes": "NodeList",
    "tres_req_str": "ReqTRES", "features": "Features", "resv_name": "Reservation", "licenses": "Licenses",
    "tres_per_node": "TresPerNode", "tres_per_job": "TresPerJob", "tres_per_task": "TresPerTask",
    "tres_per_socket": "TresPerSocket", "cpus_per_tres": "CpusPerTres", "memory_per_tres": "MemPerTres",
    "prefer": "Prefer", "user_name": "UserId",
}  # fmt: skip
"""Members that are texts (or lists of them), and the keys of ``scontrol show job``."""
_NUMBERS: Final = {
    "job_id": "JobId", "nice": "Nice", "cpus": "NumCPUs", "node_count": "NumNodes", "tasks": "NumTasks",
    "cpus_per_task": "CPUs/Task",
}  # fmt: skip
_TIMES: Final = {
    "submit_time": "SubmitTime", "eligible_time": "EligibleTime", "start_time": "StartTime", "deadline": "Deadline",
}  # fmt: skip
_MEMBERS: Final = names(
    "a job",
    " ".join([*_TEXTS, *_NUMBERS, *_TIMES])
    + " job_state time_limit time_minimum end_time memory_per_cpu memory_per_node shared exclusive contiguous "
    "array_job_id array_task_id array_task_string array_max_tasks het_job_id het_job_offset user_id "
    "suspend_time pre_sus_time",
    noted="accrue_time admin_comment allocating_node association_id batch_features batch_flag batch_host flags "
    "billable_tres burst_buffer burst_buffer_state cluster cluster_features command comment container container_id "
    "cron current_working_directory delay_boot derived_exit_code exit_code extra failed_node federation_origin "
    "federation_siblings_active federation_siblings_viable gres_detail group_id group_name het_job_id_set "
    "job_resources job_size_str last_sched_evaluation licenses_allocated mail_type mail_user max_cpus mcs_label "
    "network preempt_time preemptable_time priority profile reboot requeue resize_time restart_cnt "
    "required_switches scheduled_nodes segment_size selinux_context show_flags standard_error standard_input "
    "standard_output state_description stderr_expanded stdin_expanded stdout_expanded step_id submit_line "
    "system_comment tres_alloc_str tres_bind tres_freq wckey power maximum_switch_wait_time "
    "priority_by_partition resv_ports hold oversubscribe",
    ignored="core_spec thread_spec cores_per_socket cpu_frequency_governor cpu_frequency_maximum "
    "cpu_frequency_minimum max_nodes minimum_cpus_per_node minimum_switches minimum_tmp_disk_per_node "
    "sockets_per_board sockets_per_node tasks_per_board tasks_per_core tasks_per_node tasks_per_socket "
    "tasks_per_tres threads_per_core",
)
_SHARING: Final = {"none": "NO", "true": "NO", "user": "USER", "mcs": "MCS", "oversubscribe": "YES"}
_DEFAULTS: Final = {"minimum_cpus_per_node": 1.0, "thread_spec": 32766.0}
"""What says nothing, besides 0, what is empty, and what has no limit."""


def read_squeue_json(
    path: str | Path,
    name: str = "w0",
    *,
    keep_epoch: bool = False,
    max_processors: int | None = None,
    strict: bool = False,
) -> TraceWorkload:
    """Read the jobs of an instant, plain or gzipped; rules as for ``scontrol show job``.

    Args:
        path: what ``squeue --json`` printed.
        name: the name of the workload.
        keep_epoch: submit times stay as they are.
        max_processors: jobs that want more are dropped.
        strict: rows dropped or repaired are errors.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named with their line.
    """
    path = Path(path).absolute()
    findings = Findings(str(path))
    lines = _lines(path, findings)
    return read_records(
        path, name, lines, findings, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict
    )


def _lines(path: Path, findings: Findings) -> Iterator[Line]:
    for place, pointer, job in entries(read_bytes(path, findings), ("jobs",), findings):
        said = [key for key, value in job.items() if not (key in _MEMBERS.ignored and _nothing(job, key, value))]
        _MEMBERS.tell(said, findings, pointer=pointer)
        try:
            yield Line(str(path), place, _pairs(job), findings)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            message = f"the job is not as squeue writes it: {what}"
            findings.add(message, code="value", pointer=pointer, line=place)


def _nothing(job: dict[str, Any], key: str, value: Any) -> bool:
    """Whether a member says no more than others do."""
    if isinstance(value, str | list):
        return not value or value == "0"
    try:
        found = number(value)
        said = {None, 0.0, inf, _DEFAULTS.get(key, 0.0)}
        if key == "minimum_cpus_per_node":  # at least those of a task
            said.add(number(job.get("cpus_per_task")))
    except (KeyError, TypeError, ValueError):
        return False
    return found in said


def _pairs(job: dict[str, Any]) -> list[tuple[str, str]]:
    """The record of ``scontrol show job``."""
    pairs = [(key, text(job.get(member))) for member, key in _TEXTS.items()]
    pairs += [(key, number_text(job.get(member))) for member, key in _NUMBERS.items()]
    pairs += [(key, time_text(job.get(member))) for member, key in _TIMES.items()]
    states = job.get("job_state")
    pairs.append(("JobState", text(states[0] if isinstance(states, list) and states else states)))
    pairs.append(("TimeLimit", duration_text(job.get("time_limit"))))
    least = duration_text(job.get("time_minimum"))
    pairs.append(("TimeMin", "" if least == "00:00:00" else least))
    pairs.append(("RunTime", _run(job)))
    pairs.append(("Contiguous", text(job.get("contiguous") or False)))
    for member, key in (("memory_per_cpu", "MinMemoryCPU"), ("memory_per_node", "MinMemoryNode")):
        amount = number_text(job.get(member))
        pairs.append((key, f"{amount}M" if amount else ""))
    shared = [text(one) for member in ("shared", "exclusive") for one in _list(job.get(member))]
    pairs.append(("OverSubscribe", next((_SHARING[one] for one in shared if one in _SHARING), "OK")))
    if not text(job.get("user_name")) and job.get("user_id") is not None:
        pairs.append(("UserId", number_text(job["user_id"])))
    pairs += [*_cpus(job), *_array(job)]
    leader = number_text(job.get("het_job_id"))
    if leader not in {"", "0"}:
        pairs += [("HetJobId", leader), ("HetJobOffset", number_text(job.get("het_job_offset")) or "0")]
    said = [(key, value) for key, value in pairs if value]
    return list(dict(said).items())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _cpus(job: dict[str, Any]) -> list[tuple[str, str]]:
    """CPUs in all, and of each task, where they are null: from the TRES that were requested."""
    asked = int(tres_counts(text(job.get("tres_req_str"))).get("cpu", 0))
    tasks = int(number(job.get("tasks")) or 0)
    found = []
    if not number(job.get("cpus")) and asked:
        found.append(("NumCPUs", str(asked)))
    if not number(job.get("cpus_per_task")) and tasks and asked > tasks and asked % tasks == 0:
        found.append(("CPUs/Task", str(asked // tasks)))
    return found


def _run(job: dict[str, Any]) -> str:
    """How long it has run, if it has ended; not while it was suspended."""
    start, end = number(job.get("start_time")), number(job.get("end_time"))
    if not start or not end or start > end:
        return "00:00:00"
    suspended = number(job.get("suspend_time"))
    if suspended:
        return duration_text(max(0.0, end - suspended) + (number(job.get("pre_sus_time")) or 0.0), 1)
    return duration_text(end - start, 1)


def _array(job: dict[str, Any]) -> list[tuple[str, str]]:
    whole = number_text(job.get("array_job_id"))
    if whole in {"", "0"}:
        return []
    tasks = text(job.get("array_task_string")) or number_text(job.get("array_task_id"))
    most = number_text(job.get("array_max_tasks"))
    return [("ArrayJobId", whole), ("ArrayTaskId", tasks), ("ArrayTaskThrottle", "" if most == "0" else most)]
