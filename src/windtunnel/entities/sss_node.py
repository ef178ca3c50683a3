"""An SSS node object (3.1.0, seed document 003), once: as data, and as XML text.

Reading, with all its diagnostics, is :mod:`windtunnel.formats.sites.sss`; writing is here because exporters, services
and the format share it.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

import msgspec

from windtunnel.entities.sss_units import duration_text

__all__ = [
    "CATEGORIES",
    "CONSUMABLES",
    "STATES",
    "Consumable",
    "Extension",
    "NodeSite",
    "SssNode",
    "node_xml",
    "nodes_xml",
]

STATES = ("Offline", "Configured", "Unknown", "Idle", "Busy")
CATEGORIES = ("Configured", "Available", "Utilized")
CONSUMABLES = ("Processors", "Memory", "Disk", "Swap", "Network", "Resource")


class Extension(msgspec.Struct, frozen=True):
    """A property that the specification does not know."""

    name: str
    value: str = ""
    type: str = ""


class Consumable(msgspec.Struct, frozen=True, kw_only=True):
    """An amount of something that can be used up. ``element`` is one of :data:`CONSUMABLES`."""

    element: str
    value: int | float
    units: str = ""
    metric: str = ""
    wall_duration: float | None = None
    """Seconds."""
    consumption_rate: float | None = None
    """The fraction of it that was used on average."""
    name: str = ""
    """Of a ``Resource``: what it is."""
    type: str = ""
    """Of a ``Resource``: which kind of that."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is an amount of, whatever the metric."""
        return self.element, self.name, self.type


class SssNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node. Empty texts stand for properties that are not given."""

    id: str
    name: str = ""
    opsys: str = ""
    arch: str = ""
    description: str = ""
    state: str = ""
    features: tuple[str, ...] = ()
    extensions: tuple[Extension, ...] = ()
    configured: tuple[Consumable, ...] = ()
    available: tuple[Consumable, ...] = ()
    utilized: tuple[Consumable, ...] = ()

    def category(self, name: str) -> tuple[Consumable, ...]:
        """The consumables of ``Configured``, ``Available`` or ``Utilized``."""
        found: tuple[Consumable, ...] = getattr(self, name.lower())
        return found


class NodeSite(msgspec.Struct, frozen=True):
    """A site that was described by nodes: one for each host, as it was read."""

    nodes: tuple[SssNode, ...]


_quoted = lru_cache(4096)(quoteattr)  # units, metrics and names come again for each node
_SIMPLE = (
    ("Id", "id"),
    ("Name", "name"),
    ("Opsys", "opsys"),
    ("Arch", "arch"),
    ("Description", "description"),
    ("State", "state"),
)


def nodes_xml(nodes: Iterable[SssNode], *, moab: bool = False) -> Iterator[str]:
    """A document of many nodes inside ``Data``, piece by piece; ``moab``: durations as bare seconds."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<Data>\n'
    for node in nodes:
        yield node_xml(node, moab=moab, indent="  ")
    yield "</Data>\n"


def node_xml(node: SssNode, *, moab: bool = False, indent: str = "") -> str:
    """One ``Node`` element, indented, with a final newline."""
    deeper = indent + "  "
    lines = [f"{indent}<Node>\n"]
    for element, field in _SIMPLE:
        if (text := getattr(node, field)) or element == "Id":
            lines.append(f"{deeper}<{element}>{escape(text)}</{element}>\n")
    lines += [f"{deeper}<Feature>{escape(feature)}</Feature>\n" for feature in node.features]
    for extension in node.extensions:
        kind = f" type={quoteattr(extension.type)}" if extension.type else ""
        name = quoteattr(extension.name)
        lines.append(f"{deeper}<Extension name={name}{kind}>{escape(extension.value)}</Extension>\n")
    for category in CATEGORIES:
        if items := node.category(category):
            lines.append(f"{deeper}<{category}>\n")
            lines += [f"{deeper}  {_consumable(item, moab=moab)}\n" for item in items]
            lines.append(f"{deeper}</{category}>\n")
    lines.append(f"{indent}</Node>\n")
    return "".join(lines)


def _consumable(item: Consumable, *, moab: bool) -> str:
    text = f"<{item.element}"
    if item.name:
        text += f" name={_quoted(item.name)}"
    if item.type:
        text += f" type={_quoted(item.type)}"
    if item.units:
        text += f" units={_quoted(item.units)}"
    if item.metric:
        text += f" metric={_quoted(item.metric)}"
    if item.wall_duration is not None:
        text += f' wallDuration="{duration_text(item.wall_duration, plain=moab)}"'
    if item.consumption_rate is not None:
        text += f' consumptionRate="{item.consumption_rate!r}"'
    return f"{text}>{item.value!r}</{item.element}>"
