"""The words in which :mod:`~windtunnel.vocabulary.coverage` tells what a wire does with a notice or decision."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

import msgspec

from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n

__all__ = ["SAID", "Coverage", "Row", "Told", "Wire", "refused", "row", "said", "silent"]


class Wire(Enum):
    """What the vocabulary is put into; the value is how it is called in texts."""

    VIEW = "the view"
    JSON = "Batsim's JSON protocol"
    BATPROTOCOL = "batprotocol"
    DATACENTERS = "a scheduler per datacenter"
    CORES = "packing by cores"


class Told(Enum):
    """What a wire does with a notice or decision."""

    SAID = "said"
    REFUSED = "refused by name"
    SILENT = "silent on purpose"


class Coverage(msgspec.Struct, frozen=True):
    """What one wire does with one kind of notice or decision."""

    told: Told
    note: str = ""
    """How it is said; why it is refused, or silent."""
    becomes: type[n.Notice] | type[d.Decision] | None = None
    """What arrives at the other end, where that is another kind."""
    loses: tuple[str, ...] = ()
    """Fields that do not arrive, or not whole."""


Row = Mapping[Wire, Coverage]

SAID: Final = Coverage(Told.SAID)


def said(note: str = "", *loses: str, becomes: type[n.Notice] | type[d.Decision] | None = None) -> Coverage:
    """It is said: how, what arrives in its place, and which fields do not arrive, or not whole."""
    return Coverage(Told.SAID, note, becomes, loses)


def refused(reason: str) -> Coverage:
    """It is refused by name, and why."""
    return Coverage(Told.REFUSED, reason)


def silent(reason: str) -> Coverage:
    """Nothing is said on purpose, and why."""
    return Coverage(Told.SILENT, reason)


def row(
    view: Coverage = SAID,
    json: Coverage = SAID,
    batprotocol: Coverage = SAID,
    datacenters: Coverage = SAID,
    cores: Coverage = SAID,
) -> Row:
    """What each wire does: what is not named here is said as it is."""
    return {
        Wire.VIEW: view,
        Wire.JSON: json,
        Wire.BATPROTOCOL: batprotocol,
        Wire.DATACENTERS: datacenters,
        Wire.CORES: cores,
    }
