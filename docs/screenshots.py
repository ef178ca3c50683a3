"""Makes the pictures of the documentation: ``make screenshots`` (needs Chromium, the extras ``browser`` and ``web``).

A bundled generator makes the workload, so the pictures show the same on every machine.
"""

import shutil
import sys
from collections.abc import Callable
from contextlib import contextmanager
from math import cos, pi, sin
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import windtunnel as wt
from windtunnel.examples import find
from windtunnel.formats import Signal
from windtunnel.model import Host, Platform, PowerState
from windtunnel.model.failures import parse_failures
from windtunnel.twin.change_page import write_page
from windtunnel.twin.what_if import try_out

HERE = Path(__file__).parent / "images"
WORKLOAD = "lublin:3000?hosts=128&load=0.9&seed=7"
FAILURES = "between=exponential:2000000;repair=lognormal:9,1;until=2000000"


def simulation(scheduler: str = "easy", out: Path | None = None) -> wt.Simulation:
    options = wt.Options(on_failure="requeue")
    failures = parse_failures(FAILURES)
    return wt.Simulation("hosts:128", WORKLOAD, scheduler, failures=failures, options=options, out=out)


@contextmanager
def pages() -> Any:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("there is no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield lambda: browser.new_page(viewport={"width": 1280, "height": 1000})  # as a laptop shows them
        browser.close()


def report(new_page: Any, folder: Path) -> None:
    easy, fcfs = (simulation(name, folder / name).run() for name in ("easy", "fcfs"))
    page = new_page()
    page.goto(easy.report(folder / "easy.html").as_uri())
    page.screenshot(path=HERE / "report.png")
    page.goto(easy.report(folder / "both.html", beside=[fcfs]).as_uri())
    page.locator("#schedule").screenshot(path=HERE / "side_by_side.png")


def site_power(new_page: Any, folder: Path) -> None:
    """Some days of a site with sun, a battery, prices and a lower power cap in the evening."""
    hours = [3600.0 * hour for hour in range(24)]

    def daily(unit: str, value: Callable[[int], float]) -> Signal:
        return Signal("a day", unit, hours, [value(hour) for hour in range(24)], end=86400.0, outside="day")

    watts = PowerState(speed=1e9, idle=100.0, epsilon=100.0, full=220.0)
    site = Platform(name="site", hosts=tuple(Host(id=n, name=f"h{n}", pstates=(watts,)) for n in range(16)))
    run = wt.simulate(
        site,
        "lublin:300?hosts=16&load=0.8&seed=12&estimates=tsafrir",
        "capped-easy",
        options=wt.Options(delays_compute=True),
        energy=True,
        carbon=daily("g/kWh", lambda hour: 300.0 + 120.0 * cos((hour - 20) / 12 * pi)),
        price=daily("EUR/MWh", lambda hour: 60.0 + 50.0 * cos((hour - 19) / 12 * pi) - 80.0 * (11 < hour < 15)),
        generation=daily("W", lambda hour: max(0.0, 3200.0 * sin((hour - 6) / 12 * pi))),
        battery="capacity=3kWh;charge=1kW;policy=surplus",
        power_cap=daily("W", lambda hour: 2400.0 if 17 <= hour < 21 else 3400.0),
        out=folder / "site",
    )
    page = new_page()
    page.goto(run.report(folder / "site.html").as_uri())
    page.locator("#curves").screenshot(path=HERE / "site_power.png")


def what_if(new_page: Any, folder: Path) -> None:
    """Two nodes more on the sample site, and one with GPUs fewer."""
    site = find("slurm")
    log = wt.read_workload(site.workloads[0], format="sacct")
    changes = ["batch:+2", "gpu:-1"]
    found, pairs = try_out(site.platform, log, sets=[], nodes=changes, scheduler="easy", jobs=1, out="")
    page = new_page()
    page.set_viewport_size({"width": 1100, "height": 1060})
    page.goto(write_page(found, pairs, folder / "what_if.html", title="What if: " + ", ".join(changes)).as_uri())
    page.screenshot(path=HERE / "what_if.png")


def live(new_page: Any) -> None:
    address: list[str] = []
    thread = Thread(target=lambda: simulation().live(paused=True, announce=address.append), daemon=True)
    thread.start()
    while not address:
        pass
    page = new_page()
    page.goto(address[0])
    page.fill("[name=time]", "8d")
    page.get_by_role("button", name="Run to").click()
    page.locator(".now", has_text="paused · 8 d").wait_for()
    page.get_by_role("button", name="fork").click()
    page.locator("section.run").nth(1).wait_for()
    second = page.locator("section.run").nth(1)
    second.locator("[name=hosts]").last.fill("0-31")
    second.get_by_role("button", name="Fail").click()
    for panel in page.locator("section.run").all():
        panel.locator("[name=time]").fill("10d")
        panel.get_by_role("button", name="Run to").click()
        panel.locator(".now", has_text="paused · 10 d").wait_for()
    page.wait_for_timeout(600)
    page.set_viewport_size({"width": 1280, "height": 1640})
    page.wait_for_timeout(600)
    page.screenshot(path=HERE / "live.png")


def main() -> None:
    HERE.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, pages() as new_page:
        report(new_page, Path(folder))
        site_power(new_page, Path(folder))
        what_if(new_page, Path(folder))
        live(new_page)
    print(*sorted(HERE.glob("*.png")), sep="\n")


if __name__ == "__main__":
    main()
