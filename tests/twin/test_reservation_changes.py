"""What-if reservations: what a maintenance does."""

from datetime import UTC

import pytest

from windtunnel.diagnostics import UsageError
from windtunnel.formats.registry import read_workload
from windtunnel.formats.slurm.site import zone_of
from windtunnel.model.slurm import Partition, Reservation, SlurmNode, SlurmSite
from windtunnel.twin.changes import pairs_of
from windtunnel.twin.reservation_changes import changed_reservation
from windtunnel.twin.what_if import what_if

DAY = 1704067200
"""The beginning of 2024 (s)."""
SITE = SlurmSite(
    nodes=tuple(SlurmNode(name=f"n{k}") for k in range(1, 5)),
    partitions=(Partition(name="p", nodes=("n1", "n2")), Partition(name="all")),
    reservations=(Reservation(name="course", start=DAY, end=DAY + 3600, nodes=("n1",), users=("ann",)),),
)


def after(change, zone=UTC):
    return changed_reservation(SITE, pairs_of(change), zone)


def test_a_reservation_is_made():
    change = "ReservationName=repair StartTime=2024-01-02T08:00:00 Duration=8:00:00 Nodes=ALL Flags=maint,ignore_jobs"
    site, command = after(change)
    found = site.reservations[-1]
    assert (found.start, found.end) == (DAY + 32 * 3600, DAY + 40 * 3600)
    assert (found.nodes, found.flags) == (("n1", "n2", "n3", "n4"), ("MAINT", "IGNORE_JOBS"))
    assert site.reservations[0] == SITE.reservations[0]
    assert command == f"scontrol create {change}"


def test_nodes_of_a_partition_and_local_time():
    change = "ReservationName=x StartTime=2024-01-01T01:00:00 EndTime=2024-01-01T02:00:00 PartitionName=p Nodes=ALL"
    found = after(change, zone_of("Europe/Berlin"))[0].reservations[-1]
    assert (found.start, found.end, found.nodes) == (DAY, DAY + 3600, ("n1", "n2"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("Duration=120", {"end": DAY + 7200}),
        ("EndTime=2024-01-01T04:00:00", {"end": DAY + 4 * 3600}),
        ("StartTime=2023-12-31T23:00:00", {"start": DAY - 3600}),
        ("Users=bo,eve Nodes=n[2-3]", {"users": ("bo", "eve"), "nodes": ("n2", "n3")}),
    ],
)
def test_a_reservation_is_changed(change, expected):
    (old,) = SITE.reservations
    (found,) = after(f"ReservationName=course {change}")[0].reservations
    fields = {name: getattr(old, name) for name in old.__struct_fields__} | expected
    assert found == Reservation(**fields)


FAULTS = [
    ("Duration=60 Nodes=ALL", "StartTime of the reservation is missing"),
    ("StartTime=2024-01-01T00:00:00 Nodes=ALL", "EndTime of the reservation is missing"),
    ("StartTime=soon Duration=60 Nodes=ALL", "StartTime is 'soon'"),
    ("StartTime=2024-01-01T00:00:00 Duration=x Nodes=ALL", "Duration is 'x'"),
    ("StartTime=2024-01-01T00:00:00 Duration=0 Nodes=ALL", "Duration is '0', a time such as 90"),
    ("StartTime=2024-01-01T00:00:00 Duration=60", "has no nodes"),
    ("StartTime=2024-01-01T00:00:00 Duration=60 Nodes=n9", "there is no node 'n9'"),
    ("StartTime=2024-01-01T00:00:00 Duration=60 Nodes=n[1", "brackets do not match"),
    ("StartTime=2024-01-01T00:00:00 Duration=60 PartitionName=q Nodes=n1", "there is no partition 'q'"),
    ("StartTime=2024-01-02T00:00:00 EndTime=2024-01-01T00:00:00 Nodes=n1", "ends before it begins"),
    ("StartTime=2024-01-02T00:00:00 Duration=60 Nodes=n1 NodeCnt=3", "NodeCnt of a reservation is not simulated"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_faulty_reservations(change, message):
    with pytest.raises(UsageError) as caught:
        after(f"ReservationName=x {change}")
    assert message in str(caught.value)


def test_a_maintenance_is_foreseen(tmp_path):
    """Jobs whose limit reaches into it wait until it is over."""
    nodes = "NodeName=n[1-4] CPUs=1\nPartitionName=p Nodes=ALL Default=YES MaxTime=1-0\n"
    (tmp_path / "slurm.conf").write_text(f"ClusterName=x\nSelectType=select/linear\n{nodes}")
    head = "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|ReqNodes|State\n"
    row = "{0}|u|a|p|2024-01-01T00:00:0{0}|2024-01-01T00:01:00|2024-01-01T00:31:00|1800|60|1|1|COMPLETED\n"
    (tmp_path / "jobs.txt").write_text(head + "".join(row.format(k) for k in range(1, 5)))
    change = "ReservationName=repair StartTime=2024-01-01T00:30:00 Duration=2:00:00 Nodes=ALL Flags=MAINT"
    found = what_if(tmp_path / "slurm.conf", read_workload(tmp_path / "jobs.txt"), sets=[change])
    assert found.shifts[0].before < 60
    assert 8990 <= found.shifts[0].after <= 9030
    assert found.commands == (f"scontrol create {change}",)
