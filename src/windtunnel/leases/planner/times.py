"""How long things take: suspending, resuming, shutting down, moving images. All in ticks."""

from math import ceil
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.record import LeaseRecord
from windtunnel.leases.planner.rules import Rules
from windtunnel.leases.planner.ticks import TICKS, ticks
from windtunnel.model.lease import LeaseState
from windtunnel.model.lease_options import Exclusion, SuspensionMode

__all__ = ["LeaseTimes", "transfer_time"]

# Bound once: an enumeration looks its members up anew each time.
_S_SUSPENDED_QUEUED: Final = LeaseState.SUSPENDED_QUEUED


def transfer_time(megabytes: float, mbps: float) -> int:
    """The time to move an image over the network, in whole seconds (ticks)."""
    return ceil(megabytes / (mbps / 8)) * TICKS


@mypyc_attr(allow_interpreted_subclasses=True)
class LeaseTimes:
    """The times that follow from the options; one object per planner."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.options = options = rules.options
        self.suspends = options.suspension is not SuspensionMode.NONE
        self.serial_only = options.suspension is SuspensionMode.SERIAL_ONLY
        self.overhead = ticks(options.enactment_overhead)
        self._shutdown = ticks(options.shutdown_time)
        self._local = options.suspendresume_exclusion is Exclusion.LOCAL
        forced = options.force_scheduling_threshold
        self._forced_threshold = None if forced is None else ticks(forced)

    def may_suspend(self, lease: LeaseRecord) -> bool:
        """Whether a lease may be suspended at all: by ``serial-only`` those of one node."""
        return self.suspends and not (self.serial_only and lease.numnodes > 1)

    def one_suspend(self, megabytes: int) -> int:
        """Saving the memory of one virtual node, without the enactment overhead."""
        forced = self.options.override_suspend_time
        return ceil(megabytes / self.options.suspend_rate) * TICKS if forced is None else ticks(forced)

    def one_resume(self, megabytes: int) -> int:
        """Restoring the memory of one virtual node, without the enactment overhead."""
        forced = self.options.override_resume_time
        return ceil(megabytes / self.options.resume_rate) * TICKS if forced is None else ticks(forced)

    def suspend_estimate(self, lease: LeaseRecord) -> int:
        """What suspending a lease is reckoned with: all virtual nodes one after the other, also where nodes work in
        parallel.
        """
        forced = self.options.override_suspend_time
        if forced is not None and self.rules.forced_time_counts_once:
            return ticks(forced)
        if (known := lease.estimates.get("suspend")) is None:
            known = sum(self.one_suspend(memory) + self.overhead for memory in lease.memories)
            lease.estimates["suspend"] = known
        return known

    def resume_estimate(self, lease: LeaseRecord) -> int:
        """What resuming a lease is reckoned with; as for suspending."""
        forced = self.options.override_resume_time
        if forced is not None and self.rules.forced_time_counts_once:
            return ticks(forced)
        if (known := lease.estimates.get("resume")) is None:
            known = sum(self.one_resume(memory) + self.overhead for memory in lease.memories)
            lease.estimates["resume"] = known
        return known

    def shutdown(self, lease: LeaseRecord) -> int:
        """Shutting down the machines of a lease."""
        return self._shutdown + self.overhead * lease.numnodes

    def threshold(self, lease: LeaseRecord) -> int:
        """The least time a lease must run once started, so that it does not only pay overheads."""
        if self._forced_threshold is not None:
            return self._forced_threshold
        if not self.suspends:
            return 0
        safe = self.suspend_estimate(lease)
        if lease.state is _S_SUSPENDED_QUEUED:
            safe += self.resume_estimate(lease)
        return round(safe + safe * self.options.scheduling_threshold_factor)

    def memory_migration_estimate(self, lease: LeaseRecord) -> int:
        """Moving the memory of all virtual nodes."""
        vm = lease.last_vm
        assert vm is not None, "only suspended leases migrate"
        if (known := lease.estimates.get("migrate")) is None:
            bandwidth = self.options.imagetransfer_bandwidth
            moved = self.rules.migrated_memories(lease, vm)
            known = lease.estimates["migrate"] = sum(transfer_time(memory, bandwidth) for memory in moved)
        return known

    def disk_migration_estimate(self, lease: LeaseRecord) -> int:
        """Moving the disk images of all virtual nodes."""
        if lease.software is None:
            return 0
        return transfer_time(lease.software.size, self.options.imagetransfer_bandwidth) * lease.numnodes
