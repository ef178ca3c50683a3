"""Joules, grams and cost as OpenDC and RAPS computed them, from the same watts and signals (power-carbon.md).

What is compared are integrals, at every sample that was recorded; the watts of OpenDC's machines follow from its power
models. RAPS' sites are put together here: the watts of nodes from what their jobs
use, and above them the chain of its converters, rectifiers, switches and coolant units. What is not covered is listed,
with its reason.
"""

import json

import pytest

from power_cases import ALL, carbon_of, machines, named, read
from shared import cases
from windtunnel.engine import Options
from windtunnel.engine.energy.billed import BilledEnergy
from windtunnel.engine.energy.site_meter import SiteMeter
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet, Platform
from windtunnel.model.billing import Billing
from windtunnel.model.signals import constant
from windtunnel.model.supply import Level, Supply

UNCOVERED = {
    "raps/frontier--step1": "at ticks of 1 s its report counts some samples twice and leaves out others",
    "raps/lassen--step1": "at ticks of 1 s its report counts some samples twice and leaves out others",
    "raps/setonix-part-gpu--step1": "at ticks of 1 s its report counts some samples twice and leaves out others",
}
"""Cases of which the account of electricity is not compared. Also not: OpenDC's tables of power models and those of its
own tests which are about machines and failures; RAPS' charging of losses twice to carbon, which is divided out, its
staged rectifiers and its uncertainty. Batteries are in test_batteries.py, and Vessim's sites in test_vessim.py.
"""


def of(system):
    return [path for path in ALL if path.parent.name == system and named(path) not in UNCOVERED]


def test_what_is_not_covered_is_there():
    if ALL:
        assert set(UNCOVERED) <= set(map(named, ALL))
        assert {path.parent.name for path in ALL} == {"opendc", "vessim", "raps"}


@pytest.mark.golden
@pytest.mark.parametrize("path", [path for path in of("opendc") if "battery" not in path.name], ids=named)
def test_joules_and_grams_of_opendc(path):
    """At every sample, through the meters of hosts: each level of power is a power state of its own."""
    case = read(path)
    near = 3e-9 if "sqrt" in path.name else 1e-9  # its engine passes on only what differs by 1e-5 W
    hosts, changes = machines(case)
    carbon = carbon_of(case)
    world = World(Platform(name="site", hosts=hosts), (), (), ("",), Options(energy=True))
    energy = BilledEnergy(world, "exact", Billing(carbon=carbon))
    for second, joules, grams, *_ in case["rows"]:
        while changes and changes[0][0] <= second:
            world.now, number, rank = changes.pop(0)
            energy.set_pstate(HostSet([number]), rank)
        world.now = second
        assert energy.total(second) == pytest.approx(joules, rel=near)
        if carbon is not None:
            assert energy.site.now.grams == pytest.approx(grams, rel=near, abs=1e-12)
            energy.meters.total(second, range(len(hosts)))
            assert sum(energy.meters.grams) == pytest.approx(grams, rel=near, abs=1e-12)


def metered(watts, step, **signals):
    """A meter after so many watts in each step (s) of this length."""
    meter = SiteMeter(Billing(**signals))
    for rank, drawn in enumerate(watts):
        meter.pass_time(drawn, rank * step, (rank + 1) * step, ())
    return meter.now


@pytest.mark.golden
@pytest.mark.parametrize("path", of("raps"), ids=named)
def test_the_report_of_raps(path):
    """Energy, cost at a constant price, and carbon, of which losses are charged twice there."""
    case = read(path)
    price = constant("p", "USD/MWh", case["config"]["POWER_COST"] * 1000)
    watts = [row[1] * 1000 for row in case["series"]]
    step = case["seconds"] / len(watts)  # the mean of all samples, over the time of the run
    meter, stats = metered(watts, step, carbon=constant("c", "g/kWh", 852.3 / 2204.6 * 1000), price=price), case["stats"]
    assert meter.site / 3.6e9 == pytest.approx(stats["total_energy_consumed"], rel=1e-9)
    assert meter.cost == pytest.approx(stats["total_cost"], rel=1e-9)
    lost = sum(row[2] for row in case["series"]) / sum(row[1] for row in case["series"])
    if lost:
        assert meter.grams / 1e6 == pytest.approx(stats["carbon_emissions"] * (1 - lost), rel=1e-9)
    else:
        assert stats["carbon_emissions"] == 0  # a fault of it, in systems without losses


def node_watts(config, cpu: float, gpu: float) -> float:
    """What a node of RAPS draws before its converter, at uses summed over sockets; the network is idle."""
    nic = config.get("POWER_NIC_IDLE", config.get("POWER_NIC"))
    parts = config["POWER_MEM"] + config["POWER_NVME"] + config["NICS_PER_NODE"] * nic
    for kind, use in (("CPU", cpu), ("GPU", gpu)):
        idle = (config[f"{kind}S_PER_NODE"] - use) * config[f"POWER_{kind}_IDLE"]
        parts += idle + use * config[f"POWER_{kind}_MAX"]
    return parts


def used(trace, sample: int) -> float:
    """The use in a sample of a trace: none, a constant, or runs of [value, count], the last of which holds."""
    if not isinstance(trace, list):
        return trace or 0.0
    for value, count in trace:
        if sample < count:
            return value
        sample -= count
    return trace[-1][0] if trace else 0.0


def numbers(text: str) -> set[int]:
    return set(HostSet.parse(text)) if text else set()


def supply_of(config) -> Supply:
    """Its chain; racks that are missing have no chassis."""
    racks = config["NUM_CDUS"] * config["RACKS_PER_CDU"] - len(config["MISSING_RACKS"])
    return Supply(
        levels=(
            Level(
                name="node",
                hosts=1,
                converter_watts=config["SIVOC_LOSS_CONSTANT"],
                efficiency=config["SIVOC_EFFICIENCY"],
            ),
            Level(
                name="chassis",
                count=racks * config["CHASSIS_PER_RACK"],
                device_watts=config["SWITCHES_PER_CHASSIS"] * config["POWER_SWITCH"],
                converters=4,  # whatever the configuration says
                converter_watts=config["RECTIFIER_LOSS_CONSTANT"],
                efficiency=config["RECTIFIER_EFFICIENCY"],
            ),
            Level(name="coolant distribution", count=config["NUM_CDUS"], device_watts=config["POWER_CDU"]),
        )
    )


@pytest.mark.golden
@pytest.mark.parametrize("path", [path for path in ALL if path.parent.name == "raps"], ids=named)
def test_watts_and_losses_of_raps(path):
    """At every tick, from where its jobs ran and what they used."""
    case = read(path)
    config = case["config"]
    chain = supply_of(config).chain(config["TOTAL_NODES"])
    given = case["options"].get("power_scope") == "node"
    idle, down = node_watts(config, 0, 0), numbers(config["DOWN_NODES"])
    # Watts that are given: nodes that have not worked yet draw nothing, those that have draw idle watts.
    at = {node: 0.0 if given else idle for node in range(config["TOTAL_NODES"])} | dict.fromkeys(down, 0.0)
    total = sum(at.values())
    jobs = [(job, numbers(job["on"])) for job in case["jobs"] if job["start"] is not None]
    over = set()
    # Its losses include those of the chassis of racks that are missing, which draw nothing.
    empty = config["SWITCHES_PER_CHASSIS"] * config["POWER_SWITCH"]
    rectified = (empty + 4 * config["RECTIFIER_LOSS_CONSTANT"]) / config["RECTIFIER_EFFICIENCY"]
    counted = len(config["MISSING_RACKS"]) * config["CHASSIS_PER_RACK"] * (rectified - empty)
    for second, kilowatts, lost, *_ in case["series"]:
        for ended in (True, False):
            for rank, (job, nodes) in enumerate(jobs):
                if rank in over or job["start"] > second:
                    continue
                if ended != (job["end"] is not None and job["end"] <= second):
                    continue
                if ended:
                    over.add(rank)
                    each = idle
                else:
                    cpu, gpu = (used(job[kind], int((second - job["start"]) // job["quanta"])) for kind in ("cpu", "gpu"))
                    each = cpu if given else node_watts(config, cpu, gpu)
                for node in nodes:
                    total += each - at[node]
                    at[node] = each
        taken, devices = chain.watts(total, len(down))
        assert taken / 1000 == pytest.approx(kilowatts, rel=1e-9)
        losses = taken - total - devices
        assert (losses + counted) / 1000 == pytest.approx(lost, rel=1e-9, abs=1e-6)


@pytest.mark.golden
@pytest.mark.parametrize("path", cases("golden/power", "raps/tables.json"), ids=lambda path: path.name)
def test_the_node_converters_of_raps(path):
    """Watts behind the converter of one node, and what is lost in it, of 14 systems at many loads."""
    table = json.loads(path.read_text())["node_power"]
    configs = {read(one)["system"]: read(one)["config"] for one in ALL if one.parent.name == "raps"}
    compared = 0
    for system, cpu, gpu, network, watts, lost in table["rows"]:
        config = configs.get(system)
        if config is None or network:  # no case has its constants; the network is not simulated
            continue
        drawn = node_watts(config, cpu, gpu)
        chain = Supply(levels=supply_of(config).levels[:1]).chain(1)
        assert chain.watts(drawn, 0)[0] == pytest.approx(watts, rel=1e-9)
        assert chain.watts(drawn, 0)[0] - drawn == pytest.approx(lost, rel=1e-9, abs=1e-9)
        compared += 1
    assert compared > 50
