"""Options of a simulation."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.options import check_fields

__all__ = ["Options"]


_SHORTEST: Final = 1e-3

Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Options(msgspec.Struct, kw_only=True, frozen=True):
    """What the engine allows and checks; the defaults are Batsim 4's, which is strict.

    Raises:
        UsageError: a value is invalid.
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
    """Registering jobs needs the component's dynamic_registration feature (Batsim 5 does not check). Once a component
    has finished registration, nothing more is registered either way."""
    energy: bool = False
    """Integrate energy; the platform must tell the watts of every host."""
    energy_rule: Literal["exact", "simgrid"] = "exact"
    """``exact``, or ``simgrid``: read meters when SimGrid does (decisions.md 25)."""
    job_energy: Literal["fair", "whole"] = "fair"
    """On shared hosts a job gets its ``fair`` part of their energy, or ``whole`` hosts count for each job."""
    delays_compute: bool = False
    """Jobs with a fixed run time keep the cores they hold busy, as far as energy goes; else they draw idle watts."""
    sharing: Literal["simgrid", "maxmin"] = "simgrid"
    """How jobs share hosts and links: ``simgrid`` (execution-model.md 2.4) or ``maxmin``."""
    on_failure: Literal["kill", "requeue"] = "kill"
    """What becomes of jobs on machines that fail, halt or are maintained: ``kill``, or ``requeue`` as new ones."""
    on_maintenance: Literal["kill", "drain"] = "kill"
    """Whether work on a machine is stopped when its maintenance begins (``kill``), or may end first (``drain``)."""
    checkpoint_interval: Seconds = 0.0
    """Jobs with a fixed run time write a checkpoint after so many seconds of work; requeued ones begin again after
    the last. 0: there are none. (The jobs given are expected to last as long as
    :class:`windtunnel.model.checkpoints` makes them.)
    """
    checkpoint_cost: Seconds = 0.0
    """Seconds that writing a checkpoint takes."""
    max_rounds: Annotated[int, msgspec.Meta(ge=1)] = 100_000
    """An instant kept alive for more rounds than this ends the run (decisions.md 1)."""
    first_submission: Seconds = 0.0
    """No static job is submitted before this date (s); its submission time in the outputs stays what it was."""
    ask_waiting_times: bool = False
    """At each submission, ask the components how long the job will wait (``WaitingTimeQueried``)."""
    no_more_jobs_apart: bool = False
    """That there are no more static jobs is told in a message of its own, at the same instant, after the one with the
    last submissions (both Batsims)."""
    one_by_one: bool = False
    """Each notice is told in a message of its own, and its reply applied before anything else is looked at
    (ElastiSim)."""
    ranks_tell_their_end: bool = False
    """Each rank of a replay ends with a message to the first host of its job, which hears one after the other; the
    job ends with the last of them (Batsim 4)."""
    end_with_workflows: bool = False
    """Static jobs that are not submitted yet when the last workflow ends never are (Batsim 4)."""
    forward: Mapping[str, Any] = {}
    """Options that wires hand to the component (scheduler configuration, command line...)."""

    def __post_init__(self) -> None:
        check_fields(self, "options of the engine")
        if 0 < self.checkpoint_interval < _SHORTEST:
            raise UsageError(f"checkpoints are at least {_SHORTEST:g} s apart, not {self.checkpoint_interval!r}")
