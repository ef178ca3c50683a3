"""A run in parts: the same bytes, whoever looks at it; paused, stepped, told of jobs and failures."""

from math import inf

import pytest
from tests.live.live_runs import simulation

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.live.watched import Watched


def to_end(one: Watched) -> None:
    while one.going:
        one.advance()
    one.simulation.recording.close()


def files(made) -> dict[str, bytes]:
    return {name: made.read(name) for name in ("jobs.csv", "metrics.json", "machine_states.csv")}


@pytest.fixture(scope="module")
def plain() -> dict[str, bytes]:
    return files(simulation().run())


def test_a_run_in_parts_gives_the_same_bytes(plain):
    one = Watched(simulation())
    to_end(one)
    assert files(one.simulation.result()) == plain


def test_so_does_one_that_is_watched_again_and_again(plain, monkeypatch):
    monkeypatch.setattr("windtunnel.live.watched._FORGET", -1.0)
    one = Watched(simulation())
    generations = set()
    while one.going:
        one.simulation.engine.run_until(one.now + 7.0)
        one.reach(one.now + 7.0)
        one.state()
        generations.add(one.generation)
        one.forget()
        assert one.log is None
    one.simulation.recording.close()
    assert len(generations) > 5
    assert files(one.simulation.result()) == plain


def test_rows_told_bit_by_bit_are_those_of_the_record():
    one = Watched(simulation())
    jobs, stretches, known = [], [], {}
    while True:
        told = one.state(**known)
        jobs += told["jobs"]
        stretches += told["stretches"]
        assert told["rows"] == [len(jobs), len(stretches), 0]
        assert len(told["running"]) + len(told["waiting"]) + len(jobs) <= 60
        known = {"generation": told["generation"], "jobs": len(jobs), "stretches": len(stretches)}
        if told["over"]:
            break
        one.simulation.engine.run_until(one.now + 20.0)
        one.reach(one.now + 20.0)
    run = one.simulation.result()
    assert [row[0] for row in jobs] == run.jobs["id"].to_list()
    assert [row[3] for row in jobs] == pytest.approx(run.jobs["finish_time"].to_list())
    assert [(row[0], row[1], row[2]) for row in stretches] == [(s.job, s.start, s.finish) for s in run.stretches()]


def test_it_pauses_where_it_is_told_to():
    one = Watched(simulation(), paused=True)
    assert not one.going
    one.resume(goal=100.0)
    to_pause(one)
    assert (one.now, one.paused, one.over) == (100.0, True, False)
    with pytest.raises(UsageError, match="has passed"):
        one.resume(goal=50.0)
    with pytest.raises(UsageError, match="positive"):
        one.resume(speed=0.0)
    one.resume(speed=1e-9)
    assert not one.advance()  # too early
    one.resume(speed=inf)
    to_pause(one)
    assert one.over


def to_pause(one: Watched) -> None:
    while one.going:
        one.advance()


def test_until_ends_the_run():
    one = Watched(simulation(), until=100.0)
    to_end(one)
    assert one.simulation.result().outcome == "stopped"


def test_a_step_is_a_round():
    one = Watched(simulation(), paused=True)
    one.step()
    before = one.simulation.engine.world.rounds
    one.step()
    assert one.simulation.engine.world.rounds == before + 1
    assert one.paused


def test_steps_end_where_the_run_is_to_end():
    one = Watched(simulation(), until=20.0, paused=True)
    while not one.over:
        one.step()
    assert one.simulation.result().outcome == "stopped"
    assert one.simulation.result().state.simulated_time == 20.0
    one.step()


def test_a_job_submitted_by_hand_runs():
    one = Watched(simulation(), paused=True)
    one.resume(goal=100.0)
    to_pause(one)
    assert one.inject_job(3, 12.5, 60.0) == "live!1"
    one.resume()
    to_end(one)
    row = one.simulation.result().jobs.filter(workload_name="live").to_dicts()[0]
    assert (row["submission_time"], row["requested_number_of_resources"], row["execution_time"]) == (100.0, 3, 12.5)
    assert row["requested_time"] == 60.0
    with pytest.raises(UsageError, match="is over"):
        one.inject_job(1, 1.0)


@pytest.mark.parametrize("hosts, seconds, walltime", [(0, 1.0, inf), (1, -1.0, inf), (1, inf, inf), (1, 1.0, 0.0)])
def test_jobs_that_make_no_sense(hosts, seconds, walltime):
    with pytest.raises(UsageError):
        Watched(simulation()).inject_job(hosts, seconds, walltime)


def test_hosts_fail_and_are_repaired_by_hand():
    one = Watched(simulation(), paused=True)
    one.resume(goal=100.0)
    to_pause(one)
    one.inject_state("6-7, 2", "FAILURE")
    one.resume(goal=150.0)
    to_pause(one)
    told = one.state()
    (kind,) = told["conditions"]["kinds"]
    assert kind == "failure"
    assert sorted(span[2:4] for span in told["conditions"]["spans"]) == [[2, 1], [6, 2]]
    assert "conditions" not in one.state(one.generation, changes=told["changes"])
    one.inject_state("2 6 7", "ACTIVE")
    one.resume()
    to_end(one)
    assert [(date, str(hosts)) for date, hosts in one.simulation.result().unavailable()] == [
        (100.0, "2 6-7"),
        (150.0, ""),
    ]


@pytest.mark.parametrize("hosts", ["", "8", "x", "3-"])
def test_hosts_that_are_not_there(hosts):
    with pytest.raises(UsageError, match="does not name hosts"):
        Watched(simulation()).inject_state(hosts, "FAILURE")


def all_failed(**options) -> Watched:
    """A run whose hosts have all failed by hand, and that has come to where nothing is planned."""
    one = Watched(simulation(), **options)
    one.watch()
    one.resume(goal=40.0)
    to_pause(one)
    one.inject_state("0-7", "FAILURE")
    one.resume()
    to_pause(one)
    return one


def test_a_run_whose_hosts_have_failed_waits_for_their_repair():
    """It failed with a deadlock before anybody could do anything."""
    one = all_failed()
    assert "nothing can happen any more" in one.state()["stuck"]
    assert not one.over
    before = one.now
    one.resume()
    to_pause(one)
    one.step()
    assert (one.now, one.paused) == (before, True)
    one.inject_state("0-7", "ACTIVE")
    assert one.state()["stuck"] == ""
    one.resume()
    to_end(one)
    assert one.simulation.result().complete


def test_such_a_run_goes_on_by_itself_when_it_gets_help():
    one = all_failed()
    one.inject_state("0-7", "ACTIVE")
    assert one.going
    to_end(one)
    assert one.simulation.result().complete


def test_such_a_run_fails_when_nobody_looks_any_more(monkeypatch):
    one = all_failed()
    assert not one.going
    monkeypatch.setattr("windtunnel.live.watched.PATIENCE", -1.0)
    assert one.going
    with pytest.raises(SimulationError, match="deadlock"):
        one.advance()
    assert one.over
