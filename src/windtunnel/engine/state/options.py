"""Options of a simulation."""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

import msgspec
from msgspec.structs import fields

from windtunnel.diagnostics import UsageError

__all__ = ["Options"]


_SHORTEST: Final = 1e-3


class Options(msgspec.Struct, kw_only=True, frozen=True):
    """What the engine allows and checks; the defaults are Batsim 4's, which is strict.

    Raises:
        UsageError: a value makes no sense.
    """

    strict: bool = True
    """An illegal decision ends the run; otherwise the component is told (``DecisionRefused``) and the run goes on."""
    compute_sharing: bool = False
    """Several jobs may compute on one host at once."""
    storage_sharing: bool = True
    """Several jobs may use one storage at once."""
    check_sizes: bool = True
    """A rigid job must be given as many hosts as it requested (Batsim 5 does not check)."""
    check_registration: bool = True
    """Registering jobs needs the component's dynamic_registration feature (Batsim 5 does not check; once a component has
    finished registration, nothing more is registered either way)."""
    energy: bool = False
    """Integrate energy; the platform must tell the watts of every host."""
    energy_rule: str = "exact"
    """``exact``, or ``simgrid``: read meters when SimGrid does (decisions.md 25)."""
    job_energy: str = "fair"
    """On shared hosts a job gets its ``fair`` part of their energy, or ``whole`` hosts count for each job."""
    sharing: str = "simgrid"
    """How jobs share hosts and links: ``simgrid`` (execution-model.md 2.4) or ``maxmin``."""
    on_failure: str = "kill"
    """What becomes of jobs on machines that fail, halt or are maintained: ``kill``, or ``requeue`` as new ones."""
    on_maintenance: str = "kill"
    """Whether work on a machine is stopped when its maintenance begins (``kill``), or may end first (``drain``)."""
    checkpoint_interval: float = 0.0
    """Jobs that merely last write a checkpoint after so many seconds of work; requeued ones begin again after the
    last. 0: there are none. (The jobs given are expected to last as long as :class:`windtunnel.model.checkpoints`
    makes them.)
    """
    checkpoint_cost: float = 0.0
    """Seconds that writing a checkpoint takes."""
    max_rounds: int = 100_000
    """An instant kept alive for more rounds than this ends the run (decisions.md 1)."""
    first_submission: float = 0.0
    """No static job is submitted before this date (s); its submission time in the outputs stays what it was."""
    ask_waiting_times: bool = False
    """At each submission, ask the components how long the job will wait (``WaitingTimeQueried``)."""
    end_with_workflows: bool = False
    """Static jobs that are not submitted yet when the last workflow ends never are (Batsim 4)."""
    forward: Mapping[str, Any] = {}
    """Options that wires hand to the component (scheduler configuration, command line...)."""

    def __post_init__(self) -> None:
        for name, known in (
            ("on_failure", ("kill", "requeue")),
            ("on_maintenance", ("kill", "drain")),
            ("energy_rule", ("exact", "simgrid")),
            ("job_energy", ("fair", "whole")),
            ("sharing", ("simgrid", "maxmin")),
        ):
            if getattr(self, name) not in known:
                raise UsageError(f"{name} must be {' or '.join(known)}, not {getattr(self, name)!r}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type is bool and not isinstance(value, bool):
                raise UsageError(f"{field.name} must be True or False, not {value!r:.50}")
            if field.type is float and not (isinstance(value, int | float) and 0 <= value < inf):
                raise UsageError(f"{field.name} must be a number of seconds from 0, not {value!r:.50}")
        if 0 < self.checkpoint_interval < _SHORTEST:
            raise UsageError(f"checkpoints are at least {_SHORTEST:g} s apart, not {self.checkpoint_interval!r}")
        if not isinstance(self.max_rounds, int) or self.max_rounds < 1:
            raise UsageError(f"max_rounds must be a whole number from 1, not {self.max_rounds!r:.50}")
        if not isinstance(self.forward, Mapping):
            raise UsageError(f"forward must be a mapping, not {self.forward!r:.50}")
