"""Options of a simulation."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.options import check_fields

__all__ = ["Options"]


_SHORTEST: Final = 1e-3

Seconds = Annotated[float, msgspec.Meta(ge=0, description="in seconds")]


class Options(msgspec.Struct, kw_only=True, frozen=True):
    """What the engine allows and checks; the defaults are Batsim 4's, which is strict.

    Raises:
        UsageError: a value is invalid.
    """

    strict: bool = True
    """An illegal decision ends the run; if False, the component gets ``DecisionRefused`` and the run continues."""
    compute_sharing: bool = False
    """Several jobs may compute on one host at the same time."""
    storage_sharing: bool = True
    """Several jobs may use one storage at the same time."""
    check_sizes: bool = True
    """A rigid job must be given as many hosts as it requested (Batsim 5 does not check)."""
    check_registration: bool = True
    """Registering jobs needs the component's dynamic_registration feature (Batsim 5 does not check). Once a component
    has finished registration, nothing more is registered either way."""
    energy: bool = False
    """Simulate energy; the platform must define the power consumption of every host."""
    energy_rule: Literal["exact", "simgrid"] = "exact"
    """``exact``, or ``simgrid``: read meters when SimGrid does (decisions.md 25)."""
    job_energy: Literal["fair", "whole"] = "fair"
    """On shared hosts a job gets its ``fair`` part of their energy, or ``whole`` hosts count for each job."""
    delays_compute: bool = False
    """For energy, jobs with a fixed run time keep the cores they hold busy; otherwise these draw idle power."""
    sharing: Literal["simgrid", "maxmin"] = "simgrid"
    """How jobs share hosts and links: ``simgrid`` (execution-model.md 2.4) or ``maxmin``."""
    on_failure: Literal["kill", "requeue"] = "kill"
    """What happens to jobs on machines that fail, halt or are maintained: ``kill``, or ``requeue`` as new jobs."""
    on_maintenance: Literal["kill", "drain"] = "kill"
    """Whether work on a machine is killed when its maintenance begins (``kill``) or may finish first (``drain``)."""
    checkpoint_interval: Seconds = 0.0
    """Jobs with a fixed run time write a checkpoint after this many seconds of work; requeued ones restart from the
    last one. 0: no checkpoints. (The run times of the jobs given must already include them, as
    :class:`windtunnel.model.checkpoints` makes them.)
    """
    checkpoint_cost: Seconds = 0.0
    """Seconds it takes to write a checkpoint."""
    max_rounds: Annotated[int, msgspec.Meta(ge=1)] = 100_000
    """More rounds than this at one instant end the run (decisions.md 1)."""
    first_submission: Seconds = 0.0
    """No static job is submitted before this time (s); submission times in the outputs are unchanged."""
    ask_waiting_times: bool = False
    """At each submission, ask the components how long the job will wait (``WaitingTimeQueried``)."""
    no_more_jobs_apart: bool = False
    """The end of static jobs is announced in a separate message at the same instant, after the one with the last
    submissions (as both Batsims do)."""
    one_by_one: bool = False
    """Each notice is sent in a separate message, and the reply is applied before anything else is considered (as
    ElastiSim does)."""
    ranks_tell_their_end: bool = False
    """Each rank of a replay ends with a message to the first host of its job, which receives them one by one; the job
    ends with the last of them (as in Batsim 4)."""
    end_with_workflows: bool = False
    """Static jobs that have not been submitted when the last workflow ends never are (as in Batsim 4)."""
    forward: Mapping[str, Any] = {}
    """Options that wires pass on to the component (scheduler configuration, command line...)."""

    def __post_init__(self) -> None:
        check_fields(self, "options of the engine")
        if 0 < self.checkpoint_interval < _SHORTEST:
            raise UsageError(f"checkpoints are at least {_SHORTEST:g} s apart, not {self.checkpoint_interval!r}")
