"""Cards and tables of figures."""

import pytest
from tests.results.small_runs import record, workload

import windtunnel as wt
from windtunnel.report.figures import cards, groups, side_by_side
from windtunnel.report.markup import Cell, card, number, table
from windtunnel.results.recording import Recording
from windtunnel.results.run import Run
from windtunnel.testing import job
from windtunnel.testing import workload as workload_of


def test_text_is_escaped():
    made = table("<c>", ["<h>"], [[Cell("<a>")]]) + card("<n>", Cell("<v>", 1.0), [("<l>", number(2.0, "<m>"))])
    assert not {f"<{tag}>" for tag in "chanvlm"} & {made[i : i + 3] for i in range(len(made))}


def test_a_run_without_jobs_has_no_waits():
    recording = Recording()
    recording.close("nothing")
    made = cards(Run.of(recording).metrics)
    assert "Waiting" not in made
    assert "Makespan" in made


def test_no_table_where_nobody_is_named():
    assert groups("Users", Run.of(record(jobs=workload(users=0))).metrics.users) == ""


@pytest.mark.parametrize(
    "times, shown", [(1.0, "(+0.0%)"), (1.5, "(+50.0%)"), (0.25, "(-75.0%)"), (12.0, "(12 times)")]
)
def test_changes_against_the_first_run(times, shown):
    from msgspec.structs import replace

    first = Run.of(record()).metrics
    made = side_by_side(["a", "b"], [first, replace(first, makespan=first.makespan * times)])
    assert shown in made[made.index(">makespan<") : made.index(">throughput")]


def test_the_utilisation_of_a_stopped_run_is_also_that_of_all_jobs():
    given = ("hosts:4", workload_of(job(1, hosts=3, run=100.0), job(2, run=10.0)), "fcfs")
    assert 'of all jobs, up to the stop <data value="0.8">80.00%' in cards(wt.simulate(*given, until=50).metrics)
    assert "up to the stop" not in cards(wt.simulate(*given).metrics)
