"""What can be done to a workload: each operation changes columns of jobs and says in a sentence what it did.

An operation is a function of the columns and its options; its name and options are data, so that a file or a command
line can name it (``scale_load(0.9)``).
"""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.workloads.operations.by_name import OPERATIONS as OPERATIONS
    from windtunnel.workloads.operations.by_name import Operation as Operation
    from windtunnel.workloads.operations.by_name import applied as applied
    from windtunnel.workloads.operations.by_name import checked as checked
    from windtunnel.workloads.operations.by_name import parse_operation as parse_operation

__all__ = ["OPERATIONS", "Operation", "applied", "checked", "parse_operation"]

_MODULE: Final = {
    "OPERATIONS": "by_name",
    "Operation": "by_name",
    "applied": "by_name",
    "checked": "by_name",
    "parse_operation": "by_name",
}

__getattr__ = loads_on_use(__name__, _MODULE)
