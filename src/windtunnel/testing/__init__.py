"""For users' tests: tiny platforms, workload builders, a scripted scheduler, an invariant checker."""

from windtunnel.testing.builders import delays, job, platform, sequence, workload
from windtunnel.testing.invariants import InvariantChecker
from windtunnel.testing.scripted import Scripted

__all__ = ["InvariantChecker", "Scripted", "delays", "job", "platform", "sequence", "workload"]
