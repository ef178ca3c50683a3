"""Errors and findings: how Windtunnel says what is wrong."""

from windtunnel.diagnostics.account import Account, AccountLine, AccountWarning
from windtunnel.diagnostics.collector import Findings
from windtunnel.diagnostics.counted import counted, too_many
from windtunnel.diagnostics.errors import (
    ComponentError,
    ComponentTimeoutError,
    DeadlockError,
    DecisionError,
    InputError,
    LivelockError,
    MissingExtraError,
    ProtocolError,
    SimulationError,
    UsageError,
    WindtunnelError,
)
from windtunnel.diagnostics.findings import Finding, Severity, as_text, in_a_cell, printable
from windtunnel.diagnostics.garbage import without_garbage_collection
from windtunnel.diagnostics.opening import (
    files_read,
    open_input,
    open_lines,
    read_input,
    read_stream,
    read_text,
    spare_inputs,
)
from windtunnel.diagnostics.places import place_of
from windtunnel.diagnostics.replacing import replacing
from windtunnel.diagnostics.suggest import did_you_mean, nearest_names
from windtunnel.diagnostics.times import read_duration, read_time, show_duration, show_seconds, show_time
from windtunnel.diagnostics.unforeseen import UNFORESEEN, reading

__all__ = [
    "UNFORESEEN",
    "Account",
    "AccountLine",
    "AccountWarning",
    "ComponentError",
    "ComponentTimeoutError",
    "DeadlockError",
    "DecisionError",
    "Finding",
    "Findings",
    "InputError",
    "LivelockError",
    "MissingExtraError",
    "ProtocolError",
    "Severity",
    "SimulationError",
    "UsageError",
    "WindtunnelError",
    "as_text",
    "counted",
    "did_you_mean",
    "files_read",
    "in_a_cell",
    "nearest_names",
    "open_input",
    "open_lines",
    "place_of",
    "printable",
    "read_duration",
    "read_input",
    "read_stream",
    "read_text",
    "read_time",
    "reading",
    "replacing",
    "show_duration",
    "show_seconds",
    "show_time",
    "spare_inputs",
    "too_many",
    "without_garbage_collection",
]
