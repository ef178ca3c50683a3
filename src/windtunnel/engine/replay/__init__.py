"""Replay of traces: SimGrid's time-independent traces (SMPI) and usage traces (execution-model.md 4)."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.engine.replay.machine import Trace as Trace
    from windtunnel.engine.replay.machine import TraceReplay as TraceReplay
    from windtunnel.engine.replay.tags import ReplayTag as ReplayTag

__all__ = ["ReplayTag", "Trace", "TraceReplay"]

_MODULE: Final = {"ReplayTag": "tags", "Trace": "machine", "TraceReplay": "machine"}

__getattr__ = loads_on_use(__name__, _MODULE)
