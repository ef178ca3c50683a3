"""Limits of QOS and associations: what is refused when, and the Reason (§6)."""

from collections.abc import Iterable, Mapping

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.limits.after_placement import refusal_after
from windtunnel.schedulers.slurm.limits.at_submission import refusal_at_submission
from windtunnel.schedulers.slurm.limits.before_placement import refusal_before
from windtunnel.schedulers.slurm.limits.node_counts import most_nodes
from windtunnel.schedulers.slurm.limits.tallies import Tallies, inherited
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of

__all__ = ["LimitBook"]


@mypyc_attr(allow_interpreted_subclasses=True)
class LimitBook(Tallies):
    """All tallies, and the checks at submission, and before and after a placement."""

    def submission(
        self,
        record: Record,
        tres: Mapping[str, float],
        waiting: Iterable[PendingJob],
        running: Iterable[RunningJob],
    ) -> str | None:
        """The Reason for which a job that asks for so much is refused when it is submitted (§6.3)."""
        return refusal_at_submission(self, record, tres, waiting, running) if self.active else None

    def before(self, record: Record) -> str | None:
        """The Reason for which a job may not even be placed (§6.1)."""
        return refusal_before(self, record) if self.active else None

    def after(self, record: Record, placed: Picked, tres: Mapping[str, float]) -> str | None:
        """The Reason for which a job may not have that placement (§6.1)."""
        return refusal_after(self, record, placed, tres) if self.active else None

    def bound(self, record: Record) -> str | None:
        """The Reason of a job that asks for more nodes than limits would ever let it have; others look for no more.

        Nodes that only follow from its tasks do not count: such a job can never run.
        """
        if not (self.active and self.counts_nodes):
            return None
        if record.node_refusal == "":
            found = most_nodes(self.qos_of(record), record.job.member)
            record.node_refusal = None if found is None or found[0] >= record.demand.least_asked else found[1]
            if found is not None and not record.node_refusal:
                record.demand.bound(found[0])
                record.kind = -1
        return record.node_refusal

    def least_priority(self, record: Record, otherwise: int) -> int:
        """Below it a job is given no plan, and lets its partition not fail: MinPrioThreshold of a QOS or account."""
        if not (self.active and self.thresholds):
            return otherwise
        for qos in self.qos_of(record):
            if qos.limits.min_priority:  # 0 says nothing
                return qos.limits.min_priority
        member = record.job.member
        return (inherited(member, "min_priority") if member is not None else None) or otherwise

    def preferred(self, record: Record) -> int:
        """The nodes that QOS, user or accounts use whose number is limited: they cost nothing, and go first.

        A group that has never had a job is passed over, and the next one asked.
        """
        if not (self.active and self.counts_nodes):
            return 0
        job, found = record.job, 0
        limited: set[str] = set()
        for qos in self.qos_of(record):
            limits = qos.limits
            for kind, table, key in (
                ("group", limits.grp_tres, ("qos", qos.name)),
                ("user", limits.max_tres_per_user, ("user", qos.name, job.user)),
                ("account", limits.max_tres_per_account, ("account", qos.name, job.account)),
            ):
                if "node" in table and kind not in limited:
                    tally = self.tally(*key)
                    if tally.begun or kind != "group":
                        limited.add(kind)
                    found |= mask_of(tally.nodes)
        for one in job.member.path() if job.member is not None and "group" not in limited else ():
            if "node" in one.limits.grp_tres:
                tally = self.tally("association", one.number)
                if tally.begun:
                    return found | mask_of(tally.nodes)
        return found
