"""Replay of traces: SimGrid's time-independent traces (SMPI) and usage traces (execution-model.md 4)."""

from windtunnel.engine.replay.machine import Trace, TraceReplay
from windtunnel.engine.replay.tags import ReplayTag

__all__ = ["ReplayTag", "Trace", "TraceReplay"]
