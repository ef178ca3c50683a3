"""Numbers as Batsim writes them: a hot path of the compiled build, which alone loads this module.

Eight digits are made at once, as the eight bytes of one integer: Python takes longer to write one number than all
of a row takes here. A product that lies so near the middle between two decimals that its own rounding could matter is
left to Python, which rounds the exact number.
"""

from typing import Final

from librt.strings import BytesWriter, write_i32_le, write_i64_le
from mypy_extensions import i32, i64, u8

from windtunnel.model.hostset import HostSet

__all__ = ["put_digits", "put_fixed", "put_hosts", "put_significant", "put_whole"]

_LARGEST: Final = 9.0e15
"""Below this a float that is not an integer has a fraction of its own, and integers are exact."""
_UNSURE: Final = 1e-6
"""Far more than what a fraction times a million is wrong by."""
_ZERO: Final[u8] = 48
_COMMA: Final[u8] = 44
_MINUS: Final[u8] = 45
_BLANK: Final[u8] = 32
_POINT: Final[i64] = 46
_NO_FRACTION: Final[i64] = 0x2C30303030303030 - 2
"""``.000000,``, the first character in the lowest byte."""
_EIGHT: Final[i64] = 100_000_000


def put_fixed(out: BytesWriter, value: float) -> None:
    """A number with six decimals, as ``%f`` has it (there is no -0), and a comma."""
    if not 0.0 <= value < _LARGEST:
        out.write(f"{value + 0.0:f},".encode())
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
                out.write(f"{value:f},".encode())
                return
            micro += 1
            if micro == 1_000_000:
                micro = 0
                whole += 1
    put_digits(out, whole)
    if micro == 0:
        write_i64_le(out, _NO_FRACTION)
    else:  # of its eight digits the first two are zeros: they become the point and, at the end, the comma
        write_i64_le(out, (_digits(micro) >> 8) + (_POINT - 48) + (i64(_COMMA) << 56))


def put_significant(out: BytesWriter, value: float) -> None:
    """A number with six significant digits, as ``%g`` has it."""
    if not 0.0 < value < _LARGEST:
        out.write(f"{value:g}".encode())
        return
    whole: i64 = i64(value)
    if float(whole) != value:
        out.write(f"{value:g}".encode())
    elif whole < 1_000_000:
        put_digits(out, whole)
    else:
        _exponential(out, whole)


def put_whole(out: BytesWriter, number: int) -> None:
    """A whole number of any size."""
    if 0 <= number < 1_000_000_000_000:
        put_digits(out, number)
    else:
        out.write(str(number).encode())


def put_hosts(out: BytesWriter, hosts: HostSet) -> None:
    """The intervals, as in :meth:`HostSet.text`."""
    more = False
    for first, last in hosts.runs:
        if more:
            out.append(_BLANK)
        more = True
        put_digits(out, first)
        if last > first:
            out.append(_MINUS)
            put_digits(out, last)


def put_digits(out: BytesWriter, number: i64) -> None:
    """A number that is not negative."""
    if number < 10:
        out.append(u8(number) + _ZERO)
        return
    if number < 100:
        tens: i64 = (number * 103) >> 10
        out.append(u8(tens) + _ZERO)
        out.append(u8(number - tens * 10) + _ZERO)
        return
    if number >= _EIGHT:
        put_digits(out, number // _EIGHT)
        write_i64_le(out, _digits(number % _EIGHT))
        return
    zeros: i64 = 5  # of its eight digits
    if number >= 10_000_000:
        zeros = 0
    elif number >= 1_000_000:
        zeros = 1
    elif number >= 100_000:
        zeros = 2
    elif number >= 10_000:
        zeros = 3
    elif number >= 1000:
        zeros = 4
    write_i64_le(out, _digits(number) >> (8 * zeros))
    if zeros:
        out.truncate(i64(len(out)) - zeros)


def _digits(number: i64) -> i64:
    """The eight digits of a number below 10 ** 8 as bytes, the first in the lowest.

    Halves, quarters and eighths are divided all at once, each by a multiplication whose product fits where it is.
    """
    high: i64 = (number * 109_951_163) >> 40  # over 10,000
    pairs: i64 = high | ((number - high * 10_000) << 32)
    high = ((pairs * 10_486) >> 20) & 0x0000007F0000007F  # over 100
    pairs = high + ((pairs - high * 100) << 16)
    high = ((pairs * 103) >> 10) & 0x000F000F000F000F  # over 10
    return high + ((pairs - high * 10) << 8) + 0x3030303030303030


def _exponential(out: BytesWriter, whole: i64) -> None:
    """Six significant digits of an integer of more than that."""
    power: i64 = 6
    step: i64 = 10
    while whole >= step * 1_000_000:
        step *= 10
        power += 1
    kept: i64 = whole // step
    rest: i64 = whole - kept * step
    if rest + rest > step or (rest + rest == step and kept & 1):  # halves go to even numbers
        kept += 1
        if kept == 1_000_000:
            kept = 100_000
            power += 1
    digits: i64 = _digits(kept) >> 16
    size: i64 = 6
    while (digits >> (8 * size - 8)) & 0xFF == 48:  # without the zeros at the end: the first is none
        size -= 1
    if size == 1:
        out.append(u8(digits & 0xFF))
    else:
        write_i64_le(out, (digits & 0xFF) + (_POINT << 8) + ((digits >> 8) << 16))
        out.truncate(i64(len(out)) - (7 - size))
    write_i32_le(out, i32(0x30302B65 + (power // 10 << 16) + (power % 10 << 24)))  # e+00
