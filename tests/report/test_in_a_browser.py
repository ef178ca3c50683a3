"""The report in a browser: no complaints, every way of using it, the same answers as ours."""

import re
from itertools import pairwise

import pytest
from tests.results.small_runs import outage, record, workload

from browser import chromium, violations, visit
from shared import shared
from windtunnel.diagnostics import show_duration
from windtunnel.report.page import write_report
from windtunnel.results.run import Run
from windtunnel.results.state import ReservedHosts
from windtunnel.results.why import explain

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def run():
    return Run.of(record(events=[outage()], jobs=workload(120)))


@pytest.fixture(scope="module")
def alone(run, tmp_path_factory):
    return write_report(run, tmp_path_factory.mktemp("page") / "alone.html")


@pytest.fixture(scope="module")
def several(run, tmp_path_factory):
    other = Run.of(record(scheduler="fcfs", jobs=workload(120)))
    return write_report(run, tmp_path_factory.mktemp("page") / "several.html", beside=[other])


def pixels(page, place: str = "canvas.gantt") -> list[int]:
    """A pixel in a thousand of a picture, as red, green and blue."""
    return page.evaluate(
        """(place) => {
          const canvas = document.querySelector(place);
          const copy = document.createElement("canvas");
          [copy.width, copy.height] = [canvas.width, canvas.height];
          const pen = copy.getContext("2d", { willReadFrequently: true });
          pen.drawImage(canvas, 0, 0);
          const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
          const made = [];
          for (let i = 0; i < data.length; i += 4004) made.push((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
          return made;
        }""",
        place,
    )


def settled(page) -> None:
    """When what was asked for has been drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wrong_for_those_who_see_little_or_use_no_mouse(browser, alone, several, scheme, width):
    for file in (alone, several):
        with visit(browser, file, color_scheme=scheme, viewport={"width": width, "height": 844}) as page:
            page.fill("#find", "7")
            page.wait_for_selector("#details h3")
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert len(set(pixels(page))) > 5  # a picture


def test_dark_and_print_have_their_own_colours(browser, alone):
    with visit(browser, alone, color_scheme="dark") as page:
        dark = pixels(page)[0]
        page.emulate_media(media="print", color_scheme="dark")
        settled(page)
        assert pixels(page)[0] == 0xFFFFFF != dark
        assert not page.is_visible(".tools")
        assert page.pdf().startswith(b"%PDF")
        page.emulate_media(media="screen", color_scheme="light")
        settled(page)
        assert pixels(page)[0] not in (dark, 0xFFFFFF)


def test_search_says_what_it_found(browser, alone):
    with visit(browser, alone) as page:
        page.fill("#find", "nobody")
        assert page.inner_text("#found") == "no job is called nobody"
        assert not page.is_visible("#details")
        page.fill("#find", "w0!17")
        assert page.inner_text("#found") == "found w0!17"
        assert page.inner_text("#details h3") == "w0!17"
        page.fill("#find", "")
        assert not page.is_visible("#details")


def test_everything_can_be_done_with_the_keyboard(browser, alone):
    with visit(browser, alone) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.focus("#colour")
        walked = []
        for _ in range(6):
            walked.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
            page.keyboard.press("Tab")
        assert walked == ["colour", "find", "closer", "farther", "reset", "gantt"]
        page.focus("canvas.gantt")
        whole = pixels(page)
        seen = [whole]
        for key in ("+", "ArrowRight", "*", "ArrowDown", "ArrowUp", "_", "ArrowLeft", "-"):
            page.keyboard.press(key)
            settled(page)
            seen.append(pixels(page))
        assert sum(a != b for a, b in pairwise(seen)) >= 6
        page.keyboard.press("Home")
        settled(page)
        assert pixels(page) == whole
        page.keyboard.press("n")
        first = page.inner_text("#details h3")
        page.keyboard.press("n")
        second = page.inner_text("#details h3")
        page.keyboard.press("p")
        assert page.inner_text("#details h3") == first != second
        page.keyboard.press("Escape")
        assert not page.is_visible("#details")


def test_jobs_are_clicked_and_the_picture_is_moved(browser, alone):
    with visit(browser, alone) as page:
        box = page.locator("canvas.gantt").bounding_box()
        whole = pixels(page)
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 100)
        assert page.inner_text("#details h3").startswith("w0!")
        page.click("#details >> text=Close")
        box = page.locator("canvas.gantt").bounding_box()
        page.mouse.move(box["x"] + 600, box["y"] + 100)
        page.mouse.wheel(0, -300)
        settled(page)
        near = pixels(page)
        page.mouse.down()
        page.mouse.move(box["x"] + 500, box["y"] + 100, steps=3)
        page.mouse.up()
        settled(page)
        assert len({tuple(whole), tuple(near), tuple(pixels(page))}) == 3
        for way in page.locator("#colour option").all_inner_texts():
            page.select_option("#colour", way)
            settled(page)
            assert page.inner_text("#legend") != ""


def test_tables_sort(browser, alone, run):
    with visit(browser, alone) as page:
        table = page.locator("table.sorts", has_text="mean turnaround").first
        waits = {name: group.mean_waiting_time for name, group in run.metrics.users.items()}
        for down in (True, False):
            table.get_by_role("button", name="mean wait").click()
            names = table.locator("tbody th").all_inner_texts()
            assert names == sorted(waits, key=waits.__getitem__, reverse=down)
        jobs = page.locator("#jobs table tbody th")
        longest = run.jobs.sort("waiting_time", descending=True)["id"][0]
        assert jobs.first.inner_text() == longest
        page.get_by_role("button", name="Next").click()
        assert "21 to 40 of 120 jobs" in page.inner_text("#jobs")
        jobs.first.get_by_role("button").click()
        assert page.evaluate("document.activeElement.id") == "details"


def test_it_says_why_a_job_waited_as_we_do(browser, alone, run):
    with visit(browser, alone) as page:
        for job in run.jobs["id"].to_list()[::5]:
            page.fill("#find", job)
            said = page.inner_text("#details")
            known = explain(run, job)
            if not known.waited:
                assert "It did not wait." in said
                continue
            least, most = min(p.free for p in known.periods), max(p.free for p in known.periods)
            # Halves are rounded to the even digit here, and up there: 23.625 s is 23.62 or 23.63.
            waited = {f"It waited {show_duration(known.waited + more)}. " for more in (0.0, 1e-6)}
            rest = f"Jobs waiting already: {known.ahead}. Hosts free meanwhile: {least} to {most}."
            assert any(one + rest in said for one in waited), said
            enough = sum(period.finish - period.start for period in known.enough_free)
            shown = {show_duration(enough), show_duration(enough + 1e-6)}
            told = {f"Enough hosts were free for {one} of it" for one in shown} if enough else {"At no time were"}
            assert any(one in said for one in told), said
            if known.holders:
                assert f"Hosts were held by {len(known.holders)} jobs" in said
            if known.overtakers:
                assert f"{len(known.overtakers)} jobs submitted later started earlier" in said


def test_it_does_not_guess_why_where_bars_are_left_out(browser, run, tmp_path, monkeypatch):
    monkeypatch.setattr("windtunnel.report.data.MOST_BARS", 40)
    with visit(browser, write_report(run, tmp_path / "cut.html")) as page:
        shown = page.locator("#jobs table tbody th").first.inner_text()
        page.fill("#find", shown)
        said = page.inner_text("#details")
        assert f"windtunnel why RUN {shown} counts all jobs" in said
        assert "Hosts free meanwhile" not in said


def test_reservations_are_in_the_legend_and_under_the_pointer(browser, tmp_path):
    recording = record(jobs=workload(3))
    facts = recording.state.platform
    facts.reservations = [ReservedHosts(name="lesson", start=0.0, end=1e6, hosts="0-7")]
    with visit(browser, write_report(Run.of(recording), tmp_path / "reserved.html")) as page:
        assert "reservation lesson" in page.inner_text("#legend")
        page.hover("canvas.gantt")
        assert "reservation lesson" in page.locator(".tip").first.inner_text()


def test_several_runs_move_together(browser, several):
    with visit(browser, several) as page:
        before = [pixels(page, f".stage:nth-child({rank}) canvas.gantt") for rank in (1, 2)]
        page.click("#closer")
        settled(page)
        after = [pixels(page, f".stage:nth-child({rank}) canvas.gantt") for rank in (1, 2)]
        assert all(a != b for a, b in zip(before, after, strict=True))
        page.fill("#find", "20")
        assert re.match(r"w0!20, (easy|in memory|1)", page.inner_text("#details h3"))


def test_a_year_of_kth_sp2(browser, tmp_path):
    import windtunnel as wt

    log = shared("traces/KTH-SP2-1996-2.swf.gz")
    page_file = wt.simulate("hosts:100", log, "easy").report(tmp_path / "kth.html")
    assert page_file.stat().st_size < 5_000_000
    with visit(browser, page_file) as page:
        assert page.locator(".fact").first.inner_text().split("\n\n")[:2] == ["Waiting time, mean", "1 h 53 min"]
        assert len(set(pixels(page))) > 100
        page.fill("#find", "w0!28000")
        assert page.inner_text("#details h3") == "w0!28000"
