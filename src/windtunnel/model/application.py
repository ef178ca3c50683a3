"""Applications of jobs that may change size: phases of tasks, whose amounts follow from the number of hosts.

A job whose profile is an :class:`ElasticProfile` says how many hosts it takes and when they may change; its
application, which many jobs may share, says what it does. Amounts are seconds, flops or bytes: a number, one number
for each rank (or pair of ranks), or an expression over ``num_nodes``, ``num_gpus_per_node``, ``num_gpus`` and the
job's arguments (:mod:`windtunnel.model.expressions`).
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum

import msgspec

from windtunnel.model.job import Job
from windtunnel.model.profiles import Profile

__all__ = [
    "Amount",
    "Application",
    "ComputeTask",
    "DelayTask",
    "ElasticProfile",
    "ElasticTask",
    "Elasticity",
    "Load",
    "Pattern",
    "Phase",
    "SequenceTask",
    "StorageTask",
    "sizes_of",
]


class Elasticity(IntEnum):
    """Who may change the size of a job, and when (Feitelson and Rudolph's classes)."""

    RIGID = 0
    """Nobody: it runs on as many hosts as it asks for."""
    MOLDABLE = 1
    """The scheduler, before it starts."""
    MALLEABLE = 2
    """The scheduler, at scheduling points while it runs."""
    EVOLVING = 3
    """The job asks, and the scheduler grants."""
    ADAPTIVE = 4
    """Malleable and evolving."""


class Pattern(StrEnum):
    """How an amount is spread over the ranks of a job, or over pairs of them."""

    UNIFORM = "uniform"
    ALL_RANKS = "all_ranks"
    ROOT_ONLY = "root_only"
    EVEN_RANKS = "even_ranks"
    ODD_RANKS = "odd_ranks"
    VECTOR = "vector"
    ALL_TO_ALL = "all_to_all"
    GATHER = "gather"
    SCATTER = "scatter"
    MASTER_WORKER = "master_worker"
    RING = "ring"
    RING_CLOCKWISE = "ring_clockwise"
    RING_COUNTER_CLOCKWISE = "ring_counter_clockwise"
    MATRIX = "matrix"


Amount = float | str | tuple[float, ...]
"""A number, an expression, or one number for each rank or (row by row) pair of ranks."""


class Load(msgspec.Struct, frozen=True):
    """An amount, and who has which part of it."""

    amount: Amount
    pattern: Pattern


class ElasticTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is common to all tasks; ranks wait for each other before each iteration of those that are synchronized."""

    name: str = ""
    iterations: int | str = 1
    """A number or an expression, cut to a whole number; none at all if it is not positive."""
    synchronized: bool = False


class DelayTask(ElasticTask, frozen=True, kw_only=True):
    """Lets time pass (seconds); ``busy``: computing, so that two on one core take twice as long."""

    load: Load
    busy: bool = False


class ComputeTask(ElasticTask, frozen=True, kw_only=True):
    """Computes (flops), communicates (bytes), or both side by side; ``coupled``: as one parallel task."""

    flops: Load | None = None
    bytes: Load | None = None
    coupled: bool = False
    gpu: bool = False
    """On the GPUs of each host, whose links carry what is exchanged within it."""


class StorageTask(ElasticTask, frozen=True, kw_only=True):
    """Reads or writes (bytes) on the parallel file system, or on burst buffers."""

    load: Load
    write: bool
    buffer: bool = False
    detached: bool = False
    """It is not waited for before the next barrier (asynchronous)."""


class SequenceTask(ElasticTask, frozen=True, kw_only=True):
    """Tasks one after the other."""

    tasks: tuple[ElasticTask, ...]


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks that each rank does in order, ``iterations`` times."""

    tasks: tuple[ElasticTask, ...] = ()
    iterations: int | str = 1
    """A number, or an expression over the job's arguments alone."""
    scheduling_point: bool = True
    """Before each iteration but the very first, the scheduler may change the size of a malleable job."""
    evolving_request: str | None = None
    """How many hosts an evolving job wants before each iteration but the very first (an expression)."""
    barrier: bool = True
    """The ranks wait for each other, and for what is not waited for, before each iteration."""


class Application(msgspec.Struct, frozen=True, kw_only=True):
    """What a job does."""

    phases: tuple[Phase, ...]
    on_init: Phase | None = None
    """Before the first phase, once."""
    on_reconfiguration: Phase | None = None
    """After each change of its hosts, on all of them."""
    on_expansion: Phase | None = None
    """After each change of its hosts, on those that are new; ``num_nodes`` is their number."""


class ElasticProfile(Profile, frozen=True, kw_only=True):
    """What one job does, and on how many hosts it can do it."""

    application: Application
    elasticity: Elasticity = Elasticity.RIGID
    least: int = 1
    """Hosts."""
    most: int = 1
    """Hosts."""
    gpus_least: int = 0
    """GPUs on each host."""
    gpus_most: int = 0
    arguments: Mapping[str, str] = {}
    """What stands for names in the expressions of the application."""
    attributes: Mapping[str, str] = {}
    """What only schedulers look at."""
    clip_requests: bool = True
    """Requests beyond the range ask for its end; otherwise they end the run."""

    @property
    def merely_lasts(self) -> bool:
        """Whether it does nothing but let time pass, as jobs of logs that were made elastic do."""
        one = self.application
        phases = (*one.phases, one.on_init, one.on_reconfiguration, one.on_expansion)
        tasks = (task for phase in phases if phase is not None for task in phase.tasks)
        return all(isinstance(task, DelayTask) and not task.busy for task in tasks)

    @property
    def resizable(self) -> bool:
        """Whether its hosts may change while it runs."""
        return self.elasticity >= Elasticity.MALLEABLE

    @property
    def has_points(self) -> bool:
        """Whether it stops at scheduling points."""
        return self.elasticity in (Elasticity.MALLEABLE, Elasticity.ADAPTIVE)

    @property
    def asks(self) -> bool:
        """Whether it asks for hosts by itself."""
        return self.elasticity >= Elasticity.EVOLVING


def sizes_of(job: Job) -> tuple[int, int]:
    """The fewest and the most hosts that a job can be given."""
    profile = job.profile
    if isinstance(profile, ElasticProfile):
        return profile.least, profile.most
    return job.request.hosts, job.request.hosts
