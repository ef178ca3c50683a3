"""How a site's Slurm decides: the parts of slurm.conf that matter, with Slurm's defaults.

``SchedulerParameters`` are fields of :class:`MainLoopSettings` and :class:`BackfillSettings` under their own names.
"""

from collections.abc import Mapping

import msgspec

__all__ = ["BackfillSettings", "MainLoopSettings", "PreemptSettings", "PrioritySettings", "SelectSettings"]


class MainLoopSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The main scheduling loop; seconds, unless said otherwise."""

    default_queue_depth: int = 100
    partition_job_depth: int = 0
    """0: no limit."""
    batch_sched_delay: int = 3
    sched_interval: int = 60
    """-1: no main loop."""
    sched_max_job_start: int = 0
    """0: no limit."""
    defer: bool = False
    assoc_limit_stop: bool = False
    pack_serial_at_end: bool = False
    max_switch_wait: int = 300
    kill_invalid_depend: bool = False
    ignore_prefer_validation: bool = False
    complete_wait: int = 0
    kill_wait: int = 30
    message_timeout: int = 10
    builtin: bool = False
    """``SchedulerType=sched/builtin``: no backfill."""


class BackfillSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The backfill loop; 0 stands for no limit."""

    bf_interval: int = 30
    """-1: no backfill."""
    bf_window: int = 1440
    """Minutes."""
    bf_resolution: int = 60
    bf_window_linear: int = 0
    bf_max_job_test: int = 500
    bf_max_job_start: int = 0
    bf_max_job_part: int = 0
    bf_max_job_user: int = 0
    bf_max_job_user_part: int = 0
    bf_max_job_assoc: int = 0
    bf_max_job_array_resv: int = 20
    bf_min_age_reserve: int = 0
    bf_min_prio_reserve: int = 0
    bf_job_part_count_reserve: int = 0
    bf_node_space_size: int = 0
    """0: ``bf_max_job_test``."""
    bf_one_resv_per_job: bool = False
    bf_continue: bool = False
    bf_licenses: bool = False
    bf_busy_nodes: bool = False
    bf_running_job_reserve: bool = False
    bf_hetjob_prio: str = ""
    """Which priority of its components a heterogeneous job has: ``min``, ``max``, ``avg``; empty: each its own."""


class SelectSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How resources are counted and chosen."""

    type: str = "cons_tres"
    """``linear``, ``cons_tres`` or ``cons_res``."""
    counts: str = "CPU"
    """``CPU``, ``CORE`` or ``SOCKET``; ``select/linear`` counts nodes."""
    memory: bool = False
    """Whether memory is counted, too (``CR_..._Memory``)."""
    flags: tuple[str, ...] = ()
    """The other SelectTypeParameters, in capitals: ``CR_LLN``, ``CR_PACK_NODES``, ``CR_ONE_TASK_PER_CORE``..."""
    tree: bool = False
    """``TopologyPlugin=topology/tree``."""
    tree_optional: bool = False
    """``TopologyParam=TopoOptional``."""


class PreemptSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Who makes room for whom, and how."""

    type: str = ""
    """``qos``, ``partition_prio``, or empty."""
    mode: tuple[str, ...] = ("OFF",)
    """In capitals: ``CANCEL``, ``REQUEUE``, ``SUSPEND``, ``GANG``, ``WITHIN``, ``OFF``."""
    exempt_time: int = 0
    """Seconds."""
    youngest_first: bool = False
    strict_order: bool = False
    reorder_count: int = 1
    time_slice: int = 30
    """``SchedulerTimeSlice`` (s)."""


class PrioritySettings(msgspec.Struct, frozen=True, kw_only=True):
    """How jobs are ranked."""

    multifactor: bool = True
    """False: ``priority/basic``, first come first."""
    accounted: bool = True
    """Whether a slurmdbd keeps accounts (``AccountingStorageType``).

    Without one nothing ages and nobody is charged: priorities stay as they are at submission.
    """
    weight_age: int = 0
    weight_assoc: int = 0
    weight_fair_share: int = 0
    weight_job_size: int = 0
    weight_partition: int = 0
    weight_qos: int = 0
    weight_tres: Mapping[str, float] = {}
    max_age: int = 7 * 86400
    """Seconds."""
    decay_half_life: int = 7 * 86400
    """Seconds; 0: no decay."""
    calc_period: int = 300
    """Seconds."""
    usage_reset_period: str = "NONE"
    """In capitals: ``NONE``, ``NOW``, ``DAILY``, ``WEEKLY``, ``MONTHLY``, ``QUARTERLY`` or ``YEARLY``."""
    time_zone: str = "UTC"
    """That of the machine that counts usage: periods begin at its midnight."""
    favor_small: bool = False
    flags: tuple[str, ...] = ()
    """In capitals: ``NO_FAIR_TREE``, ``DEPTH_OBLIVIOUS``, ``SMALL_RELATIVE_TO_TIME``, ``MAX_TRES``..."""
    dampening: float = 1.0
    """``FairShareDampeningFactor``."""
