"""The engine: the discrete-event kernel and what it simulates. A pace is loaded where one is kept."""

from typing import TYPE_CHECKING

from windtunnel.engine.simulation import Simulation
from windtunnel.engine.state.options import Options
from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.engine.rounds.pace import Pacer as Pacer

__all__ = ["Options", "Pacer", "Simulation"]

__getattr__ = loads_on_use(__name__, {"Pacer": "rounds.pace"})
