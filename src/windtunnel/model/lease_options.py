"""Every setting of the lease manager, with Haizea's names (dashes become underscores) and defaults; times in s."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec

from windtunnel.options import Option, check_fields, checked_options, options_of

__all__ = [
    "CODE_OPTIONS",
    "WHOSE",
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
    "chosen",
    "lease_options",
    "settings_of_all",
]

CODE_OPTIONS: Final = ("mapper", "policy_admission", "policy_preemption", "policy_host_selection", "policy_pricing")
"""Settings that choose a mapper or a policy, by name or as ``package.module:Class``."""
WHOSE: Final = "settings of leases"
"""In messages."""

Seconds = Annotated[float, msgspec.Meta(ge=0, description="in seconds")]
Rate = Annotated[float, msgspec.Meta(gt=0, description="in MB/s")]
Bandwidth = Annotated[float, msgspec.Meta(gt=0, description="in Mbps")]
Percent = Annotated[float, msgspec.Meta(ge=0, description="in percent")]
Factor = Annotated[float, msgspec.Meta(ge=0)]
Megabytes = Annotated[int, msgspec.Meta(ge=0, description="in MB")]
Whole = Annotated[int, msgspec.Meta(ge=0)]


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
    """How leases are scheduled. Rates are MB/s, bandwidth Mbps, sizes MB.

    Texts are taken for what they stand for (``suspension="all"``).

    Raises:
        UsageError: settings have no sensible value; all of them are named, with what is expected.
    """

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
    backfilling_reservations: Whole | None = None
    suspension: SuspensionMode = SuspensionMode.NONE
    suspend_rate: Rate = 32.0
    resume_rate: Rate = 32.0
    suspendresume_exclusion: Exclusion = Exclusion.LOCAL
    scheduling_threshold_factor: Factor = 1.0
    override_suspend_time: Seconds | None = None
    override_resume_time: Seconds | None = None
    force_scheduling_threshold: Seconds | None = None
    migration: MigrationMode = MigrationMode.NO
    shutdown_time: Seconds = 0.0
    enactment_overhead: Seconds = 0.0
    non_schedulable_interval: Seconds = 0.0
    """Live only: how long before nodes can be given away (Haizea's default is 10)."""

    imagetransfer_bandwidth: Bandwidth = 100.0
    transfer_mechanism: TransferMechanism = TransferMechanism.MULTICAST
    avoid_redundant_transfers: bool = True
    force_imagetransfer_time: Seconds | None = None
    diskimage_reuse: ImageReuse = ImageReuse.NONE
    diskimage_cache_size: Annotated[int, msgspec.Meta(ge=-1, description="in MB")] = -1
    """MB per node; -1 for unlimited."""

    add_overhead: Overhead = Overhead.NONE
    runtime_overhead: Percent = 0.0
    """``runtime-slowdown-overhead``, in percent."""
    boot_overhead: Seconds = 0.0
    """``bootshutdown-overhead``."""
    override_memory: Megabytes | None = None

    pricing_rate: float | None = None
    pricing_min_rate: float | None = None
    pricing_max_rate: float | None = None
    pricing_seed: int | None = None

    part_options: dict[str, Any] = {}
    """Options of mappers and policies of one's own, by name."""

    def __post_init__(self) -> None:
        check_fields(self, WHOSE, texts=True, shown=_dashed)

    @property
    def max_future(self) -> int | None:
        """How many best-effort leases may hold a reservation in the future; ``None`` for any number."""
        return {
            Backfilling.OFF: 0,
            Backfilling.AGGRESSIVE: 1,
            Backfilling.CONSERVATIVE: None,
            Backfilling.INTERMEDIATE: self.backfilling_reservations or 0,
        }[self.backfilling]


_HAIZEA = {"runtime_slowdown_overhead": "runtime_overhead", "bootshutdown_overhead": "boot_overhead"}
"""What Haizea's configuration files call some of them."""


def settings_of_all() -> dict[str, Option]:
    """The settings that there are whatever mapper and policies are chosen."""
    return {name: option for name, option in options_of(LeaseOptions)[0].items() if name != "part_options"}


def chosen(settings: Mapping[str, Any], base: LeaseOptions | None = None) -> dict[str, str]:
    """The mapper and the policies that settings choose upon others: setting -> name."""
    given = _fields(settings)
    return {name: str(given.get(name, getattr(base or LeaseOptions(), name))) for name in CODE_OPTIONS}


def lease_options(
    settings: Mapping[str, Any], base: LeaseOptions | None = None, *, own: Mapping[str, Option] = {}
) -> LeaseOptions:
    """Options from settings by name (with dashes or underscores), upon others.

    Args:
        settings: name -> value; texts become what they mean.
        base: the options that hold where nothing is set; default: the usual ones.
        own: options that the chosen mapper and policies have beside.

    Raises:
        UsageError: an option does not exist, or has no sensible value.
    """
    base = base or LeaseOptions()
    given = _fields(settings)
    kept = {name: value for name, value in base.part_options.items() if name in own}
    found = checked_options(WHOSE, (settings_of_all() | dict(own), False), kept | given, shown=_dashed)
    return msgspec.structs.replace(
        base,
        **{name: value for name, value in found.items() if name not in own},
        part_options={name: value for name, value in found.items() if name in own},
    )


def _fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by the name of their field."""
    names = {key: key.replace("-", "_") for key in settings}
    return {_HAIZEA.get(name, name): settings[key] for key, name in names.items()}


def _dashed(name: str) -> str:
    return name.replace("_", "-")
