"""Which signal an argument stands for: a constant such as ``350g/kWh``, or a file, perhaps with options.

``FILE?outside=year&zone=DE`` has options behind a question mark; the format is recognised by the file's beginning.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Finding, Findings, InputError, UsageError, open_input, reading
from windtunnel.formats.files import reason
from windtunnel.formats.signals import electricity_maps, entsoe, opendc, plain, watttime
from windtunnel.formats.signals.rows import number_of
from windtunnel.model.signal_units import KNOWN, Quantity, convert
from windtunnel.model.signals import Signal, constant
from windtunnel.options import checked_options, options_of

__all__ = ["FORMATS", "SignalFormat", "file_in", "quantity_in", "read_signal"]

_CONSTANT: Final = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\W\d].*|€.*)")
_HEAD: Final = 1 << 16
_OURS: Final = {"carbon": "g/kWh", "price": "a currency per MWh, such as EUR/MWh", "power": "W"}
_EXAMPLES: Final = {"carbon": "350g/kWh", "price": "94EUR/MWh", "power": "20kW"}


class SignalFormat(msgspec.Struct, frozen=True):
    """A source of signals: what it gives, how its files are recognised by their first line, and what reads them."""

    name: str
    quantities: tuple[Quantity, ...]
    looks_like: Callable[[str], bool]
    reader: Callable[..., Signal]
    description: str
    """What it is, and by what it is recognised."""

    def __str__(self) -> str:
        return f"{self.name:<24} {', '.join(self.quantities):<13} {self.description}"


FORMATS: Final = (
    SignalFormat(
        "opendc",
        ("carbon",),
        opendc.looks_like_parquet,
        opendc.read_opendc,
        "OpenDC's carbon traces: Parquet",
    ),
    SignalFormat(
        "electricity-maps",
        ("carbon",),
        electricity_maps.looks_like_portal,
        electricity_maps.read_portal,
        "tables of Electricity Maps' portal: CSV whose first column is Datetime (UTC), with a carbon intensity",
    ),
    SignalFormat(
        "electricity-maps-history",
        ("carbon",),
        electricity_maps.looks_like_history,
        electricity_maps.read_history,
        "history of Electricity Maps' API: CSV with datetime and carbon_intensity_avg",
    ),
    SignalFormat(
        "watttime",
        ("carbon",),
        watttime.looks_like_watttime,
        watttime.read_watttime,
        "answers of WattTime's API 3: JSON with meta and data, or with point_time",
    ),
    SignalFormat(
        "watttime-csv",
        ("carbon",),
        watttime.looks_like_watttime_csv,
        watttime.read_watttime_csv,
        "the same as CSV with point_time and value",
    ),
    SignalFormat(
        "entsoe",
        ("price",),
        entsoe.looks_like_entsoe,
        entsoe.read_entsoe,
        "ENTSO-E's day-ahead prices: CSV with MTU (UTC) or MTU (CET/CEST), and Day-ahead Price",
    ),
    SignalFormat(
        "plain",
        ("carbon", "price", "power"),
        plain.looks_like_plain,
        plain.read_plain,
        "CSV of your own, with a column time and one named with its unit",
    ),
)
"""In the order in which they are tried."""


def read_signal(given: str | Path | Signal, quantity: Quantity) -> tuple[Signal, list[Finding]]:
    """A signal, and what there is to tell about its source.

    Args:
        given: a constant with its unit (``350g/kWh``), a file with options (``FILE?outside=hold``), or a signal.
        quantity: ``carbon``, ``price`` or ``power``.

    Raises:
        InputError: the file cannot be read, or is invalid.
        UsageError: the unit of a constant is not known, or there is no such option.
    """
    if isinstance(given, Signal):
        known = convert(quantity, given.unit)
        if known is None or known != (given.unit, 1.0):
            raise UsageError(f"a signal of {quantity} is in {_OURS[quantity]}, not in {given.unit!r:.40}")
        return given, []
    text = str(given)
    if not text:
        raise UsageError(f"an empty string is not a {quantity}", _hint(quantity))
    if number_of(text) is not None and not Path(text).exists():
        raise UsageError(f"{quantity}: {text} has no unit", _hint(quantity))
    if not Path(text).is_file() and (found := _CONSTANT.fullmatch(text.strip())) is not None:
        known = convert(quantity, found[2])
        if known is not None:
            return constant(f"the {quantity}", known[0], float(found[1]) * known[1]), []
        if not Path(text.partition("?")[0]).exists():
            raise UsageError(f"{found[2]!r:.40} is not a unit of {quantity}", f"units: {KNOWN[quantity]}")
    return _from_file(text, quantity)


def file_in(text: str, quantity: Quantity, folder: Path) -> tuple[str, str]:
    """The file of a signal, in a folder unless its path is absolute, and the options behind it; "" for a constant."""
    if not (folder / text).is_file():
        found = _CONSTANT.fullmatch(text.strip())
        if found is not None and convert(quantity, found[2]) is not None:
            return "", ""
        text, mark, rest = text.partition("?")
        return str((folder / text).absolute()), mark + rest
    return str((folder / text).absolute()), ""


def quantity_in(head: bytes) -> Quantity | None:
    """Which quantity a file is a signal of, as its beginning shows; None: it is none, or that is not clear."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    found = _recognised(text)
    if found is None or found.looks_like is not plain.looks_like_plain:
        return None if found is None else found.quantities[0]
    known = [quantity for quantity in found.quantities if plain.has_unit(_first_line(text), quantity)]
    return known[0] if len(known) == 1 else None


def _recognised(head: str) -> SignalFormat | None:
    first = _first_line(head)
    return next((form for form in FORMATS if form.looks_like(first)), None)


def _first_line(head: str) -> str:
    """What formats are recognised by: the first line, or of JSON, all that was read."""
    return head if head.lstrip().startswith("{") else head.partition("\n")[0].rstrip("\r")


def _hint(quantity: Quantity) -> str:
    return f"a file, or a constant such as {_EXAMPLES[quantity]}"


def _from_file(text: str, quantity: Quantity) -> tuple[Signal, list[Finding]]:
    name, options = (text, {}) if Path(text).is_file() else _options(text, quantity)
    path, findings = Path(name), Findings(name)
    form = _format_of(path, quantity, findings)
    checked = checked_options(f"the format {form.name}", options_of(form.reader, skip=3), options)
    with reading(path):
        signal = form.reader(path, quantity, findings, **checked)
    return signal, findings.sorted()


def _options(text: str, quantity: Quantity) -> tuple[str, dict[str, Any]]:
    """The file, and the options behind a question mark."""
    name, mark, rest = text.partition("?")
    options: dict[str, Any] = {}
    for part in rest.split("&") if mark else ():
        key, equals, value = part.partition("=")
        if not equals or not key or key in options:
            what = f"gives {key!r:.40} twice" if key in options else f"has {part!r:.40}, which is not NAME=VALUE"
            raise UsageError(f"{quantity} {text!r:.200} {what}", "such as FILE?outside=hold&zone=DE")
        options[key] = value
    return name, options


def _format_of(path: Path, quantity: Quantity, findings: Findings) -> SignalFormat:
    try:
        with open_input(path) as file:
            head = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    except OSError as error:
        findings.add(f"cannot be read: {reason(error)}", code="unreadable", hint=_hint(quantity))
        raise InputError(findings.sorted()) from error
    found = _recognised(head)
    if found is None:
        names = ", ".join(form.name for form in FORMATS)
        hint = f"sources: {names}; our own CSV has a column time and one named with its unit ({KNOWN[quantity]})"
        message = "is in none of the formats of signals" if head.strip() else "is empty"
        findings.add(message, code="format", hint=hint)
        findings.raise_all()
    if quantity not in found.quantities:
        message = f"is in the format {found.name}, which gives a {found.quantities[0]}, not a {quantity}"
        findings.add(message, code="format")
        findings.raise_all()
    return found
