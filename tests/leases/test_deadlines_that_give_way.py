"""Deadline leases that gave way under the greedy mapper: they get another place by their deadline, or are told over."""

import pytest

from windtunnel.diagnostics import DeadlockError
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseWorkload, NodeSet
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services.lease_run import simulate_leases


def lease(number, start, duration, deadline=None, *, nodes=1, submit=None, preemptible=True):
    groups = (NodeSet(nodes, {CPU: (100,), MEMORY: (256,)}),)
    at = start if submit is None else submit
    return Lease(
        id=number,
        submit=at,
        nodes=groups,
        start=start,
        duration=duration,
        deadline=deadline,
        preemptible=preemptible,
    )


def outcome(*leases, nodes, suspension="none", mapper="greedy"):
    options = LeaseOptions(policy_preemption="deadline", suspension=suspension, mapper=mapper)
    site = site_from_text(f"{nodes} CPU:100,Memory:1024")
    run = simulate_leases(LeaseWorkload(name="w", site=site, leases=list(leases)), options=options)
    return run, {row.lease_id: row for row in run.leases}


def test_what_was_suspended_goes_on():
    """It had no reservation after its suspension, and the run was stopped with it."""
    run, rows = outcome(
        lease(1, 0.0, 7200.0, 24000.0, nodes=3),
        lease(2, 3600.0, 300.0, nodes=3, submit=100.0),
        nodes=3,
        suspension="all",
    )
    assert rows[1].state == "Done"
    assert (rows[1].suspensions, rows[1].ran) == (1, 7200.0)
    assert rows[1].ended == 3900.0 + 8.0 + (7200.0 - (3600.0 - 8.0))  # saving and restoring take 8 s
    assert run.outcome == "complete"


@pytest.mark.parametrize("suspension", ["none", "serial-only"])
def test_what_cannot_meet_its_deadline_any_more_is_over(suspension):
    """It stood in the queue for ever: a deadlock ended the run."""
    run, rows = outcome(
        lease(1, 0.0, 7200.0, 16000.0, nodes=2),
        lease(2, 8000.0, 6000.0, submit=100.0),
        lease(3, 2500.0, 1000.0, submit=2400.0),
        nodes=2,
        suspension=suspension,
    )
    assert run.outcome == "complete"
    assert rows[1].state == "Rejected"
    assert rows[1].reason.startswith("it gave way, and has no other place by its deadline: ")
    assert [rows[number].state for number in (2, 3)] == ["Done"] * 2


@pytest.mark.parametrize("mapper", ["greedy", "deadline"])
def test_serial_only_is_for_leases_of_one_node(mapper):
    """Starting again would come too late: it was asked to give way as if it could be suspended, or was suspended."""
    run, rows = outcome(
        lease(1, 0.0, 3600.0, 5400.0, nodes=3),
        lease(2, 2000.0, 300.0, submit=1900.0),
        nodes=3,
        suspension="serial-only",
        mapper=mapper,
    )
    assert run.outcome == "complete"
    assert [rows[number].state for number in (1, 2)] == ["Done", "Rejected"]
    assert rows[1].suspensions == 0


@pytest.mark.parametrize("mapper", ["greedy", "deadline"])
def test_what_is_not_preemptible_does_not_give_way(mapper):
    first = lease(1, 0.0, 3600.0, 90000.0, nodes=3, preemptible=False)
    _, rows = outcome(first, lease(2, 2000.0, 300.0, submit=1900.0), nodes=3, suspension="all", mapper=mapper)
    assert [rows[number].state for number in (1, 2)] == ["Done", "Rejected"]
    assert rows[1].suspensions == 0


def test_a_quirk_that_lets_a_lease_wait_for_ever_is_named():
    """The deadlock that ended the run told of hosts that were free, and of no quirk."""
    options = LeaseOptions(policy_preemption="deadline", suspension="none", mapper="greedy", haizea_compat=True)
    leases = [
        lease(1, 0.0, 7200.0, 16000.0, nodes=2),
        lease(2, 8000.0, 6000.0, submit=100.0),
        lease(3, 2500.0, 1000.0, submit=2400.0),
    ]
    workload = LeaseWorkload(name="w", site=site_from_text("2 CPU:100,Memory:1024"), leases=leases)
    with pytest.raises(DeadlockError, match=r"wait in the queue: 1; this quirk of Haizea .*--no-haizea-compat") as told:
        simulate_leases(workload, options=options)
    assert told.value.now == 14000.0
