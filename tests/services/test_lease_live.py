"""The live lease scheduler: its clock, its memory, and what clients may ask of it."""

import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.formats.haizea.lwf_write import lease_text
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseState, NodeSet, When
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services.lease_live import LiveLeases
from windtunnel.services.lease_rpc import LeaseServer
from windtunnel.services.lease_store import LeaseStore

SITE = site_from_text("4 CPU:100,Memory:1024")


class Clock:
    def __init__(self):
        self.time = 1_000_000.0

    def __call__(self):
        return self.time


def lease(count=1, duration=60.0, start=When.UNSPECIFIED, memory=512):
    nodes = (NodeSet(count, {CPU: (100,), MEMORY: (memory,)}),)
    return Lease(nodes=nodes, duration=duration, start=start)


def make(path=None, clock=None, **more):
    clock = clock or Clock()
    return LiveLeases(SITE, LeaseOptions(), LeaseStore(path), clock=clock, **more), clock


def states(live):
    return {found.id: found.state for found in live.leases()}


def test_time_passes_and_leases_with_it():
    live, clock = make()
    first, second = live.create(lease(4)), live.create(lease(1))
    assert (first, second) == (1, 2)
    assert states(live) == {1: LeaseState.ACTIVE, 2: LeaseState.READY}
    clock.time += 59.99
    assert states(live)[1] is LeaseState.ACTIVE
    clock.time += 0.02
    assert states(live) == {2: LeaseState.ACTIVE}
    assert live.lease(1)[0].state is LeaseState.DONE
    clock.time += 1000
    assert live.leases() == []


def test_the_queue_and_cancelling():
    live, _ = make()
    for _ in range(4):
        live.create(lease(4))
    assert [found.id for found in live.queue()] == [3, 4]
    live.cancel(3)
    assert [found.id for found in live.queue()] == [4]
    live.cancel(1)
    assert live.lease(1)[0].state is LeaseState.CANCELLED
    with pytest.raises(UsageError, match="lease 1 is over already"):
        live.cancel(1)
    with pytest.raises(UsageError, match="there is no lease 99"):
        live.cancel(99)


def test_a_lease_that_gives_way_starts_again():
    """Without suspension it is a new job, of a profile that came from outside: the service ended there."""
    now = Clock()
    live = LiveLeases(SITE, LeaseOptions(policy_preemption="ar-preempts-everything"), LeaseStore(None), clock=now)
    waits = live.create(replace(lease(4, 1000.0), preemptible=True))
    now.time += 100
    first = live.create(lease(4, 60.0, start=200.0))
    now.time += 150
    assert states(live) == {waits: LeaseState.READY, first: LeaseState.ACTIVE}
    now.time += 2000
    assert [live.lease(number)[0].state for number in (waits, first)] == [LeaseState.DONE] * 2


def test_early_ends():
    live, clock = make()
    live.create(lease(4, 600))
    live.create(lease(1))
    clock.time += 30
    live.end(1)
    assert states(live) == {2: LeaseState.ACTIVE}
    with pytest.raises(UsageError, match="lease 1 is not running"):
        live.end(1)


def test_what_makes_no_sense_is_refused_and_what_cannot_be_is_rejected():
    live, _ = make()
    with pytest.raises(UsageError, match="asks for Gold, which the site does not have"):
        live.create(Lease(nodes=(NodeSet(1, {"Gold": (1,)}),), duration=60))
    number = live.create(lease(5))
    assert live.lease(number) == (live.lease(number)[0], "it asks for more than the whole site has")
    late = live.create(lease(1, start=-100.0))
    assert live.lease(late)[1] == "its start is past"


def test_speed():
    live, clock = make(speed=60.0)
    live.create(lease(1, 3600))
    clock.time += 61
    assert live.leases() == []
    with pytest.raises(UsageError, match="must be positive"):
        make(speed=0)


def test_a_restart_takes_up_everything(tmp_path):
    path = tmp_path / "leases.db"
    live, clock = make(path)
    live.create(lease(4, 100))
    clock.time += 10
    live.create(lease(2, 100))
    live.create(lease(4, 100))
    live.cancel(3)
    clock.time += 5.5
    live.create(lease(1, 100, start=500.0))
    before = {number: live.lease(number) for number in range(1, 5)}
    live.close()
    again, _ = make(path, clock)
    assert {number: again.lease(number) for number in range(1, 5)} == before
    assert again.epoch == live.epoch
    assert again.create(lease()) == 5
    again.close()
    clock.time += 85  # the first is over now, nobody looked
    later, _ = make(path, clock)
    assert later.lease(1)[0].state is LeaseState.DONE
    assert later.lease(2)[0].state is LeaseState.ACTIVE
    later.close()


def test_a_store_of_another_service_is_refused(tmp_path):
    path = tmp_path / "leases.db"
    make(path)[0].close()
    with pytest.raises(UsageError, match="kept with another speed"):
        make(path, speed=2.0)
    with pytest.raises(UsageError, match="kept with another options"):
        LiveLeases(SITE, LeaseOptions(shutdown_time=1), LeaseStore(path), clock=Clock())
    other = tmp_path / "text"
    other.write_text("not a database, but long enough to be looked at\n" * 100)
    with pytest.raises(UsageError, match="not a file that leases can be stored in"):
        LeaseStore(other)


def test_a_wall_clock_that_goes_back_does_no_harm():
    live, clock = make()
    live.create(lease(4, 100))
    clock.time += 50
    live.create(lease(1, 100))
    clock.time -= 1000
    live.create(lease(1, 100))
    assert len(live.leases()) == 3


@pytest.mark.parametrize("look", ["tick", "leases", "lease"])
def test_a_wall_clock_that_goes_back_while_nobody_serves_revives_nothing(tmp_path, look):
    path = tmp_path / "leases.db"
    live, clock = make(path)
    live.create(lease(4, 100))
    live.create(lease(4, 500))
    clock.time += 150
    {"tick": live.tick, "leases": live.leases, "lease": lambda: live.lease(1)}[look]()
    live.close()
    clock.time -= 140  # while the first of them ran
    again, _ = make(path, clock)
    assert again.lease(1)[0].state is LeaseState.DONE
    assert states(again) == {2: LeaseState.ACTIVE}
    assert again.create(lease(1)) == 3
    clock.time += 700
    assert again.lease(2)[0].state is LeaseState.DONE
    again.close()


def test_a_second_service_on_one_store_is_refused_by_name(tmp_path):
    path = tmp_path / "leases.db"
    live, _ = make(path)
    with pytest.raises(UsageError, match=r"leases\.db is in use by another service"):
        make(path)
    assert live.create(lease()) == 1
    live.close()
    again, _ = make(path)
    assert again.lease(1)[0].id == 1
    again.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE facts SET facts = x'00ff'", "what the service was started with is not text"),
        ("UPDATE facts SET facts = '{}'", "kept by another version, or damaged"),
        ("UPDATE inputs SET instant = 'soon' WHERE number = 1", "is invalid"),
        ("UPDATE inputs SET instant = 9000000000000000000", "is invalid"),
        ("UPDATE inputs SET instant = -5 WHERE number = 1", "out of order"),
        ("UPDATE inputs SET kind = 'sell' WHERE number = 1", "an entry of lease 1 is invalid"),
        ("UPDATE inputs SET lease = '{' WHERE number = 1", "lease 1 cannot be read"),
        ("UPDATE inputs SET lease = x'ff' WHERE number = 1", "is invalid"),
        ("DELETE FROM inputs WHERE number = 1", "'cancel' of lease 1 is out of order"),
        ("INSERT INTO reached VALUES (1, 'soon')", "the instant it has reached is invalid"),
        ("INSERT INTO reached VALUES (1, 9000000000000000000)", "the instant it has reached is invalid"),
    ],
)
def test_what_is_damaged_in_a_store_is_said(tmp_path, change, said):
    path = tmp_path / "leases.db"
    live, clock = make(path)
    live.create(lease())
    live.cancel(1)
    live.close()
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(change)
    with pytest.raises(UsageError, match=said):
        make(path, clock)


def test_what_cannot_be_kept_is_not_told(tmp_path, monkeypatch):
    """A full disk: a lease that has ended is not said to be over before that is on disk."""
    live, clock = make(tmp_path / "leases.db")
    live.create(lease(4, 100))
    clock.time += 150

    def full(*_):
        raise UsageError("leases cannot be kept: the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(LeaseStore, "reach", full)
        with pytest.raises(UsageError, match="the disk is full"):
            live.lease(1)
    assert live.lease(1)[0].state is LeaseState.DONE
    live.close()


def test_a_lease_that_never_gets_to_run_ends_no_service():
    """In a simulation this quirk of Haizea is an error; here others are served as before."""
    options = LeaseOptions(
        haizea_compat=True,
        suspension="all",
        policy_preemption="ar-preempts-everything",
        override_suspend_time=100,
        override_resume_time=0,
        enactment_overhead=1,
        scheduling_threshold_factor=0,
    )
    clock = Clock()
    live = LiveLeases(site_from_text("2 CPU:100,Memory:1024"), options, LeaseStore(None), clock=clock)
    live.create(lease(2, 840.0))
    clock.time += 10
    live.create(lease(2, start=150.0, memory=1024))
    for _ in range(20):
        clock.time += 100.5
        live.tick()
    assert list(states(live)) == [1]
    assert states(live)[1] in {LeaseState.SUSPENDING, LeaseState.RESUMING}
    assert live.create(lease(memory=256)) == 3
    clock.time += 100
    live.tick()
    assert live.lease(1)[0].state in {LeaseState.SUSPENDING, LeaseState.RESUMING}


def failing(clock):
    """A service whose first lease hangs as in Haizea as soon as the second is to start, at 110 s."""
    options = LeaseOptions(
        haizea_compat=True, policy_preemption="ar-preempts-everything", suspension="all", override_suspend_time=50
    )
    live = LiveLeases(site_from_text("2 CPU:100,Memory:1024"), options, LeaseStore(None), clock=clock)
    live.create(lease(2, 900.0, memory=1024))
    clock.time += 100
    live.create(lease(1, 900.0, start=110.0, memory=1024))
    return live


def test_what_cannot_go_on_says_so_each_time():
    clock = Clock()
    live = failing(clock)
    clock.time += 20
    for ask in (live.tick, live.leases, lambda: live.create(lease())):
        with pytest.raises(SimulationError, match="lease 1 was to be suspended by 110 s"):
            ask()


def test_a_service_that_cannot_go_on_ends():
    """Its clock, in a thread of its own, ended with a traceback, and the service stood still."""
    clock = Clock()
    live = failing(clock)
    with LeaseServer(live, port=0) as server:
        clock.time += 20
        with pytest.raises(SimulationError, match="lease 1 was to be suspended by 110 s"):
            server.wait()


@pytest.mark.parametrize("speed", [1e12, 1e308])
def test_a_fast_clock_stands_still_at_the_end_of_the_calendar(speed):
    """Dates beyond it ended in an internal error, for every client."""
    live, clock = make(speed=speed)
    for _ in range(2):
        clock.time += 1000
        number = live.create(lease())
        text = lease_text(live.lease(number)[0], epoch=live.epoch)
        assert 'submit-time="9999-12-31 23:59:59' in text
        assert live.date().year == 9999
        live.tick()


@pytest.mark.parametrize("speed", [0.0, -1.0, float("inf"), float("nan")])
def test_the_speed_of_the_clock_is_positive_and_finite(speed):
    with pytest.raises(UsageError, match="the speed of the clock must be positive and finite"):
        make(speed=speed)
