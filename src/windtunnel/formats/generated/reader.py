"""Workloads made by generators, from a text such as ``lublin:10000?hosts=256&load=0.8&seed=1``."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qsl

from msgspec import Meta, Struct

from windtunnel.diagnostics import Finding, Severity, UsageError
from windtunnel.formats.traces.ingestion import IngestionReport
from windtunnel.formats.traces.rules import length_name
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.model import DelayProfile, Job, Request, Workload
from windtunnel.options import checked_options
from windtunnel.workloads import lublin, poisson
from windtunnel.workloads.arranged import NO_WALLTIMES, Arranged
from windtunnel.workloads.lublin import GeneratedJob
from windtunnel.workloads.random_sources import Seed, random_source

__all__ = ["LublinOptions", "PoissonOptions", "read_lublin", "read_poisson"]

MOST_JOBS: Final = 50_000_000

_QUEUES: Final = {0: "interactive", 1: "batch"}


class _Arranging(Struct, kw_only=True):
    """What is done to jobs when they are made, and where random numbers come from."""

    hosts: Annotated[int, Meta(ge=1, le=1 << 30)] = 256
    load: Annotated[float, Meta(ge=0)] = 0.0
    """The offered load, by scaling the gaps between arrivals; 0: as the model gives it."""
    estimates: Literal["none", "exact", "f-model", "tsafrir"] = "none"
    seed: Seed = 1
    source: Literal["python", "drand48"] = "python"


class LublinOptions(_Arranging, kw_only=True):
    """The options of :func:`read_lublin`."""

    typed: bool = False
    """Batch and interactive jobs, in queues of these names."""
    start_hour: Annotated[int, Meta(ge=0, le=23)] = 0
    """Of the day at which the workload starts."""

    def jobs(self) -> Iterator[GeneratedJob]:
        """Jobs without end."""
        types = lublin.types_for(self.hosts, typed=self.typed)
        return lublin.jobs_of(types, random_source(self.source, self.seed), start_hour=self.start_hour)


class PoissonOptions(_Arranging, kw_only=True):
    """The options of :func:`read_poisson`."""

    largest: Annotated[int, Meta(ge=0)] = 0
    """Of the sizes; 0: a quarter of the hosts."""
    mean_gap: Annotated[float, Meta(gt=0)] = 600.0
    """Between arrivals (s)."""
    mean_run: Annotated[float, Meta(gt=0)] = 3600.0
    """Of the run times (s)."""

    def jobs(self) -> Iterator[GeneratedJob]:
        """Jobs without end."""
        largest = self.largest or max(1, self.hosts // 4)
        source = random_source(self.source, self.seed)
        return poisson.jobs_of(source, largest=largest, mean_gap=self.mean_gap, mean_run=self.mean_run)


def read_lublin(text: Any, name: str, **options: Any) -> Workload:
    """The workload that ``lublin:JOBS?...`` stands for; see :class:`LublinOptions`.

    The model has no estimates of run times: jobs have no walltime, unless ``estimates`` says how to make them. With
    ``source=drand48`` the jobs are the rows of the authors' program for the same seed.

    Raises:
        UsageError: the text is not of this form, or an option is not known or out of bounds.
    """
    return _generated(text, name, LublinOptions, options)


def read_poisson(text: Any, name: str, **options: Any) -> Workload:
    """The workload that ``poisson:JOBS?...`` stands for; see :class:`PoissonOptions`.

    Raises:
        UsageError: the text is not of this form, or an option is not known or out of bounds.
    """
    return _generated(text, name, PoissonOptions, options)


def _generated(
    text: str, name: str, kind: type[LublinOptions] | type[PoissonOptions], given: dict[str, Any]
) -> Workload:
    head, _, query = text.partition("?")
    model, _, number = head.partition(":")
    form = f"expected {model}:JOBS?option=value&option=value, as in {model}:10000?hosts=256&seed=1"
    if not (number.isascii() and number.isdigit()) or not 0 < len(number) <= 12 or int(number) > MOST_JOBS:
        raise UsageError(f"{text!r}: {number!r} is not a number of jobs from 0 to {MOST_JOBS:,}", form)
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise UsageError(f"{text!r}: {query!r} is not options", form) from None
    twice = next((key for key, many in Counter([key for key, _ in pairs] + [*given]).items() if many > 1), None)
    if twice is not None:
        raise UsageError(f"{text!r}: {twice} is given twice", "remove one of them")
    options = kind(**checked_options(model, kind, {**dict(pairs), **given}))
    made = _workload(text, name, islice(options.jobs(), int(number)), options)
    arranged = Arranged(made)
    if options.load:
        arranged = arranged.scale_load(options.load)
    if options.estimates != "none":
        arranged = arranged.with_estimates(options.estimates, seed=options.seed)
    return arranged if arranged.operations else made


def _workload(text: str, name: str, rows: Iterator[GeneratedJob], options: _Arranging) -> TraceWorkload:
    queues = _QUEUES if isinstance(options, LublinOptions) and options.typed else {}
    requests: dict[int, Request] = {}
    profiles: dict[int, DelayProfile] = {}
    jobs = []
    for number, row in enumerate(rows, 1):
        request = requests.get(row.processors)
        if request is None:
            request = requests[row.processors] = Request(hosts=row.processors, processors=row.processors)
        profile = profiles.get(row.run_time)
        if profile is None:
            length = float(row.run_time)
            profile = profiles[row.run_time] = DelayProfile(id=f"{name}!{length_name(length)}", delay=length)
        jobs.append(
            Job(
                id=f"{name}!{number}",
                request=request,
                profile=profile,
                submission_time=float(row.arrival),
                queue=queues.get(row.type, ""),
            )
        )
    report = IngestionReport(file=text, rows=len(jobs), kept=len(jobs))
    told = [_without_times(text, len(jobs))] if options.estimates == "none" and jobs else []
    return TraceWorkload(name, jobs, path=text, hosts=options.hosts, report=report, findings=told, in_order=True)


def _without_times(text: str, count: int) -> Finding:
    return Finding(
        text,
        code=NO_WALLTIMES,
        message="jobs request no time: schedulers that plan by it, such as easy, take them to run without end",
        hint="estimates=exact, f-model or (from 200 jobs on) tsafrir makes requests",
        severity=Severity.NOTE,
        count=count,
    )
