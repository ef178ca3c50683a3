"""The electricity of a site, in rows for people."""

from windtunnel.diagnostics import show_duration
from windtunnel.model.bill import Bill

__all__ = ["bill_rows", "cost_of", "mass_of"]


def bill_rows(bill: Bill) -> list[tuple[str, str]]:
    """Name and value of each figure."""
    rows = [("  of the site", f"{bill.site_joules:,.0f} J")]
    if bill.devices_joules or bill.losses_joules:
        rows.append(("  of that, devices", f"{bill.devices_joules:,.0f} J"))
        rows.append(("  of that, losses", f"{bill.losses_joules:,.0f} J"))
    rows.append(("  of that, overhead", f"{bill.overhead_joules:,.0f} J"))
    if bill.battery_charged_joules is not None or bill.generated_joules is not None:
        rows.append(("  of the grid", f"{bill.grid_joules:,.0f} J"))
    if bill.generated_joules is not None:
        rows.append(("generated on site", f"{bill.generated_joules:,.0f} J"))
        rows.append(("  of that, exported", f"{bill.exported_joules or 0.0:,.0f} J"))
    if bill.battery_charged_joules is not None:
        rows += _of_battery(bill)
    if bill.pue is not None:
        rows.append(("PUE", f"{bill.pue:.4f}".rstrip("0").rstrip(".")))
    rows.append(("peak of 15 min", f"{bill.peak_watts:,.1f} W"))
    if bill.cap_excess_joules is not None:
        rows.append(("above the power cap", f"{bill.cap_excess_joules:,.0f} J"))
        seconds, watts = show_duration(bill.cap_excess_seconds or 0.0), bill.cap_excess_watts or 0.0
        rows.append(("  for / by at most", f"{seconds} / {watts:,.1f} W"))
    if bill.carbon_g is not None:
        kind = f" ({bill.carbon_kind} intensity)" if bill.carbon_kind else ""
        rows.append(("carbon", f"{mass_of(bill.carbon_g)} CO2e{kind}"))
    if bill.cue is not None:
        rows.append(("CUE", f"{bill.cue:,.4f} kg/kWh"))
    if bill.cost is not None:
        rows.append(("cost", cost_of(bill.cost, bill.currency)))
    if bill.revenue is not None:
        rows.append(("revenue of exports", cost_of(bill.revenue, bill.currency)))
    return rows


def _of_battery(bill: Bill) -> list[tuple[str, str]]:
    rows = [
        ("battery, charged", bill.battery_charged_joules),
        ("battery, given", bill.battery_given_joules),
        ("battery, held at the end", bill.battery_end_joules),
    ]
    if bill.battery_losses_joules:
        rows.insert(2, ("battery, losses", bill.battery_losses_joules))
    return [(name, f"{joules or 0.0:,.0f} J") for name, joules in rows]


def mass_of(grams: float) -> str:
    """Grams in the largest unit that keeps them above 1; of a few milligrams as many digits as say something."""
    for unit, size in (("t", 1e6), ("kg", 1e3)):
        if abs(grams) >= size:
            return f"{grams / size:,.3f} {unit}"
    return f"{grams:,.3f} g" if abs(grams) >= 0.1 or not grams else f"{grams:.4g} g"


def cost_of(cost: float, currency: str) -> str:
    """A cost with its currency: two digits behind the point, more of small ones."""
    number = f"{cost:,.2f}" if abs(cost) >= 10.0 or not cost else f"{cost:.4g}"
    return f"{number} {currency}".rstrip()
