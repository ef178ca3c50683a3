"""How many nodes limits let a job have at most: its selection looks for no more (§6.1)."""

from collections.abc import Sequence

from windtunnel.model.slurm import Qos
from windtunnel.schedulers.slurm.limits.tallies import raised
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["most_nodes"]


def most_nodes(listed: Sequence[Qos], member: Member | None) -> tuple[int, str] | None:
    """The least limit of nodes, whatever runs already, and the Reason of jobs that need more; None without limits.

    ``listed`` are the QOS in the order in which they are asked: of each kind the first that sets one counts.
    """
    found: tuple[int, str] | None = None
    kinds = (
        ("max_tres_per_account", "MaxNodePerAccount"),
        ("max_tres_per_job", "QOSMaxNodePerJobLimit"),
        ("max_tres_per_user", "QOSMaxNodePerUserLimit"),
        ("grp_tres", "QOSGrpNodeLimit"),
    )
    own = group = last = False
    more = listed[0].limit_factor if listed else None  # nobody asks the second one here
    for kind, reason in kinds:
        most = next((table["node"] for one in listed if "node" in (table := getattr(one.limits, kind))), None)
        if most is None:
            continue
        own, group = own or kind != "grp_tres", group or kind == "grp_tres"
        found = _lower(found, most, reason)
    for one in member.path() if member is not None else ():
        most = None if group else _raised(one.limits.grp_tres.get("node"), more)
        if most is not None and (found is None or most < found[0]):
            found, last = (most, "AssocGrpNodeLimit"), True
        if one is member and not own:
            found = _lower(found, _raised(_inherited(member), more), "AssocMaxNodePerJobLimit")
        if last:
            break  # no account above it is asked
    return found


def _raised(most: int | None, factor: float | None) -> int | None:
    return None if most is None else raised(most, factor)


def _lower(found: tuple[int, str] | None, most: int | None, reason: str) -> tuple[int, str] | None:
    if most is None or (found is not None and most >= found[0]):
        return found
    return most, reason


def _inherited(member: Member) -> int | None:
    """A user's own limit, or that of the nearest account that sets it."""
    for one in member.path():
        if "node" in one.limits.max_tres_per_job:
            most: int = one.limits.max_tres_per_job["node"]
            return most
    return None
