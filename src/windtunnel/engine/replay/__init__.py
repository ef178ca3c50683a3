"""Replay of traces: SimGrid's time-independent traces (SMPI) and usage traces (execution-model.md 4)."""

from windtunnel.engine.replay.machine import Replay, ReplayTag, Trace

__all__ = ["Replay", "ReplayTag", "Trace"]
