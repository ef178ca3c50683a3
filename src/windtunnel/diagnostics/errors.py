"""The error tree.

::

    WindtunnelError
    ├── UsageError               the caller asked for something that does not exist or is invalid (exit 2)
    ├── InputError               one or more input files are invalid; carries every finding (exit 2)
    ├── MissingExtraError        an optional dependency is not installed (exit 2)
    └── SimulationError          the run failed (exit 1); carries the simulated time and event
        ├── DecisionError        a decision component made an illegal decision
        ├── DeadlockError        no events are left, but work remains
        ├── ComponentError       a decision component failed: it raised, exited or sent an invalid reply
        │   ├── ComponentTimeoutError   it did not answer in time
        │   └── ProtocolError           its message could not be understood
        └── LivelockError        too many rounds took place at one instant

Users may raise and catch every class; nothing else is raised on purpose.
"""

from collections.abc import Sequence
from typing import Final

from windtunnel.diagnostics.findings import Finding, Severity, as_text, printable

__all__ = [
    "ComponentError",
    "ComponentTimeoutError",
    "DeadlockError",
    "DecisionError",
    "InputError",
    "LivelockError",
    "MissingExtraError",
    "ProtocolError",
    "SimulationError",
    "UsageError",
    "WindtunnelError",
]


class WindtunnelError(Exception):
    """Base of all errors raised on purpose; ``exit_code`` is what the command line returns."""

    exit_code: int = 1

    def __str__(self) -> str:
        return printable(super().__str__())


class UsageError(WindtunnelError):
    """The caller asked for something that does not exist or is invalid; ``hint`` says how to fix it."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}\n  hint: {hint}" if hint else message)
        self.hint: Final = hint


class InputError(WindtunnelError):
    """Input files are invalid: ``findings`` holds every fault found, in order of file and position."""

    exit_code = 2

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings: Final = tuple(findings)
        super().__init__(as_text(self.findings))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors (the others are warnings and notes)."""
        return tuple(f for f in self.findings if f.severity is Severity.ERROR)


class MissingExtraError(WindtunnelError):
    """An optional dependency is needed: ``pip install 'windtunnel[EXTRA]'``."""

    exit_code = 2

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is needed for this\n  hint: pip install 'windtunnel[{extra}]'")


_LONGEST: Final = 2000


class SimulationError(WindtunnelError):
    """The run failed. ``now`` is the simulated time (s) and ``event`` what was being handled."""

    def __init__(self, message: str, *, now: float | None = None, event: str = "") -> None:
        if len(message) > _LONGEST:  # it quotes what a peer has said
            message = message[:_LONGEST] + "..."
        place = "" if now is None else f" (at t={now!r} s{f', handling {event}' if event else ''})"
        super().__init__(message + place)
        self.message: Final = message
        self.now: Final = now
        self.event: Final = event


class DecisionError(SimulationError):
    """A decision component made an illegal decision; ``rule`` is the short, stable name of the rule it broke."""

    def __init__(self, message: str, *, rule: str, now: float | None = None, event: str = "") -> None:
        super().__init__(message, now=now, event=event)
        self.rule: Final = rule


class DeadlockError(SimulationError):
    """No events are left although work remains; the message says which jobs wait and for what."""


class ComponentError(SimulationError):
    """A decision component failed: it raised, exited or sent an invalid reply."""


class ComponentTimeoutError(ComponentError):
    """A decision component did not answer within its timeout."""


class ProtocolError(ComponentError):
    """A message of a decision component could not be understood."""


class LivelockError(SimulationError):
    """Too many rounds took place at one instant (decisions.md 1)."""
