"""Ranks that replay their traces: a state machine over the fluid system (execution-model.md 4)."""

import math
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.replay.collectives import Exchange
from windtunnel.engine.replay.operations import ACTIONS, Compute, Operation, Sleep, default_size, operations
from windtunnel.engine.replay.ranks import Mailbox, Message, Rank
from windtunnel.engine.replay.tags import ENDING, ReplayTag
from windtunnel.engine.sharing import Action, Builder, System, Task

__all__ = ["Trace", "TraceReplay"]

ENVELOPE: Final = 16.0
"""Bytes that travel with each message."""

LAST_WORD: Final = 4.0
"""Bytes with which a rank tells that it has ended, where that takes time."""

DETACHED_BELOW: Final = 65536.0
"""A sender does not wait for messages smaller than this (bytes; smpi/send-is-detached-thresh)."""

Trace = Sequence[Sequence[str]]
"""The words of each line of one rank, after the rank."""


@mypyc_attr(allow_interpreted_subclasses=True)
class TraceReplay:
    """One job that replays traces, one per rank.

    Start it with ``begin``; hand every action that ends with a ``ReplayTag`` of this owner to ``ended``. It is over
    when ``done``. Plain data, like the system it runs on.

    Args:
        owner: put into the tags of its actions.
        system: what runs the actions.
        build: makes tasks for that system.
        traces: one per rank.
        hosts: the host of each rank; several ranks may share one.
        home: the host that is told of the end of each rank, by one message after the other, before the replay is over
            (Batsim 4); -1: this takes no time.

    Raises:
        UsageError: There are not as many hosts as traces, or a trace has an action that is not replayed.
    """

    def __init__(
        self,
        owner: Any,
        system: System,
        build: Builder,
        traces: Sequence[Trace],
        hosts: Sequence[int],
        home: int = -1,
    ) -> None:
        if len(hosts) != len(traces) or not traces:
            raise UsageError(f"{len(traces)} traces need as many executors, not {len(hosts)}")
        unknown = {words[0] for trace in traces for words in trace} - set(ACTIONS)
        if unknown:
            raise UsageError(
                f"traces have actions that are not replayed: {', '.join(sorted(unknown))}",
                f"these are: {', '.join(ACTIONS)}",
            )
        self.owner = owner
        self.system = system
        self.build = build
        self.traces = traces
        self.hosts = tuple(hosts)
        self.home = home
        self._ending: deque[int] = deque()
        """Ranks at their end of which the host at home has not been told; it is being told of the first."""
        self.under_way: dict[int, Action] = {}
        self._ranks = [Rank() for _ in traces]
        self._left = len(traces)
        self._mail = Mailbox()

    @property
    def done(self) -> bool:
        """Whether all ranks have come to the end of their traces."""
        return self._left == 0

    def progress(self, now: float) -> float:
        """The share of the actions of all ranks that is over, in [0, 1]; of computations under way what is done."""
        total = sum(map(len, self.traces))
        over = float(sum(rank.line - (rank.blocked > 0 or bool(rank.todo)) for rank in self._ranks))
        for action in self.under_way.values():
            subject = action.tag.subject
            if isinstance(subject, int) and subject != ENDING and action.task is not None:
                over += 1.0 - self.system.remaining(now, action)
        return min(1.0, max(0.0, over / total)) if total else 1.0

    @property
    def finish(self) -> list[float]:
        """When each rank came to its end (not a number before)."""
        return [rank.finish for rank in self._ranks]

    @property
    def stuck(self) -> bool:
        """Whether ranks wait for messages that nobody will send any more."""
        return not self.done and not self.under_way

    def waiting(self) -> str:
        """What the ranks that are not at their end are at, for error messages."""
        lines = [
            f"rank {i} at action {rank.line} ({' '.join(self.traces[i][rank.line - 1])})"
            for i, rank in enumerate(self._ranks)
            if math.isnan(rank.finish)
        ]
        return ", ".join(lines)

    def begin(self, now: float) -> None:
        """All ranks start.

        Raises:
            SimulationError: A line is invalid (it names rank, line and fault); so may ``ended``.
        """
        for rank in range(len(self._ranks)):
            self._run(now, rank)

    def ended(self, now: float, action: Action) -> None:
        """An action of this replay is complete: ranks go on."""
        del self.under_way[action.number]
        subject = action.tag.subject
        if isinstance(subject, int):
            if subject == ENDING:
                self._told(now)
            else:
                self._resume(now, subject)
            return
        subject.arrived = True
        waiting, subject.waiting = subject.waiting, []
        for rank in waiting:
            self._resume(now, rank)

    def cancel(self, now: float) -> None:
        """Stop whatever is under way."""
        for action in self.under_way.values():
            self.system.cancel(now, action)
        self.under_way.clear()

    def suspend(self, now: float) -> None:
        """Let everything under way stand still."""
        for action in self.under_way.values():
            self.system.suspend(now, action)

    def resume(self, now: float) -> None:
        """Go on where it stood."""
        for action in self.under_way.values():
            self.system.resume(now, action)

    def move(self, hosts: Sequence[int], home: int = -1) -> None:
        """While it is suspended: the ranks go on on other hosts, and so does what is under way."""
        self.hosts = tuple(hosts)
        self.home = home
        for action in self.under_way.values():
            subject, task = action.tag.subject, action.task
            if task is None:
                continue
            if subject == ENDING:
                action.task = self._last_word()
                action.network_bound = action.task.network_bound
            elif isinstance(subject, int):
                action.task = Task(
                    (hosts[subject],) * len(task.hosts),
                    tuple(((hosts[subject],), weight) for _, weight in task.cpus),
                    task.links,
                    task.latency,
                    task.network_bound,
                    task.traffic,
                )
            else:
                action.task = self._flow(subject)
                action.network_bound = action.task.network_bound

    def _flow(self, message: Message) -> Task:
        ends = self.hosts[message.source], self.hosts[message.target]
        return self.build.flows(ends, ((*ends, message.size + ENVELOPE),))

    def _resume(self, now: float, number: int) -> None:
        rank = self._ranks[number]
        rank.blocked -= 1
        if rank.blocked == 0:
            self._run(now, number)

    def _run(self, now: float, number: int) -> None:
        """Let a rank go on until it must wait."""
        rank = self._ranks[number]
        while not rank.blocked:
            if rank.todo:
                self._do(now, number, rank.todo.popleft())
            elif rank.line < len(self.traces[number]):
                rank.todo.extend(self._next_line(now, number))
            elif rank.kept:
                self._wait(number, [m for messages in rank.kept.values() for m in messages])
                rank.kept.clear()
            else:
                rank.finish = now
                self._end(now, number)
                return

    def _end(self, now: float, number: int) -> None:
        """A rank is at its end; who is told of it hears one rank after the other."""
        if self.home < 0:
            self._left -= 1
            return
        self._ending.append(number)
        if len(self._ending) == 1:
            self._start(self.system.start(now, self._last_word(), self._tag(ENDING)))

    def _last_word(self) -> Task:
        ends = self.hosts[self._ending[0]], self.home
        return self.build.flows(ends, ((*ends, LAST_WORD),))

    def _told(self, now: float) -> None:
        self._ending.popleft()
        self._left -= 1
        if self._ending:
            self._start(self.system.start(now, self._last_word(), self._tag(ENDING)))

    def _next_line(self, now: float, number: int) -> list[Operation]:
        rank = self._ranks[number]
        words = self.traces[number][rank.line]
        rank.line += 1
        if words[0] == "init":
            rank.default = default_size(words)
        try:
            return operations(words, number, len(self._ranks), self.system.cores[self.hosts[number]], rank.default)
        except ValueError as error:
            place = f"trace of rank {number}, action {rank.line} ({' '.join(words)})"
            raise SimulationError(f"{place}: {error}", now=now) from None

    def _do(self, now: float, number: int, operation: Operation) -> None:
        rank = self._ranks[number]
        if isinstance(operation, Exchange):
            self._exchange(now, number, operation)
        elif isinstance(operation, Compute):
            hosts = [self.hosts[number]] * operation.positions
            self._start(
                self.system.start(now, self.build.homogeneous(hosts, operation.flops, 0.0), self._tag(number))
            )
            rank.blocked = 1
        elif isinstance(operation, Sleep):
            self._start(self.system.sleep(now, operation.seconds, self._tag(number)))
            rank.blocked = 1
        elif operation.message is None:
            self._wait(number, [m for messages in rank.kept.values() for m in messages])
            rank.kept.clear()
        elif messages := rank.kept.get(operation.message):
            self._wait(number, [messages.popleft()])
            if not messages:
                del rank.kept[operation.message]

    def _exchange(self, now: float, number: int, exchange: Exchange) -> None:
        posted = [self._expect(now, source, number, exchange.tag) for source in exchange.receives]
        for target, size in exchange.sends:
            message = self._post(now, number, target, exchange.tag, size)
            if size >= DETACHED_BELOW:
                posted.append(message)
        if exchange.waits:
            self._wait(number, posted)
            return
        for message in posted:
            key = (message.source, message.target, message.tag)
            self._ranks[number].kept.setdefault(key, deque()).append(message)

    def _wait(self, number: int, messages: list[Message]) -> None:
        for message in messages:
            if not message.arrived:
                message.waiting.append(number)
                self._ranks[number].blocked += 1

    def _post(self, now: float, source: int, target: int, tag: int, size: float) -> Message:
        message = self._mail.match(source, target, tag, posted=True)
        message.size = size
        self._travel(now, message)
        return message

    def _expect(self, now: float, source: int, target: int, tag: int) -> Message:
        message = self._mail.match(source, target, tag, posted=False)
        self._travel(now, message)
        return message

    def _travel(self, now: float, message: Message) -> None:
        if message.posted and message.expected:
            self._start(self.system.start(now, self._flow(message), self._tag(message)))

    def _start(self, action: Action) -> None:
        self.under_way[action.number] = action

    def _tag(self, subject: int | Message) -> ReplayTag:
        return ReplayTag(self.owner, subject)
