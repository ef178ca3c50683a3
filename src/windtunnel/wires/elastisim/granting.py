"""What an algorithm behind ElastiSim's wire answers, as decisions: targets, changes, starts and kills, checked."""

from collections.abc import Sequence

from windtunnel.diagnostics import DecisionError
from windtunnel.model import HostSet
from windtunnel.model.application import Elasticity
from windtunnel.vocabulary import decisions as d
from windtunnel.wires.elastisim.answers import Entry
from windtunnel.wires.elastisim.codes import PERIODIC_CALL, State, Triggers
from windtunnel.wires.elastisim.mirror import JobEntry, SiteMirror

__all__ = ["Granting", "placed"]


class Granting:
    """Keeps what jobs and nodes are told to be, as far as answers change it."""

    def __init__(self, triggers: Triggers) -> None:
        self.triggers = triggers
        self.sharing = False
        self.mirror = SiteMirror(())
        self.unsubmitted = -1
        """Jobs that are still to come; -1: not known."""
        self.alive = 0
        self.over = False

    def end(self, entry: JobEntry, now: float, state: State) -> None:
        mirror = self.mirror
        mirror.leave(now, entry, entry.ranks)
        mirror.unexpect(entry, entry.assigned)
        entry.ranks = [*entry.assigned]
        entry.target = None
        if state is State.COMPLETED:
            entry.phases_done = entry.total
        entry.state = state
        entry.end = now
        entry.stopped = False
        mirror.touch(entry)

    def perhaps_last(self) -> list[d.Decision]:
        if self.unsubmitted == 0 and self.alive == 0 and self.triggers.interval and not self.over:
            self.over = True
            return [d.StopCallMeLater(call_me_later_id=PERIODIC_CALL)]
        return []

    def granted(self, now: float, entries: list[Entry], asking: JobEntry | None) -> list[d.Decision]:
        """An answer as decisions: first all new targets, then who stands still changes, then starts and kills."""
        targets: list[d.Decision] = []
        own: list[d.Decision] = []
        later: list[tuple[JobEntry, bool]] = []
        arguments: list[d.Decision] = []
        for one in entries:
            if not 0 <= one.job < len(self.mirror.jobs):
                raise DecisionError(f"there is no job {one.job}", rule="unknown-job", now=now)
            entry = self.mirror.jobs[one.job]
            if one.kill:
                self._check_kill(entry, now)
                self.mirror.touch(entry)
                later.append((entry, True))
                continue
            if one.arguments is not None:
                entry.runtime = dict(one.arguments)
                arguments.append(d.SetJobArguments(job_id=entry.job.id, arguments=entry.runtime))
            changed = self._take_target(entry, one, now)
            if entry.state is State.PENDING:
                if changed:
                    later.append((entry, False))
            elif entry is asking and entry.stopped:
                own = [self._resize(entry)] if changed else own
            elif changed:
                targets.append(self._resize(entry))
        if later and asking is not None and asking.stopped and not own and asking.state is State.CHANGE_PENDING:
            own = [self._resize(asking)]
        if later and own and asking is not None:  # what it gives up may start another in the same answer
            self.mirror.leave(now, asking, sorted({*asking.ranks} - {*asking.assigned}))
        done: list[d.Decision] = []
        for entry, kill in later:
            done += self._kill(entry, now) if kill else self._start(entry, now)
        return [*arguments, *targets, *own, *done]

    def _check_kill(self, entry: JobEntry, now: float) -> None:
        if entry.state in (State.COMPLETED, State.KILLED):
            raise DecisionError(f"job {entry.number} cannot be killed: it has ended", rule="state", now=now)
        if entry.state is State.PENDING and entry.walltime:
            reason = f"job {entry.number} cannot be killed: it has a walltime and has not started"
            raise DecisionError(reason, rule="state", now=now)

    def _take_target(self, entry: JobEntry, one: Entry, now: float) -> bool:
        """The nodes that a job is to have; whether these are others than it has."""
        mirror = self.mirror
        where = f"job {entry.number}"
        if entry.state in (State.COMPLETED, State.KILLED):
            raise DecisionError(f"{where} is given nodes: it has ended", rule="state", now=now)
        if entry.state is not State.PENDING and entry.kind < Elasticity.MALLEABLE:
            reason = f"{where} is given nodes: it runs, and is {entry.kind.name.lower()}"
            raise DecisionError(reason, rule="resize-kind", now=now)
        beyond = [node for node in one.nodes if not 0 <= node < len(mirror.nodes)]
        if beyond:
            raise DecisionError(f"{where} is given nodes that do not exist: {beyond}", rule="unknown-host", now=now)
        if not entry.least <= len(one.nodes) <= entry.most:
            reason = f"{where} takes {entry.least} to {entry.most} nodes and is given {len(one.nodes)}"
            raise DecisionError(reason, rule="resize-range", now=now)
        if entry.profile is not None and entry.kind is not Elasticity.RIGID:
            if not entry.profile.gpus_least <= one.gpus <= entry.profile.gpus_most:
                limits = f"{entry.profile.gpus_least} to {entry.profile.gpus_most}"
                reason = f"{where} takes {limits} GPUs on each node and is given {one.gpus}"
                raise DecisionError(reason, rule="resize-range", now=now)
            entry.gpus = entry.gpus_told = one.gpus
        running = entry.state is not State.PENDING
        if running:
            mirror.changed_nodes.update(dict.fromkeys(entry.assigned))
            mirror.unexpect(entry, entry.assigned)
            self._expect(entry, one.nodes, now)
        mirror.touch(entry)
        entry.target = [*one.nodes]
        if entry.target == entry.ranks:
            entry.target = None
            if entry.state is State.CHANGE_PENDING:
                entry.state = State.RUNNING
                return True
            return False
        if entry.state is State.RUNNING:
            entry.state = State.CHANGE_PENDING
        return entry.state is not State.RECONFIGURING

    def _expect(self, entry: JobEntry, nodes: Sequence[int], now: float) -> None:
        for number in nodes:
            node = self.mirror.nodes[number]
            others = {*node.running, *node.expected} - {entry.number}
            if others and not self.sharing:
                reason = f"job {entry.number} is given node {number}, which job {min(others)} has or is to have"
                raise DecisionError(reason, rule="host-busy", now=now)
        self.mirror.expect(entry, nodes)

    def _resize(self, entry: JobEntry) -> d.ResizeJob:
        hosts, placement = placed(entry.assigned)
        return d.ResizeJob(job_id=entry.job.id, hosts=hosts, placement=placement, gpus=_gpus(entry))

    def _start(self, entry: JobEntry, now: float) -> list[d.Decision]:
        mirror = self.mirror
        nodes = entry.assigned
        for node in nodes:
            if (others := {*mirror.nodes[node].expected} - {entry.number}) and not self.sharing:
                reason = f"job {entry.number} is given node {node}, which job {min(others)} is to have"
                raise DecisionError(reason, rule="host-reserved", now=now)
        entry.ranks = [*nodes]
        entry.target = None
        mirror.run_on(now, entry, nodes)
        entry.state = State.RUNNING
        entry.start = now
        mirror.touch(entry)
        hosts, placement = placed(nodes)
        gpus = _gpus(entry)
        amounts = {host: {"gpus": float(gpus)} for host in hosts} if gpus > 0 else None
        return [d.ExecuteJob(job_id=entry.job.id, hosts=hosts, placement=placement, amounts=amounts)]

    def _kill(self, entry: JobEntry, now: float) -> list[d.Decision]:
        if entry.state in (State.COMPLETED, State.KILLED):
            raise DecisionError(f"job {entry.number} is killed twice", rule="state", now=now)
        pending = entry.state is State.PENDING
        self.end(entry, now, State.KILLED)
        if not pending:
            return [d.KillJobs(job_ids=(entry.job.id,))]
        self.alive -= 1
        return [d.RejectJob(job_id=entry.job.id, reason="killed"), *self.perhaps_last()]


def placed(nodes: Sequence[int]) -> tuple[HostSet, tuple[int, ...] | None]:
    """The hosts of ranks, and for each rank the place of its host among them; None where these are in order."""
    hosts = HostSet(nodes)
    if hosts.size == len(nodes) and sorted(nodes) == [*nodes]:
        return hosts, None
    where = {host: rank for rank, host in enumerate(hosts)}
    return hosts, tuple(where[node] for node in nodes)


def _gpus(entry: JobEntry) -> int:
    return entry.gpus if entry.profile is not None else -1
