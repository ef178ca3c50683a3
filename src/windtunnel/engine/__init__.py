"""The engine: the discrete-event kernel and what it simulates. A pace is loaded where one is kept."""

from typing import TYPE_CHECKING, Any

from windtunnel.engine.simulation import Simulation
from windtunnel.engine.state.options import Options

if TYPE_CHECKING:
    from windtunnel.engine.rounds.pace import Pacer as Pacer

__all__ = ["Options", "Pacer", "Simulation"]


def __getattr__(name: str) -> Any:
    if name != "Pacer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from windtunnel.engine.rounds.pace import Pacer

    return Pacer
