"""Every setting of the lease manager, with Haizea's names (dashes become underscores) and defaults; times in s."""

from enum import StrEnum

import msgspec

__all__ = [
    "Backfilling",
    "Exclusion",
    "FailureHandling",
    "ImageReuse",
    "LeaseOptions",
    "MigrationMode",
    "Overhead",
    "Preparation",
    "Stop",
    "StopWhen",
    "SuspensionMode",
    "TransferMechanism",
]


class Preparation(StrEnum):
    """How nodes get a lease's software."""

    UNMANAGED = "unmanaged"
    IMAGETRANSFER = "imagetransfer"


class FailureHandling(StrEnum):
    """What a failing lease does to the run."""

    CANCEL = "cancel"
    EXIT = "exit"
    EXIT_RAISE = "exit-raise"


class Backfilling(StrEnum):
    """How many best-effort leases may have a reservation in the future: 0, 1, all, or a given number."""

    OFF = "off"
    AGGRESSIVE = "aggressive"
    CONSERVATIVE = "conservative"
    INTERMEDIATE = "intermediate"


class SuspensionMode(StrEnum):
    """Which leases may be suspended; ``serial-only``: those of one node."""

    NONE = "none"
    SERIAL_ONLY = "serial-only"
    ALL = "all"


class Exclusion(StrEnum):
    """Whether suspensions of one lease exclude each other on a node, or everywhere (a shared file system)."""

    LOCAL = "local"
    GLOBAL = "global"


class MigrationMode(StrEnum):
    """Whether a suspended lease may resume elsewhere, and whether that takes time."""

    NO = "no"
    YES = "yes"
    YES_NOTRANSFER = "yes-notransfer"


class TransferMechanism(StrEnum):
    """Whether an image is sent once for all nodes of a lease or once for each."""

    UNICAST = "unicast"
    MULTICAST = "multicast"


class ImageReuse(StrEnum):
    """Whether nodes keep images for later leases."""

    NONE = "none"
    IMAGE_CACHES = "image-caches"


class Overhead(StrEnum):
    """Whose durations are lengthened by overheads before scheduling."""

    NONE = "none"
    BESTEFFORT = "besteffort"
    ALL = "all"


class StopWhen(StrEnum):
    """When a simulation of leases ends (Haizea's ``stop-when``)."""

    ALL_LEASES_DONE = "all-leases-done"
    BESTEFFORT_SUBMITTED = "besteffort-submitted"
    BESTEFFORT_DONE = "besteffort-done"
    EXACT = "exact"


class Stop(msgspec.Struct, frozen=True):
    """When to stop; ``time`` (s) belongs to ``exact``."""

    when: StopWhen = StopWhen.ALL_LEASES_DONE
    time: float = 0.0


class LeaseOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How leases are scheduled. Rates are MB/s, bandwidth Mbps, sizes MB."""

    haizea_compat: bool = False
    """Reproduce what Haizea does even where it is odd (docs/reference/leases.md lists each point)."""

    lease_preparation: Preparation = Preparation.UNMANAGED
    lease_failure_handling: FailureHandling = FailureHandling.CANCEL

    mapper: str = "greedy"
    policy_admission: str = "accept-all"
    policy_preemption: str = "no-preemption"
    policy_host_selection: str = "greedy"
    policy_pricing: str = "free"
    backfilling: Backfilling = Backfilling.AGGRESSIVE
    backfilling_reservations: int | None = None
    suspension: SuspensionMode = SuspensionMode.NONE
    suspend_rate: float = 32.0
    resume_rate: float = 32.0
    suspendresume_exclusion: Exclusion = Exclusion.LOCAL
    scheduling_threshold_factor: float = 1.0
    override_suspend_time: float | None = None
    override_resume_time: float | None = None
    force_scheduling_threshold: float | None = None
    migration: MigrationMode = MigrationMode.NO
    shutdown_time: float = 0.0
    enactment_overhead: float = 0.0
    non_schedulable_interval: float = 0.0
    """Live only: how long before nodes can be given away (Haizea's default is 10)."""

    imagetransfer_bandwidth: float = 100.0
    transfer_mechanism: TransferMechanism = TransferMechanism.MULTICAST
    avoid_redundant_transfers: bool = True
    force_imagetransfer_time: float | None = None
    diskimage_reuse: ImageReuse = ImageReuse.NONE
    diskimage_cache_size: int = -1
    """MB per node; -1 for unlimited."""

    add_overhead: Overhead = Overhead.NONE
    runtime_overhead: float = 0.0
    """``runtime-slowdown-overhead``, in percent."""
    boot_overhead: float = 0.0
    """``bootshutdown-overhead``."""
    override_memory: int | None = None

    pricing_rate: float | None = None
    pricing_min_rate: float | None = None
    pricing_max_rate: float | None = None
    pricing_seed: int | None = None

    @property
    def max_future(self) -> int | None:
        """How many best-effort leases may hold a reservation in the future; ``None`` for any number."""
        return {
            Backfilling.OFF: 0,
            Backfilling.AGGRESSIVE: 1,
            Backfilling.CONSERVATIVE: None,
            Backfilling.INTERMEDIATE: self.backfilling_reservations or 0,
        }[self.backfilling]
