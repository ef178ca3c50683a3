"""Outcomes of real runs on sites without network, under the loop of the harness: every start, end and host.

tests/golden compares whole runs of the engine with all recordings; here schedulers stand alone.
"""

from pathlib import Path

import pytest

from scheduler_harness import batsim_jobs, batsim_outcome, play, printed
from shared import cases, shared
from windtunnel.schedulers import make_batsched, make_scheduler

pytestmark = pytest.mark.golden

GENERATED = Path(__file__).parents[1] / "golden" / "generated"
BENCH = "golden/batsim4/inputs/bench/delays-128-1000-{}.json"
TAKES_NO_ORDER = ("fcfs", "easy_bf_fast")


def compare(scheduler, workload, outcome):
    jobs, hosts = batsim_jobs(workload)
    ours = play(scheduler, jobs, hosts, digits=True)
    ran, rejected = batsim_outcome(outcome)
    assert printed(ours) == ran
    assert set(ours.rejected) == rejected


@pytest.mark.parametrize("name", ["delay3", "delay4"])
@pytest.mark.parametrize("variant", ["fcfs", "easy_bf", "conservative_bf", "filler"])
def test_generated_of_batsim4(name, variant):
    folder = GENERATED / name
    compare(make_batsched(variant), folder / "workload.json", folder / f"v4-{variant}" / "jobs.csv")


@pytest.mark.parametrize("name", ["delay3", "delay4"])
@pytest.mark.parametrize("variant", ["fcfs", "easy"])
def test_generated_of_batsim5(name, variant):
    folder = GENERATED / name
    scheduler = make_scheduler(f"{variant}-batsim5")
    compare(scheduler, folder / "workload5.json", folder / f"v5-{variant}" / "jobs.csv")


@pytest.mark.parametrize("case", cases("golden/batsim4-orders", "odd-*--*"), ids=lambda case: case.name)
def test_odd_jobs(case):
    """Without walltime, larger than the machine, many at one date."""
    variant, order = case.name.removeprefix("odd-").split("--")
    options = {} if variant in TAKES_NO_ORDER else {"queue_order": order.removeprefix("o-")}
    compare(make_batsched(variant, **options), shared("golden/batsim4-orders/odd.json"), case / "jobs.csv")


@pytest.mark.parametrize("workload", ["dsat", "late"])
def test_easy_of_batsim5(workload):
    """``late`` has dates beyond 8e6 s, where comparing in 32 bits shows."""
    folder = shared("golden/batsim4-orders")
    compare(make_scheduler("batsim5/easy"), folder / f"{workload}.json", folder / f"v5-easy-{workload}" / "jobs.csv")


@pytest.mark.parametrize("plain", ["fcfs", "filler"])
def test_the_sane_ones_agree_where_rules_do(plain):
    """Without odd jobs batsched's fcfs and filler are first come, first served and first fit."""
    case = shared(f"golden/batsim4/{plain}--nonet128--dsat")
    compare(make_scheduler(plain), shared(BENCH.format("sat")), case / "jobs.csv.gz")
