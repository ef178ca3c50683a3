"""How Slurm's Reasons spell the limits of what is counted (§6.3)."""

from collections.abc import Mapping
from typing import Final

__all__ = ["ASSOC_JOB", "GROUP", "JOB_MINUTES", "MINUTES", "QOS_JOB", "QOS_USER", "SHORT", "named"]

GROUP: Final = {"cpu": "CpuLimit", "mem": "MemLimit", "node": "NodeLimit", "billing": "Billing"}
MINUTES: Final = {
    "cpu": "CPU{}MinutesLimit",
    "mem": "Mem{}Minutes",
    "node": "Node{}Minutes",
    "billing": "Billing{}Minutes",
}
ASSOC_JOB: Final = {
    "cpu": "CpuPerJobLimit",
    "mem": "MemPerJob",
    "node": "NodePerJobLimit",
    "billing": "BillingPerJob",
}
QOS_JOB: Final = {
    "cpu": "CpuPerJobLimit",
    "mem": "MemoryPerJob",
    "node": "NodePerJobLimit",
    "billing": "BillingPerJob",
}
QOS_USER: Final = {
    "cpu": "CpuPerUserLimit",
    "mem": "MemoryPerUser",
    "node": "NodePerUserLimit",
    "billing": "BillingPerUser",
}
JOB_MINUTES: Final = {"cpu": "CpuMinutesPerJobLimit", "mem": "MemMinutesPerJob", "node": "NodeMinutesPerJobLimit"}
SHORT: Final = {"cpu": "Cpu", "mem": "Mem", "node": "Node", "billing": "Billing"}


def named(table: Mapping[str, str], tres: str, rest: str = "GRES") -> str:
    """How a Reason spells a TRES."""
    if tres in table:
        return table[tres]
    return rest if tres.startswith("gres/") else "License" if tres.startswith("license/") else "Unknown"
