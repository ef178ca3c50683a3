"""What runs an application: a program for each lane of ranks, which part and meet again (see ``lanes``).

It stands still at scheduling points and with requests for hosts until these are answered, and begins anew on other
hosts. Plain data, like the sharing system that it runs on.
"""

from collections.abc import Iterable, Sequence
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import LivelockError
from windtunnel.engine.jobs.elastic.lanes import Lane, Pending
from windtunnel.engine.jobs.elastic.telling import tell_followers
from windtunnel.engine.jobs.elastic.under_way import UnderWay
from windtunnel.engine.jobs.execution.nodes import Node, finish, leaf_due
from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet
from windtunnel.model.application import ElasticProfile
from windtunnel.model.expressions import ExpressionError, evaluate, substituted
from windtunnel.vocabulary import HostsRequested, JobGoesOn, JobProgressed, SchedulingPointReached

if TYPE_CHECKING:
    from windtunnel.engine.jobs.elastic.program import Program

__all__ = ["Machine"]

_NONE: Final = HostSet()

_IDLE_STEPS: Final = 10_000_000
"""So many steps without time passing are taken for a program that never ends."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Machine(UnderWay):
    """One running application."""

    def __init__(self, world: World, node: Node, profile: ElasticProfile, hosts: Sequence[int], gpus: int) -> None:
        super().__init__(world, node, [*hosts])
        self.profile = profile
        self.gpus = gpus
        self.next_gpus = gpus
        """From the next change of hosts on."""
        self.arguments: dict[str, str] = {}
        """Given while it runs, for the next change of hosts."""
        self.target: list[int] | None = None
        """The hosts that it is to have; None: those that it has."""
        self.stopped = ""
        """Why it stands still: "point", "request" or ""."""
        self.told: Any = None
        """The notice that it waits for to be answered."""
        self.kept = _NONE
        """Hosts kept for it until it can change."""
        self.changed: list[int] | None = None
        """While it stands still: the hosts that it had, when its hosts have changed."""
        self.steps_done = 0
        """Iterations of phases that were over when it stopped last."""
        self.place = (0, 0)
        """The phase and the iteration at which it goes on."""
        self.running = False
        self.unbegun = True
        """Its phases have not begun yet."""
        self.ranks_over = 0
        self.steps_at = -1.0
        self.steps = 0
        self.program: Program | None = None
        """The steps for its present size."""

    # -- lanes ------------------------------------------------------------------------------------------------

    def launch(self, lanes: Iterable[Lane]) -> None:
        """Lanes begin."""
        self.ready.extend(lanes)
        self.drive()

    def drive(self) -> None:
        """All lanes that can go on do so until they must wait."""
        if self.running:
            return
        self.running = True
        try:
            while self.ready:
                self._run(self.ready.popleft())
        finally:
            self.running = False

    def _run(self, lane: Lane) -> None:
        stack = lane.stack
        while stack:
            frame = stack[-1]
            if frame.index < len(frame.steps):
                frame.index += 1
                if not frame.steps[frame.index - 1].run(self, lane):
                    return
                continue
            if frame.closes and not self.await_all(lane, frame.detached):
                return
            self._count_steps()
            frame.left -= 1
            frame.done += 1
            if frame.left > 0:
                frame.index = 0
                continue
            stack.pop()
            if frame.name is not None:
                self.task_over(lane, frame.name, self.world.now - frame.begun)

    def _count_steps(self) -> None:
        if self.world.now != self.steps_at:
            self.steps_at = self.world.now
            self.steps = 0
        self.steps += 1
        if self.steps > _IDLE_STEPS:
            reason = (
                f"job {self.record.job.id!r}: its application has done {_IDLE_STEPS:,} steps without time passing"
            )
            raise LivelockError(reason, now=self.world.now)

    def task_over(self, lane: Lane, name: str, seconds: float) -> None:
        """The ranks of a lane have finished a task."""
        for hook in self.world.hooks.task:
            hosts = [lane.team.hosts[rank] for rank in lane.ranks]
            hook(self.world.now, self.record, hosts, name, seconds)

    def release(self, waiting: list[Lane]) -> None:
        """All have come to a barrier: those at the same place go on as one."""
        joined: list[Lane] = []
        for lane in waiting:
            if joined and joined[-1].may_join(lane):
                joined[-1].ranks.extend(lane.ranks)
            else:
                joined.append(lane)
        for lane in joined:
            lane.ranks.sort()
        self.ready.extend(joined)

    def split(self, lane: Lane, groups: Iterable[list[int]]) -> list[Lane]:
        """A lane parts."""
        return [lane.part(ranks) for ranks in groups]

    def await_all(self, lane: Lane, pendings: list[Pending]) -> bool:
        """Whether all are over; if not, the lane waits for them."""
        left = [pending for pending in pendings if not pending.over]
        pendings.clear()
        for pending in left:
            pending.waiter = lane
        lane.waits = len(left)
        return not left

    # -- phases -------------------------------------------------------------------------------------------------

    def wanted(self, text: str, iteration: int) -> int:
        """How many hosts a request asks for."""
        profile = self.profile
        first = (
            ("num_nodes_max", str(profile.most)),
            ("num_nodes_min", str(profile.least)),
            ("phase_iteration", str(iteration)),
        )
        value = self.value(substituted(text, first), len(self.hosts), arguments=False)
        if not isfinite(value):
            raise self.fail(f"its request {text!r} asks for {value} hosts")
        count = int(value)
        if profile.clip_requests:
            return min(max(count, profile.least), profile.most)
        if not profile.least <= count <= profile.most:
            limits = f"{profile.least} to {profile.most}"
            raise self.fail(f"its request {text!r} asks for {count} hosts, and it takes {limits}")
        return count

    def value(self, text: str, count: int, *, arguments: bool = True) -> float:
        """The value of an expression on ``count`` hosts."""
        if arguments:
            text = substituted(text, sorted(self.profile.arguments.items()))
        sizes = (
            ("num_nodes", str(count)),
            ("num_gpus_per_node", str(self.gpus)),
            ("num_gpus", str(count * self.gpus)),
        )
        text = substituted(text, sizes)
        if self.profile.elasticity:
            text = substituted(text, sorted(self.arguments.items()))
        try:
            return evaluate(text)
        except ExpressionError as error:
            raise self.fail(str(error)) from None

    def begun(self, lane: Lane) -> None:
        """The phases begin or go on: told once, by the lane with the first rank; not if they begin with the job."""
        if 0 in lane.ranks:
            with_job, self.unbegun = self.unbegun, False
            if not with_job or self.world.now != self.record.starting_time:
                tell_followers(self.world, JobGoesOn(self.world.now, self.record.job))

    def stop(self, lane: Lane, wanted: int) -> None:
        """All ranks are at a scheduling point, or with a request."""
        outer = lane.stack[0], lane.stack[1]
        self.place = (outer[0].index - 1, outer[1].done)
        assert self.program is not None
        self.steps_done = self.program.steps_before(*self.place)
        world, job, hosts = self.world, self.record.job, tuple(self.hosts)
        self.stopped = "request" if wanted else "point"
        if wanted:
            self.told = HostsRequested(world.now, job, hosts, wanted, self.steps_done)
        else:
            self.told = SchedulingPointReached(world.now, job, hosts, self.steps_done)
        tell_followers(world, JobProgressed(world.now, job, self.steps_done))
        world.tell(self.told)
        sharing = sharing_of(world)
        sharing.standing.append(self)
        sharing.changed = True

    def go_on(self, world: World) -> bool:
        """Whether it no longer stands still: what it told was answered, or it has ended."""
        if self.ended_already:
            return True
        if self.node.frozen_at >= 0:
            return False
        for session in world.sessions:
            if session.ready_at > world.now or any(notice is self.told for notice in session.outbox):
                return False
        self.stopped = ""
        self.told = None
        leaf_due(world, self.node)
        return True

    def join(self, lane: Lane) -> None:
        """New ranks go on with all others."""
        assert self.program is not None
        numbers = sorted(lane.team.numbers[rank] for rank in lane.ranks)
        self.ready.append(Lane(self.program.team, numbers, self.program.phases_from(*self.place)))

    def over(self, lane: Lane) -> None:
        """Ranks have done all their phases."""
        self.ranks_over += len(lane.ranks)
        if self.ranks_over == len(self.hosts):
            self.ended_already = True
            self.ready.clear()
            if self.kept:
                self.world.hosts.give_back(self.kept)
            assert self.program is not None
            self.steps_done = self.program.total
            finish(self.world, self.node, self.profile.return_code)

    def moved(self, hosts: HostSet) -> dict[int, int]:
        """Also: hosts that it had, and has, before it has gone on with others."""
        where = super().moved(hosts)
        if self.changed is not None:
            self.changed = [where.get(host, host) for host in self.changed]
        return where

    def file_hosts(self, host: int) -> tuple[int, ...]:
        """The hosts of the parallel file system that a host uses: those that it names, else all."""
        platform = self.world.platform
        named = platform.hosts[host].properties.get("pfs_targets")
        if named is None:
            return tuple(storage.id for storage in platform.storages)
        by_name = {storage.name: storage.id for storage in platform.storages}
        return tuple(by_name[name] for name in named.split(",") if name in by_name)

    @property
    def host_set(self) -> HostSet:
        """Its hosts."""
        return HostSet(self.hosts)

    @property
    def progress(self) -> float:
        """The share of its iterations that are over, as known."""
        total = self.program.total if self.program is not None else 0
        return min(1.0, self.steps_done / total) if total and total < inf else 0.0
