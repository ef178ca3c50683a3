"""Which host is the master, which compute and which store, and what numbers they get (batsim-inputs.md 7.1, 7.2)."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.formats.sites.simgrid_xml.builder import HostDraft
from windtunnel.model.platform import natural_key

__all__ = ["DEFAULT_MASTER", "Numbering", "Roles", "assign_roles"]

Numbering = Literal["natural", "lexicographic"]
DEFAULT_MASTER = "master_host"
KNOWN = ("master", "compute_node", "storage")


class Roles(NamedTuple):
    """Hosts by role, in order of their numbers."""

    compute: list[HostDraft]
    storages: list[HostDraft]
    master: str


def assign_roles(
    hosts: Sequence[HostDraft],
    findings: Findings,
    *,
    numbering: Numbering,
    master: str,
    add_roles: Mapping[str, str],
    require_master: bool,
    mmax: int,
) -> Roles:
    """Sort hosts (given in SimGrid's order) by role.

    ``lexicographic`` keeps SimGrid's order (Batsim 3 and 4), ``natural`` sorts compute hosts by name with runs of
    digits as numbers (Batsim 5).
    """
    names = {host.name for host in hosts}
    for name in add_roles:
        if name not in names:
            findings.add(
                f"a role is given to {name!r}, which is not a host", code="role", hint=did_you_mean(name, names)
            )
    found = Roles([], [], "")
    masters: list[HostDraft] = []
    for host in hosts:
        role = _role(host, add_roles.get(host.name, ""), findings)
        if host.name == master and role != "master":
            if host.properties.get("role") or host.name in add_roles:
                message = f"host {host.name!r} is named as the master and has the role {role!r}"
                findings.add(message, code="role", line=host.line)
            role = "master"
        if role == "master":
            masters.append(host)
        elif role == "storage":
            found.storages.append(host)
        else:
            found.compute.append(host)
    _check_master(masters, names, findings, master, require_master=require_master)
    if numbering == "natural":
        found.compute.sort(key=lambda host: natural_key(host.name))
    if not found.compute and not findings.has_errors:
        findings.add("no host is left to compute on", code="no-host", hint="hosts without a role compute")
    if mmax > 0:
        if mmax > len(found.compute):
            message = f"{mmax} hosts are asked for, but the platform has {len(found.compute)} to compute on"
            findings.add(message, code="mmax")
        del found.compute[mmax:]
    return found._replace(master=masters[0].name if masters else "")


def _role(host: HostDraft, given: str, findings: Findings) -> str:
    """The one role of a host; given twice it is an error, as in Batsim."""
    own = host.properties.get("role", "") or _elastic_role(host.properties)
    role = given or own
    if given:
        host.properties = {**host.properties, "role": given}  # schedulers see it, as in Batsim
    if given and own and given != own:
        message = f"host {host.name!r} has the role {own!r} in the platform and is given {given!r}"
        findings.add(message, code="role", line=host.line, hint="keep one of them")
    elif role and role not in KNOWN:
        hint = f"expected one of {', '.join(KNOWN)}"
        findings.add(f"host {host.name!r} has the unknown role {role!r}", code="role", line=host.line, hint=hint)
    return role or "compute_node"


def _elastic_role(properties: Mapping[str, str]) -> str:
    """What ElastiSim's properties make of a host."""
    if properties.get("batch_system") == "true":
        return "master"
    return "storage" if properties.get("pfs_host") == "true" else ""


def _check_master(
    masters: Sequence[HostDraft], names: set[str], findings: Findings, master: str, *, require_master: bool
) -> None:
    for host in masters[1:]:
        message = f"two hosts are masters: {masters[0].name!r} and {host.name!r}"
        findings.add(message, code="role", line=host.line, hint="one host runs the scheduler")
    if masters:
        if master not in {"", DEFAULT_MASTER, *names}:
            message = f"the master {master!r} is not a host: {masters[0].name!r}, whose role that is, is the master"
            findings.warn(message, code="role", hint=did_you_mean(master, names))
        return
    if master and master != DEFAULT_MASTER:
        findings.add(f"the master {master!r} is not a host", code="role", hint=did_you_mean(master, names))
    elif require_master:
        hint = f"name a host {DEFAULT_MASTER}, give it the property role=master, or name it with --master-host"
        findings.add("no host has the role master", code="role", hint=hint)
