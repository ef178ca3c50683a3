"""What the limits of a Slurm site look at at all: what none of them does need not be kept count of."""

from collections.abc import Iterable

from windtunnel.model.slurm import Limits, SlurmSite

__all__ = ["limits_nodes", "limits_submission"]


def limits_nodes(site: SlurmSite) -> bool:
    """Whether any limit counts nodes: on which nodes jobs run matters then."""
    limits = [one.limits for one in site.associations] + [one.limits for one in site.qos]
    tables = ("grp_tres", "max_tres_per_user", "max_tres_per_account")
    return any("node" in getattr(one, table) for one in limits for table in tables)


def limits_submission(site: SlurmSite) -> bool:
    """Whether anything may keep a job from being submitted."""

    def some(limits: Iterable[Limits]) -> bool:
        names = ("grp_submit_jobs", "max_submit_jobs", "max_submit_jobs_per_user", "max_submit_jobs_per_account")
        return any(getattr(one, name) is not None for one in limits for name in names)

    limits = [one.limits for one in site.associations] + [one.limits for one in site.qos]
    return some(limits) or any(one.has("DenyOnLimit") for one in site.qos)
