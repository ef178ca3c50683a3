"""Runs a simulation with a live view, to its end."""

from collections.abc import Callable

from windtunnel.live.driver import Driver
from windtunnel.live.server import Server
from windtunnel.live.watched import Driven, Watched

__all__ = ["run_live"]


def run_live(
    simulation: Driven,
    *,
    until: float,
    title: str,
    port: int = 0,
    paused: bool = False,
    announce: Callable[[str], object] = print,
) -> None:
    """Drive a simulation until it is over and nobody looks at it any more.

    Args:
        simulation: what is driven.
        until: where it ends (s).
        title: what the page calls it.
        port: where to listen on this machine; 0: a free one.
        paused: whether it waits for a page to let it go.
        announce: is told the address of the page.

    Raises:
        MissingExtraError: starlette or uvicorn is not installed.
        UsageError: the port is taken.
        SimulationError: the run could not go on.
    """
    watched = Watched(simulation, until=until, paused=paused)
    driver = Driver(watched)
    server = Server(driver, title, port)
    try:
        announce(server.url)
        driver.drive()
    finally:
        server.close()
        simulation.engine.close()
