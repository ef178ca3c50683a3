"""Why jobs wait: Slurm's Reasons over time, and what a job's record says of them."""

from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.names import folded
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.state import State

__all__ = ["Waits", "reasons_of"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Waits:
    """The Reasons of waiting jobs, with the dates (seconds) from which on they held."""

    def __init__(self) -> None:
        self._histories: dict[str, list[tuple[float, str]]] = {}

    def note(self, now: float, jobs: Iterable[PendingJob]) -> None:
        """Take down the Reasons that are new."""
        for job in jobs:
            if job.reason != job.noted_reason:
                self._note(now, job)

    def _note(self, now: float, job: PendingJob) -> None:
        reason = job.noted_reason = job.reason
        if reason == "None":
            return
        history = self._histories.setdefault(job.id, [])
        if not history or history[-1][1] != reason:
            history.append((now, reason))

    def forget(self, key: str) -> None:
        """A job waits no more."""
        self._histories.pop(key, None)

    def told(self, parts: list[RunningJob], cluster: Cluster) -> str:
        """What a job's record says of its start: for what reasons it waited, and which component is where."""
        for one in parts:
            one.pending.noted_reason = "None"  # if it comes back, its Reasons are taken down anew
        waits = [
            "; ".join(f"{reason} from {when:g} s" for when, reason in self._histories.pop(one.id, []))
            for one in parts
        ]
        if len(parts) == 1:
            return f"Slurm's Reason: {waits[0]}" if waits[0] else ""
        found = []
        for offset, (one, why) in enumerate(zip(parts, waits, strict=True)):
            nodes = folded(cluster.names[node] for node in bits(one.holding.nodes))
            found.append(f"+{offset} on {nodes}" + (f" ({why})" if why else ""))
        return "Components, with Slurm's Reasons: " + ", ".join(found)


def reasons_of(state: State) -> dict[str, str]:
    """The Reasons of all jobs that wait, by job: of heterogeneous ones those of their components."""
    waiting: dict[str, list[str]] = {}
    for one in state.pending.values():
        waiting.setdefault(one.whole, []).append(one.reason)
    return {key: ", ".join(dict.fromkeys(reasons)) for key, reasons in waiting.items()}
