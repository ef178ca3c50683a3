"""What a study shows: tables of means, paired differences and rankings over its points."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.studies.figures import FIGURES, HIGHER_IS_BETTER, NEITHER_IS_BETTER, with_unit
from windtunnel.studies.frame import chosen_columns
from windtunnel.studies.kinds import apart, kinds_in
from windtunnel.studies.statistics.intervals import Method, mean_interval, percent, quantile_interval
from windtunnel.studies.statistics.paired import PairedDifference, holm, paired_difference
from windtunnel.studies.statistics.ranking import Ranking, rank
from windtunnel.studies.statistics.table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "REPORTED",
    "USUAL",
    "check_baseline",
    "differences",
    "groups_of",
    "means",
    "quantiles",
    "ranking",
    "ranking_table",
]

USUAL: Final = "bounded_slowdown_mean"
"""The figure that is looked at when none is named."""

REPORTED: Final = (USUAL, "waiting_time_mean", "utilisation")
"""The figures that a report shows when none are named."""

_DIFFERENCE: Final = (
    "inputs",
    "difference",
    "low",
    "high",
    "relative",
    "p (t)",
    "p (Holm)",
    "p (Wilcoxon)",
    "d",
    "A",
    "below/equal/above",
)

_REPEATED: Final = "seed"


def _figure(frame: "pl.DataFrame", metric: str) -> str:
    if not frame.height:
        raise UsageError("no point of the study has a result yet", "study status says how far it is, and what failed")
    own = [name for name in frame.columns if name.startswith("own_")]
    if metric not in frame.columns or metric not in (*FIGURES, *own):
        known = [*FIGURES, *own]
        holding = [name for name in known if str(metric) and str(metric) in name]
        hint = f"such as {', '.join(holding[:8])}" if holding else did_you_mean(str(metric), known)
        raise UsageError(f"there is no figure {metric!r}", hint)
    return metric


def groups_of(frame: "pl.DataFrame", among: str = "scheduler") -> list[str]:
    """The columns that tell groups of points apart: what varies, but for seeds and what is compared."""
    return [name for name in chosen_columns(frame) if name not in {_REPEATED, among} and frame[name].n_unique() > 1]


def _grouped(
    frame: "pl.DataFrame", metric: str, by: Sequence[str] | None, usual: Sequence[str]
) -> dict[tuple[Any, ...], "pl.DataFrame"]:
    """Points with a value by what they have in common, in order of their numbers; each simulation counts once."""
    import polars as pl

    if isinstance(by, str):
        raise UsageError(f"by is a list of columns, not {by!r}", f"by=[{by!r}]")
    columns = list(usual if by is None else dict.fromkeys(by))
    for name in columns:
        if name not in chosen_columns(frame):
            raise UsageError(f"points cannot be grouped by {name!r}", did_you_mean(name, chosen_columns(frame)))
    frame = frame.filter(pl.col(metric).is_not_null())
    parts = frame.partition_by(columns, maintain_order=True, as_dict=True) if columns else {(): frame}
    return {key: _distinct(part, ["key"]) for key, part in parts.items()}


def _distinct(frame: "pl.DataFrame", keys: Sequence[str]) -> "pl.DataFrame":
    """The rows of different simulations: seeds that do not reach a point make no samples of one simulation."""
    return frame.unique(subset=list(keys), keep="first", maintain_order=True)


def _by(frame: "pl.DataFrame", by: Sequence[str] | None) -> Sequence[str] | None:
    """What to group by: schedulers too, since what several of them did is no sample of anything."""
    if by is None or isinstance(by, str):
        return by
    several = ["scheduler"] if frame["scheduler"].n_unique() > 1 else []
    return list(dict.fromkeys([*by, *several]))


def _better(metric: str) -> str:
    """Which of two values is better, as titles say it; empty where it is not known."""
    if metric in NEITHER_IS_BETTER or metric.startswith("own_"):
        return ""
    return "more" if metric in HIGHER_IS_BETTER else "less"


def _notes(metric: str, rows: Sequence[Any], kinds: Sequence[str]) -> tuple[str, ...]:
    """What is to be said below a table: what was left out of it, or why it is empty."""
    if kinds:
        return (apart(metric, kinds),)
    return () if rows else (f"no point has a value of {metric}",)


def means(
    frame: "pl.DataFrame",
    metric: str = USUAL,
    *,
    by: Sequence[str] | None = None,
    confidence: float = 0.95,
    method: Method = "t",
) -> Table:
    """The mean of a figure in each group of points, with the interval in which the true mean lies."""
    by = _by(frame, by)
    usual = [*groups_of(frame), "scheduler"]
    rows, mixed = [], []
    for key, points in _grouped(frame, _figure(frame, metric), by, usual).items():
        if kinds := kinds_in(points, metric):
            mixed += kinds
        elif points.height:
            found = mean_interval(points[metric].to_list(), confidence, method)
            rows.append((*key, found.n, found.estimate, found.low, found.high, found.deviation))
    columns = _columns(usual if by is None else by, ("points", "mean", "low", "high", "deviation"))
    way = "t" if method == "t" else "BCa bootstrap"
    title = f"{with_unit(metric)}: means, with {percent(confidence)} intervals ({way})"
    return Table(title, columns, tuple(rows), _notes(metric, rows, mixed), keys=len(columns) - 5)


def quantiles(
    frame: "pl.DataFrame",
    metric: str = USUAL,
    share: float = 0.5,
    *,
    by: Sequence[str] | None = None,
    confidence: float = 0.95,
    method: Literal["order", "bootstrap"] = "order",
) -> Table:
    """A quantile of a figure over the points of each group, with its interval."""
    by = _by(frame, by)
    usual = [*groups_of(frame), "scheduler"]
    rows, mixed = [], []
    for key, points in _grouped(frame, _figure(frame, metric), by, usual).items():
        if kinds := kinds_in(points, metric):
            mixed += kinds
        elif points.height:
            found = quantile_interval(points[metric].to_list(), share, confidence, method)
            rows.append((*key, found.n, found.estimate, found.low, found.high))
    columns = _columns(usual if by is None else by, ("points", f"{percent(share)} quantile", "low", "high"))
    title = f"{with_unit(metric)}: {percent(share)} quantiles, with {percent(confidence)} intervals"
    return Table(title, columns, tuple(rows), _notes(metric, rows, mixed), keys=len(columns) - 4)


def _inputs(frame: "pl.DataFrame", metric: str, among: str) -> "pl.DataFrame":
    """A row for each input, columns of the values and the keys of each of what is compared; inputs that not all of
    them ended on left out.
    """
    if among not in chosen_columns(frame):
        raise UsageError(f"points cannot be grouped by {among!r}", did_you_mean(among, chosen_columns(frame)))
    import polars as pl

    labels = pl.Series(among, [str(value) for value in frame[among]], dtype=pl.String)
    names = labels.unique(maintain_order=True).to_list()
    index = {name: _prefix(names) + name for name in chosen_columns(frame) if name != among}
    long = frame.with_columns(labels).rename(index)
    values, keys = (
        long.pivot(on=among, index=list(index.values()), values=column, maintain_order=True)
        for column in (metric, "key")
    )
    kept = keys.select(pl.col(name).alias(key) for name, key in zip(names, _keys(names, names), strict=True))
    return values.hstack(kept).drop_nulls(names)


def _keys(names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The columns of the keys of some of what is compared."""
    return [_prefix(labels, "key of ") + name for name in names]


def _prefix(labels: Sequence[str], prefix: str = "by ") -> str:
    """Before the names of columns where labels become columns too: a label may be called like one of them."""
    while any(label.startswith(prefix) for label in labels):
        prefix += " "
    return prefix


def _columns(chosen: Sequence[str], ours: Sequence[str]) -> tuple[str, ...]:
    """The columns of a table; a parameter that is called like one of ours is told apart from it."""
    return (*(f"{name} (chosen)" if name in ours else name for name in chosen), *ours)


def check_baseline(baseline: str, names: Sequence[str], among: str = "scheduler") -> None:
    """Refuse to compare with what the study does not have."""
    if baseline not in names:
        raise UsageError(f"there is no {among} {baseline!r} in the study", did_you_mean(baseline, names))


def differences(
    frame: "pl.DataFrame",
    baseline: object,
    metric: str = USUAL,
    *,
    among: str = "scheduler",
    by: Sequence[str] = (),
    confidence: float = 0.95,
    method: Method = "t",
) -> Table:
    """What each policy differs by from a baseline, on the same inputs (seeds, loads...)."""
    _figure(frame, metric)
    baseline = str(baseline)
    names = [str(name) for name in frame[among].unique(maintain_order=True)] if among in frame.columns else []
    check_baseline(baseline, names, among)
    _grouped(frame, metric, by, ())  # whether there are such columns
    by = [name for name in dict.fromkeys(by) if name != among]  # a row is there for each of these anyway
    mixed = {key: kinds for key, part in _grouped(frame, metric, by, ()).items() if (kinds := kinds_in(part, metric))}
    wide = _inputs(frame, metric, among)
    kept = [_prefix(names) + name for name in by]
    parts = wide.partition_by(kept, maintain_order=True, as_dict=True) if by else {(): wide}
    found = [
        ((*key, name), _difference(_pairs(part, name, baseline, names), confidence, method))
        for key, part in parts.items()
        for name in names
        if name != baseline and part.height and key not in mixed
    ]
    better = f" ({said} is better)" if (said := _better(metric)) else ""
    return Table(
        f"{with_unit(metric)}: difference to {baseline} on the same inputs, {percent(confidence)} intervals{better}",
        _columns(by, (among, *_DIFFERENCE)),
        tuple(_compared(found)),
        tuple(apart(metric, kinds) for kinds in [*mixed.values()][:1])
        or (() if found else (f"no input has values of {metric} for {baseline} and another",)),
        keys=len(by),
    )


def _pairs(part: "pl.DataFrame", name: str, baseline: str, names: Sequence[str]) -> "pl.DataFrame":
    """The values of two policies on the same inputs."""
    return _distinct(part, _keys([name, baseline], names)).select(name, baseline)


def _difference(pairs: "pl.DataFrame", confidence: float, method: Method) -> PairedDifference:
    values, others = (column.cast(float).to_list() for column in pairs)
    return paired_difference(values, others, confidence, method)


def _compared(found: Sequence[tuple[tuple[Any, ...], PairedDifference]]) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of differences."""
    for (key, one), p in zip(found, holm([one.p_t for _, one in found]), strict=True):
        yield (
            *key,
            one.difference.n,
            one.difference.estimate,
            one.difference.low,
            one.difference.high,
            None if one.relative is None else f"{one.relative:+.1%}",
            one.p_t,
            p,
            one.p_wilcoxon,
            one.d,
            one.a,
            f"{one.below}/{one.equal}/{one.above}",
        )


def ranking(
    frame: "pl.DataFrame", metric: str = USUAL, *, among: str = "scheduler", confidence: float = 0.95
) -> Ranking:
    """Policies by their mean ranks over all inputs, with Friedman's and Nemenyi's tests."""
    _figure(frame, metric)
    if among != "scheduler" and (kinds := kinds_in(frame, metric)):  # of one input all schedulers have the same
        raise UsageError(apart(metric, kinds))
    wide = _inputs(frame, metric, among)
    names = [str(name) for name in frame[among].unique(maintain_order=True)]
    wide = _distinct(wide, _keys(names, names))
    values: Mapping[str, Sequence[float]] = {name: wide[name].to_list() for name in names}
    found = rank(values, higher_is_better=metric in HIGHER_IS_BETTER, confidence=confidence)
    return msgspec.structs.replace(found, among=among, first="best" if _better(metric) else "the least")


def ranking_table(found: Ranking, metric: str = USUAL) -> Table:
    """A ranking as a table."""
    return found.table(metric)
