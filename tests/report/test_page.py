"""The HTML report: whole, self-contained, and safe whatever jobs are called."""

import json
import re

import pytest
from lxml import html as lxml_html
from tests.results.small_runs import outage, record, workload

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.report.charts import histogram
from windtunnel.report.data import page_data
from windtunnel.report.page import html, write_report
from windtunnel.results.layout import Layout
from windtunnel.results.recording import Recording
from windtunnel.results.run import Run, load_run


def data_of(page: str) -> dict:
    return json.loads(lxml_html.fromstring(page.encode()).get_element_by_id("data").text)


def test_everything_is_on_the_page_and_nothing_is_fetched(tmp_path):
    record(Layout.directory(tmp_path / "out"), events=[outage()])
    path = write_report(load_run(tmp_path / "out"), tmp_path / "out.html")
    page = path.read_text()
    assert "out: easy" in page
    tree = lxml_html.fromstring(page.encode())
    assert not tree.xpath("//link | //img | //iframe | //@src | //@href")
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    data = data_of(page)
    assert len(data["jobs"]["id"]) == 60
    assert {c["name"] for c in data["curves"]} == {"busy hosts", "waiting jobs"}
    assert data["away"] == [[100.0, 200.0, 6, 2]]
    assert len(tree.xpath("//figure")) == 4
    assert tree.xpath("//h2[text()='Users']")


def test_bars_are_the_allocations():
    run = Run.of(record())
    data = page_data(run)
    area = sum(d * n for d, n in zip(data["bars"]["run"], data["bars"]["count"], strict=True))
    assert area == pytest.approx(run.metrics.allocated_host_seconds)
    busy = next(c for c in data["curves"] if c["name"] == "busy hosts")
    width = (data["to"] - data["from"]) / len(busy["values"])
    assert sum(busy["values"]) * width == pytest.approx(area, rel=1e-3)


def test_the_smallest_bars_of_a_very_long_run_are_left_out_and_that_is_said(monkeypatch):
    run = Run.of(record())
    whole = page_data(run)
    monkeypatch.setattr("windtunnel.report.data.MOST_BARS", 20)
    data = page_data(run)
    assert len(data["bars"]["start"]) == 20
    assert data["left_out"] == len(whole["bars"]["start"]) - 20
    assert (data["from"], data["to"], data["curves"]) == (whole["from"], whole["to"], whole["curves"])
    least = min(d * n for d, n in zip(data["bars"]["run"], data["bars"]["count"], strict=True))
    areas = sorted((d * n for d, n in zip(whole["bars"]["run"], whole["bars"]["count"], strict=True)), reverse=True)
    assert least == areas[19]
    assert "shows the 20 largest bars" in html(run)
    assert "largest bars" not in html(Run.of(record(jobs=workload(3))))


def test_names_cannot_break_out():
    evil = "</script><script>alert(1)</script>"
    job = Job(
        id=f"w0!{evil}", request=Request(1), profile=DelayProfile(id="w0!d", delay=3.0), user=evil, queue="<b>q"
    )
    recording = record(jobs=JobList("w0", [job]))
    recording.state.facts["note"] = evil
    recording.state.platform.name = "<i>site"
    page = html(Run.of(recording))
    assert page.count("</script>") == 2  # the two of the page itself
    assert "<b>q" not in page
    assert "<i>site" not in page
    data = data_of(page)
    assert data["jobs"]["id"] == [f"w0!{evil}"]
    assert data["users"] == [evil]


def test_dollars_in_names_are_no_placeholders():
    recording = record()
    recording.state.facts["schedulers"] = "$data ${script} $"
    assert "$data ${script} $" in html(Run.of(recording))


def test_a_run_that_did_not_end_says_so():
    recording = record(jobs=workload(5))
    recording.state.status = "incomplete"
    recording.state.reason = "failed: <the> scheduler is gone"
    page = html(Run.of(recording))
    assert "not complete" in page
    assert "failed: &lt;the&gt; scheduler is gone" in page


def test_a_run_that_was_killed_says_how_far_it_came():
    recording = record(jobs=workload(5))
    recording.state.status = "running"
    recording.state.simulated_time = 0.0
    assert f"not complete at {recording.metrics().makespan:,.2f} s: it was killed, or goes on" in html(
        Run.of(recording)
    )


def test_a_run_without_jobs_has_a_page():
    recording = Recording()
    recording.close("nothing happened")
    page = html(Run.of(recording))
    assert data_of(page)["bars"]["start"] == []


def test_trims_apply_to_the_figures():
    run = Run.of(record())
    assert html(run, warm_up="30%") != html(run)
    with pytest.raises(UsageError, match="warm-up"):
        html(run, warm_up="a while")


def test_the_same_run_gives_the_same_page():
    assert html(Run.of(record())) == html(Run.of(record()))


def test_histograms_count_everything():
    for values in ([0.0], [1.0, 2.0, 2.0], [0.0, 1e-3, 5.0, 1e6], [5.0] * 7, [float(i) for i in range(500)]):
        counts = [int(n.replace(",", "")) for n in re.findall(r": ([\d,]+) jobs", histogram("x", values))]
        assert sum(counts) == len(values)
    assert histogram("x", []) == ""
