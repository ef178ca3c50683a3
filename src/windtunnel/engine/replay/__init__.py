"""Replay of traces: SimGrid's time-independent traces (SMPI) and usage traces (execution-model.md 4)."""

from windtunnel.engine.replay.machine import ReplayTag, Trace, TraceReplay

__all__ = ["ReplayTag", "Trace", "TraceReplay"]
