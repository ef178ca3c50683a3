"""What happens in a run as a whole, noted in its state: who decides, on what, and why jobs are rejected."""

from collections.abc import Sequence
from typing import Final

from windtunnel.diagnostics import Account
from windtunnel.model import HostSet, JobRecord, Platform, Workload
from windtunnel.model.platform import column_of
from windtunnel.results.reserved import reserved
from windtunnel.results.state import ComponentFacts, PlatformFacts, Rejection, RunState, WorkloadFacts, as_plain
from windtunnel.vocabulary.component import Hello, Observer

__all__ = ["RunNotes"]

_MOST_REASONS: Final = 100
"""The number of different reasons for rejections that are kept."""


class RunNotes(Observer):
    """Notes in a state, and in the account, what is to be known of a run besides its rows."""

    def __init__(self, state: RunState, account: Account) -> None:
        self.state = state
        self.account = account
        self._rejections: dict[str, Rejection] = {}
        self._keeps_reservations = False

    def on_hello(self, now: float, name: str, hello: Hello) -> None:  # noqa: ARG002 -- hook
        """Note who decides, as far as it says."""
        self._keeps_reservations |= hello.name == "slurm"
        if hello.version or hello.protocol_version:
            about = ComponentFacts(
                name, hello.name, hello.version, hello.commit or "", hello.protocol_version, hello.protocol_commit
            )
            self.state.components.append(about)

    def on_ignored(self, now: float, kind: str, reason: str, place: str) -> None:  # noqa: ARG002 -- hook
        """What had no effect is in the account."""
        self.account.tell(kind, reason, place=place)

    def on_job_rejected(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- hook
        """Count why."""
        reason = record.metadata
        known = self._rejections.get(reason)
        if known is not None:
            known.jobs += 1
        elif reason and len(self._rejections) < _MOST_REASONS:
            known = self._rejections[reason] = Rejection(reason, 1, record.job.id)
            self.state.rejections.append(known)

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:
        """Note the inputs."""
        cores = column_of(platform.hosts, "cores")
        self.state.platform = PlatformFacts(
            name=platform.name,
            path=platform.path,
            hosts=len(platform.hosts),
            storages=len(platform.storages),
            cores=sum(cores),
            hosts_by_cores=_by_cores(cores) if len(set(cores)) > 1 else {},
            options=as_plain(platform.options),
            reservations=reserved(platform, workloads) if self._keeps_reservations else [],
        )
        self.state.workloads = [WorkloadFacts(name=w.name, path=w.path, jobs=len(w)) for w in workloads]
        self.state.simulated_time = now


def _by_cores(cores: Sequence[int]) -> dict[str, str]:
    """Which hosts have how many cores."""
    hosts: dict[int, list[int]] = {}
    for host, number in enumerate(cores):
        hosts.setdefault(number, []).append(host)
    return {str(number): str(HostSet(having)) for number, having in sorted(hosts.items())}
