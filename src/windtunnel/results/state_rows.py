"""The rows of ``machine_states.csv`` as text, one by one: a hot path of the compiled build.

In pure Python it is faster to format many at once (:mod:`windtunnel.results.machine_states`).
"""

from typing import Any, Final

from windtunnel.results.texts import digits, significant

__all__ = ["STATE_WIDTH", "states_one_by_one"]

STATE_WIDTH: Final = 6
"""Values of a row: the date, and how many hosts sleep, switch on, switch off, idle and compute."""


def states_one_by_one(values: list[Any]) -> str:
    """Rows from their values, one after the other; dates have six significant digits.

    Raises:
        TypeError: a count is no ``int`` of Python (when compiled).
    """
    rows: list[str] = []
    last = 0.0
    text = ""
    power_states = 0, 0, 0
    rare = ""
    for at in range(0, len(values), STATE_WIDTH):
        date = float(values[at])  # numpy's too
        if date != last or date == 0.0:  # there is a -0
            text = significant(date)
            last = date
        sleeping: int = values[at + 1]
        rising: int = values[at + 2]
        falling: int = values[at + 3]
        idle: int = values[at + 4]
        computing: int = values[at + 5]
        if not rare or (sleeping, rising, falling) != power_states:
            power_states = sleeping, rising, falling
            rare = f",{digits(sleeping)},{digits(rising)},{digits(falling)},"
        rows.append(f"{text}{rare}{digits(idle)},{digits(computing)}")
    return "\n".join(rows) + "\n" if rows else ""
