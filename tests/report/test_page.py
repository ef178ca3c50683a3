"""The HTML report: whole, self-contained, and safe whatever jobs are called."""

import json
import re
from array import array
from base64 import b64decode

import msgspec
import pytest
from lxml import html as lxml_html
from tests.results.small_runs import outage, record, workload

from windtunnel.diagnostics import UsageError, show_duration
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.report.data import page_data
from windtunnel.report.page import html, write_report
from windtunnel.results.compare_many import compare_runs
from windtunnel.results.layout import Layout
from windtunnel.results.recording import Recording
from windtunnel.results.run import Run, load_run


def unpacked(thing):
    """Packed columns as lists."""
    if isinstance(thing, dict) and set(thing) == {"t", "s", "b"}:
        numbers = array({"u1": "B", "u2": "H", "i4": "i", "f8": "d"}[thing["t"]], b64decode(thing["b"]))
        empty = thing["t"] == "i4"
        return [None if empty and n == -(1 << 31) else n / thing["s"] for n in numbers]
    if isinstance(thing, dict) and set(thing) == {"start", "numbers"}:
        return [f"{thing['start']}{n:.0f}" for n in unpacked(thing["numbers"])]
    if isinstance(thing, dict):
        return thing["texts"] if set(thing) == {"texts"} else {name: unpacked(value) for name, value in thing.items()}
    return thing


def data_of(page: str) -> dict:
    """What the page shows of its first run."""
    return unpacked(json.loads(lxml_html.fromstring(page.encode()).get_element_by_id("data").text)["runs"][0])


def areas(data: dict) -> list[float]:
    """Host-seconds of the bars."""
    spans = list(zip(data["stretches"]["start"], data["stretches"]["finish"], strict=True))
    ends = [spans[int(rank)] for rank in data["bars"]["stretch"]]
    return [(b - a) * n for (a, b), n in zip(ends, data["bars"]["count"], strict=True)]


def test_everything_is_on_the_page_and_nothing_is_fetched(tmp_path):
    record(Layout.directory(tmp_path / "out"), events=[outage()])
    path = write_report(load_run(tmp_path / "out"), tmp_path / "out.html")
    page = path.read_text()
    assert "out: easy" in page
    tree = lxml_html.fromstring(page.encode())
    assert not tree.xpath("//link | //img | //iframe | //@src | //@href[not(starts-with(., '#'))]")
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    data = data_of(page)
    assert len(data["jobs"]["id"]) == 60
    assert {c["name"] for c in data["curves"]} == {"busy hosts", "waiting jobs"}
    assert data["conditions"]["spans"] == [[100.0, 200.0, 6, 2, 0]]
    assert data["conditions"]["kinds"] == ["unavailable"]
    assert len(tree.xpath("//figure")) == 4
    assert tree.xpath("//h2[text()='Users']")


def test_a_run_in_which_no_job_ran_says_so(tmp_path):
    """Its only job wants more hosts than there are."""
    job = Job(id="w0!1", submission_time=0.0, walltime=10.0, request=Request(hosts=9), profile=DelayProfile(delay=5.0))
    record(Layout.directory(tmp_path / "out"), jobs=JobList("w0", [job]))
    tree = lxml_html.fromstring(html(load_run(tmp_path / "out")).encode())
    (section,) = tree.xpath("//section[h2/text()='Distributions']")
    assert section.text_content() == "DistributionsNo job ran."


def test_bars_are_the_allocations():
    run = Run.of(record())
    data = unpacked(page_data(run))
    area = sum(areas(data))
    assert area == pytest.approx(run.metrics.allocated_host_seconds)
    busy = next(c for c in data["curves"] if c["name"] == "busy hosts")
    width = (data["to"] - data["from"]) / len(busy["values"])
    assert sum(busy["values"]) * width == pytest.approx(area, rel=1e-3)


def test_the_smallest_bars_of_a_very_long_run_are_left_out_and_that_is_said(monkeypatch):
    run = Run.of(record())
    whole = unpacked(page_data(run))
    monkeypatch.setattr("windtunnel.report.data.MOST_BARS", 20)
    data = unpacked(page_data(run))
    assert len(data["bars"]["host"]) == 20
    assert data["left_out"] == len(whole["bars"]["host"]) - 20
    assert (data["from"], data["to"], data["curves"]) == (whole["from"], whole["to"], whole["curves"])
    assert min(areas(data)) == sorted(areas(whole), reverse=True)[19]
    assert f"shows the largest bars; {data['left_out']} smaller ones are left out" in html(run)
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
    when = show_duration(recording.metrics().makespan)
    assert f"not complete at {when}: it was killed, or is still running" in html(Run.of(recording))


def test_a_run_without_jobs_has_a_page():
    recording = Recording()
    recording.close("nothing happened")
    page = html(Run.of(recording))
    assert data_of(page)["bars"]["host"] == []


def test_trims_apply_to_the_figures():
    run = Run.of(record())
    assert html(run, warm_up="30%") != html(run)
    with pytest.raises(UsageError, match="warm-up"):
        html(run, warm_up="a while")


def test_the_same_run_gives_the_same_page():
    assert html(Run.of(record())) == html(Run.of(record()))


def test_cards_show_the_metrics_exactly():
    run = Run.of(record())
    tree = lxml_html.fromstring(html(run).encode())
    shown = {
        card.findtext("h3"): [float(data.get("value")) for data in card.iter("data")]
        for card in tree.find_class("fact")
    }
    metrics = run.metrics
    waits = metrics.waiting_time
    assert shown["Waiting time, mean"] == [waits.mean, waits.p50, waits.p95, waits.max]
    assert shown["Utilisation"] == [metrics.utilisation]
    assert shown["Makespan"] == [metrics.makespan]
    assert shown["Jobs"] == [metrics.jobs, *metrics.states.values()]
    rows = {row[0].text: row for row in tree.xpath("//table[caption='Users, most host-hours first']/tbody/tr")}
    assert set(rows) == set(metrics.users)
    for name, group in metrics.users.items():
        assert [float(cell.get("data-value")) for cell in rows[name][1:]] == list(msgspec.structs.astuple(group))


def test_runs_side_by_side():
    first, second = Run.of(record()), Run.of(record(scheduler="fcfs"))
    page = html(first, beside=[second])
    tree = lxml_html.fromstring(page.encode())
    assert tree.findtext(".//h1") == "easy · fcfs"
    rows = {row[0].text: row for row in tree.xpath("//table[caption='Figures']/tbody/tr")}
    waits = [float(cell.get("data-value")) for cell in rows["waiting time, mean"][1:]]
    assert waits == [first.metrics.waiting_time.mean, second.metrics.waiting_time.mean]
    compared = compare_runs(first, second)
    gained = tree.xpath("//table[caption='Who gained, who lost']/tbody/tr/td/@data-value")
    assert [float(n) for n in gained] == [compared.gained[1], compared.lost[1]]
    users = tree.xpath("//table[caption='Mean wait by user']/tbody/tr")
    assert [row[0].text for row in users] == [group.name for group in compared.users]
    runs = json.loads(tree.get_element_by_id("data").text)["runs"]
    assert [(run["name"], run["from"], run["to"]) for run in runs] == [
        (name, runs[0]["from"], runs[0]["to"]) for name in ("easy", "fcfs")
    ]


def test_runs_of_one_name_are_told_apart():
    page = html(Run.of(record()), beside=[Run.of(record(jobs=workload(seed=2)))])
    assert "1: in memory · 2: in memory" in page


def test_the_page_says_what_did_not_take_effect():
    recording = record()
    recording.account.tell("dropped", "<rows> without a size", count=3, place="a.swf:7")
    assert "dropped (3 times, first at a.swf:7): &lt;rows&gt; without a size" in html(Run.of(recording))
