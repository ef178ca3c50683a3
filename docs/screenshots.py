"""Makes the pictures of the documentation: ``make screenshots`` (needs Chromium, the extras ``browser`` and ``web``).

A bundled generator makes the workload, so the pictures show the same on every machine.
"""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import windtunnel as wt
from windtunnel.model.failures import parse_failures

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
        live(new_page)
    print(*sorted(HERE.glob("*.png")), sep="\n")


if __name__ == "__main__":
    main()
