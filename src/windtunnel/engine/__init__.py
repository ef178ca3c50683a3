"""The engine: the discrete-event kernel and what it simulates."""

from windtunnel.engine.options import Options
from windtunnel.engine.pace import Pacer
from windtunnel.engine.simulation import Simulation

__all__ = ["Options", "Pacer", "Simulation"]
