"""Who drives, and who asks: from other threads, between parts of the run."""

from threading import Thread

import pytest
from tests.live.live_runs import simulation

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.live import driver as module
from windtunnel.live.actions import Asked, Known, act
from windtunnel.live.driver import Driver
from windtunnel.live.watched import Watched
from windtunnel.schedulers.easy import Easy


@pytest.fixture
def driven(monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.2)
    made = Driver(Watched(simulation(), paused=True))
    thread = Thread(target=made.drive)
    thread.start()
    yield made
    if thread.is_alive():
        made.ask(lambda: act(made, Asked("resume"))).result(20)
    thread.join(20)
    assert not thread.is_alive()


def told(driven: Driver, what: str, **more):
    return driven.ask(lambda: act(driven, Asked(what, **more))).result(20)


def test_what_pages_ask_for_is_done(driven):
    assert told(driven, "state")[0]["paused"]
    told(driven, "until", time="1min")
    while not (state := told(driven, "state")[0])["paused"]:
        pass
    assert state["now"] == 60.0
    told(driven, "step")
    assert told(driven, "job", hosts="2", runs="1min", walltime="2min") == {"done": "live!1"}
    told(driven, "fail", hosts="0")
    told(driven, "repair", hosts="0")
    told(driven, "speed", speed="1d")
    told(driven, "pause")
    assert told(driven, "state")[0]["speed"] == 86400.0
    known = {0: Known(generation=1, jobs=1)}
    assert len(told(driven, "state", known=known)[0]["jobs"]) == len(told(driven, "state")[0]["jobs"]) - 1
    told(driven, "speed", speed="")


def test_forks_are_independent(driven):
    told(driven, "until", time="100")
    while not told(driven, "state")[0]["paused"]:
        pass
    assert told(driven, "fork") == {"done": 1}
    told(driven, "job", run=1, hosts="8", runs="1h")
    told(driven, "until", run=1, time="200")
    while not (state := told(driven, "state"))[1]["paused"]:
        pass
    assert (state[0]["now"], state[1]["now"]) == (100.0, 200.0)
    assert [state[n]["name"] for n in (0, 1)] == ["the run", "what if 1"]
    assert not any(job[0].startswith("live!") for job in state[0]["running"] + state[0]["waiting"])
    assert any(job[0] == "live!1" for job in state[1]["running"] + state[1]["waiting"])
    told(driven, "drop", run=1)
    assert list(told(driven, "state")) == [0]


@pytest.mark.parametrize(
    "asked, message",
    [
        (Asked("step", run=7), "no run 7"),
        (Asked("drop"), "not a fork"),
        (Asked("until", time="soon"), "not a valid time"),
        (Asked("speed", speed="fast"), "not a duration"),
        (Asked("job", hosts="many", runs="1"), "not a number of hosts"),
        (Asked("fail", hosts="99"), "does not name hosts"),
    ],
)
def test_what_cannot_be_done_is_said(driven, asked, message):
    with pytest.raises(UsageError, match=message):
        driven.ask(lambda: act(driven, asked)).result(20)


def test_too_many_forks(driven, monkeypatch):
    monkeypatch.setattr(module, "MOST_FORKS", 1)
    told(driven, "fork")
    with pytest.raises(UsageError, match="1 forks already"):
        told(driven, "fork")


def test_a_run_that_nobody_watches_ends_by_itself_and_answers_no_more():
    made = Driver(Watched(simulation()))
    made.drive()
    assert made.first.over
    with pytest.raises(UsageError, match="no longer served"):
        made.ask(lambda: None)


def test_a_run_that_fails_fails_for_the_driver_too():
    class Failing(Easy):
        def decide(self, now, notices):
            return 1 / 0

    one = Watched(simulation())
    one.simulation.engine.components = (Failing(),)
    with pytest.raises((SimulationError, ZeroDivisionError)):
        Driver(one).drive()
    assert one.over


@pytest.mark.parametrize("fork", [False, True])
def test_a_run_that_fails_in_a_step_fails_for_the_driver_too(fork):
    """The page alone was told; the run ended as if nothing had happened."""

    class Failing(Easy):
        def decide(self, now, notices):
            raise SimulationError("it fails")

    driver = Driver(Watched(simulation(), paused=True))
    number = driver.fork(0) if fork else 0
    driver.get(number).simulation.engine.components = (Failing(),)
    with pytest.raises(SimulationError, match="it fails"):
        act(driver, Asked("step", run=number))
    assert driver.get(number).fault.startswith("failed: ")
    driver.first.resume()
    if fork:
        driver.drive()
    else:
        with pytest.raises(SimulationError, match="it fails"):
            driver.drive()
