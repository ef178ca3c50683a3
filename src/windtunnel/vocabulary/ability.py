"""Which requests of a workload and a site a decision component can honour.

A component declares them (:class:`Honouring`), so that requests it does not honour can be reported before a run
instead of being ignored silently.
"""

from enum import Enum
from typing import Final, Protocol, runtime_checkable

from windtunnel.model import Platform

__all__ = ["HONOURED_BY_ALL", "PARTS", "Ability", "Honouring", "HonouringOn", "honoured_by"]


class Ability(Enum):
    """One thing that a workload or a site may request; the value is its name in messages."""

    EXACT_STARTS = "exact starts"
    """A lease reserved for a given time starts then, and an immediate lease starts at once or not at all."""
    DEADLINES = "deadlines"
    """A lease ends by its deadline, or is rejected."""
    PREEMPTABILITY = "preemptability"
    """What may be preempted is preempted for what may not, which is never preempted itself."""
    SHARES = "shares of hosts"
    """A job that requests some of a host's cores leaves the others to other jobs."""
    PROCESSORS = "processors"
    """A job that counts processors gets that number of cores, and leaves the others of its hosts to other jobs."""
    MEMORY = "memory"
    GPUS = "GPUs"
    RESOURCES = "other resources"
    """Amounts of any other named resource of a host."""
    IMAGES = "disk images"
    """What a lease needs on its nodes is deployed there before it starts."""
    QUEUES = "queues"
    """Queues and partitions: on which hosts a job may run, in which order and for how long; licences of a site."""
    ACCOUNT_LIMITS = "limits of accounts and QOS"
    """What the jobs of a Slurm user, account or QOS may hold at once or use over time, and what one may request."""
    SLURM_DECISIONS = "the other rules of Slurm"
    """Priorities, fair share, preemption, reservations, and nodes exclusive to a user."""
    SLURM_REQUESTS = "what jobs request from Slurm"
    """Memory, GPUs, features, reservations and node counts as requested by sbatch options."""
    SHARED_CORES = "cores that jobs share"
    """Several jobs run on one core at once (``OverSubscribe`` of Slurm partitions)."""
    DEPENDENCIES = "dependencies"
    """A job starts after those it depends on. The engine announces it no sooner, so all components honour this."""
    DESCRIBED_SCHEDULERS = "described schedulers"
    """The schedulers that an environment names for its datacenters, with their options and changes."""
    ANNOUNCED_UNAVAILABILITY = "announced unavailability"
    """No job is started that would run into an outage or a reservation announced beforehand."""
    UNAVAILABLE_HOSTS = "unavailable hosts"
    """Hosts that have failed, or are unavailable for another reason, get no work; the others are used."""
    SLEEPING_HOSTS = "sleeping hosts"
    """Hosts that another component has put to sleep, or is switching on or off, get no work."""


HONOURED_BY_ALL: Final = frozenset({Ability.DEPENDENCIES})
"""What the engine ensures with any component."""


PARTS: Final = frozenset({Ability.SHARES, Ability.MEMORY, Ability.GPUS, Ability.RESOURCES})
"""What a scheduler that packs by every amount honours."""


@runtime_checkable
class Honouring(Protocol):
    """A component that declares what it honours."""

    @property
    def honours(self) -> frozenset[Ability]:
        """Which requests of workloads and sites it honours."""


@runtime_checkable
class HonouringOn(Protocol):
    """A component whose abilities depend on the platform."""

    def honours_on(self, platform: Platform) -> frozenset[Ability]:
        """What it honours on a platform."""


def honoured_by(component: object, platform: Platform | None = None) -> frozenset[Ability]:
    """What a component (or its class) declares to honour, on a platform if that matters; default: what all honour."""
    if platform is not None and isinstance(component, HonouringOn):
        return component.honours_on(platform)
    return component.honours if isinstance(component, Honouring) else HONOURED_BY_ALL
