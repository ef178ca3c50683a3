"""Reservations: whose they are, what becomes of jobs when they end, and jobs that are too large for them."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.model.slurm import Association, Partition, Reservation, SlurmNode
from windtunnel.schedulers.slurm.reservations import Bookings

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

HOUR = 3600
OWN = {"name": "own", "start": 0, "end": HOUR, "nodes": ("n1", "n2"), "users": ("ann",)}


def rows(reservation, *jobs, **more):
    described = site(**({"nodes": 3} | more), reservations=(Reservation(**(OWN | reservation)),))
    run = wt.simulate(platform(described), workload(*jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


@pytest.mark.parametrize(
    ("reservation", "over_run", "ends"),
    [
        ({}, 0, HOUR + 30),  # at the next look
        ({}, 10, HOUR + 630),
        ({}, 365 * 24 * 60, None),
        ({"flags": ("FLEX",)}, 0, None),
        ({"flags": ("DAILY",)}, 0, HOUR + 30),  # nobody waits, for whom the next occurrence would be noted
        ({"flags": ("DAILY",)}, 10, None),  # until when it is
        ({"flags": ("DAILY", "FLEX")}, 0, None),
    ],
)
def test_jobs_are_ended_with_their_reservation(reservation, over_run, ends):
    long = job("long", 2 * HOUR, tasks=8, reservation="own", walltime=3 * HOUR)
    found = rows(reservation, long, reservation_over_run=over_run)["long"]
    if ends is None:
        assert (found["final_state"], found["execution_time"]) == ("COMPLETED_SUCCESSFULLY", 2 * HOUR)
    else:
        assert found["final_state"] != "COMPLETED_SUCCESSFULLY"
        assert found["finish_time"] == pytest.approx(ends, abs=2)


@pytest.mark.parametrize("freed", [False, True])
def test_jobs_that_still_wait_when_it_ends_are_held_or_do_without_it(freed):
    first = job("first", 2 * HOUR, tasks=16, reservation="own", walltime=2 * HOUR)
    second = job("second", 600, tasks=16, reservation="own", walltime=1200)
    found = rows({"flags": ("NO_HOLD_JOBS_AFTER_END",) if freed else ()}, first, second)
    if freed:
        assert found["second"]["final_state"] == "COMPLETED_SUCCESSFULLY"
        assert found["second"]["starting_time"] == pytest.approx(HOUR, abs=60)
    else:
        assert found["second"]["metadata"] == "Slurm never starts it: ReservationDeleted"


def test_what_comes_after_its_end_is_refused():
    found = rows({"flags": ("FLEX",)}, job("late", 50, submit=HOUR + 60, tasks=1, reservation="own"))
    assert found["late"]["metadata"] == "Slurm refuses it: InvalidReservation"


@pytest.mark.parametrize(
    ("users", "accounts", "allowed"),
    [
        (("ann",), (), True),
        (("bob",), (), False),
        (("-ann",), (), False),
        (("ann",), ("physics",), True),  # an account above hers
        (("ann",), ("chemistry",), False),  # both must fit
        ((), ("physics",), True),
        ((), ("-physics",), False),
        ((), ("-chemistry",), True),
    ],
)
def test_whose_a_reservation_is(users, accounts, allowed):
    tree = (
        Association(account="physics"),
        Association(account="chemistry"),
        Association(account="optics", parent="physics"),
        Association(account="optics", user="ann"),
    )
    own = job("own", 50, tasks=1, reservation="own", account="optics")
    found = rows({"users": users, "accounts": accounts}, own, associations=tree, enforce=("associations",))["own"]
    said = None if allowed else "Slurm refuses it: ReservationAccess"
    assert (found["final_state"] == "COMPLETED_SUCCESSFULLY") is allowed
    assert allowed or found["metadata"] == said


@pytest.mark.parametrize(("tree", "enforce", "allowed"), [(True, True, False), (True, False, True), (False, True, True)])
def test_who_has_no_association_has_no_reservation_where_they_are_enforced(tree, enforce, allowed):
    known = (Association(account="physics"), Association(account="physics", user="bob")) if tree else ()
    own = job("own", 50, tasks=1, reservation="own")  # of a user who is in no account
    found = rows({}, own, associations=known, enforce=("associations",) if enforce else ())["own"]
    assert (found["final_state"] == "COMPLETED_SUCCESSFULLY") is allowed


def test_jobs_too_large_for_it_fail_once_it_has_begun():
    wide = job("wide", 50, tasks=24, min_nodes=3, reservation="own")
    assert rows({}, wide)["wide"]["metadata"] == "Slurm refuses it: BadConstraints"
    later = rows({"start": 600}, wide)["wide"]
    assert later["metadata"] == "Slurm refuses it: BadConstraints"
    assert rows({"flags": ("FLEX",)}, wide)["wide"]["final_state"] == "COMPLETED_SUCCESSFULLY"


def test_jobs_of_reservations_without_nodes_may_use_all():
    found = rows({"nodes": (), "flags": ("ANY_NODES",)}, job("any", 50, tasks=24, reservation="own"))
    assert found["any"]["final_state"] == "COMPLETED_SUCCESSFULLY"


def test_a_magnetic_reservation_takes_jobs_that_ask_for_none():
    blocked = job("wide", 3000, tasks=24, user="bob", walltime=3600)
    jobs = [job(name, 50, submit=1, tasks=8, user=name) for name in ("ann", "bob")]
    found = rows({"flags": ("MAGNETIC",)}, blocked, *jobs)
    assert found["ann"]["starting_time"] < 60  # within it
    assert found["ann"]["allocated_resources"] == "0"
    assert found["bob"]["allocated_resources"] == "2"
    later = rows({"flags": ("MAGNETIC",), "start": 600}, job("ann", 1000, tasks=24, walltime=1200))["ann"]
    assert later["starting_time"] == pytest.approx(HOUR, abs=90)  # it keeps its nodes from her until it begins


def test_a_reservation_may_be_used_up_to_its_very_end():
    from windtunnel.schedulers.slurm.jobs.pending import PendingJob
    from windtunnel.schedulers.slurm.nodes.cluster import Cluster

    cluster = Cluster(site(nodes=3))
    bookings = Bookings([Reservation(**OWN)], cluster)
    one = PendingJob("1", 1, job("own", 50, tasks=1, reservation="own").ask, 0, cluster)
    assert bookings.open_to(one, 0)
    assert not bookings.over("own", HOUR)
    assert bookings.over("own", HOUR + 1)


@pytest.mark.parametrize(
    ("ask", "node"),
    [({"memory_per_node": 50_000}, 1), ({"memory_per_cpu": 50_000}, 1), ({"threads_per_core": 2}, 2), ({}, 0)],
)
def test_nodes_described_with_less_than_a_job_asks_of_one_are_no_candidates(ask, node):
    nodes = (
        SlurmNode(name="n1", cpus=8, cores_per_socket=8, memory=8_000, state="IDLE"),
        SlurmNode(name="n2", cpus=8, cores_per_socket=8, memory=64_000, state="IDLE"),
        SlurmNode(name="n3", cpus=8, cores_per_socket=4, threads_per_core=2, memory=8_000, state="IDLE"),
    )
    run = wt.simulate(platform(replace(site(), nodes=nodes)), workload(job("own", 50, tasks=1, **ask)), "slurm")
    (found,) = run.jobs.to_dicts()
    assert found["allocated_resources"] == str(node)


def in_several(asked, *jobs, **more):
    """Two reservations of an hour: ``first`` of n1, which begins in ten minutes, and ``second`` of n2."""
    made = (
        Reservation(**OWN | {"name": "first", "start": 600, "nodes": ("n1",)}),
        Reservation(**OWN | {"name": "second", "nodes": ("n2",)}),
    )
    asking = job("a", 100, submit=5, tasks=8, reservation=asked, walltime=300)
    run = wt.simulate(platform(site(nodes=2, reservations=made, **more)), workload(asking, *jobs), "slurm")
    return {row["job_id"]: row for row in run.jobs.to_dicts()}


@pytest.mark.parametrize("asked", ["first,second", "second,first"])
def test_of_several_reservations_a_job_takes_the_one_that_has_room(asked):
    assert in_several(asked)["a"]["starting_time"] < 60
    busy = job("busy", 2000, tasks=8, reservation="second", walltime=2400)
    assert 600 <= in_several(asked, busy)["a"]["starting_time"] < 700


@pytest.mark.parametrize("asked", ["first,nowhere", "nowhere,first"])
def test_each_of_several_reservations_has_to_take_the_job(asked):
    assert in_several(asked)["a"]["metadata"] == "Slurm refuses it: ReservationAccess"


def test_a_job_without_a_partition_is_in_that_of_its_reservation():
    parts = (Partition(name="main", default=True, nodes=("n1", "n2")), Partition(name="third", nodes=("n3",)))
    given = {"partition": "third", "nodes": ("n3",)}
    found = rows(given, job("a", 10, tasks=8, reservation="own"), partitions=parts)
    assert found["a"]["allocated_resources"] == "2"


def test_a_job_may_prefer_nodes_of_a_reservation_that_takes_it():
    node = {"cpus": 8, "cores_per_socket": 8, "memory": 64_000, "state": "IDLE"}
    nodes = (SlurmNode(name="n1", **node), SlurmNode(name="n2", features=("fast",), **node))
    own = Reservation(**OWN | {"flags": ("MAGNETIC",)})
    described = replace(site(nodes=2, reservations=(own,)), nodes=nodes)
    run = wt.simulate(platform(described), workload(job("a", 50, tasks=8, user="ann", prefer="fast")), "slurm")
    (found,) = run.jobs.to_dicts()
    assert (found["final_state"], found["allocated_resources"]) == ("COMPLETED_SUCCESSFULLY", "1")
