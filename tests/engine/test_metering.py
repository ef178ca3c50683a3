"""Energy: the integral of the power, and SimGrid's readings of it."""

import random

import pytest
from tests.engine.sharing.stage import Stage
from tests.simgrid_cases import names, scenario

from windtunnel.diagnostics import UsageError
from windtunnel.engine.energy.meters import Meters, SimgridMeters, watts
from windtunnel.engine.sharing import Builder, System
from windtunnel.model.host import Host, PowerState

STATE = PowerState(1e9, 100.0, 120.0, 200.0)
ENERGY = [name for name in names() if name.startswith("energy_")]


@pytest.mark.parametrize(
    ("state", "cores", "load", "power"),
    [
        (STATE, 4, 0.0, 100.0),
        (STATE, 4, 1e9, 140.0),
        (STATE, 4, 4e9, 200.0),
        (STATE, 4, 4.1e9, 200.0),
        (PowerState(0.5e9, 90.0, 100.0, 150.0), 4, 0.5e9, 112.5),
        (PowerState(1e9, 100.0, None, 200.0), 2, 1e9, 150.0),
        (PowerState(0.0, 1.0, 2.0, 3.0), 1, 0.0, 3.0),
    ],
)
def test_power_is_linear_in_the_load_above_epsilon(state, cores, load, power):
    assert watts(state, cores, load) == power


@pytest.mark.golden
@pytest.mark.parametrize("name", ENERGY)
def test_simgrids_readings_are_reproduced(name):
    case = scenario(name)
    stage = Stage(case, SimgridMeters)
    stage.play()
    *looks, last = case["results"]["4.0.0"]["observations"]
    assert [(n, v) for _, _, n, v in stage.seen] == [(o["host"], pytest.approx(o["value"], rel=1e-9)) for o in looks]
    end = {host: stage.meters.read(stage.now, stage.index[host]) for host in last["joules"]}
    assert end == pytest.approx(last["joules"], rel=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "differing"),
    [
        ("energy_idle_load", {}),
        ("energy_pstate_off", {}),
        # h1 was idle from 0 to 4 s, and both during the latency of 10 ms
        ("energy_ptask_lazy", {("h0", 10.0): 1080.0, ("h1", 10.0): 1025.0}),
        ("energy_rate_change", {("h0", 10.0): 1110.0}),  # at full speed until 0.5 s, then at half
    ],
)
def test_the_exact_integral_differs_only_where_simgrid_did_not_look(name, differing):
    case = scenario(name)
    stage = Stage(case)
    stage.play()
    looks = [o for o in case["results"]["4.0.0"]["observations"] if o["type"] == "energy"]
    told = {(o["host"], o["time"]): o["value"] for o in looks} | differing
    for _, at, host, value in stage.seen:
        (wanted,) = [v for (name_, time), v in told.items() if name_ == host and abs(time - at) < 1e-9]
        assert value == pytest.approx(wanted, rel=1e-9)


def test_energy_is_the_integral_of_the_power_series():
    rng = random.Random(5)
    hosts = [
        Host(id=i, name=f"h{i}", cores=2, pstates=(STATE, PowerState(0.4e9, 80.0, 85.0, 120.0))) for i in range(6)
    ]
    system = System([1e9] * 6, [2] * 6, watch_loads=True)
    build = Builder(range(6), None)
    meters = Meters(hosts)
    series = [[] for _ in hosts]
    for k in range(400):
        if rng.random() < 0.5:
            some = rng.choices(range(6), k=rng.randint(1, 4))
            system.start(system.now, build.matrices(some, [rng.uniform(0, 2e9) for _ in some], None))
        if rng.random() < 0.2:
            host = rng.randrange(6)
            pstate = k % 2
            system.set_speed(system.now, [host], hosts[host].pstates[pstate].speed)
            meters.set_pstate(system.now, host, pstate)
        meters.set_loads(system.now, system.changed_loads())
        for host in range(6):
            series[host].append((system.now, meters.power(host)))
        system.advance(min(system.next_event(), system.now + rng.random()))
    for host, steps in enumerate(series):
        ends = [*(at for at, _ in steps[1:]), system.now]
        integral = sum(power * (end - at) for (at, power), end in zip(steps, ends, strict=True))
        assert meters.read(system.now, host) == pytest.approx(integral, rel=1e-9)
    assert meters.total(system.now, range(6)) == pytest.approx(sum(meters.joules))


def test_hosts_without_watts_are_named_when_they_are_read():
    meters = Meters([Host(id=0, name="h0"), Host(id=1, name="h1", pstates=(STATE,))])
    meters.set_loads(1.0, {0: 1e9, 1: 1e9})
    assert meters.metered == [False, True]
    assert meters.read(2.0, 1) == 300.0
    with pytest.raises(UsageError, match="host 0 has no power states with watts"):
        meters.read(2.0, 0)
    with pytest.raises(UsageError, match="no watts"):
        meters.power(0)
