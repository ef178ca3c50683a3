"""Packing by cores: any scheduler of whole hosts, with cores shown to it as hosts."""

import pytest
from msgspec.structs import replace

from windtunnel.api import Options, Simulation
from windtunnel.diagnostics import UsageError
from windtunnel.model import EventList, ExternalEvent, HostSet, JobState, Request
from windtunnel.testing import InvariantChecker, job, platform, workload


def by_processors(name, processors, run=10.0, at=0.0, walltime=20.0):
    made = job(name, 1, run, at, walltime)
    return replace(made, request=Request(hosts=-(-processors // 4), processors=processors))


def run(jobs, scheduler="easy", hosts=2, **options):
    checker = InvariantChecker(sharing=True)
    simulation = Simulation(
        platform(hosts, cores=4), workload(*jobs), scheduler, share_hosts=True, observers=[checker], **options
    )
    simulation.run()
    return {row[0].partition("!")[2]: row[1:] for row in checker.rows}


def test_jobs_share_a_host_by_cores_and_no_core_is_given_twice():
    rows = run([by_processors("a", 3), by_processors("b", 1), by_processors("c", 4), by_processors("d", 2)])
    assert rows["a"][1:] == (0.0, 10.0, "0")
    assert rows["b"][1:] == (0.0, 10.0, "0")
    assert rows["c"][1:] == (0.0, 10.0, "1")
    assert rows["d"][1:] == (10.0, 20.0, "0")


def test_without_sharing_each_has_hosts_of_its_own():
    checker = InvariantChecker()
    jobs = [by_processors("a", 3), by_processors("b", 1), by_processors("c", 4)]
    Simulation(platform(2, cores=4), workload(*jobs), "easy", observers=[checker]).run()
    assert {row[0]: row[2] for row in checker.rows} == {"w0!a": 0.0, "w0!b": 0.0, "w0!c": 10.0}


def test_a_job_may_be_spread_and_whole_host_jobs_count_all_cores():
    rows = run([by_processors("a", 6), job("whole", 1, 5.0, walltime=9.0)])
    assert rows["a"][1:] == (0.0, 10.0, "0-1")
    assert rows["whole"][1] == 10.0


@pytest.mark.parametrize("scheduler", ["fcfs", "conservative", "filler", "easy-batsched", "easy-batsim5"])
def test_other_schedulers_pack_too(scheduler):
    rows = run([by_processors(str(i), 1 + i % 4, run=3.0 + i, walltime=99.0) for i in range(30)], scheduler)
    assert len(rows) == 30
    assert all(row[0] is JobState.COMPLETED_SUCCESSFULLY for row in rows.values())


def test_unavailable_hosts_take_their_cores_with_them():
    events = EventList(
        name="we0",
        events=(
            ExternalEvent(timestamp=0.0, kind="machine_unavailable", hosts=HostSet.parse("0")),
            ExternalEvent(timestamp=50.0, kind="machine_available", hosts=HostSet.parse("0")),
        ),
    )
    rows = run([by_processors("a", 4, at=1.0), by_processors("b", 1, at=2.0)], events=[events], options=Options())
    assert rows["a"][3] == "1"
    assert rows["b"][1] == 11.0


def test_jobs_that_ask_for_amounts_are_refused_by_name():
    asking = job("a")
    asking = replace(asking, request=Request(1, amounts=(("gpus", 1.0),)))
    with pytest.raises(UsageError, match="packing by cores does not see"):
        run([asking])
