"""Numbers as Batsim writes them, digit by digit: a hot path of the compiled build, which alone loads this module.

Digits are made from integers, as Python takes longer to write one number than all of a row takes here. A product that
lies so near the middle between two decimals that its own rounding could matter is left to Python, which rounds the
exact number.
"""

from typing import Final

from librt.strings import StringWriter
from mypy_extensions import i32, i64

from windtunnel.model.hostset import HostSet

__all__ = ["put_fixed", "put_hosts", "put_significant", "put_whole"]

_LARGEST: Final = 9.0e15
"""Below this a float that is not an integer has a fraction of its own, and integers are exact."""
_UNSURE: Final = 1e-6
"""Far more than what a fraction times a million is wrong by."""
_ZERO: Final[i32] = 48
_COMMA: Final[i32] = 44
_MINUS: Final[i32] = 45
_POINT: Final[i32] = 46
_BLANK: Final[i32] = 32


def put_fixed(out: StringWriter, value: float) -> None:
    """A comma and a number with six decimals, as ``%f`` has it; there is no -0."""
    out.append(_COMMA)
    if not 0.0 <= value < _LARGEST:
        out.write(f"{value + 0.0:f}")
        return
    whole: i64 = i64(value)
    part = value - float(whole)
    micro: i64 = 0
    if part != 0.0:
        millionths = part * 1e6
        micro = i64(millionths)
        rest = millionths - float(micro)
        if rest > 0.5 - _UNSURE:
            if rest < 0.5 + _UNSURE:
                out.write(f"{value:f}")
                return
            micro += 1
            if micro == 1_000_000:
                micro = 0
                whole += 1
    _digits(out, whole)
    if micro == 0:
        out.write(".000000")
        return
    out.append(_POINT)
    _three(out, micro // 1000)
    _three(out, micro % 1000)


def put_significant(out: StringWriter, value: float) -> None:
    """A number with six significant digits, as ``%g`` has it."""
    if not 0.0 < value < _LARGEST:
        out.write(f"{value:g}")
        return
    whole: i64 = i64(value)
    if float(whole) != value:
        out.write(f"{value:g}")
    elif whole < 1_000_000:
        _digits(out, whole)
    else:
        _exponential(out, whole)


def put_whole(out: StringWriter, number: int) -> None:
    """A comma and a whole number of any size."""
    out.append(_COMMA)
    if 0 <= number < 1_000_000_000_000:
        _digits(out, number)
    else:
        out.write(str(number))


def put_hosts(out: StringWriter, hosts: HostSet) -> None:
    """A comma and the intervals, as in :meth:`HostSet.text`."""
    mark = _COMMA
    for first, last in hosts.runs:
        out.append(mark)
        _digits(out, first)
        if last > first:
            out.append(_MINUS)
            _digits(out, last)
        mark = _BLANK
    if mark == _COMMA:  # none
        out.append(mark)


def _digits(out: StringWriter, number: i64) -> None:
    """A number that is not negative."""
    if number >= 1000:
        _digits(out, number // 1000)
        _three(out, number % 1000)
        return
    if number >= 100:
        out.append(i32(number // 100) + _ZERO)
    if number >= 10:
        out.append(i32(number // 10 % 10) + _ZERO)
    out.append(i32(number % 10) + _ZERO)


def _three(out: StringWriter, number: i64) -> None:
    """The three digits of a number below 1000."""
    few = i32(number)
    out.append(few // 100 + _ZERO)
    out.append(few // 10 % 10 + _ZERO)
    out.append(few % 10 + _ZERO)


def _exponential(out: StringWriter, whole: i64) -> None:
    """Six significant digits of an integer of more than that."""
    power: i64 = 6
    step: i64 = 10
    while whole >= step * 1_000_000:
        step *= 10
        power += 1
    kept: i64 = whole // step
    rest: i64 = whole % step
    if rest + rest > step or (rest + rest == step and kept % 2 == 1):  # halves go to even numbers
        kept += 1
        if kept == 1_000_000:
            kept = 100_000
            power += 1
    _digits(out, kept // 100_000)
    tail: i64 = kept % 100_000
    if tail:
        out.append(_POINT)
    while tail:  # without the zeros at the end
        _digits(out, tail // 10_000)
        tail = tail % 10_000 * 10
    out.write("e+0" if power < 10 else "e+")
    _digits(out, power)
