"""The options of ``windtunnel run`` and ``windtunnel lease run`` about a site's electricity."""

from typing import Any, Final

import typer

__all__ = ["BATTERY", "CARBON", "PRICE", "PUE", "SECOND_ZERO", "SUPPLY", "electricity"]

CARBON: Final = typer.Option(
    metavar="FILE",
    help="With --energy: carbon intensity of the grid, a file (Electricity Maps, WattTime, OpenDC, CSV) with options "
    "as FILE?outside=year, or a constant such as 350g/kWh.",
)
PRICE: Final = typer.Option(
    metavar="FILE",
    help="With --energy: price of electricity, a file (ENTSO-E, CSV) or a constant such as 94EUR/MWh.",
)
PUE: Final = typer.Option(
    help="With --energy: what the facility consumes besides its machines, a constant PUE such as 1.2, or "
    "fixed=20000;linear=0.05;quadratic=1e-8 (W, W per W, W per square W).",
)
SECOND_ZERO: Final = typer.Option(
    metavar="DATE",
    help="The date of second 0 for --carbon and --price, such as 2024-01-01T06:00 (UTC); default: the log's.",
)
SUPPLY: Final = typer.Option(
    metavar="FILE", help="With --energy: converters, rectifiers and devices between machines and grid (JSON)."
)
BATTERY: Final = typer.Option(
    help="With --energy: a battery of the site that charges and gives by carbon intensity or price, as "
    "capacity=50kWh;charge=10000;policy=double;lower=200;upper=350 (W; g/kWh).",
)


def electricity(
    carbon: str | None,
    price: str | None,
    pue: str | None,
    second_zero: str | None,
    supply: str | None,
    battery: str | None,
) -> dict[str, Any]:
    """The options as arguments of :class:`windtunnel.Simulation`; None: not given."""
    given = {"carbon": carbon, "price": price, "pue": pue, "second_zero": second_zero, "supply": supply}
    return {**given, "battery": battery}
