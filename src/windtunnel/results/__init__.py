"""What a run leaves behind: recorders that stream it to files, metrics, and ways to read it again.

What a user needs is here, and is loaded when it is first used. The writer is ``results.recording.Recording``.
"""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.results.compare import Comparison as Comparison
    from windtunnel.results.compare import Difference as Difference
    from windtunnel.results.compare_many import Compared as Compared
    from windtunnel.results.compare_many import compare_runs as compare_runs
    from windtunnel.results.fairness import Fairness as Fairness
    from windtunnel.results.fairness import UserStretch as UserStretch
    from windtunnel.results.metrics import Bill as Bill
    from windtunnel.results.metrics import Figure as Figure
    from windtunnel.results.metrics import GroupMetrics as GroupMetrics
    from windtunnel.results.metrics import Metrics as Metrics
    from windtunnel.results.metrics import UpToStop as UpToStop
    from windtunnel.results.own_metrics import Ran as Ran
    from windtunnel.results.own_metrics import Record as Record
    from windtunnel.results.own_metrics import metric as metric
    from windtunnel.results.recorders import RecordingOptions as RecordingOptions
    from windtunnel.results.run import Run as Run
    from windtunnel.results.run import load_run as load_run
    from windtunnel.results.trimming import Trim as Trim

__all__ = [
    "Bill",
    "Compared",
    "Comparison",
    "Difference",
    "Fairness",
    "Figure",
    "GroupMetrics",
    "Metrics",
    "Ran",
    "Record",
    "RecordingOptions",
    "Run",
    "Trim",
    "UpToStop",
    "UserStretch",
    "compare_runs",
    "load_run",
    "metric",
]

_MODULE: Final = {
    "Bill": "metrics",
    "Compared": "compare_many",
    "Comparison": "compare",
    "Difference": "compare",
    "Fairness": "fairness",
    "Figure": "metrics",
    "GroupMetrics": "metrics",
    "Metrics": "metrics",
    "Ran": "own_metrics",
    "Record": "own_metrics",
    "RecordingOptions": "recorders",
    "Run": "run",
    "Trim": "trimming",
    "UpToStop": "metrics",
    "UserStretch": "fairness",
    "compare_runs": "compare_many",
    "load_run": "run",
    "metric": "own_metrics",
}

__getattr__ = loads_on_use(__name__, _MODULE)
