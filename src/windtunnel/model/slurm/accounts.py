"""Accounts, users and qualities of service, with their shares and limits (sacctmgr)."""

from collections.abc import Mapping
from typing import Final

import msgspec

__all__ = ["PARENT", "Association", "Limits", "Qos"]

PARENT: Final = -1
"""As shares: those of the account above (``fairshare=parent``)."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of an association or a QOS; what is None or not named is unlimited.

    TRES are counted as in requests (``mem`` in MB); those ending in ``mins`` are TRES-minutes; ``wall`` is minutes.
    """

    grp_tres: Mapping[str, int] = {}
    grp_tres_mins: Mapping[str, int] = {}
    grp_tres_run_mins: Mapping[str, int] = {}
    grp_jobs: int | None = None
    grp_jobs_accrue: int | None = None
    grp_submit_jobs: int | None = None
    grp_wall: int | None = None
    max_tres_per_job: Mapping[str, int] = {}
    max_tres_per_node: Mapping[str, int] = {}
    max_tres_mins_per_job: Mapping[str, int] = {}
    max_wall_per_job: int | None = None
    max_jobs: int | None = None
    """Of an association: ``MaxJobs``."""
    max_jobs_accrue: int | None = None
    max_submit_jobs: int | None = None
    """Of an association: ``MaxSubmitJobs``."""
    min_priority: int | None = None
    """``MinPrioThreshold``."""
    max_tres_per_user: Mapping[str, int] = {}
    """This and what follows: of a QOS."""
    max_tres_per_account: Mapping[str, int] = {}
    max_jobs_per_user: int | None = None
    max_jobs_per_account: int | None = None
    max_jobs_accrue_per_user: int | None = None
    max_jobs_accrue_per_account: int | None = None
    max_submit_jobs_per_user: int | None = None
    max_submit_jobs_per_account: int | None = None
    min_tres_per_job: Mapping[str, int] = {}


class Association(msgspec.Struct, frozen=True, kw_only=True):
    """An account, or a user in an account (and perhaps in one partition)."""

    account: str
    parent: str = ""
    """Of an account: the account above; empty for root."""
    user: str = ""
    """Empty: it is the account itself."""
    partition: str = ""
    shares: int = 1
    """``Fairshare``; :data:`PARENT`: those of the account above."""
    priority: int | None = None
    """None: that of the account above."""
    limits: Limits = Limits()
    qos: tuple[str, ...] | None = None
    """Names it may use; None: those of the account above."""
    default_qos: str = ""
    """Empty: that of the account above."""
    default: bool = False
    """Of a user: whether this account is the user's default."""
    order: int = 0
    """Slurm's table order (``Lft`` of show assoc_mgr, or lower for the newer), which breaks ties of fair share."""
    usage: float = 0.0
    """Raw usage at the start (TRES-seconds of billing)."""


class Qos(msgspec.Struct, frozen=True, kw_only=True):
    """A quality of service."""

    name: str
    priority: int = 0
    limits: Limits = Limits()
    preempt: tuple[str, ...] = ()
    """The QOS whose jobs it may preempt."""
    preempt_mode: tuple[str, ...] | None = None
    """In capitals; None: the cluster's."""
    preempt_exempt_time: int | None = None
    """Seconds for which its jobs run before they may be preempted; None: the cluster's."""
    grace_time: int = 0
    usage_factor: float = 1.0
    usage_threshold: float | None = None
    limit_factor: float | None = None
    flags: tuple[str, ...] = ()
    """As written: ``DenyOnLimit``, ``NoReserve``, ``OverPartQOS``, ``NoDecay``, ``UsageFactorSafe``..."""
    usage: float = 0.0

    def has(self, flag: str) -> bool:
        """Whether a flag is set, however it is written."""
        return flag.casefold() in (one.casefold() for one in self.flags)
