"""Units of signals: carbon intensities in g/kWh, prices in a currency per MWh, power in W; others are converted.

A unit that is not listed here is refused, never guessed (power-carbon.md 5).
"""

import re
from typing import Final, Literal

__all__ = ["KNOWN", "Quantity", "convert", "currency_of"]

Quantity = Literal["carbon", "price", "power"]

_GRAM_PER_KWH: Final = {
    "g/kwh": 1.0,
    "kg/kwh": 1000.0,
    "kg/mwh": 1.0,
    "t/mwh": 1000.0,
    "lb/mwh": 0.45359237,  # the pound is 453.59237 g by definition
    "lbs/mwh": 0.45359237,
    "g/mj": 3.6,
}
_GAS: Final = re.compile(r"co(?:2|₂)(?:-?eq?)?")
"""What stands behind a mass: CO2, CO2e, CO2eq."""
_WATTS: Final = {"W": 1.0, "kW": 1e3, "MW": 1e6}
_PRICE: Final = re.compile(r"([A-Z]{3}|€)/([kM]Wh)")

KNOWN: Final = {
    "carbon": "g/kWh, kg/kWh, kg/MWh, t/MWh, lb/MWh or g/MJ, also with CO2, CO2e or CO2eq behind the mass",
    "price": "a currency per kWh or MWh, such as EUR/MWh",
    "power": "W, kW or MW",
}
"""What may be written, by quantity."""


def convert(quantity: Quantity, unit: str) -> tuple[str, float] | None:
    """The unit in which we keep such a quantity, and by what values in ``unit`` are multiplied; None if unknown."""
    text = unit.strip()
    if quantity == "carbon":
        plain = text.casefold().replace(" ", "")
        if plain == "lbs_co2_per_mwh":
            plain = "lb/mwh"
        factor = _GRAM_PER_KWH.get(_GAS.sub("", plain, count=1))
        return None if factor is None else ("g/kWh", factor)
    if quantity == "power":
        return ("W", _WATTS[text]) if text in _WATTS else None
    found = _PRICE.fullmatch(text)
    if found is None:
        return None
    currency = "EUR" if found[1] == "€" else found[1]
    return f"{currency}/MWh", 1.0 if found[2] == "MWh" else 1000.0


def currency_of(unit: str) -> str:
    """The currency of a price in one of our units, such as ``EUR``."""
    return unit.partition("/")[0]
