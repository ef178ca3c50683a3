"""For users' tests: tiny platforms, workload builders, a scripted scheduler, an invariant checker."""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.testing.builders import delays as delays
    from windtunnel.testing.builders import job as job
    from windtunnel.testing.builders import platform as platform
    from windtunnel.testing.builders import sequence as sequence
    from windtunnel.testing.builders import workload as workload
    from windtunnel.testing.invariants import InvariantChecker as InvariantChecker
    from windtunnel.testing.scripted import Scripted as Scripted

__all__ = ["InvariantChecker", "Scripted", "delays", "job", "platform", "sequence", "workload"]

_MODULE: Final = {
    "InvariantChecker": "invariants",
    "Scripted": "scripted",
    "delays": "builders",
    "job": "builders",
    "platform": "builders",
    "sequence": "builders",
    "workload": "builders",
}

__getattr__ = loads_on_use(__name__, _MODULE)
