"""The options of ``windtunnel run`` and ``windtunnel lease run`` about a site's electricity."""

from typing import Annotated, Any, Final, Optional

import typer

__all__ = [
    "Battery",
    "Carbon",
    "ExportPrice",
    "Generation",
    "PowerCap",
    "Price",
    "Pue",
    "SecondZero",
    "Supply",
    "arguments",
]

Carbon = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        metavar="FILE",
        help="With --energy: carbon intensity of the grid, a file (Electricity Maps, WattTime, OpenDC, CSV) with "
        "options as FILE?outside=year, or a constant such as 350g/kWh.",
    ),
]
Price = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        metavar="FILE",
        help="With --energy: price of electricity, a file (ENTSO-E, CSV) or a constant such as 94EUR/MWh.",
    ),
]
Generation = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        metavar="FILE",
        help="With --energy: what the site generates itself, such as by the sun, a file (CSV in W, kW or MW) or a "
        "constant such as 20kW.",
    ),
]
ExportPrice = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        metavar="FILE",
        help="With --generation: what is paid for what goes back to the grid, as --price; default: nothing.",
    ),
]
PowerCap = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        metavar="FILE",
        help="With --energy: what the machines may draw together, a file (CSV in W, kW or MW) or a constant such as "
        "1.5MW; what exceeds it is accounted for, and the scheduler capped-easy keeps it.",
    ),
]
Pue = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        help="With --energy: what the facility consumes besides its machines, a constant PUE such as 1.2, or "
        "fixed=20000;linear=0.05;quadratic=1e-8 (W, W per W, W per square W).",
    ),
]
SecondZero = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        metavar="DATE",
        help="The date of second 0 for signals that have dates, such as 2024-01-01T06:00 (UTC); default: the log's.",
    ),
]
Supply = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        metavar="FILE", help="With --energy: converters, rectifiers and devices between machines and grid (JSON)."
    ),
]
Battery = Annotated[
    Optional[str],  # noqa: UP045 -- typer reads it
    typer.Option(
        help="With --energy: a battery of the site that charges and gives by carbon intensity, price or surplus, as "
        "capacity=50kWh;charge=10000;policy=double;lower=200;upper=350 (W; g/kWh).",
    ),
]


_NAMES: Final = (
    "carbon",
    "price",
    "generation",
    "export_price",
    "power_cap",
    "pue",
    "second_zero",
    "supply",
    "battery",
)


def arguments(*given: str | None) -> dict[str, Any]:
    """The options, all of them in the order above, as arguments of :class:`~windtunnel.Simulation`."""
    return dict(zip(_NAMES, given, strict=True))
