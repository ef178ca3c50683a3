"""Every machine of a recorded run, at any instant or over an interval, as SSS nodes (decisions.md 21)."""

from collections.abc import Callable, Iterator, Sequence
from math import inf

from windtunnel.diagnostics import UsageError
from windtunnel.entities.sss_host import host_node, nodes_of
from windtunnel.entities.sss_node import SssNode
from windtunnel.model import Host, HostSet
from windtunnel.results.damaged_files import read_from
from windtunnel.results.fields import table_rows
from windtunnel.results.lease_shares import groups_of
from windtunnel.results.lease_shares import shares as lease_shares
from windtunnel.results.node_use import StateChange, Stay, use_at, use_between
from windtunnel.results.resizes_csv import sized
from windtunnel.results.shares_csv import amounts_of
from windtunnel.results.stretch import end_of
from windtunnel.vocabulary.held import Amounts

__all__ = ["RunNodes", "machine_state"]

Read = Callable[[str], bytes | None]
"""Reads one of a run's files by name."""


class RunNodes:
    """What a run's files tell about its machines. ``read`` is :meth:`windtunnel.results.run.Run.read`.

    Raises:
        UsageError: there is no ``jobs.csv``, it is damaged, or it names hosts that the platform does not have.
    """

    def __init__(self, hosts: Sequence[Host], read: Read, name: str = "this run", site: object = None) -> None:
        """``site``: that of the platform; nodes that were read are written back as they were."""
        self._hosts = tuple(hosts)
        self._given = nodes_of(site, self._hosts)
        with read_from(name, "jobs.csv (or what goes with it)"):
            self.stays = list(_stays(read, len(self._hosts)))
        with read_from(name, "events.csv"):
            self.changes = list(_changes(read))
        named = [*(stay.hosts for stay in self.stays), *(change.hosts for change in self.changes)]
        beyond = max((hosts.last for hosts in named if hosts), default=-1)
        if beyond >= len(self._hosts):
            raise UsageError(
                f"the run used host {beyond}, and the platform has {len(self._hosts)} hosts",
                "give the platform it ran on (--platform)",
            )

    @property
    def end(self) -> float:
        """When the last job had left (s)."""
        return max((stay.finish for stay in self.stays), default=0.0)

    def at(self, time: float) -> Iterator[SssNode]:
        """The nodes at an instant."""
        return map(host_node, self._hosts, use_at(self._hosts, self.stays, self.changes, time), self._given)

    def between(self, start: float, finish: float) -> Iterator[SssNode]:
        """The nodes with averages and maxima over [start, finish).

        Raises:
            UsageError: the interval is empty.
        """
        if not finish > start:
            raise UsageError(f"the interval from {start:g} to {finish:g} is empty")
        uses = use_between(self._hosts, self.stays, self.changes, start, finish)
        return map(host_node, self._hosts, uses, self._given)


def machine_state(notice: str, cause: str) -> str:
    """The machine state that an event of ``events.csv`` means; a mere "unavailable" is maintenance."""
    if notice == "available":
        return "ACTIVE"
    state = cause.partition(":")[0]
    return state if state in {"HALT", "MAINTENANCE", "FAILURE"} else "MAINTENANCE"


def _rows(read: Read, name: str) -> Iterator[dict[str, str]]:
    for row in table_rows(read(name)):
        if None in row or None in row.values():
            raise ValueError(f"a row has other columns than the first line: {next(iter(row.values()))!r:.50}...")
        yield row


def _stays(read: Read, count: int) -> Iterator[Stay]:
    if b"allocated_resources" not in (read("jobs.csv") or b"").partition(b"\n")[0]:
        raise UsageError("this run has no jobs.csv, or one that is not a table of jobs")
    shares = {(row["job_id"], row["workload_name"]): amounts_of(row["shares"]) for row in _rows(read, "shares.csv")}
    leases = {row["lease_id"]: groups_of(row.get("requested", "")) for row in _rows(read, "leases.csv")}

    def stay(job: str, hosts: HostSet, start: str, finish: str, amounts: Amounts | None) -> Stay:
        groups = leases.get(job.partition("#")[0])
        known = not hosts or hosts.last < count  # others are refused
        taken = lease_shares(groups, hosts, amounts) if groups and known else amounts
        return Stay(hosts, float(start), end_of(float(start), float(finish or inf)), taken)

    changed: dict[str, float] = {}
    for one in sized(read("resizes.csv")):
        changed.setdefault(one.job, one.start)
        yield stay(one.job.partition("!")[2], HostSet.parse(one.hosts), str(one.start), str(one.finish), None)
    paused = {(name, workload) for workload, _, name in (job.partition("!") for job in changed)}
    for row in _rows(read, "suspensions.csv"):
        paused.add((row["job_id"], row["workload_name"]))
        if float(row["from"]) >= changed.get(f"{row['workload_name']}!{row['job_id']}", inf):
            continue  # told whole from the first change on
        amounts = amounts_of(row["shares"]) if row.get("shares") else None
        hosts = HostSet.parse(row["allocated_resources"])
        yield stay(row["job_id"], hosts, row["from"], row["until"], amounts)
    for row in _rows(read, "jobs.csv"):
        key = (row["job_id"], row["workload_name"])
        if row["starting_time"] and key not in paused:
            hosts = HostSet.parse(row["allocated_resources"])
            yield stay(row["job_id"], hosts, row["starting_time"], row["finish_time"], shares.get(key))


def _changes(read: Read) -> Iterator[StateChange]:
    for row in _rows(read, "events.csv"):
        if row["event"] in {"available", "unavailable"}:
            state = machine_state(row["event"], row["data"])
            yield StateChange(float(row["time"]), HostSet.parse(row["hosts"]), state)
