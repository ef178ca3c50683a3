"""Prints RLScheduler's Tables V and VI out of a study's results: python rlscheduler.py rlscheduler.study."""

import sys
from statistics import fmean

import polars as pl

import windtunnel as wt

HOSTS = 256


def utilisation(jobs: pl.DataFrame) -> float:
    """The work of all jobs over what the machine could do until the last *start*, as RLScheduler counts."""
    run = jobs["finish_time"] - jobs["starting_time"]
    work = (run * jobs["requested_number_of_resources"]).sum()
    return float(work / (HOSTS * (jobs["starting_time"].max() - jobs["submission_time"].min())))


def main(directory: str) -> None:
    """One line for each log and order."""
    points = wt.load_study(directory).points.filter(status="done")
    jobs = pl.read_parquet(f"{directory}/jobs/**/*.parquet", hive_partitioning=True)
    tables = {key[0]: utilisation(table) for key, table in jobs.group_by("point")}
    for (log, order), rows in points.group_by("workload", "scheduler", maintain_order=True):
        slowdown = fmean(rows["bounded_slowdown_mean"])
        used = fmean(tables[point] for point in rows["point"])
        sys.stdout.write(f"| {log} | {order} | {slowdown:.2f} | {used:.3f} |\n")


if __name__ == "__main__":
    main(sys.argv[1])
