"""The results of a study as a data frame: one row per point."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from windtunnel.studies.figures import COUNTED, FIGURES
from windtunnel.studies.kinds import KINDS
from windtunnel.studies.plan import Point
from windtunnel.studies.trials import Outcome
from windtunnel.studies.words import AXES

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RESERVED", "chosen_columns", "points_frame"]

_OURS: Final = ("point", "key", "status", "error", "account")

RESERVED: Final = frozenset({*_OURS, *AXES, *FIGURES, *KINDS})
"""Columns that are there always."""


def points_frame(points: Sequence[Point], outcomes: Mapping[str, Outcome]) -> "pl.DataFrame":
    """A row for each point: ``point`` (its number, from 0), ``key``; what was chosen (``platform``, ``workload``,
    parameters, ``seed``, ``failures``, ``engine``, ``scheduler``); ``status`` (``done``, ``failed`` or ``pending``),
    ``error``, ``account``; the figures, null where there are none; and their currency and kind of carbon intensity.

    The same points give the same bytes, wherever and in whatever order they were simulated.
    """
    import polars as pl

    found = [outcomes.get(point.key) for point in points]
    columns: dict[str, Any] = {
        "point": pl.Series(range(len(points)), dtype=pl.Int64),
        "key": pl.Series([point.key for point in points], dtype=pl.String),
    }
    for name in points[0].columns if points else AXES:
        columns[name] = _chosen(name, [point.columns.get(name) for point in points])
    statuses = ["pending" if one is None else "failed" if one.error else "done" for one in found]
    columns["status"] = pl.Series(statuses, dtype=pl.String)
    columns["error"] = pl.Series([(one.error or None) if one else None for one in found], dtype=pl.String)
    account = ["\n".join(one.account) or None if one else None for one in found]
    columns["account"] = pl.Series(account, dtype=pl.String)
    own = sorted({name for one in found if one for name in one.figures if name.startswith("own_")})
    for name in (*FIGURES, *own):
        values = [one.figures.get(name) if one else None for one in found]
        kind = pl.Int64 if name in COUNTED else pl.Float64
        columns[name] = pl.Series(values, dtype=kind, strict=False)
    for name in KINDS:
        columns[name] = pl.Series([one.kinds.get(name) if one else None for one in found], dtype=pl.String)
    return pl.DataFrame(columns)


def chosen_columns(frame: "pl.DataFrame") -> list[str]:
    """The columns that say what was chosen for each point."""
    return frame.columns[2 : frame.columns.index("status")]


def _chosen(name: str, values: list[Any]) -> "pl.Series":
    """What was chosen, in one type: whole numbers, numbers, truth values or texts."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if name == "seed" or kinds == {int}:
        return pl.Series(values, dtype=pl.Int64)
    if kinds == {bool}:
        return pl.Series(values, dtype=pl.Boolean)
    if kinds and kinds <= {int, float}:
        return pl.Series([None if value is None else float(value) for value in values], dtype=pl.Float64)
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)
