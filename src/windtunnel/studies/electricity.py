"""The electricity of a study: each file is read once for its faults, and known by its content."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from windtunnel.formats.signals import file_in, read_signal
from windtunnel.formats.supply import read_supply
from windtunnel.model.billing import check_currencies, check_signal
from windtunnel.run_billing import SIGNALS, TEXTS, Electricity
from windtunnel.studies.placeholders import filled
from windtunnel.studies.words import Words

__all__ = ["ELECTRICITY", "Once", "electricity_of"]

ELECTRICITY: Final = (*SIGNALS, "pue", "second_zero", "supply", "battery")
"""The words of a study that are arguments of :class:`windtunnel.Simulation` by the same names."""

Once = Callable[[Any, tuple[str, ...], Callable[[], Any]], Any]
"""``once(name, way, make)``: what ``make`` gives, made once; None when it finds a fault."""


def electricity_of(
    words: Words, values: Mapping[str, Any], folder: Path, once: Once, digest: Callable[[str], str], *, rule: str
) -> tuple[dict[str, Any], Any] | None:
    """The arguments for a point, and what stands for their content; None when one of them is at fault.

    ``rule`` is that of the energy of the point.
    """
    given = {name: filled(getattr(words, name), values) for name in ELECTRICITY}
    given = {name: value for name, value in given.items() if value != ""}
    if not given:
        return {}, None
    looks = [once(("electricity", rule, *given), (next(iter(given)),), lambda: _needs_met(words, given, rule))]
    for name, parse in TEXTS.items():
        if name in given:
            looks.append(once((name, given[name]), (name,), partial(parse, given[name])))
    for name in ("battery", "export_price"):
        if name in given and None not in looks:
            looks.append(once((name, given[name], *given), (name,), lambda: _battery_met(given)))
    contents = []
    units: dict[str, str] = {}
    for name, quantity in SIGNALS.items():
        if name in given:
            look = partial(_signal, name, str(given[name]), quantity, folder, digest)
            found = once((name, given[name]), (name,), look)
            looks.append(found)
            given[name], content, units[name] = found or ("", None, "")
            contents.append([name, content])
    if units.get("price") and units.get("export_price"):
        pair = units["price"], units["export_price"]
        looks.append(once(("currencies", *pair), ("export_price",), lambda: _alike(*pair)))
    if "supply" in given:
        path = str((folder / str(given["supply"])).absolute())
        looks.append(once(("supply", path), ("supply",), lambda: read_supply(path)))
        given["supply"] = path
        contents.append([Path(path).name, None if looks[-1] is None else digest(path)])
    if None in looks:
        return None
    texts = [given.get("pue"), given.get("second_zero")]
    return given, [contents, [*texts, given["battery"]] if "battery" in given else texts]


def _needs_met(words: Words, given: Mapping[str, Any], rule: str) -> bool:
    Electricity(**given).check_needs(energy=words.energy, rule=rule)
    return True


def _battery_met(given: Mapping[str, Any]) -> bool:
    Electricity(**given).check_battery()
    return True


def _alike(price: str, export_price: str) -> bool:
    check_currencies(price, export_price)
    return True


def _signal(
    name: str, text: str, quantity: Any, folder: Path, digest: Callable[[str], str]
) -> tuple[str, Any, str]:
    """A signal as a worker reads it, what stands for its content, and its unit."""
    path, rest = file_in(text, quantity, folder)
    signal, _ = read_signal(path + rest if path else text, quantity)
    check_signal(name, signal)
    if not path:
        return text, text, signal.unit
    return path + rest, [Path(path).name, rest, digest(path)], signal.unit
