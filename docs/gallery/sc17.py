"""Mean bounded slowdowns of SC 2017's sequences: python sc17.py CEA-Curie-2011-2.1-cln.swf.gz [SEQUENCE ...]."""

import gzip
import sys
from collections.abc import Iterator
from math import inf, nextafter
from statistics import fmean
from typing import ClassVar

import windtunnel as wt
from windtunnel.model import Job, JobList
from windtunnel.schedulers.literature.sc17 import SC17

ORDERS = ("fcfs", "wfp3", "unicef", "spt", "saf", "f1", "f2", "f3", "f4")
HOSTS, DAYS, STATE = 93_312, 15, 16  # the first 16 jobs of a sequence fill the machine and are not counted

Row = tuple[float, float, float, float]
"""Submission, processors, run time, requested time."""


def sequences(log: str) -> Iterator[list[Row]]:
    """Fifteen sequences, each of 15 days and of the jobs that run."""
    with gzip.open(log, "rt") as file:
        fields = [line.split() for line in file if not line.startswith(";")]
    rows: list[Row] = [(float(r[1]), float(r[4]), float(r[3]), float(r[8])) for r in fields]
    rows = [row for row in rows if min(row[1:]) > 0]
    first = 0
    for _ in range(15):
        stop = first + STATE
        while stop < len(rows) and rows[stop][0] <= rows[first][0] + DAYS * 86400:
            stop += 1
        yield rows[first:stop]
        first = stop


class Asked(SC17):
    """By the requested times of the log, also of jobs that ran longer: nobody was killed there."""

    asked: ClassVar[dict[str, float]] = {}

    def _runs(self, job: Job) -> float:
        return self.asked[job.id] if self.runtimes == "requested" else super()._runs(job)


def job_of(rank: int, row: Row, begin: float) -> Job:
    """A job that ends by itself, however long it asked to run."""
    submit, size, run, asked = row
    return Job(
        id=f"w0!{rank:06d}",
        request=wt.Request(hosts=int(size)),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=run),
        submission_time=submit - begin,
        walltime=max(asked, nextafter(run, inf)),
    )


def slowdown(rows: list[Row], order: str, runtimes: str) -> float:
    """The mean bounded slowdown of one sequence."""
    jobs = [job_of(rank, row, rows[0][0]) for rank, row in enumerate(rows)]
    Asked.asked = {job.id: row[3] for job, row in zip(jobs, rows, strict=True)}
    run = wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), Asked(order=order, runtimes=runtimes))
    waits = {one["job_id"]: one["waiting_time"] for one in run.jobs.iter_rows(named=True)}
    counted = list(enumerate(rows))[STATE:]
    return fmean(max(1.0, (waits[f"{rank:06d}"] + row[2]) / max(row[2], 10)) for rank, row in counted)


def main(log: str, *chosen: str) -> None:
    """One line for each sequence and order: by run times, by requested times."""
    for rank, rows in enumerate(sequences(log)):
        if chosen and str(rank) not in chosen:
            continue
        for order in ORDERS:
            exact, asked = (slowdown(rows, order, kind) for kind in ("exact", "requested"))
            print(f"| {rank} | {order} | {exact:.4f} | {asked:.4f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
