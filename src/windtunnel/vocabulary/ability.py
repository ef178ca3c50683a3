"""What a decision component can honour of what a workload and a site ask for.

A component declares it (:class:`Honouring`), so that what is asked and not honoured can be told before a run
instead of being dropped without a word.
"""

from enum import Enum
from typing import Final, Protocol, runtime_checkable

from windtunnel.model import Platform

__all__ = ["HONOURED_BY_ALL", "PARTS", "Ability", "Honouring", "HonouringOn", "honoured_by"]


class Ability(Enum):
    """One thing that a workload or a site may ask for; the value is how it is called in texts."""

    EXACT_STARTS = "exact starts"
    """A lease that is reserved for a date starts then, and one that is wanted now starts now or not at all."""
    DEADLINES = "deadlines"
    """A lease ends by its deadline, or is rejected."""
    PREEMPTABILITY = "preemptability"
    """What may be preempted gives way to what may not, and what may not is left alone."""
    SHARES = "shares of hosts"
    """A job that asks for some of a host's cores leaves the others to other jobs."""
    PROCESSORS = "processors"
    """A job that counts processors gets so many cores, and leaves the others of its hosts to other jobs."""
    MEMORY = "memory"
    GPUS = "GPUs"
    RESOURCES = "other resources"
    """Amounts of any further resource that a host has by name."""
    IMAGES = "disk images"
    """What a lease needs on its nodes is brought there before it starts."""
    QUEUES = "queues"
    """Queues and partitions: on which hosts a job may run, in which order and for how long."""
    ACCOUNT_LIMITS = "limits of accounts and QOS"
    """What the jobs of a Slurm's user, account or QOS may hold at once, and what a single job may ask for."""
    SLURM_DECISIONS = "the other rules of Slurm"
    """Priorities, fair share, preemption, reservations, licences, and limits of what was used over time."""
    SLURM_REQUESTS = "what jobs request from Slurm"
    """Memory, GPUs, licences, features, reservations and counts of nodes as options of sbatch say them."""
    SHARED_CORES = "cores that jobs share"
    """Several jobs run on one core at once (``OverSubscribe`` of a Slurm's partitions)."""
    DEPENDENCIES = "dependencies"
    """A job starts after those that it depends on. The engine announces it no sooner: everybody honours this."""
    DESCRIBED_SCHEDULERS = "described schedulers"
    """The schedulers that an environment names for its datacenters, with their options and changes."""
    ANNOUNCED_UNAVAILABILITY = "announced unavailability"
    """No job is started that would run into an outage or a reservation announced beforehand."""
    UNAVAILABLE_HOSTS = "unavailable hosts"
    """Hosts that have failed, or are not available for another reason, get no work, and the rest is planned on."""
    SLEEPING_HOSTS = "sleeping hosts"
    """Hosts that another component has put to sleep, or is switching, get no work."""


HONOURED_BY_ALL: Final = frozenset({Ability.DEPENDENCIES})
"""What the engine sees to, whoever decides."""


PARTS: Final = frozenset({Ability.SHARES, Ability.MEMORY, Ability.GPUS, Ability.RESOURCES})
"""What a scheduler honours that packs by every amount."""


@runtime_checkable
class Honouring(Protocol):
    """A component that declares what it honours."""

    @property
    def honours(self) -> frozenset[Ability]:
        """What it honours of what workloads and sites ask for."""


@runtime_checkable
class HonouringOn(Protocol):
    """A component that honours more or less on one platform than on another."""

    def honours_on(self, platform: Platform) -> frozenset[Ability]:
        """What it honours on a platform."""


def honoured_by(component: object, platform: Platform | None = None) -> frozenset[Ability]:
    """What a component (or its class) declares to honour, on a platform if that matters; else what all honour."""
    if platform is not None and isinstance(component, HonouringOn):
        return component.honours_on(platform)
    return component.honours if isinstance(component, Honouring) else HONOURED_BY_ALL
