"""ElastiSim's output files: statistics of jobs, what nodes run, and when tasks end (six significant digits)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, TextIO

from windtunnel.model import Host, JobRecord, JobState, Platform, Workload
from windtunnel.model.application import ElasticProfile
from windtunnel.vocabulary import Observer

__all__ = ["ElastisimFiles", "NodeNow", "six_digits"]


class NodeNow(Protocol):
    """What is written of a node."""

    number: int
    listed: str
    """The jobs that it runs, with commas between them."""

    @property
    def expected(self) -> Collection[int]:
        """The jobs that are to run on it."""


def six_digits(value: float) -> str:
    """A number as C++ streams print it."""
    return f"{value:g}"


class ElastisimFiles(Observer):
    """Writes the files of one run.

    Args:
        statistics: where the statistics of jobs go, at the end.
        nodes: where what nodes run goes, as it changes (see :meth:`nodes_changed`).
        tasks: where ends of tasks go; None: nowhere.
    """

    def __init__(self, statistics: TextIO, nodes: TextIO, tasks: TextIO | None) -> None:
        self.statistics = statistics
        self.nodes = nodes
        self.tasks = tasks
        self.hosts: Sequence[Host] = ()
        self._names: list[str] = []
        self._write_nodes = nodes.write
        self._date, self._shown = -1.0, ""
        self.rows: dict[int, str] = {}
        nodes.write("Time,Node,State,Running jobs,Expected jobs\n")
        statistics.write("ID,Type,Submit Time,Start Time,End Time,Wait Time,Makespan,Turnaround Time,Status\n")
        if tasks is not None:
            tasks.write("Time,Job,Node,Task,Duration\n")

    def on_begin(self, now: float, platform: Platform, workloads: Sequence[Workload]) -> None:
        """All nodes are free."""
        del workloads
        self.hosts = platform.hosts
        self._names = [host.name for host in self.hosts]
        for host in self.hosts:
            self.nodes.write(f"{six_digits(now)},{host.name},free,none,none\n")

    def nodes_changed(self, now: float, nodes: Sequence[NodeNow]) -> None:
        """A job has come to nodes, or has left them."""
        if now != self._date:
            self._date, self._shown = now, six_digits(now)
        shown, names = self._shown, self._names
        rows = []
        for node in nodes:
            here, expected = node.listed, node.expected
            later = ";".join(map(str, expected)) if expected else "none"
            if here:
                rows.append(f"{shown},{names[node.number]},allocated,{here.replace(',', ';')},{later}\n")
            else:
                rows.append(f"{shown},{names[node.number]},free,none,{later}\n")
        self._write_nodes("".join(rows))

    def on_task_ended(self, now: float, record: JobRecord, hosts: Sequence[int], name: str, seconds: float) -> None:
        """Some ranks of a job have finished a task."""
        if self.tasks is not None:
            job = record.job.name
            for host in hosts:
                node = self.hosts[host].name
                self.tasks.write(f"{six_digits(now)},{job},{node},{name},{six_digits(seconds)}\n")

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """A job has ended."""
        status = "completed" if record.state is JobState.COMPLETED_SUCCESSFULLY else "killed"
        self._row(record, record.starting_time, now, status)

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """A job was killed before it had started."""
        self._row(record, -1.0, now, "killed")

    def _row(self, record: JobRecord, start: float, end: float, status: str) -> None:
        job = record.job
        kind = job.profile.elasticity.name.lower() if isinstance(job.profile, ElasticProfile) else "rigid"
        submitted = job.submission_time
        wait = start - submitted if start >= 0.0 else -1.0
        number = int(job.name)
        dates = f"{submitted:g},{start:g},{end:g},{wait:g},{end - start:g},{end - submitted:g}"  # see six_digits
        self.rows[number] = f"{number},{kind},{dates},{status}\n"

    def on_end(self, now: float, outcome: str, totals: Mapping[str, Any]) -> None:
        """Statistics by number; whatever the end, what is known is written."""
        del now, outcome, totals
        for number in sorted(self.rows):
            self.statistics.write(self.rows[number])
        for file in (self.statistics, self.nodes, self.tasks):
            if file is not None:
                file.flush()
