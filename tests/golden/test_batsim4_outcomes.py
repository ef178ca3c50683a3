"""Whole runs in process against what Batsim 4 and 5 did on platforms without network: to the printed digits."""

import json
import shlex
from pathlib import Path

import pytest
from tests.golden_outputs import assert_same_jobs, assert_same_schedule, assert_same_states
from tests.shared import cases, shared

from some_cases import some_slow
from windtunnel.api import Layout, Simulation
from windtunnel.results.layout import Dialect

HERE = Path(__file__).parent / "generated"
VARIANTS = {
    "fcfs": "batsched/fcfs",
    "fcfs_fast": "batsched/fcfs_fast",
    "easy_bf": "batsched/easy_bf",
    "easy_bf_fast": "batsched/easy_bf_fast",
    "conservative_bf": "batsched/conservative_bf",
    "filler": "batsched/filler",
    "sequencer": "sequencer",
}


def run(platform, workload, scheduler, dialect=Dialect.BATSIM4, numbering="lexicographic", **options):
    simulation = Simulation(
        platform,
        workload,
        scheduler,
        scheduler_options=options,
        layout=Layout(None, dialect),
        platform_options={"numbering": numbering},
    )
    return simulation.run()


def test_the_recordings_are_here():
    assert len(cases("golden/batsim4-orders", "*--*")) >= 20 or not shared("golden/batsim4-orders")


@pytest.mark.golden
@pytest.mark.parametrize("kind", ["delay3", "delay4"])
@pytest.mark.parametrize("outcome", ["v4-fcfs", "v4-easy_bf", "v4-conservative_bf", "v4-filler"])
def test_generated_v4(kind, outcome):
    folder = HERE / kind
    done = run(folder / "platform.xml", folder / "workload.json", VARIANTS[outcome.removeprefix("v4-")])
    assert_same_jobs(done.read("jobs.csv"), folder / outcome / "jobs.csv")
    assert_same_schedule(done.read("schedule.csv"), folder / outcome / "schedule.csv")


@pytest.mark.golden
@pytest.mark.parametrize("kind", ["delay3", "delay4"])
@pytest.mark.parametrize("outcome", ["v5-fcfs", "v5-easy"])
def test_generated_v5(kind, outcome):
    folder = HERE / kind
    done = run(
        folder / "platform.xml",
        folder / "workload5.json",
        outcome.removeprefix("v5-") + "-batsim5",
        Dialect.BATSIM5,
        "natural",
    )
    assert_same_jobs(done.read("jobs.csv"), folder / outcome / "jobs.csv")


def option_of(command, *names):
    words = shlex.split(command)
    return next((words[words.index(name) + 1] for name in names if name in words), None)


NONET = [c for c in cases("golden/batsim4", "*--nonet128--*") if c.name.partition("--")[0] in VARIANTS]


@pytest.mark.golden
@pytest.mark.parametrize("case", some_slow(NONET), ids=lambda c: c.name)
def test_batsim4_without_network(case):
    told = json.loads((case / "case.json").read_text())["batsim_command"]
    inputs = shared("golden/batsim4/inputs")
    scheduler = VARIANTS[case.name.partition("--")[0]]
    done = run(inputs / option_of(told, "-p"), inputs / option_of(told, "-w"), scheduler)
    assert_same_jobs(done.read("jobs.csv"), case / "jobs.csv")
    assert_same_schedule(done.read("schedule.csv"), case / "schedule.csv")
    if (case / "machine_states.csv").exists():
        assert_same_states(done.read("machine_states.csv"), case / "machine_states.csv")


ORDERS = [c for c in cases("golden/batsim4-orders", "*--*") if not c.name.startswith("v5")]


@pytest.mark.golden
@pytest.mark.parametrize("case", some_slow(ORDERS), ids=lambda c: c.name)
def test_queue_orders_and_selections(case):
    parts = case.name.removeprefix("odd-").split("--")
    scheduler = VARIANTS[parts[0]]
    options = {"queue_order": parts[1].removeprefix("o-")}
    if len(parts) > 2 and parts[0] != "sequencer":  # it takes the lowest hosts whatever the policy
        options["policy"] = parts[2]
    if parts[0] in ("fcfs", "fcfs_fast", "easy_bf_fast"):  # they ignore the order
        options.pop("queue_order")
    workload = case.parent / ("odd.json" if case.name.startswith("odd-") else "dsat.json")
    done = run(shared("golden/batsim4/inputs/bench/nonet128.xml"), workload, scheduler, **options)
    assert_same_jobs(done.read("jobs.csv"), case / "jobs.csv")


@pytest.mark.golden
def test_batsim5_easy_saturated():
    case = shared("golden/batsim4-orders/v5-easy-dsat")
    done = run(
        shared("golden/batsim4/inputs/bench/nonet128.xml"),
        case.parent / "dsat.json",
        "batsim5/easy",
        Dialect.BATSIM5,
        "natural",
    )
    assert_same_jobs(done.read("jobs.csv"), case / "jobs.csv")
