"""Random small runs of Batsim 4 and 5 on platforms with network: equal hosts, dates within the messages' latency.

Hosts must be equal, starts within 50 ms (upstream's own messages take their latency, decisions.md 1), and execution
times to 1e-6 (or the six digits that are printed).
"""

from pathlib import Path

import pytest
from tests.golden_outputs import table

from windtunnel.api import Layout, Simulation
from windtunnel.results.layout import Dialect

HERE = Path(__file__).parent / "generated"
KINDS = ("ptask3", "ptask4", "mixed3", "mixed4", "hetero3", "hetero4")
BATSIM4 = {
    "fcfs": "batsched/fcfs",
    "easy_bf": "batsched/easy_bf",
    "conservative_bf": "batsched/conservative_bf",
    "filler": "batsched/filler",
}


def run(folder, workload, scheduler, dialect, numbering):
    return Simulation(
        folder / "platform.xml",
        folder / workload,
        scheduler,
        layout=Layout(None, dialect),
        platform_options={"numbering": numbering},
    ).run()


def compare(done, recorded):
    mine = {(r["workload_name"], r["job_id"]): r for r in table(done.read("jobs.csv"))}
    theirs = {(r["workload_name"], r["job_id"]): r for r in table(recorded)}
    assert mine.keys() == theirs.keys()
    assert len(theirs) > 50
    for key, their in theirs.items():
        my = mine[key]
        for column in ("final_state", "allocated_resources", "profile", "requested_time"):
            assert my[column] == their[column], (key, column)
        if their["starting_time"]:
            assert float(my["starting_time"]) == pytest.approx(float(their["starting_time"]), abs=0.05), key
            took = float(their["execution_time"])
            assert float(my["execution_time"]) == pytest.approx(took, rel=1e-6, abs=1.5e-6), key


@pytest.mark.golden
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", BATSIM4)
def test_batsim4(kind, variant):
    folder = HERE / kind
    done = run(folder, "workload.json", BATSIM4[variant], Dialect.BATSIM4, "lexicographic")
    compare(done, folder / f"v4-{variant}" / "jobs.csv")


@pytest.mark.golden
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", ["fcfs", "easy"])
def test_batsim5(kind, variant):
    folder = HERE / kind
    done = run(folder, "workload5.json", f"{variant}-batsim5", Dialect.BATSIM5, "natural")
    compare(done, folder / f"v5-{variant}" / "jobs.csv")
