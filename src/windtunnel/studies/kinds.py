"""What figures of a point are in, where points may differ: money has no exchange rate, and intensities have kinds."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from windtunnel.results.metrics import Metrics

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KINDS", "apart", "kinds_in", "kinds_of"]

KINDS: Final = ("bill_currency", "bill_carbon_kind")
"""Columns of a study's results that say it."""

_SAID_BY: Final = {
    "bill_cost": "bill_currency",
    "bill_revenue": "bill_currency",
    "bill_carbon_g": "bill_carbon_kind",
    "bill_cue": "bill_carbon_kind",
}
"""By which column it is said of a figure."""


def kinds_of(metrics: Metrics) -> dict[str, str]:
    """What the figures of a run are in, by column; nothing where it is not known."""
    bill = metrics.bill
    said = {} if bill is None else {"bill_currency": bill.currency, "bill_carbon_kind": bill.carbon_kind}
    return {name: kind for name, kind in said.items() if kind}


def kinds_in(points: "pl.DataFrame", metric: str) -> list[str]:
    """What the values of a figure are in, if not all in the same; what is not known agrees with all."""
    column = _SAID_BY.get(metric, "")
    if column not in points.columns:
        return []
    said = points.filter(points[metric].is_not_null())[column].drop_nulls()
    known: list[str] = said.unique(maintain_order=True).to_list()
    return known if len(known) > 1 else []


def apart(metric: str, kinds: Iterable[str]) -> str:
    """Why figures of several kinds are not pooled."""
    said = " and ".join(dict.fromkeys(kinds))
    return f"{metric} is in {said}, which are not pooled: group by what tells them apart (by, --by)"
