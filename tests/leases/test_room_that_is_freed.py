"""Room that a cancelled lease leaves, or nodes that come back, is for those that wait: at once, not at a later event."""

import pytest

from windtunnel.leases.component import CANCEL
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model import EventList, ExternalEvent, HostSet
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseWorkload, NodeSet
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services.lease_run import simulate_leases

BACKFILLING = pytest.mark.parametrize("backfilling", ["off", "aggressive", "conservative"])


def lease(number, submit, nodes, duration, **more):
    return Lease(
        id=number, submit=submit, nodes=(NodeSet(nodes, {CPU: (100,), MEMORY: (256,)}),), duration=duration, **more
    )


def starts(leases, events, **options):
    """When each lease started, with events in order of time."""
    run = simulate_leases(
        LeaseWorkload(name="w", site=site_from_text("4 CPU:100,Memory:1024"), leases=leases),
        options=LeaseOptions(**options),
        events=[EventList(name="e", events=tuple(events))],
    )
    assert run.outcome == "complete"
    return {row.lease_id: row.started for row in run.leases}


def cancelled(at, number):
    return ExternalEvent(timestamp=at, kind=CANCEL, attributes={"lease": number})


@BACKFILLING
def test_a_running_lease_is_cancelled(backfilling):
    """The next one waited for the end that was planned; without backfilling a deadlock ended the run."""
    leases = [lease(1, 0.0, 4, 7200.0), lease(2, 10.0, 4, 600.0), lease(3, 20.0, 4, 600.0)]
    assert starts(leases, [cancelled(1000.0, 1)], backfilling=backfilling) == {1: 0.0, 2: 1000.0, 3: 1600.0}


@BACKFILLING
def test_a_waiting_lease_is_cancelled(backfilling):
    leases = [lease(1, 0.0, 2, 7200.0), lease(2, 10.0, 4, 600.0), lease(3, 20.0, 2, 9000.0)]
    assert starts(leases, [cancelled(1000.0, 2)], backfilling=backfilling) == {1: 0.0, 2: None, 3: 1000.0}


def test_a_deadline_lease_moves_forward():
    leases = [lease(1, 0.0, 4, 7200.0), lease(2, 10.0, 4, 600.0, start=100.0, deadline=20000.0)]
    assert starts(leases, [cancelled(1000.0, 1)]) == {1: 0.0, 2: 1000.0}


def test_haizea_leaves_reservations_where_they_are():
    leases = [lease(1, 0.0, 4, 7200.0), lease(2, 10.0, 4, 600.0)]
    assert starts(leases, [cancelled(1000.0, 1)], haizea_compat=True) == {1: 0.0, 2: 7200.0}
    assert starts(leases, [cancelled(1000.0, 1)], haizea_compat=True, backfilling="off") == {1: 0.0, 2: 1000.0}


@BACKFILLING
def test_nodes_come_back(backfilling):
    """What had been given a place on other nodes, later, stayed there."""
    events = [
        ExternalEvent(timestamp=at, kind="machine_state", hosts=HostSet.parse("2-3"), attributes={"state": state})
        for at, state in ((5.0, "FAILURE"), (1000.0, "ACTIVE"))
    ]
    leases = [lease(1, 0.0, 2, 7200.0), lease(2, 10.0, 2, 600.0)]
    assert starts(leases, events, backfilling=backfilling) == {1: 0.0, 2: 1000.0}


@BACKFILLING
def test_a_lease_is_lost(backfilling):
    """The nodes that are left of it are free."""
    gone = ExternalEvent(
        timestamp=1000.0, kind="machine_state", hosts=HostSet.parse("3"), attributes={"state": "FAILURE"}
    )
    leases = [lease(1, 0.0, 4, 7200.0), lease(2, 10.0, 3, 600.0)]
    assert starts(leases, [gone], backfilling=backfilling) == {1: 0.0, 2: 1000.0}
