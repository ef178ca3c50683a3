"""Workloads of formats that count processors or have an account of their rows."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import NamedTuple

from msgspec.structs import replace

from windtunnel.diagnostics import Finding, UsageError
from windtunnel.formats.traces.ingestion import IngestionReport
from windtunnel.model import Job, JobList, Request

__all__ = ["Recorded", "TraceWorkload"]


class Recorded(NamedTuple):
    """What a trace says of how it was with a job; seconds."""

    waited: float
    """From its submission to its start; -1: not known."""
    ran: float
    nodes: str = ""
    """The hosts it ran on, as the trace lists them."""


class TraceWorkload(JobList):
    """Jobs whose requests count processors: hosts of one core, until :meth:`with_cores` says how many they have."""

    recorded: Mapping[str, Recorded] = {}
    """By id of the job, where the reader keeps how it was; not kept when the jobs are sized anew."""

    def __init__(
        self,
        name: str,
        jobs: Sequence[Job],
        *,
        path: str = "",
        hosts: int = 0,
        start_date: float | None = None,
        report: IngestionReport | None = None,
        findings: Sequence[Finding] = (),
        in_order: bool = False,
        parts: bool = False,
        outcomes: Sequence[str] = (),
    ) -> None:
        """``findings``: what was odd beside what the report counts; ``in_order``: jobs come in the order in which
        they are submitted, those of one instant too; ``parts``: they take cores of hosts, and leave the others;
        ``outcomes``: what became of them in the trace, in that order.
        """
        super().__init__(name, jobs, hosts=hosts, path=path)
        if in_order:
            self._jobs = list(jobs)
        self.parts = parts
        self.outcomes = tuple(outcomes)
        """What became of the jobs in the trace, in words; empty where that is not known."""
        self.start_date = start_date
        """Seconds since 1970 at simulated time 0; None when the trace does not tell."""
        self.report = report
        """What became of the rows of the trace; None for formats without rows."""
        self._findings = tuple(findings)
        self.warnings = (*(report.findings() if report else ()), *self._findings)

    def with_cores(self, cores_per_host: int) -> "TraceWorkload":
        """The same jobs for hosts of so many cores: n processors become ceil(n / cores) hosts (decisions.md 16)."""
        if cores_per_host < 1:
            raise UsageError(f"a host has at least one core, not {cores_per_host}")
        requests: dict[Request, Request] = {}
        jobs = []
        for job in self:
            asked = job.request
            request = requests.get(asked)
            if request is None:
                request = requests[asked] = asked.on_hosts_of(cores_per_host, parts=self.parts)
            jobs.append(replace(job, request=request))
        new = TraceWorkload(
            self.name,
            jobs,
            path=self.path,
            hosts=-(-self.hosts // cores_per_host),
            start_date=self.start_date,
            report=self.report,
            findings=self._findings,
            in_order=True,
            parts=self.parts,
            outcomes=self.outcomes,
        )
        new.cores_per_host = cores_per_host
        return new

    def in_parts(self) -> "TraceWorkload":
        """The same jobs, taking cores of their hosts."""
        parted = copy(self)
        parted.parts = True
        return parted.with_cores(self.cores_per_host)
