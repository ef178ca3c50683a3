"""Leases that are cancelled, or asked to suspend too late, in runs as Haizea would do them."""

import pytest

from windtunnel.diagnostics import SimulationError
from windtunnel.engine.simulation import Simulation
from windtunnel.leases.component import CANCEL, LeaseManager
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model import ExternalEvent
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseState, NodeSet, When
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.model.lease_platform import platform_of_site

TWO = site_from_text("2 CPU:100,Memory:1024")
both = pytest.mark.parametrize("compat", [True, False], ids=["haizea", "sane"])
NODE = {CPU: (100,), MEMORY: (1024,)}


def lease(number, count=1, duration=900.0, start=When.UNSPECIFIED, **more):
    return Lease(id=number, nodes=(NodeSet(count, NODE),), duration=duration, start=start, **more)


def run(leases, compat, cancelled=(), **options):
    """The last states of the leases; ``cancelled`` are dates and numbers."""
    manager = LeaseManager(LeaseOptions(haizea_compat=compat, **options))
    states = {}
    manager.journal_readers.append(lambda plan: states.update({r.id: r for _, r, _, _ in plan.journal}))
    simulation = Simulation(platform_of_site(TWO), [LeaseJobs(leases)], [manager])
    for date, number in cancelled:
        simulation.inject(ExternalEvent(timestamp=date, kind=CANCEL, attributes={"lease": number}), date)
    simulation.run()
    return {number: record.state for number, record in states.items()}


@both
def test_too_little_time_to_suspend_names_the_quirk(compat):
    work = [lease(1, 2), lease(2, start=110.0, submit=100)]
    options = {"policy_preemption": "ar-preempts-everything", "suspension": "all", "override_suspend_time": 50}
    if not compat:
        assert run(work, compat, **options) == {1: LeaseState.DONE, 2: LeaseState.DONE}
        return
    with pytest.raises(SimulationError, match=r"lease 1 was to be suspended by 110 s.*quirk.*--no-haizea-compat"):
        run(work, compat, **options)


@both
def test_no_transfer_is_planned_behind_that_of_a_lease_cancelled_at_once(compat):
    first = lease(1, 2, 60.0, 100.0, software=DiskImage("a", 500))
    second = lease(2, start=When.NOW, submit=300, software=DiskImage("b", 1200))
    prepared = {"lease_preparation": "imagetransfer", "force_imagetransfer_time": 50}
    states = run([first, second], compat, [(0.0, 1)], **prepared)
    assert states == {1: LeaseState.CANCELLED, 2: LeaseState.DONE}


@both
def test_others_still_get_the_image_that_a_cancelled_lease_waited_for(compat):
    work = [lease(number, software=DiskImage("a", 500), submit=number) for number in (1, 2, 3)]
    prepared = {"lease_preparation": "imagetransfer", "transfer_mechanism": "multicast"}
    states = run(work, compat, [(3.0, 2)], backfilling="conservative", **prepared)
    assert states[1] is states[3] is LeaseState.DONE


@both
def test_what_a_cancelled_lease_left_does_not_give_way(compat):
    work = [lease(1, 1, 60.0, submit=300), lease(2, 2, submit=300), lease(3, 2, start=700.0, submit=600)]
    options = {"policy_preemption": "ar-preempts-everything", "suspension": "none", "shutdown_time": 10}
    states = run(work, compat, [(301.0, 2)], backfilling="aggressive", **options)
    assert states[2] is LeaseState.CANCELLED
    assert states[3] is (LeaseState.REJECTED if compat else LeaseState.DONE)  # what is left takes room
