"""The live view in a browser: paused, stepped, told of jobs and failures, forked; closed, and opened again."""

import re
import subprocess
import sys

import pytest

from browser import chromium, violations, visit
from windtunnel.results.run import load_run

pytest.importorskip("starlette", reason="starlette is not installed")
pytestmark = pytest.mark.slow
WORKLOAD = "lublin:2000?hosts=64&load=0.9&seed=3"


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture
def served(tmp_path):
    words = ["run", "hosts:64", WORKLOAD, "-s", "easy", "--quiet", "--out", "out", "--live", "--live-paused"]
    process = subprocess.Popen(
        [sys.executable, "-m", "windtunnel", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    found = re.search(r"http://\S+", process.stderr.readline())
    assert found is not None
    yield found[0], process, tmp_path / "out"
    process.kill()
    process.communicate()


def now(page, rank: int = 0) -> str:
    return page.locator(".now").nth(rank).inner_text()


def wait_for(page, text: str, rank: int = 0) -> None:
    page.locator("section.run").nth(rank).locator(".now", has_text=text).wait_for()


def act(page, rank: int, button: str, **fields: str) -> None:
    panel = page.locator("section.run").nth(rank)
    for name, value in fields.items():
        field = panel.locator(f"[name={name}]")
        (field.last if button in ("Fail", "Repair") else field.first).fill(value)
    panel.get_by_role("button", name=button, exact=True).click()


def test_a_run_is_watched_and_acted_on(browser, served):
    url, process, out = served
    with visit(browser, url) as page:
        wait_for(page, "paused")
        assert "0 of 2,000 jobs over" in now(page)
        act(page, 0, "Step")
        act(page, 0, "Run to", time="5d")
        wait_for(page, "paused · 5 d")
        act(page, 0, "Fail", hosts="0-7")
        act(page, 0, "Submit job", hosts="5", runs="1h", walltime="2h")
        page.locator(".said", has_text="submitted as live!1").wait_for()
        act(page, 0, "What if: fork")
        page.locator("section.run").nth(1).wait_for()
        act(page, 1, "Repair", hosts="0-7")
        for rank in (0, 1):
            act(page, rank, "Run to", time="7d")
            wait_for(page, "paused · 7 d", rank)
        page.locator("#events li", has_text="the run: failure: hosts 0 to 7").wait_for()
        page.fill("#find", "live!1")
        assert page.inner_text("#found") == "found live!1"
        assert violations(page) == []
        assert page.locator("canvas.gantt").count() == 2
    with visit(browser, url, color_scheme="dark", viewport={"width": 390, "height": 844}) as page:  # opened again
        wait_for(page, "paused · 7 d", 1)
        page.locator("#events li", has_text="failure").first.wait_for()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        act(page, 1, "Drop")
        page.locator("section.run").nth(1).wait_for(state="detached")
        act(page, 0, "Repair", hosts="0-7")
        act(page, 0, "Set speed", speed="1d")
        wait_for(page, "running, 1 d in a second")
        act(page, 0, "Pause")
        wait_for(page, "paused")
        act(page, 0, "Set speed", speed="")
        wait_for(page, "complete")
        assert "2,001 of 2,000 jobs over" in now(page)
    assert process.wait(60) == 0
    run = load_run(out)
    assert run.complete
    assert run.jobs.filter(workload_name="live")["execution_time"].to_list() == [3600.0]
    assert [str(hosts) for _, hosts in run.unavailable()] == ["0-7", ""]
