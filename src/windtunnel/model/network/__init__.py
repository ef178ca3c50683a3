"""Networks as SimGrid describes them: nested zones, each with its own way of routing, joined at gateways."""

from windtunnel.model.network.fabric import DragonflyZone, FatTreeNode, FatTreeZone, TorusZone
from windtunnel.model.network.network import ZonedNetwork
from windtunnel.model.network.routes import PointKind
from windtunnel.model.network.table import DijkstraZone, FloydZone, FullZone
from windtunnel.model.network.zone import EmptyZone, Leg, StarZone, VivaldiZone, Zone

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
