"""Racks that draw more than they are supplied with, while a run goes on. All figures by hand.

A machine has one core of 1 Gflop/s and draws 50 W idle, 100 W busy, 0 W when it has failed.
"""

import json

import pytest

from environments import machine
from windtunnel import api, load_run
from windtunnel.engine import Options
from windtunnel.engine.energy.meters import Meters
from windtunnel.engine.energy.racks import Racks
from windtunnel.engine.state.observers import Hooks
from windtunnel.engine.state.world import World
from windtunnel.model import Platform
from windtunnel.vocabulary import Observer

CPU = {"clock-rate": 1e9, "cores": 1, "energy-consumption": 100}


class Drawn(Meters):
    """Meters that show what they are told."""

    def __init__(self, watts):
        super().__init__(())
        self.shown = watts

    def power(self, host):
        return self.shown[host]


class Seen(Observer):
    def __init__(self):
        self.rows = []

    def on_rack_excess(self, rack, since, until, peak, capacity):
        self.rows.append((rack, since, until, peak, capacity))


def rack(capacity, *numbers, **more):
    units = [machine(number, cpus=[CPU]) for number in numbers]
    supply = {} if capacity is None else {"power-capacity": capacity}
    return {"type": "RACK", "units": units, **supply, **more}


def simulation(folder, racks, jobs, events=(), **options):
    """``jobs`` are (submission, seconds of work on one machine), started first come, first served."""
    rooms = [{"type": "SERVER", "name": "hall", "objects": racks}]
    site = {"environment": {"datacenters": [{"name": "dc", "rooms": rooms}]}, "events": list(events)}
    profiles = {f"{work}": {"type": "parallel_homogeneous", "cpu": work * 1e9, "com": 0} for _, work in jobs}
    listed = [
        {"id": str(rank), "subtime": at, "res": 1, "walltime": 1000, "profile": f"{work}"}
        for rank, (at, work) in enumerate(jobs)
    ]
    (folder / "e.json").write_text(json.dumps(site))
    (folder / "w.json").write_text(json.dumps({"nb_res": 9, "jobs": listed, "profiles": profiles}))
    seen = Seen()
    made = api.Simulation(
        folder / "e.json", folder / "w.json", "fcfs", energy=True, observers=[seen], options=Options(**options)
    )
    return made, seen


def excesses(folder, racks, jobs, events=(), **options):
    made, seen = simulation(folder, racks, jobs, events, **options)
    return made.run(), seen.rows


@pytest.mark.parametrize("rule", ["exact", "simgrid"])
def test_each_excess_is_reported_with_its_peak(tmp_path, rule):
    """Three machines on 220 W: 150, from 10 s on 250 (two busy), from 15 s on 300, from 25 s on 250, at 30 s 200."""
    jobs = [(5, 25), (10, 15), (15, 20), (50, 5), (50, 5)]
    run, rows = excesses(tmp_path, [rack(220, 1, 2, 3, name="r1")], jobs, energy_rule=rule)
    # 5: 200 W; 10: 250 W; 15: 300 W; 25: job 1 ends, 250 W; 30: job 0 ends, 200 W; 35: 150 W; 50 to 55: 250 W.
    assert rows == [("dc/hall/r1", 10, 30, 300, 220), ("dc/hall/r1", 50, 55, 250, 220)]
    assert (run.metrics.rack_excesses, run.metrics.worst_rack_excess) == (2, 80)
    assert ("racks above their power", "2 times, by at most 80.0 W") in run.metrics.table()
    assert run.read("rack_power.csv").decode().splitlines()[1:] == [
        "dc/hall/r1,10.000000,30.000000,300.000000,220.000000",
        "dc/hall/r1,50.000000,55.000000,250.000000,220.000000",
    ]


def test_what_passes_within_an_instant_exceeds_nothing(tmp_path):
    """At 10 s one host becomes busy before the other becomes idle; at 20 s it is the excess that passes at once."""
    seen = Seen()
    rows = seen.rows
    watts = {0: 100.0, 1: 50.0}
    world = World(Platform(name="p", hosts=()), (), (), ("",), Options())
    world.hooks = Hooks([seen])
    racks = Racks(world, Drawn(watts))
    racks.add("r", 150, [0, 1])
    racks.follow((0, 1))
    for now, host, power in [(10, 1, 100), (10, 0, 50), (20, 0, 100), (30, 0, 50), (30, 0, 100), (40, 1, 0)]:
        world.now, watts[host] = now, power
        racks.follow((host,))
    assert rows == []
    world.now = 50.0
    racks.close()
    assert rows == [("r", 20, 40, 200, 150)]


def test_a_run_of_jobs_is_one_excess(tmp_path):
    """One job makes room for the next at 10 s; the machine is idle from 20 s to 25 s."""
    run, rows = excesses(tmp_path, [rack(100, 1)], [(0, 10), (0, 10)])
    assert rows == []
    assert run.read("rack_power.csv") is None
    assert "racks above" not in str(run.metrics)
    _, rows = excesses(tmp_path, [rack(90, 1, name="r")], [(0, 10), (0, 10), (25, 5)])
    assert rows == [("dc/hall/r", 0, 20, 100, 90), ("dc/hall/r", 25, 30, 100, 90)]


def test_racks_are_apart_and_those_without_a_capacity_are_not_watched(tmp_path):
    racks = [rack(99, 1, name="a"), rack(None, 2, name="b"), rack(100, 3, name="c")]
    run, rows = excesses(tmp_path, racks, [(0, 10), (0, 10), (0, 10)])
    assert rows == [("dc/hall/a", 0, 10, 100, 99)]
    assert run.metrics.rack_excesses == 1


def test_a_failure_ends_an_excess_and_idle_machines_may_be_too_much(tmp_path):
    """Two idle machines draw 100 W of 90; one is away from 20 s to 40 s."""
    events = [
        {"type": "MACHINE_STATE_CHANGE", "time": 20, "machine": 1, "state": "FAILURE"},
        {"type": "MACHINE_STATE_CHANGE", "time": 40, "machine": 1, "state": "ACTIVE"},
    ]
    _, rows = excesses(tmp_path, [rack(90, 1, 2, name="r")], [(45, 5)], events)
    assert rows == [("dc/hall/r", 0, 20, 100, 90), ("dc/hall/r", 40, 50, 150, 90)]


def test_forks_follow_the_racks_too(tmp_path):
    made, _ = simulation(tmp_path, [rack(220, 1, 2, 3, name="r")], [(5, 25), (10, 15)])
    made.run_until(12.0)
    fork = made.fork(tmp_path / "fork")
    run = fork.run()
    assert run.metrics.rack_excesses == made.run().metrics.rack_excesses == 1
    loaded = load_run(tmp_path / "fork")
    assert loaded.measure().worst_rack_excess == loaded.metrics.worst_rack_excess == 30


def test_without_energy_nothing_is_known(tmp_path):
    made, seen = simulation(tmp_path, [rack(10, 1)], [(0, 10)])
    site, jobs = tmp_path / "e.json", tmp_path / "w.json"
    run = api.Simulation(site, jobs, "fcfs", observers=[seen]).run()
    made.close()
    assert seen.rows == []
    assert run.metrics.rack_excesses == 0
