"""Jobs as they come: their components, association, QOS and priority, and whether they are taken (§3.1, §7.1)."""

from collections.abc import Sequence

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.model import Job
from windtunnel.model.slurm import JobAsk
from windtunnel.schedulers.slurm.defaults import ask_of
from windtunnel.schedulers.slurm.jobs.countdown import Countdown
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.jobs.together import HetJob, Siblings
from windtunnel.schedulers.slurm.loops.cancelling import may_be_dropped
from windtunnel.schedulers.slurm.loops.first_reasons import first_reason
from windtunnel.schedulers.slurm.loops.het_jobs import component_asks, component_id
from windtunnel.schedulers.slurm.loops.submission import refusal
from windtunnel.schedulers.slurm.state import State

__all__ = ["Admission", "rank", "tick"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Admission:
    """The desk at which jobs are submitted."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._numbers = 0
        self._countdown = Countdown()
        self._arrays: dict[str, Siblings] = {}
        """Of arrays with a limit of tasks that run at once, by what their tasks' names have in common."""

    def submit(self, job: Job) -> tuple[list[PendingJob], str | None]:
        """A job is checked for validity, never started at once (§3.1): what now waits, or the Reason of a refusal."""
        state = self.state
        asks = component_asks(ask_of(job, state.site))
        het = HetJob(job.id) if len(asks) > 1 else None
        made: list[PendingJob] = []
        again = job.id in state.requeued
        for offset, ask in enumerate(asks):
            pending = self._pending(component_id(job.id, offset), ask)
            if het is not None:
                het.add(pending)
            reason = None if again else refusal(state, pending)
            if reason is not None:
                for one in made:
                    del state.pending[one.id]
                return [], reason
            state.pending[pending.id] = pending
            made.append(pending)
            if may_be_dropped(state, pending):
                state.watched.add(pending.id)
        state.dependencies.announce(job.id)
        for one in made:
            one.reason = "BeginTime" if again else first_reason(state, one)
            if one.reservation and not state.bookings.open_to(one, state.now):
                one.eligible = None
                one.accrued_from = None
        return made, None

    def _pending(self, key: str, ask: JobAsk) -> PendingJob:
        """A job, or a component of one, as it waits: with its association, QOS and priority.

        One that is requeued has its old place and, until the next round of the decay thread, its old priority.
        """
        state = self.state
        before = state.requeued.pop(key, None)
        if before is None:
            self._numbers += 1
        number = self._numbers if before is None else before.number
        if not ask.partitions and (named := state.bookings.partition_of(ask.reservation)):
            ask = replace(ask, partitions=(named,))
        account, member = state.tree.association(ask, state.cluster.default, bool(state.site.enforce))
        qos = state.cluster.qos.get(ask.qos or state.tree.default_qos(member))
        pending = PendingJob(key, number, ask, state.now, state.cluster, member, qos)
        if pending.member is None:
            pending.account = account
        if ask.array_limit:
            array = key.rpartition("_")[0] or key
            pending.siblings = self._arrays.setdefault(array, Siblings(ask.array_limit))
        if state.accrual.limited:
            pending.accrued_from = None  # until a queue is made
        if before is not None:
            pending.take_place_of(before)
        elif state.site.priority.multifactor:
            rank(state, pending)
        else:
            self._countdown.rank(pending)
        return pending


def tick(state: State, running: Sequence[RunningJob], last: bool = True) -> None:
    """A round of the decay thread at ``state.now``: usage, limits and, in the ``last`` of several, priorities.

    ``priority/basic`` has no such thread, nor has a site without slurmdbd: nothing is used there, priorities stay.
    """
    if not (state.site.priority.multifactor and state.site.priority.accounted):
        return
    if last and state.ledger.one_pass:
        _charge_and_rank(state, running)
    else:
        state.ledger.tick(state.now, [one.spending for one in running])
    state.limits.tick(state.running.values(), state.now)
    if last and not state.ledger.one_pass:
        for job in state.pending.values():
            rank(state, job)


def _charge_and_rank(state: State, running: Sequence[RunningJob]) -> None:
    """All jobs in the order of Slurm's list: who waits before others that run does not see what they have used."""
    ledger, now = state.ledger, state.now
    ledger.open_round(now)
    jobs = sorted(running, key=lambda one: one.holding.order, reverse=True)
    for waiting in sorted(state.pending.values(), key=lambda one: one.order):
        while jobs and jobs[-1].holding.order < waiting.order:
            ledger.charge(jobs.pop().spending, now)
        rank(state, waiting)
    for one in reversed(jobs):
        ledger.charge(one.spending, now)
    ledger.close_round(now)


def rank(state: State, job: PendingJob) -> None:
    """Multifactor priorities of a job in each of its partitions (§7.1)."""
    ranking = state.ranking
    share = state.ledger.fair_share(job.member) if job.fixed_priority is None else 0.0
    always = ranking.ages_always
    since = job.submitted if always else job.accrued_from
    age = state.now - since if since is not None else 0
    cpus = job.last_cpus if ranking.by_size else 0
    for record in job.records:
        if job.fixed_priority is not None:
            record.priority = job.fixed_priority
            continue
        lasting = record.lasting
        if lasting is None or record.sized != cpus:
            partition = record.table.partition
            lasting = ranking.lasting(record.demand, partition, job.qos, job.member, job.minutes_for_size, cpus)
            record.lasting, record.sized = lasting, cpus
        priority = ranking.priority(lasting, share, age, job.site_factor, job.nice)
        record.priority = max(priority, record.priority) if ranking.only_rises else priority
    if ranking.by_size and job.minutes is None:
        job.relate_to_last()

