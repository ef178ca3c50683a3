"""The engine: the discrete-event kernel and what it simulates."""

from windtunnel.engine.rounds.pace import Pacer
from windtunnel.engine.simulation import Simulation
from windtunnel.engine.state.options import Options

__all__ = ["Options", "Pacer", "Simulation"]
