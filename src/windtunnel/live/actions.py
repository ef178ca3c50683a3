"""What a page may ask for, as typed messages: to be told of the runs, or that something be done to one of them."""

from math import inf
from typing import Any, Literal

import msgspec

from windtunnel.diagnostics import UsageError, read_duration, read_time
from windtunnel.live.driver import Driver

__all__ = ["Asked", "act"]


class Known(msgspec.Struct, forbid_unknown_fields=True):
    """What a page knows of a run already."""

    generation: int = 0
    jobs: int = 0
    stretches: int = 0
    energy: int = 0
    changes: int = 0


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """A question; which of the others count depends on ``what``."""

    what: Literal["state", "pause", "resume", "step", "until", "speed", "job", "fail", "repair", "fork", "drop"]
    run: int = 0
    known: dict[int, Known] = {}
    """Of ``state``: what is known, by the number of the run."""
    time: str = ""
    """Of ``until``: a time as people write it."""
    speed: str = ""
    """Of ``speed``: simulated time in a second (``1h``, ``3600``); empty: as fast as possible."""
    hosts: str = ""
    """Of ``fail`` and ``repair`` which; of ``job`` how many."""
    runs: str = ""
    """Of ``job``: how long it runs."""
    walltime: str = ""


def act(driver: Driver, asked: Asked) -> Any:
    """Do it, in the driving thread; the answer.

    Raises:
        UsageError: it cannot be done.
    """
    if asked.what == "state":
        return {number: _state(driver, number, asked) for number in list(driver.watched)}
    one = driver.get(asked.run)
    done: Any = None
    match asked.what:
        case "pause":
            one.pause()
        case "resume":
            one.resume()
        case "step":
            driver.step(asked.run)
        case "until":
            one.resume(goal=read_time(asked.time, one.simulation.recording.state.start_date))
        case "speed":
            one.resume(speed=read_duration(asked.speed) if asked.speed.strip() else inf)
        case "job":
            walltime = read_duration(asked.walltime) if asked.walltime.strip() else inf
            done = one.inject_job(_count(asked.hosts), read_duration(asked.runs), walltime)
        case "fail":
            one.inject_state(asked.hosts, "FAILURE")
        case "repair":
            one.inject_state(asked.hosts, "ACTIVE")
        case "fork":
            done = driver.fork(asked.run)
        case "drop":
            driver.drop(asked.run)
    return {"done": done}


def _state(driver: Driver, number: int, asked: Asked) -> dict[str, Any]:
    known = asked.known.get(number, Known())
    return driver.get(number).state(known.generation, known.jobs, known.stretches, known.energy, known.changes)


def _count(text: str) -> int:
    if not text.strip().isdecimal():
        raise UsageError(f"{text!r} is not a number of hosts")
    return int(text)
