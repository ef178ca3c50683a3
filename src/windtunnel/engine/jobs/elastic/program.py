"""From an application to the steps of its ranks, for one size: amounts are computed here, once for each size."""

from math import isfinite
from typing import Any

from mypy_extensions import mypyc_attr

from windtunnel.engine.jobs.elastic.lanes import Frame, Step, Team
from windtunnel.engine.jobs.elastic.machine import Machine
from windtunnel.engine.jobs.elastic.steps import AWAIT_COMPUTING, AWAIT_DETACHED, BARRIER, Gate, Over, Repeat
from windtunnel.engine.jobs.elastic.work import Buffer, Compute, Delay, Exchange, Files, Kernels
from windtunnel.model.application import (
    ComputeTask,
    DelayTask,
    ElasticTask,
    Load,
    Pattern,
    Phase,
    SequenceTask,
    StorageTask,
)
from windtunnel.model.spreading import AMONG_GPUS, on_gpus, pairs, ranks

__all__ = ["Program", "once"]

_OVER = Over()


@mypyc_attr(allow_interpreted_subclasses=True)
class Program:
    """The phases of an application on the present hosts of its job."""

    def __init__(self, machine: Machine) -> None:
        hosts = machine.hosts
        self.team = Team(hosts, [*range(len(hosts))])
        self.counts: list[int] = []
        """Iterations of each phase."""
        self.top: tuple[Step, ...] = ()
        maker = _Maker(machine, len(hosts), hosts)
        phases: list[Step] = []
        for phase in machine.profile.application.phases:
            count = maker.iterations(phase.iterations)
            self.counts.append(max(0, count))
            tasks = [step for task in phase.tasks for step in maker.steps(task)]
            phases.append(Repeat((Gate(phase), *tasks), count, None))
        self.top = (*phases, AWAIT_DETACHED, BARRIER, _OVER)

    @property
    def total(self) -> int:
        """Iterations of all phases."""
        return sum(self.counts)

    def steps_before(self, phase: int, iteration: int) -> int:
        """Iterations that are over at a place."""
        return sum(self.counts[:phase]) + iteration

    def phases_from(self, phase: int, iteration: int) -> list[Frame]:
        """The stack of a lane that goes on at a place."""
        outer = Frame(self.top, 1)
        outer.index = phase
        if not iteration:
            return [outer]
        outer.index = phase + 1
        repeat = self.top[phase]
        assert isinstance(repeat, Repeat)
        inner = Frame(repeat.steps, repeat.count - iteration)
        inner.done = iteration
        return [outer, inner]


def once(machine: Machine, phase: Phase | None, hosts: list[int]) -> tuple[Step, ...]:
    """A one-time phase on some hosts; nothing if there is none, or no host."""
    if phase is None or not hosts:
        return ()
    maker = _Maker(machine, len(hosts), hosts)
    steps = tuple(step for task in phase.tasks for step in maker.steps(task))
    return (Repeat(steps, maker.iterations(phase.iterations), None, closes=True),)


@mypyc_attr(allow_interpreted_subclasses=True)
class _Maker:
    """Makes the steps of tasks on ``count`` ranks."""

    def __init__(self, machine: Machine, count: int, hosts: list[int]) -> None:
        self.machine = machine
        self.count = count
        self.hosts = tuple(hosts)

    def iterations(self, given: int | str) -> int:
        """A number of iterations."""
        if isinstance(given, int):
            return given
        value = self.machine.value(given, self.count)
        if not isfinite(value):
            raise self.machine.fail(f"{given!r} iterations are {value}")
        return int(value)

    def amount(self, load: Load, what: str) -> float:
        """An amount that is one number."""
        given: Any = load.amount
        value = self.machine.value(given, self.count) if isinstance(given, str) else float(given)
        if not isfinite(value) or (value < 0.0 and what != "seconds"):
            raise self.machine.fail(f"an amount of {value} {what} is not valid ({given!r})")
        return value

    def spread(self, load: Load, what: str) -> list[float]:
        """What each rank has of an amount."""
        if isinstance(load.amount, tuple):
            if len(load.amount) < self.count:
                raise self.machine.fail(f"a vector of {len(load.amount)} amounts is too short for {self.count} ranks")
            return [*load.amount[: self.count]]
        return ranks(load.pattern, self.amount(load, what), self.count)

    def steps(self, task: ElasticTask) -> tuple[Step, ...]:
        """The steps of a task, with its repetitions; none if it has none."""
        count = self.iterations(task.iterations)
        if count <= 0:
            return ()
        first = (BARRIER,) if task.synchronized else ()
        closes = False
        if isinstance(task, SequenceTask):
            inner = tuple(step for one in task.tasks for step in self.steps(one))
            closes = True
        elif isinstance(task, DelayTask):
            inner = self._delay(task)
        elif isinstance(task, StorageTask):
            kind = Buffer if task.buffer else Files
            amounts = self.spread(task.load, "bytes")
            inner = (kind(amounts, write=task.write, detached=task.detached),)
        else:
            assert isinstance(task, ComputeTask)
            inner = self._gpu(task) if task.gpu else self._compute(task)
        return (Repeat((*first, *inner), count, task.name, closes=closes),)

    def _delay(self, task: DelayTask) -> tuple[Step, ...]:
        seconds = self.spread(task.load, "seconds")
        return (Compute(seconds, busy=True),) if task.busy else (Delay(seconds),)

    def _compute(self, task: ComputeTask) -> tuple[Step, ...]:
        flops = None if task.flops is None else self.spread(task.flops, "flops")
        if task.bytes is None:
            return (Compute(flops or []),)
        if flops is None:
            return (BARRIER, Exchange(self._spec(task.bytes, None)), BARRIER)
        if task.coupled:
            return (BARRIER, Exchange(self._spec(task.bytes, flops)), BARRIER)
        together = Compute(flops, beside=True)
        return (together, BARRIER, Exchange(self._spec(task.bytes, None)), BARRIER, AWAIT_COMPUTING)

    def _spec(self, load: Load, flops: list[float] | None) -> tuple[object, ...] | None:
        """The parallel task of an exchange, with flops or without; None if there is none."""
        count = self.count
        if count < 2:
            return None if flops is None else ("alike", self.hosts, flops[0], 0.0)
        if isinstance(load.amount, tuple):
            return self._listed(load.amount, flops)
        amount = self.amount(load, "bytes")
        if load.pattern is Pattern.ALL_TO_ALL and (flops is None or len(set(flops)) == 1):
            return ("alike", self.hosts, flops[0] if flops else 0.0, amount / (count * count - count))
        moved: dict[tuple[int, int], float] = {}
        for source, target, each in pairs(load.pattern, amount, count):
            moved[source, target] = moved.get((source, target), 0.0) + each
        if flops is None:
            flows = tuple((self.hosts[a], self.hosts[b], each) for (a, b), each in moved.items())
            return ("flows", self.hosts, flows)
        sent = [[0.0] * count for _ in range(count)]
        for (source, target), each in moved.items():
            sent[source][target] = each
        return ("matrices", self.hosts, flops, sent)

    def _listed(self, matrix: tuple[float, ...], flops: list[float] | None) -> tuple[object, ...]:
        count = self.count
        if len(matrix) < count * count:
            raise self.machine.fail(f"a matrix of {len(matrix)} amounts is too short for {count} ranks")
        sent = [[*matrix[row * count : (row + 1) * count]] for row in range(count)]
        return ("matrices", self.hosts, flops, sent)

    def _gpu(self, task: ComputeTask) -> tuple[Step, ...]:
        gpus = self.machine.gpus
        flops = None if task.flops is None else self.spread(task.flops, "flops")
        if task.bytes is None:
            return (Kernels(flops, 0.0), AWAIT_COMPUTING)
        load = task.bytes
        if gpus > 1 and load.pattern not in AMONG_GPUS:
            raise self.machine.fail(f"several GPUs of a host do not exchange by the pattern {load.pattern}")
        if isinstance(load.amount, tuple) or gpus < 2:
            return (Kernels(flops, 0.0), BARRIER, Exchange(self._spec(load, None)), BARRIER, AWAIT_COMPUTING)
        inside, between = on_gpus(load.pattern, self.amount(load, "bytes"), self.count, gpus)
        both: dict[tuple[int, int], float] = {}
        for a, b, each in pairs(load.pattern, inside, gpus):
            pair = (min(a, b), max(a, b))
            both[pair] = both.get(pair, 0.0) + each
        kernels = Kernels(flops, max(both.values(), default=0.0))
        spec = self._spec(Load(between, load.pattern), None)
        return (kernels, BARRIER, Exchange(spec), BARRIER, AWAIT_COMPUTING)
