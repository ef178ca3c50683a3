"""Suspensions that are planned for later, when nodes fail meanwhile, or when there is no time to run before them."""

import pytest

import windtunnel as wt
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model import EventList, ExternalEvent, HostSet
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseWorkload, NodeSet
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services.lease_run import simulate_leases


def lease(number, submit, nodes, duration, cpu=100, memory=256, **more):
    return Lease(
        id=number, submit=submit, nodes=(NodeSet(nodes, {CPU: (cpu,), MEMORY: (memory,)}),), duration=duration, **more
    )


def failure(at, hosts, state="FAILURE"):
    return ExternalEvent(
        timestamp=at, kind="machine_state", hosts=HostSet.parse(hosts), attributes={"state": state}
    )


@pytest.mark.parametrize("at", [120.0, 4500.0], ids=["it runs", "it is suspended"])
@pytest.mark.parametrize("back", [6000.0, 28000.0, None])
def test_nodes_where_a_lease_is_to_go_on_are_drained(at, back):
    """It was planned to go on there all the same, which the engine refused: the run ended."""
    leases = [
        lease(1, 0.0, 2, 7200.0, memory=1024, start=0.0, deadline=30000.0),
        lease(2, 100.0, 2, 1000.0, memory=1024, start=4000.0, deadline=5000.0),
    ]
    events = [failure(at, "0", "MAINTENANCE")] + [failure(back or 0.0, "0", "ACTIVE")] * (back is not None)
    run = simulate_leases(
        LeaseWorkload(name="w", site=site_from_text("2 CPU:100,Memory:2048"), leases=leases),
        options=LeaseOptions(suspension="all", policy_preemption="deadline", mapper="deadline"),
        events=[EventList(name="e", events=tuple(events))],
        engine=wt.Options(on_maintenance="drain", delays_compute=True),
    )
    first = next(row for row in run.leases if row.lease_id == 1)
    assert (first.state, first.suspensions) == ("Done" if back == 6000.0 else "Fail", 1)
    assert back != 6000.0 or first.ended == 6000.0 + 32.0 + (7200.0 - (4000.0 - 32.0))  # once its memory is restored
    assert (first.reason == "it waits for nodes that do not come back") == (back is None)
    assert run.outcome == "complete"


def test_nobody_starts_to_be_saved_at_once():
    """A lease ran for no time before it was saved, on hosts where another started at that instant."""
    leases = [
        lease(2, 130.0, 1, 300.0, memory=1024),
        lease(3, 130.0, 3, 3600.0, memory=1024),
        lease(5, 260.0, 3, 1000.0, cpu=50),
        lease(8, 890.0, 2, 300.0),
        lease(11, 2820.0, 1, 300.0, cpu=50),
    ]
    run = simulate_leases(
        LeaseWorkload(name="w", site=site_from_text("3 CPU:100,Memory:1024"), leases=leases),
        options=LeaseOptions(suspension="all", suspendresume_exclusion="global", force_scheduling_threshold=0),
    )
    assert run.outcome == "complete"
    assert {row.state for row in run.leases} == {"Done"}
    assert all(row.end > row.start for row in run.reservations if row.kind == "VM")
