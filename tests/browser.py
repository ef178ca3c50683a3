"""A headless Chromium for tests of pages; they are skipped with a notice (in CI: fail) where there is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from shared import missing

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser of playwright's, run by the Chromium of the system."""
    program = next(filter(None, map(which, NAMES)), None)
    if program is None:
        missing("Chromium")
    if find_spec("playwright") is None or find_spec("axe_playwright_python") is None:
        missing("playwright with axe-core (pip install 'windtunnel[browser]')")
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            browser.new_page().close()
        except Error as fault:  # some containers let no browser work
            pytest.skip(f"not run: Chromium does not work here: {fault}")
        yield browser
        browser.close()


@contextmanager
def visit(browser: Any, address: str | Path, **context: Any) -> Iterator[Any]:
    """A page; what it says on its console, and errors in it, fail the test."""
    complaints: list[str] = []
    opened = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
    page = opened.new_page()
    page.set_default_timeout(20_000)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address if isinstance(address, str) else address.absolute().as_uri())
    yield page
    if complaints:
        pytest.fail(f"the page complains: {complaints}")
    opened.close()


def violations(page: Any) -> list[str]:
    """What axe-core finds wrong."""
    import axe_playwright_python

    source = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    page.evaluate(source)
    found = page.evaluate("axe.run().then((found) => found.violations)")
    return [f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]
