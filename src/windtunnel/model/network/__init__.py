"""Networks as SimGrid describes them: nested zones, each with its own way of routing, joined at gateways."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.model.network.fabric import DragonflyZone as DragonflyZone
    from windtunnel.model.network.fabric import FatTreeNode as FatTreeNode
    from windtunnel.model.network.fabric import FatTreeZone as FatTreeZone
    from windtunnel.model.network.fabric import TorusZone as TorusZone
    from windtunnel.model.network.network import ZonedNetwork as ZonedNetwork
    from windtunnel.model.network.routes import PointKind as PointKind
    from windtunnel.model.network.table import DijkstraZone as DijkstraZone
    from windtunnel.model.network.table import FloydZone as FloydZone
    from windtunnel.model.network.table import FullZone as FullZone
    from windtunnel.model.network.zone import EmptyZone as EmptyZone
    from windtunnel.model.network.zone import Leg as Leg
    from windtunnel.model.network.zone import StarZone as StarZone
    from windtunnel.model.network.zone import VivaldiZone as VivaldiZone
    from windtunnel.model.network.zone import Zone as Zone

__all__ = [
    "DijkstraZone",
    "DragonflyZone",
    "EmptyZone",
    "FatTreeNode",
    "FatTreeZone",
    "FloydZone",
    "FullZone",
    "Leg",
    "PointKind",
    "StarZone",
    "TorusZone",
    "VivaldiZone",
    "Zone",
    "ZonedNetwork",
]

_MODULE: Final = {
    "DijkstraZone": "table",
    "DragonflyZone": "fabric",
    "EmptyZone": "zone",
    "FatTreeNode": "fabric",
    "FatTreeZone": "fabric",
    "FloydZone": "table",
    "FullZone": "table",
    "Leg": "zone",
    "PointKind": "routes",
    "StarZone": "zone",
    "TorusZone": "fabric",
    "VivaldiZone": "zone",
    "Zone": "zone",
    "ZonedNetwork": "network",
}

__getattr__ = loads_on_use(__name__, _MODULE)
