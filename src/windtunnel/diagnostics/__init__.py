"""Errors and findings: how Windtunnel says what is wrong."""

from windtunnel.diagnostics.account import Account, AccountLine, AccountWarning
from windtunnel.diagnostics.collector import Findings
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
from windtunnel.diagnostics.findings import Finding, Severity, as_text
from windtunnel.diagnostics.garbage import without_garbage_collection
from windtunnel.diagnostics.places import place_of
from windtunnel.diagnostics.replacing import replacing
from windtunnel.diagnostics.suggest import did_you_mean

__all__ = [
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
    "did_you_mean",
    "place_of",
    "replacing",
    "without_garbage_collection",
]
