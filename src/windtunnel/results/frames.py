"""Files of a run as data frames, and the one of its jobs with the columns that every run has."""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from windtunnel.diagnostics import UsageError
from windtunnel.results.damaged_files import read_from
from windtunnel.results.fields import without_apostrophes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["frame_of", "jobs_frame"]

_TEXTS: Final[tuple[str, ...]] = (
    "job_id",
    "workload_name",
    "profile",
    "final_state",
    "allocated_resources",
    "metadata",
    "user",
    "group",
    "queue",
    "hosts",
    "rack",
    "event",
    "id",
    "data",
    "machine_id",
    "event_type",
    "epower",
)
_DATES: Final = (("submission_time", "submitted_at"), ("starting_time", "started_at"), ("finish_time", "finished_at"))
_COUNTS: Final = ("requested_number_of_resources", "success")
_NUMBERS: Final = (
    "submission_time",
    "starting_time",
    "execution_time",
    "finish_time",
    "waiting_time",
    "turnaround_time",
    "stretch",
)
_ALL_NUMBERS: Final = ("power.csv", "jobs_carbon.csv")
"""Files whose columns are numbers, but for texts."""
_EXTRA: Final = {
    "user": "String",
    "group": "String",
    "queue": "String",
    "return_code": "Int64",
    "host_share": "Float64",
    "carbon_g": "Float64",
    "cost": "Float64",
}
"""The columns of jobs in the frame of every run -> their type (polars)."""


def frame_of(data: bytes | None, name: str, run: str) -> "pl.DataFrame | None":
    """A CSV file as a polars frame; None if it holds nothing.

    Raises:
        UsageError: it is not a table.
    """
    import polars as pl

    if not data:
        return None
    head = data.partition(b"\n")[0].decode("utf-8", "replace").split(",")
    kinds: dict[str, Any] = dict.fromkeys((text for text in _TEXTS if text in head), pl.String)
    if name in _ALL_NUMBERS:  # also where a column is empty, or all of them
        kinds |= dict.fromkeys((column for column in head if column not in kinds), pl.Float64)
    dates = [pl.col(name).cast(pl.Float64) for name in ("time",) if name in head]  # 10 or 10.5, by content
    try:
        frame = pl.read_csv(io.BytesIO(data), schema_overrides=kinds, infer_schema_length=None)
        return without_apostrophes(frame.with_columns(dates)) if b"'" in data else frame.with_columns(dates)
    except pl.exceptions.PolarsError as fault:
        raise UsageError(f"{run}: {name} is not a table that can be read: {fault}") from fault


def jobs_frame(frame: "Callable[[str], pl.DataFrame | None]", run: str, start_date: float | None) -> "pl.DataFrame":
    """The frame of the jobs of a run, of which ``frame`` reads files.

    Raises:
        UsageError: there is no such file, or it is not a table of jobs.
    """
    import polars as pl

    jobs = frame("jobs.csv")
    if jobs is None:
        raise UsageError(f"{run} has no jobs.csv")
    if missing := {"workload_name", "job_id", "consumed_energy", *_NUMBERS}.difference(jobs.columns):
        raise UsageError(f"{run}: jobs.csv has no column {', '.join(sorted(missing))}")
    with read_from(run, "jobs.csv"):
        jobs = jobs.with_columns(
            pl.concat_str(["workload_name", "job_id"], separator="!").alias("id"),
            *(pl.col(name).cast(pl.Float64) for name in (*_NUMBERS, "consumed_energy")),
            *(pl.col(name).cast(pl.Int64) for name in _COUNTS if name in jobs.columns),
        )
        for name in _NUMBERS[:-1]:  # a stretch may be: where a job took no time
            if not jobs[name].is_finite().all():
                raise ValueError(f"{name} is not a number of seconds in every row")
    extra = frame("jobs_extra.csv")
    if extra is not None:
        with read_from(run, "jobs_extra.csv"):
            extra = extra.with_columns(pl.col("host_share").cast(pl.Float64))
            extra = extra.select(c.name for c in extra if c.null_count() < extra.height)
            jobs = jobs.join(extra, on=["job_id", "workload_name"], how="left", maintain_order="left")
    bills = frame("jobs_carbon.csv")
    if bills is not None:
        with read_from(run, "jobs_carbon.csv"):
            bills = bills.with_columns(pl.col("carbon_g", "cost").cast(pl.Float64))
            jobs = jobs.join(bills, on=["job_id", "workload_name"], how="left", maintain_order="left")
    absent = {name: kind for name, kind in _EXTRA.items() if name not in jobs.columns}
    jobs = jobs.with_columns(pl.lit(None, getattr(pl, kind)).alias(name) for name, kind in absent.items())
    base = pl.lit(None if start_date is None else round(start_date * 1e6), pl.Int64)
    whole = {name: (pl.col(date) * 1e6).round().cast(pl.Int64, strict=False) for date, name in _DATES}
    kind = pl.Datetime("us", "UTC")
    return jobs.with_columns((since + base).cast(kind).alias(name) for name, since in whole.items())
