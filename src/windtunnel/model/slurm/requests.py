"""What a Slurm job asks for: the options of sbatch, defaults of the site not yet applied."""

from collections.abc import Mapping

import msgspec

__all__ = ["Dependency", "GresAsk", "JobAsk"]


class GresAsk(msgspec.Struct, frozen=True, kw_only=True):
    """Some of a generic resource."""

    name: str
    count: int
    type: str = ""


class Dependency(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to wait for."""

    kind: str
    """``after``, ``afterok``, ``afternotok``, ``afterany``, ``aftercorr``, ``singleton``, ``expand``..."""
    job: str = ""
    minutes: int = 0
    """Of ``after``: so long after the start."""


class JobAsk(msgspec.Struct, frozen=True, kw_only=True):
    """What a job asks for; None or empty: not said."""

    name: str = ""
    user: str = ""
    account: str = ""
    partitions: tuple[str, ...] = ()
    qos: str = ""
    reservation: str = ""
    min_nodes: int | None = None
    max_nodes: int | None = None
    tasks: int | None = None
    cpus_per_task: int | None = None
    tasks_per_node: int | None = None
    tasks_per_socket: int | None = None
    tasks_per_core: int | None = None
    tasks_per_gpu: int | None = None
    sockets_per_node: int | None = None
    cores_per_socket: int | None = None
    threads_per_core: int | None = None
    """1: ``--threads-per-core=1``, ``-B s:c:1``, a hint ``nomultithread``, ``compute_bound``, ``memory_bound``."""
    min_cpus_per_node: int | None = None
    memory_per_node: int | None = None
    """MB; 0: all of a node's."""
    memory_per_cpu: int | None = None
    memory_per_gpu: int | None = None
    gres_per_node: tuple[GresAsk, ...] = ()
    gres_per_job: tuple[GresAsk, ...] = ()
    gres_per_task: tuple[GresAsk, ...] = ()
    gres_per_socket: tuple[GresAsk, ...] = ()
    cpus_per_gpu: int | None = None
    licences: Mapping[str, int] = {}
    features: str = ""
    """``--constraint`` as written."""
    prefer: str = ""
    nodes: tuple[str, ...] = ()
    """``--nodelist``."""
    exclude: tuple[str, ...] = ()
    exclusive: bool = False
    exclusive_user: bool = False
    over_subscribe: bool = False
    contiguous: bool = False
    spread: bool = False
    use_min_nodes: bool = False
    switches: int | None = None
    switch_wait: int | None = None
    """Seconds."""
    time_limit: int | None = None
    """Minutes."""
    time_min: int | None = None
    begin: int | None = None
    """Seconds since 1970, as is ``deadline``."""
    deadline: int | None = None
    held: bool = False
    nice: int = 0
    priority: int | None = None
    """``--priority``: fixed."""
    site_factor: int = 0
    dependencies: tuple[Dependency, ...] = ()
    any_dependency: bool = False
    """Whether one of them suffices (``?`` between them) instead of all."""
    array: tuple[int, ...] | None = None
    """Indices of the tasks; None: it is not an array."""
    array_limit: int | None = None
    """Tasks that may run at once."""
    requeue: bool | None = None
    components: tuple["JobAsk", ...] = ()
    """Of a heterogeneous job: the others after the first."""
