"""How fluently the report's schedule is zoomed and moved, in a headless Chromium that renders in software.

100,000 jobs on 10,000 hosts. The frames are counted in the page: in each a step of zooming is made and
drawn.
"""

import json
import random
from pathlib import Path
from shutil import which
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import windtunnel as wt
from benchmarks import Figure
from windtunnel.model import DelayProfile, Job, JobList, Request

__all__ = ["run"]

JOBS, HOSTS = 100_000, 10_000
DRIVEN = """async (frames) => {
  const canvas = document.querySelector("canvas.gantt");
  const box = canvas.getBoundingClientRect();
  const at = { clientX: box.left + box.width / 2, clientY: box.top + 150, cancelable: true };
  const frame = () => new Promise(requestAnimationFrame);
  const wheel = (deltaY, shiftKey) => canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY, shiftKey }));
  await frame();
  const start = performance.now();
  for (let i = 0; i < frames; i += 1) {
    wheel(i % 40 < 20 ? -100 : 100, i % 80 >= 40);
    await frame();
  }
  return frames / ((performance.now() - start) / 1000);
}"""


def _page(folder: Path) -> Path:
    dice = random.Random(1)
    jobs = []
    now = 0.0
    for number in range(JOBS):
        now += dice.expovariate(1.0)
        run = min(dice.lognormvariate(7.0, 1.6), 200_000.0)
        size = min(2 ** dice.randrange(0, 9), HOSTS)
        profile = DelayProfile(id=f"w0!p{number}", delay=round(run, 3))
        jobs.append(
            Job(
                id=f"w0!{number}",
                request=Request(size),
                profile=profile,
                submission_time=round(now, 3),
                walltime=2.0 * run + 1.0,
                user=f"u{number % 97}",
            )
        )
    return wt.simulate(f"hosts:{HOSTS}", JobList("w0", jobs), "easy").report(folder / "large.html")


def run() -> list[Figure]:
    """Frames a second, the median of five; and what opening the page takes."""
    program = which("chromium") or which("chromium-browser")
    if program is None:
        print("pages: not run, there is no Chromium here")
        return []
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = _page(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page: Any = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(page_file.as_uri())
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        rates = [page.evaluate(DRIVEN, 80) for _ in range(5)]
        size = page_file.stat().st_size
        browser.close()
    what = f"{JOBS:,} jobs on {HOSTS:,} hosts"
    return [
        Figure(f"report of {what}: zooming, frames a second", median(rates), "1/s"),
        Figure(f"report of {what}: first paint", paint / 1000.0, "s"),
        Figure(f"report of {what}: size", size / 1e6, "MB"),
    ]


if __name__ == "__main__":
    print(json.dumps([figure._asdict() for figure in run()]))
