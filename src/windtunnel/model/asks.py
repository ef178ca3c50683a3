"""What a workload or a site asks of whoever decides, counted while it is made, so that nobody goes through it again.

An :class:`Ask` names an ability by the value of ``windtunnel.vocabulary.Ability``; whether a scheduler has it is
compared when a run is put together, and what is not honoured stands in the run's account.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

import msgspec

from windtunnel.diagnostics import Finding
from windtunnel.model.job import Job
from windtunnel.model.slurm.requests import JobAsk

__all__ = ["Ask", "Asking", "Asks", "Sized", "Some", "Warned", "ability_of_amount", "asked_of_slurm", "asks_of_jobs"]


class Ask(msgspec.Struct, frozen=True):
    """``count`` things that ask for one ability."""

    ability: str
    """The value of the ``Ability`` it takes to honour it."""
    count: int
    place: str
    """The first of them."""
    reason: str
    """What they ask for, as the beginning of a sentence: ``jobs ask for gpus``."""
    resource: str = ""
    """What of each host they ask for, if it is that."""


@runtime_checkable
class Asking(Protocol):
    """A workload or site that says what it asks for."""

    @property
    def asks(self) -> Sequence[Ask]:
        """What it asks for, each ability and reason once."""


@runtime_checkable
class Warned(Protocol):
    """Something that was read, with what its reader found odd or could not express."""

    @property
    def warnings(self) -> Sequence[Finding]:
        """Warnings and notes, by place."""


class Some(NamedTuple):
    """Some of the jobs of a workload: how many, the id of the first, and a number about them."""

    jobs: int
    first: str
    number: int


@runtime_checkable
class Sized(Protocol):
    """A workload that can say how its jobs fit a platform."""

    def larger_than(self, hosts: int, cores: int | None) -> Some | None:
        """The jobs that want more hosts (with ``cores``: cores) than there are; the number is the most wanted."""

    def cores_in_vain(self) -> Some | None:
        """The jobs that get more cores with their whole hosts than they count; the number is that of such cores."""


_QUEUES: Final = "queues"
"""The value of ``Ability.QUEUES``: who keeps partitions keeps this too."""
_SLURM: Final = "what jobs request from Slurm"
"""The value of ``Ability.SLURM_REQUESTS``."""
_ABILITIES: Final = {"cores": "shares of hosts", "memory": "memory"}


def ability_of_amount(name: str) -> str:
    """The value of the ``Ability`` to honour amounts of a resource."""
    return _ABILITIES.get(name) or ("GPUs" if name.startswith("gpu") else "other resources")


class Asks:
    """Counts what is asked for, with the first place of each."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Ask] = {}

    def note(self, ability: str, reason: str, place: str, count: int = 1, *, resource: str = "") -> None:
        """Something asks for an ability, or for so much of a resource."""
        if count < 1:
            return
        known = self._found.get((ability, reason))
        before, first = (0, place) if known is None else (known.count, known.place)
        self._found[ability, reason] = Ask(ability, before + count, first, reason, resource)

    def job(self, job: Job) -> None:
        """What a job asks for of each of its hosts."""
        for name, amount in job.request.amounts:
            if amount > 0:
                self.note(ability_of_amount(name), f"jobs ask for {name} of each host", job.id, resource=name)

    def of_slurm(self, ask: JobAsk, job: str) -> None:
        """What a job asks a Slurm for that nobody else looks at."""
        if ask.memory_per_cpu or ask.memory_per_node or ask.memory_per_gpu:
            self.note(_SLURM, "jobs ask for memory", job)
        for one in (*ask.gres_per_node, *ask.gres_per_job, *ask.gres_per_task):
            self.note(_SLURM, f"jobs ask for {one.name}", job)
        if (ask.min_nodes or 1) > 1:
            self.note(_SLURM, "jobs ask for nodes", job)
        if ask.licences:
            self.note(_QUEUES, "jobs ask for licences", job)
        if ask.features:
            self.note(_SLURM, "jobs ask for features of nodes", job)
        if ask.reservation:
            self.note(_SLURM, "jobs name a reservation", job)
        if ask.qos not in {"", "normal"}:
            self.note(_SLURM, "jobs name a QOS", job)
        if ask.nodes or ask.exclude:
            self.note(_SLURM, "jobs name nodes, or exclude some", job)
        if ask.exclusive:
            self.note(_QUEUES, "jobs ask for exclusive nodes", job)
        if ask.exclusive_user:
            self.note(_SLURM, "jobs ask for nodes exclusive to their user", job)
        if ask.contiguous or ask.spread or ask.switches:
            self.note(_SLURM, "jobs ask for contiguous or spread nodes, or for few switches", job)
        if ask.begin is not None:
            self.note(_SLURM, "jobs have an earliest start time", job)
        if ask.deadline is not None:
            self.note(_SLURM, "jobs have a deadline", job)
        if ask.dependencies:
            self.note(_SLURM, "jobs wait for other jobs", job)
        if ask.array_limit is not None:
            self.note(_SLURM, "arrays limit how many of their tasks run at once", job)
        if ask.nice or ask.priority is not None:
            self.note(_SLURM, "jobs ask for a priority", job)

    def found(self) -> tuple[Ask, ...]:
        """All of them, in the order in which they were met."""
        return tuple(self._found.values())


def asks_of_jobs(jobs: Iterable[Job]) -> tuple[Ask, ...]:
    """What jobs ask for besides hosts and dependencies. A queue that all are in asks for nothing."""
    asks = Asks()
    queued = []
    for job in jobs:
        if job.request.amounts:
            asks.job(job)
        if job.ask is not None:
            asks.of_slurm(job.ask, job.id)
        if job.queue:
            queued.append(job)
    if len({job.queue for job in queued}) > 1:
        asks.note("queues", "jobs name a queue", queued[0].id, len(queued))
    return asks.found()


def asked_of_slurm(workload: object) -> list[Ask]:
    """What the jobs of a workload request from Slurm alone."""
    return [ask for ask in workload.asks if ask.ability == _SLURM] if isinstance(workload, Asking) else []
