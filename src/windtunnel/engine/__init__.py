"""The engine: the discrete-event kernel and what it simulates. Each name is loaded when it is first used."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.engine.rounds.pace import Pacer as Pacer
    from windtunnel.engine.simulation import Simulation as Simulation
    from windtunnel.engine.state.options import Options as Options

__all__ = ["Options", "Pacer", "Simulation"]

_MODULE: Final = {"Options": "state.options", "Pacer": "rounds.pace", "Simulation": "simulation"}

__getattr__ = loads_on_use(__name__, _MODULE)
