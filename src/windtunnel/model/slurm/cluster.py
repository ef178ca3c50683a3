"""A Slurm site as a whole."""

from collections.abc import Mapping
from typing import Final

import msgspec

from windtunnel.model.slurm.accounts import Association, Qos
from windtunnel.model.slurm.nodes import SlurmNode, Switch
from windtunnel.model.slurm.partitions import Partition
from windtunnel.model.slurm.reservations import Reservation
from windtunnel.model.slurm.settings import (
    BackfillSettings,
    MainLoopSettings,
    PreemptSettings,
    PrioritySettings,
    SelectSettings,
)

__all__ = ["FOR_EVER", "SlurmSite"]

FOR_EVER: Final = 365 * 24 * 60
"""Minutes for which Slurm takes a limit that is none."""


class SlurmSite(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster: what slurm.conf, gres.conf, topology.conf and the accounting database say."""

    name: str = ""
    nodes: tuple[SlurmNode, ...] = ()
    """In the order of slurm.conf, which is that of the hosts of the platform."""
    partitions: tuple[Partition, ...] = ()
    switches: tuple[Switch, ...] = ()
    associations: tuple[Association, ...] = ()
    qos: tuple[Qos, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    licences: Mapping[str, int] = {}
    main: MainLoopSettings = MainLoopSettings()
    backfill: BackfillSettings = BackfillSettings()
    select: SelectSettings = SelectSettings()
    preempt: PreemptSettings = PreemptSettings()
    priority: PrioritySettings = PrioritySettings()
    enforce_partition_limits: str = "NO"
    """``NO``, ``ANY`` or ``ALL``."""
    enforce: tuple[str, ...] = ()
    """``AccountingStorageEnforce``, in small letters: ``associations``, ``limits``, ``qos``, ``safe``."""
    tracked: tuple[str, ...] = ()
    """``AccountingStorageTRES`` beyond those that are always tracked."""
    default_memory_per_cpu: int | None = None
    default_memory_per_node: int | None = None
    max_memory_per_cpu: int | None = None
    max_memory_per_node: int | None = None
    job_defaults: Mapping[str, int] = {}
    """``DefCpuPerGPU``, ``DefMemPerGPU`` (as written) -> count or MB."""
    over_time_limit: int = 0
    """Minutes that jobs may run beyond their limit, before they are ended; :data:`FOR_EVER` for ``UNLIMITED``."""
    reservation_over_run: int = 0
    """``ResvOverRun``: minutes that jobs may run beyond the end of their reservation; :data:`FOR_EVER` as above."""
    requeue: bool = True
    """``JobRequeue``."""
    max_array_size: int = 1001
    max_job_count: int = 10000

    def partition(self, name: str) -> Partition | None:
        """The partition of a name."""
        return next((one for one in self.partitions if one.name == name), None)

    @property
    def fifo(self) -> bool:
        """Whether the list of jobs is walked as it is: sched/builtin, priority/basic, and partitions of one tier."""
        tiers = {one.priority_tier for one in self.partitions}
        return self.main.builtin and not self.priority.multifactor and len(tiers) <= 1

    def over_time_limit_of(self, partition: Partition) -> int:
        """Minutes that jobs of a partition may run beyond their limit."""
        return self.over_time_limit if partition.over_time_limit is None else partition.over_time_limit
