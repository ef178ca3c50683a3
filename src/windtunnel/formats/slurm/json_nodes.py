"""A site as ``sinfo --json`` and ``scontrol show node --json`` print it (21.08 to 24.11).

Older releases list nodes, which say in which partitions they are; newer ones list groups of nodes that are alike, in
one partition each, with what limits it. Both become the lines of slurm.conf that say the same.
``scontrol-partition.json`` (``scontrol show partition --json``) beside it says more of partitions.
"""

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from windtunnel.diagnostics import Findings, UsageError
from windtunnel.entities.unheard import Names, names
from windtunnel.formats.files import read_bytes
from windtunnel.formats.slurm.conf import read_lines
from windtunnel.formats.slurm.json_values import duration_text, entries, number, number_text, text
from windtunnel.formats.slurm.lines import Line
from windtunnel.formats.slurm.scontrol import lines_beside
from windtunnel.model import Platform

__all__ = ["read_sinfo_json"]

_PER_CPU: Final = 1 << 63
_EXCLUSIVE: Final = 0
_FORCED: Final = 1 << 15
"""Of the number of jobs that share: they do whether they ask or not."""
_NODE_KEYS: Final = {
    "name": "NodeName", "cpus": "CPUs", "sockets": "Sockets", "cores": "CoresPerSocket", "threads": "ThreadsPerCore",
    "real_memory": "RealMemory", "weight": "Weight", "features": "Feature", "gres": "Gres",
    "specialized_cores": "CoreSpecCount", "specialized_memory": "MemSpecLimit",
}  # fmt: skip
_NODE: Final = names(
    "a node",
    " ".join(_NODE_KEYS) + " state state_flags partitions boards",
    noted="active_features address alloc_cpus alloc_idle_cpus alloc_memory allocated_memory architecture boot_time "
    "burstbuffer_network_address cert_flags cluster_name comment cpu_binding cpu_load effective_cpus energy "
    "external_sensors extra free_mem free_memory gpu_spec gres_drained gres_used hostname idle_cpus instance_id "
    "instance_type last_busy mcs_label next_state_after_reboot next_state_after_reboot_flags operating_system owner "
    "port power reason reason_changed_at reason_set_by_user res_cores_per_gpu reservation resume_after "
    "slurmd_start_time slurmd_version specialized_cpus temporary_disk tls_cert_last_renewal topology tres tres_used "
    "tres_weighted version",
)
_GROUP: Final = names(
    "a group of nodes",
    "node nodes cpus sockets cores threads memory weight features gres partition",
    noted="port disk cluster comment extra reason reservation",
)
_MAXIMA: Final = {"nodes": "MaxNodes", "cpus_per_node": "MaxCPUsPerNode"}
_PARTITION: Final = {
    "": names("a partition", "name nodes accounts qos defaults maximums minimums priority tres grace_time partition",
              noted="cluster cpus node_sets suspend_time timeouts alternate groups select_type topology flags"),
    "nodes": names("nodes of a partition", "configured", noted="allowed_allocation total"),
    "accounts": names("accounts of a partition", "allowed deny"),
    "qos": names("QOS of a partition", "allowed deny assigned"),
    "defaults": names("defaults of a partition", "time memory_per_cpu job partition_memory_per_cpu",
                      noted="partition_memory_per_node"),
    "maximums": names("maximums of a partition", "time nodes cpus_per_node memory_per_cpu shares over_time_limit "
                      "partition_memory_per_cpu oversubscribe",
                      noted="partition_memory_per_node", ignored="cpus_per_socket"),
    "minimums": names("minimums of a partition", "nodes"),
    "priority": names("priorities of a partition", "tier job_factor"),
    "tres": names("TRES of a partition", "billing_weights", noted="configured"),
    "partition": names("the state of a partition", "state"),
}  # fmt: skip


def read_sinfo_json(
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
        path: what ``sinfo --json`` (better ``sinfo -N --json``) or ``scontrol show node --json`` printed.
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
    lines = list(lines_beside(path, _lines(path, findings), findings, _partitions(path, findings)))
    findings.raise_if_errors()
    return read_lines(
        path,
        findings,
        iter(lines),
        partition=partition,
        all_states=all_states,
        speed=speed,
        accounts=accounts,
        qos=qos,
        reservations=reservations,
        usage=usage,
        tz=tz,
    )


def _partitions(path: Path, findings: Findings) -> list[Line]:
    """Partitions that a file beside tells, or the groups of nodes do."""
    beside = path.parent / "scontrol-partition.json"
    if beside.is_file():
        found = entries(read_bytes(beside, findings), ("partitions",), findings)
        return [line for one in found for line in _made(beside, one, _of_partition, findings)]
    made: dict[str, Line] = {}
    for place, pointer, group in entries(read_bytes(path, findings), ("sinfo", "nodes"), Findings(str(path))):
        value = group.get("partition")
        if isinstance(value, dict) and str(value.get("name")) not in made:
            one = place, f"{pointer}/partition", value
            made |= {str(value.get("name")): line for line in _made(path, one, _of_partition, findings)}
    return list(made.values())


def _lines(path: Path, findings: Findings) -> Iterator[Line]:
    """The nodes, as ``scontrol show node`` has them."""
    seen: set[str] = set()
    for one in entries(read_bytes(path, findings), ("sinfo", "nodes"), findings):
        convert = _of_group if isinstance(one[2].get("nodes"), dict) else _of_node
        for line in _made(path, one, convert, findings):
            if line.text("NodeName") not in seen:
                seen.add(line.text("NodeName"))
                yield line


def _made(path: Path, one: tuple[int, str, dict[str, Any]], convert: Any, findings: Findings) -> list[Line]:
    """The lines of an object; none, and a finding, if it is not as Slurm writes it."""
    place, pointer, value = one
    try:
        return [Line(str(path), place, pairs, findings) for pairs in convert(value, findings, pointer)]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        message = f"it is not as Slurm writes it: {what}"
        findings.add(message, code="value", pointer=pointer, line=place, file=str(path))
        return []


def _of_node(node: dict[str, Any], findings: Findings, pointer: str) -> Iterator[list[tuple[str, str]]]:
    _NODE.tell(node, findings, pointer=pointer)
    found = {key: _said(node.get(member)) for member, key in _NODE_KEYS.items()}
    found["NodeName"] = text(node["name"])
    boards = int(number(node.get("boards")) or 1)
    if boards > 1:
        found["Sockets"] = str(int(number(node["sockets"]) or 1) * boards)
    state = node.get("state")
    flags = [*(state if isinstance(state, list) else [state or "UNKNOWN"]), *(node.get("state_flags") or ())]
    found["State"] = "+".join(text(flag) for flag in flags).upper()
    found["Partitions"] = text(node.get("partitions"))
    yield _pairs(found)


def _of_group(group: dict[str, Any], findings: Findings, pointer: str) -> Iterator[list[tuple[str, str]]]:
    """A node of its own for each of a group of ``sinfo``."""
    _GROUP.tell(group, findings, pointer=pointer)
    found = {
        "CPUs": _even(group, "cpus"),
        "Sockets": _even(group, "sockets"),
        "CoresPerSocket": _even(group, "cores"),
        "ThreadsPerCore": _even(group, "threads"),
        "RealMemory": _even(group, "memory"),
        "Weight": _even(group, "weight"),
        "Feature": _said(group.get("features", {}).get("total")),
        "Gres": _said(group.get("gres", {}).get("total")),
        "State": "+".join(text(flag) for flag in group["node"]["state"]).upper(),
    }
    for name in group["nodes"]["nodes"]:
        yield _pairs({"NodeName": text(name), **found})


def _even(group: dict[str, Any], what: str) -> str:
    """What all nodes of a group have; they may differ, and are told one by one then."""
    low, high = number(group[what]["minimum"]), number(group[what]["maximum"])
    if low != high:
        raise ValueError(f"{what} of its nodes are {low:g} to {high:g}: sinfo -N --json tells them one by one")
    return number_text(group[what]["maximum"])


def _of_partition(value: dict[str, Any], findings: Findings, pointer: str) -> Iterator[list[tuple[str, str]]]:
    def part(name: str) -> dict[str, Any]:
        found = value.get(name) or {}
        if not isinstance(found, dict):
            raise TypeError(f"{name!r} is no object")
        return found

    for name, known in _PARTITION.items():
        inside: Names = known
        held = value if not name else part(name)
        said = [one for one in held if not (one in inside.ignored and number(held[one]) in {None, 0.0, inf})]
        inside.tell(said, findings, pointer=f"{pointer}/{name}" if name else pointer)
    found = {
        "PartitionName": text(value["name"]),
        "Nodes": text(part("nodes").get("configured")),
        "MaxTime": duration_text(part("maximums").get("time")),
        "DefaultTime": duration_text(part("defaults").get("time")),
        "MinNodes": number_text(part("minimums").get("nodes")),
        "PriorityTier": number_text(part("priority").get("tier")),
        "PriorityJobFactor": number_text(part("priority").get("job_factor")),
        "AllowAccounts": text(part("accounts").get("allowed")),
        "DenyAccounts": text(part("accounts").get("deny")),
        "AllowQos": text(part("qos").get("allowed")),
        "DenyQos": text(part("qos").get("deny")),
        "QOS": text(part("qos").get("assigned")),
        "GraceTime": number_text(value.get("grace_time")),
        "TRESBillingWeights": text(part("tres").get("billing_weights")),
        "JobDefaults": text(part("defaults").get("job")),
        "OverTimeLimit": number_text(part("maximums").get("over_time_limit"), "UNLIMITED"),
        "State": text(part("partition").get("state")).partition(",")[0],
        "OverSubscribe": _sharing(part("maximums").get("shares")),
    }
    found |= {key: number_text(part("maximums").get(member), "UNLIMITED") for member, key in _MAXIMA.items()}
    found |= _memory("Def", part("defaults").get("memory_per_cpu"))
    found |= _memory("Max", part("maximums").get("memory_per_cpu"))
    yield _pairs(found)


def _sharing(shares: Any) -> str:
    found = number(shares)
    if found is None or found == 1:
        return ""
    if found == _EXCLUSIVE:
        return "EXCLUSIVE"
    jobs = int(found)
    return f"FORCE:{jobs & ~_FORCED}" if jobs & _FORCED else f"YES:{jobs}"


def _memory(which: str, amount: Any) -> dict[str, str]:
    """MB of each node, or of each CPU if the highest bit is set; 0: none is said."""
    if isinstance(amount, dict):
        amount = amount["number"] if amount.get("set", True) and not amount.get("infinite") else None
    whole = amount or 0  # no float: the highest bit would swallow the others
    if not isinstance(whole, int) or whole < 0:
        raise TypeError(f"an amount of memory is {amount!r}, MB are expected")
    if not whole:
        return {}
    if whole & _PER_CPU:
        return {f"{which}MemPerCPU": str(whole & ~_PER_CPU)}
    return {f"{which}MemPerNode": str(whole)}


def _said(value: Any) -> str:
    if isinstance(value, dict | int | float) and not isinstance(value, bool):
        return number_text(value)
    return "" if value in ("(null)", "N/A") else text(value)


def _pairs(found: dict[str, str]) -> list[tuple[str, str]]:
    return [(key, value) for key, value in found.items() if value]
