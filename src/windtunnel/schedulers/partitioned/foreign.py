"""What jobs of other partitions take of the cores that the jobs of one partition may use (``MaxCPUsPerNode``).

Of a host with ``n`` cores, ``m`` of which the partition may use, others have ``n - m`` before they are in its way.
What they take beyond that is told of single jobs: of those that came last.
"""

from collections.abc import Mapping

from windtunnel.model import Job

__all__ = ["Foreign"]


class Foreign:
    """Jobs of other partitions on hosts of one, with the cores that each is said to take."""

    def __init__(self, spare: dict[int, int]) -> None:
        self._spare = spare
        """The cores of each host that are not for the partition anyway."""
        self._others: dict[int, float] = {}
        """Cores that others have, by host."""
        self._jobs: dict[str, tuple[Job, Mapping[int, Mapping[str, float]]]] = {}
        """As they are, in the order of their starts."""
        self._told: dict[str, dict[int, float]] = {}

    def _beyond(self, host: int) -> float:
        return max(0.0, self._others.get(host, 0.0) - self._spare[host])

    def started(self, job: Job, amounts: Mapping[int, Mapping[str, float]]) -> dict[int, dict[str, float]]:
        """Another job has these amounts; what it is said to have."""
        told = {}
        for host, taken in amounts.items():
            before = self._beyond(host)
            self._others[host] = self._others.get(host, 0.0) + taken.get("cores", 0.0)
            told[host] = self._beyond(host) - before
        self._jobs[job.id] = job, amounts
        self._told[job.id] = told
        return self._amounts(job.id)

    def ended(self, job_id: str) -> list[tuple[Job, dict[int, dict[str, float]]]]:
        """A job has ended; the others that are said to have less now, with what."""
        if job_id not in self._jobs:
            return []
        _, amounts = self._jobs.pop(job_id)
        self._told.pop(job_id)
        changed: dict[str, None] = {}
        for host, taken in amounts.items():
            self._others[host] -= taken.get("cores", 0.0)
            there = [one for one, told in self._told.items() if host in told]
            excess = sum(self._told[one][host] for one in there) - self._beyond(host)
            for one in reversed(there):
                less = min(excess, self._told[one][host])
                if less > 0:
                    self._told[one][host] -= less
                    excess -= less
                    changed[one] = None
        return [(self._jobs[one][0], self._amounts(one)) for one in changed]

    def _amounts(self, job_id: str) -> dict[int, dict[str, float]]:
        told = self._told[job_id]
        return {host: {**taken, "cores": told[host]} for host, taken in self._jobs[job_id][1].items()}
