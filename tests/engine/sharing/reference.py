"""The oracle: execution-model.md 2.4 and 2.5 step by step, over all constraints and all actions, nothing clever."""

import math
from dataclasses import dataclass, field


@dataclass
class Constraint:
    capacity: float
    fatpipe: bool
    elements: list[tuple["Variable", float]] = field(default_factory=list)
    """Enabled ones, the last enabled first."""


@dataclass(eq=False)
class Variable:
    bound: float = math.inf
    wants: list[tuple[Constraint, float]] = field(default_factory=list)
    """One entry per element, in the order of creation; weights of zero included."""
    enabled: bool = False
    value: float = 0.0

    def enable(self) -> None:
        self.enabled = True
        for constraint, weight in self.wants:
            constraint.elements.insert(0, (self, weight))

    def disable(self) -> None:
        self.enabled = False
        for constraint, _ in self.wants:
            constraint.elements = [e for e in constraint.elements if e[0] is not self]


class EndlessError(Exception):
    """SimGrid's own algorithm would not end, or only after very many rounds."""


def solve(variables: list[Variable], constraints: list[Constraint], most: int = 250) -> None:
    """Set the value of every enabled variable, in ``most`` rounds."""
    enabled = [v for v in variables if v.enabled]
    active = [v for v in enabled if any(weight > 0 for _, weight in v.wants)]
    for v in enabled:
        v.value = 0.0 if v in active else 1.0
    left = {id(c): c.capacity for c in constraints}
    share = {id(c): 0.0 for c in constraints}
    increment: dict[int, float] = {}
    standing = list(constraints)
    rounds = 0
    while active:
        rounds += 1
        if rounds > most:
            raise EndlessError
        for c in list(standing):
            n = sum(weight > 0 and v in active for v, weight in c.elements)
            if c.fatpipe:
                n = min(n, 1)
            if n == 0:
                standing.remove(c)
                share[id(c)] = 0.0
            else:
                share[id(c)] = left[id(c)] / n
        leaving = []
        for v in active:
            inc = min(share[id(c)] / weight for c, weight in v.wants if weight > 0)
            if v.bound < math.inf:
                inc = min(inc, v.bound - v.value)
            v.value += inc
            increment[id(v)] = inc
            if v.value == v.bound:
                leaving.append(v)
        active = [v for v in active if v not in leaving]
        for c in list(standing):
            if c.fatpipe:
                used = min([share[id(c)], *(weight * increment.get(id(v), 0.0) for v, weight in c.elements)])
                left[id(c)] -= used
                if left[id(c)] < 1e-5:
                    left[id(c)] = 0.0
            else:
                for v, weight in c.elements:
                    left[id(c)] -= weight * increment.get(id(v), 0.0)
                    if left[id(c)] < 1e-5:
                        left[id(c)] = 0.0
            if left[id(c)] <= 0:
                standing.remove(c)
                gone = [v for v, weight in c.elements if weight > 0]
                active = [v for v in active if v not in gone]


@dataclass(eq=False)
class Job:
    """An action of the stepper: a task (``variable``), or a sleep (``duration``)."""

    name: str
    start: float
    variable: Variable | None = None
    latency: float = 0.0
    bound: float = math.inf
    duration: float = 0.0
    remaining: float = 1.0
    finish: float = math.nan


def run(jobs: list[Job], constraints: list[Constraint]) -> list[str]:
    """Run all jobs, stepping from date to date and walking every action each time; the order in which they end."""
    now = 0.0
    waiting = sorted(jobs, key=lambda job: job.start)
    running: list[Job] = []
    order: list[str] = []
    while waiting or running:
        while waiting and waiting[0].start - now < 1e-9:
            job = waiting.pop(0)
            running.append(job)
            if job.variable is not None:
                if not any(weight > 0 for _, weight in job.variable.wants):
                    job.remaining = 0.0
                if job.latency == 0.0:
                    job.variable.bound = job.bound
                    job.variable.enable()
        solve([job.variable for job in running if job.variable], constraints)
        steps = [waiting[0].start - now] if waiting else []
        for job in running:
            if job.variable is None:
                steps.append(job.duration)
            elif not job.variable.enabled:
                steps.append(job.latency)
            elif job.remaining == 0.0:
                steps.append(0.0)
            elif job.variable.value > 0.0:
                steps.append(job.remaining / job.variable.value)
        step = min(steps)
        now += step
        for job in list(running):
            if job.variable is None:
                job.duration -= step
                ended = job.duration < 1e-9
            elif not job.variable.enabled:
                job.latency -= step
                ended = False
                if job.latency < 1e-9:
                    job.variable.bound = job.bound
                    job.variable.enable()
                    # What has nothing to do ends at this date, with the next step.
            else:
                job.remaining -= job.variable.value * step
                if job.remaining < 1e-14:
                    job.remaining = 0.0
                ended = job.remaining == 0.0
            if ended:
                job.finish = now
                order.append(job.name)
                running.remove(job)
                if job.variable is not None:
                    job.variable.disable()
    return order
