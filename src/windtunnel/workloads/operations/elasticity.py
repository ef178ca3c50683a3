"""The operation that lets jobs of a log change size: some of them, by a model of speed-up."""

from array import array
from math import inf
from random import Random
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job, Request
from windtunnel.model.application import (
    Application,
    DelayTask,
    Elasticity,
    ElasticProfile,
    Load,
    Pattern,
    Phase,
)
from windtunnel.workloads.columns import Columns
from windtunnel.workloads.random_sources import Seed
from windtunnel.workloads.speedup import Model, amdahl, downey, speedup_on

__all__ = ["Plan", "elastic_job", "with_elasticity"]

_MOST: Final = 1e9
"""Within these no expression of a job overflows."""
_MOST_BYTES: Final = 1e24


class Plan(msgspec.Struct, frozen=True):
    """How jobs change size, and how fast they are then."""

    kind: Elasticity
    least: float
    most: float
    speedup: Model
    serial: float
    average: float
    sigma: float
    steps: int
    cost: float
    data: float
    bandwidth: float


def with_elasticity(
    columns: Columns,
    share: Annotated[float, Meta(ge=0, le=1)],
    kind: Literal["moldable", "malleable"] = "malleable",
    least: Annotated[float, Meta(gt=0, le=1)] = 0.5,
    most: Annotated[float, Meta(ge=1, le=_MOST)] = 2.0,
    speedup: Model = "amdahl",
    serial: Annotated[float, Meta(ge=0, le=1)] = 0.05,
    average: Annotated[float, Meta(gt=0, le=_MOST)] = 1.0,
    sigma: Annotated[float, Meta(ge=0, le=_MOST)] = 1.0,
    steps: Annotated[int, Meta(ge=1)] = 10,
    cost: Annotated[float, Meta(ge=0)] = 0.0,
    data: Annotated[float, Meta(ge=0, le=_MOST_BYTES)] = 0.0,
    bandwidth: Annotated[float, Meta(ge=1 / _MOST)] = 1.25e9,
    seed: Seed = 1,
) -> str:
    """A share of the jobs, drawn evenly, takes other sizes than they asked for, which they prefer.

    A job of n hosts runs on ``least`` * n to ``most`` * n of them, in ``steps`` equal steps with scheduling points
    between. Its run time on n hosts stays what it was; on others it follows from ``speedup``: ``linear``, ``amdahl``
    (of which ``serial`` is serial) or ``downey`` (average parallelism ``average`` * n, variation ``sigma``). A change
    takes ``cost`` seconds, and the time in which each host of the new size sends its part of ``data`` bytes for each
    host of the old, at ``bandwidth`` bytes/s. Walltimes are lengthened as run times are on the fewest hosts.
    Such jobs have whole hosts, whatever they asked for of each.
    """
    if columns.elastic is not None:
        raise UsageError("with_elasticity: an operation before it has let jobs change size", "leave one out")
    columns.runs("with_elasticity")
    source = Random(seed)
    columns.elastic = array("b", [source.random() < share for _ in range(len(columns))])
    elasticity = Elasticity[kind.upper()]
    columns.plan = Plan(elasticity, least, most, speedup, serial, average, sigma, steps, cost, data, bandwidth)
    told = f"{sum(columns.elastic):,} of {len(columns):,} jobs are {kind}, {least:g} to {most:g} times their size"
    chosen = zip(columns.sources(), columns.elastic, strict=True)
    parts = sum(1 for job, elastic in chosen if elastic and job.request.amounts)
    return f"{told}; whole hosts for {parts:,} that asked for amounts of each" if parts else told


def elastic_job(job: Job, plan: Plan) -> Job:
    """A job as it is when it can change size."""
    profile = job.profile
    if not isinstance(profile, DelayProfile):
        return job
    size = max(1, job.request.hosts)
    least, most = max(1, round(plan.least * size)), max(size, round(plan.most * size))
    text = _speedup(plan, size)
    usual = speedup_on(text, size)
    task = DelayTask(load=Load(f"{profile.delay / plan.steps * usual!r} / ({text})", Pattern.UNIFORM), name="work")
    malleable = plan.kind is Elasticity.MALLEABLE
    application = Application(
        phases=(Phase(tasks=(task,), iterations=plan.steps if malleable else 1, barrier=False),),
        on_reconfiguration=_change(plan, size) if malleable else None,
    )
    longer = usual / speedup_on(text, least)
    return replace(
        job,
        request=Request(size),
        walltime=job.walltime if job.walltime == inf else job.walltime * max(1.0, longer),
        profile=ElasticProfile(
            id=profile.id,
            return_code=profile.return_code,
            application=application,
            elasticity=plan.kind,
            least=least,
            most=most,
            attributes={"preferred": str(size), "speedup": text, "walltime": repr(job.walltime)},
        ),
    )


def _speedup(plan: Plan, size: int) -> str:
    if plan.speedup == "amdahl":
        return amdahl(plan.serial)
    if plan.speedup == "downey":
        return downey(plan.average * size, plan.sigma)
    return "num_nodes"


def _change(plan: Plan, size: int) -> Phase | None:
    """What a change of size costs."""
    if not plan.cost and not plan.data:
        return None
    seconds = f"{plan.cost!r} + {plan.data * size / plan.bandwidth!r} / num_nodes"
    return Phase(tasks=(DelayTask(load=Load(seconds, Pattern.UNIFORM), name="redistribution"),))
