"""Runs of leases from files: what they leave on disk, reports, and the command line."""

import csv
import json
import xml.etree.ElementTree as ET

import pytest

from shared import shared
from windtunnel.api import load_run
from windtunnel.cli.main import main
from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.formats.haizea.lwf_write import write_lwf, write_site
from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.model.lease import CPU, MEMORY, DiskImage, Lease, LeaseSite, LeaseWorkload, NodeSet
from windtunnel.model.lease_options import LeaseOptions, MigrationMode, Preparation, SuspensionMode
from windtunnel.report.lease_gantt import write_lease_gantt
from windtunnel.services.lease_run import LeaseRun, simulate_leases
from windtunnel.vocabulary import Observer

SITE = site_from_text("4 CPU:100,Memory:1024")
OPTIONS = LeaseOptions(
    policy_preemption="ar-preempts-everything",
    suspension=SuspensionMode.ALL,
    migration=MigrationMode.YES,
    lease_preparation=Preparation.IMAGETRANSFER,
)


def lease(number, count=1, **more):
    return Lease(id=number, nodes=(NodeSet(count, {CPU: (100,), MEMORY: (1024,)}),), **{"duration": 3600, **more})


WORK = LeaseWorkload(
    site=SITE,
    attributes={"kind": "test"},
    leases=[
        lease(1, 1, software=DiskImage("a", 100)),
        lease(2, 4, submit=900, start=1800.0, duration=1800),
        lease(3, 5, submit=1000, start=9000.0),
        lease(4, 2, submit=1000, real_duration=600.0),
    ],
)


@pytest.fixture
def out(tmp_path):
    simulate_leases(WORK, options=OPTIONS, out=tmp_path / "out", attributes={"more": "1"})
    return tmp_path / "out"


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_rows_tell_what_happened(out):
    rows = {int(row["lease_id"]): row for row in read(out / "leases.csv")}
    assert {number: row["state"] for number, row in rows.items()} == {1: "Done", 2: "Done", 3: "Rejected", 4: "Done"}
    assert rows[3]["reason"] == "not enough resources in the requested interval"
    assert (rows[1]["suspensions"], rows[1]["transfers"], rows[1]["ran"]) == ("1", "1", "3600")
    assert rows[4]["ran"] == "600"
    kinds = {row["kind"] for row in read(out / "reservations.csv")}
    assert {"VM", "Suspension", "Resumption", "FileTransfer"} <= kinds


def test_dates_are_written_whole_however_late(tmp_path):
    """Requested starts had six digits: 1.23457e+06 for the one here."""
    work = LeaseWorkload(site=SITE, leases=[lease(1, start=1_234_567.5), lease(2)])
    simulate_leases(work, out=tmp_path / "out")
    row, other = (row for row in sorted(read(tmp_path / "out" / "leases.csv"), key=lambda row: row["lease_id"]))
    assert (row["requested_start"], row["started"]) == ("1234567.5", "1234567.5")
    assert other["requested_start"] == "unspecified"


def test_counters_and_statistics(out):
    facts = json.loads((out / "statistics.json").read_text())
    assert facts["attributes"] == {"kind": "test", "more": "1"}
    assert facts["run"]["Total accepted AR"] == 2
    assert facts["run"]["Total rejected AR"] == 1
    assert facts["leases"]["4"]["Actual duration"] == 600
    counters = [row for row in read(out / "counters.csv") if row["counter"] == "CPU utilization"]
    assert max(float(row["value"]) for row in counters) == 1.0
    assert 0 < float(counters[-1]["average"]) < 1


def test_a_run_of_leases_is_a_run_of_jobs_too(out):
    run = load_run(out)
    assert run.complete
    assert run.metrics.jobs == 4
    assert run.report(out / "report.html").exists()


def test_the_picture_shows_everything(out, capsys):
    assert main(["lease", "gantt", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out / "gantt.svg")
    titles = [title.text for title in ET.parse(out / "gantt.svg").iter("{http://www.w3.org/2000/svg}title")]
    for kind in ("VM", "Suspension", "Resumption", "FileTransfer"):
        assert any(kind in title for title in titles)
    texts = [text.text for text in ET.parse(out / "gantt.svg").iter("{http://www.w3.org/2000/svg}text")]
    times = [text for text in texts if ":" in text and "number" not in text]
    assert times
    assert all(time.endswith(":00") for time in times), "round times"
    assert {"1", "2"} <= set(texts), "the numbers of leases"
    assert "DiskImageMigration" not in texts, "what there is none of"
    with pytest.raises(UsageError, match="from 3600 s until 1800 s shows nothing\n  hint: let --until be after"):
        write_lease_gantt(out, out / "x.svg", start=3600.0, end=1800.0)
    with pytest.raises(UsageError, match="nothing happened"):
        write_lease_gantt(out, out / "x.svg", start=1e9)
    with pytest.raises(UsageError, match="there is no run of leases in"):
        write_lease_gantt(out / "nowhere", out / "x.svg")


def test_what_was_recorded_survives_a_failure(tmp_path):
    class Fails(Observer):
        def on_leases(self, now, facts):
            if now > 1000:
                raise SimulationError("enough")

    with pytest.raises(SimulationError, match="enough"):
        simulate_leases(WORK, options=OPTIONS, out=tmp_path / "out", observers=[Fails()])
    assert read(tmp_path / "out" / "reservations.csv")
    assert not load_run(tmp_path / "out").complete


def test_a_run_in_memory():
    run = simulate_leases(WORK, options=OPTIONS)
    assert isinstance(run, LeaseRun)
    assert run.states == {"Done": 3, "Rejected": 1}
    assert "4 leases: 3 done, 1 rejected" in str(run)
    assert simulate_leases(LeaseWorkload(leases=[]), site="2 CPU:100,Memory:1").leases == []
    with pytest.raises(UsageError, match="describes no site"):
        simulate_leases(LeaseWorkload(leases=[]))


def test_the_sanity_check_finds_what_is_wrong():
    """Haizea takes a whole CPU to save half a one, beside another that runs on."""
    halves = [
        Lease(id=number, nodes=(NodeSet(1, {CPU: (50,), MEMORY: (512,)}),), duration=3600.0, **more)
        for number, more in ((1, {}), (2, {}), (3, {"submit": 60, "start": 1800.0}))
    ]
    site = LeaseSite((CPU, MEMORY), (NodeSet(1, {CPU: (100,), MEMORY: (2048,)}),))
    work = LeaseWorkload(leases=halves, site=site)
    options = LeaseOptions(policy_preemption="ar-preempts-everything", suspension=SuspensionMode.ALL)
    simulate_leases(work, options=options, sanity_check=True)
    odd = LeaseOptions(policy_preemption="ar-preempts-everything", suspension=SuspensionMode.ALL, haizea_compat=True)
    with pytest.raises(
        SimulationError, match="sanity check: node 1 is over its capacity: VM of lease 1, Suspension of lease 2"
    ):
        simulate_leases(work, options=odd, sanity_check=True)


CONFIG = """[general]
mode: simulated
[scheduling]
backfilling: aggressive
suspension: none
[simulation]
clock: simulated
resources: file:site.xml
sanity-check: true
[tracefile]
tracefile: day.lwf
"""


@pytest.fixture
def folder(tmp_path):
    write_site(SITE, tmp_path / "site.xml")
    write_lwf(LeaseWorkload(leases=WORK.leases), tmp_path / "day.lwf")
    (tmp_path / "haizea.conf").write_text(CONFIG)
    return tmp_path


def test_the_command_line(folder, capsys):
    day, conf = str(folder / "day.lwf"), folder / "haizea.conf"
    assert main(["lease", "run", day]) == 2
    assert "describes no site" in capsys.readouterr().err
    assert main(["lease", "run", day, "--site", str(folder / "site.xml"), "-o", "backfilling=off"]) == 0
    assert "4 leases" in capsys.readouterr().out
    assert main(["lease", "run", "--config", str(conf), "--out", str(folder / "out")]) == 0
    assert (folder / "out" / "leases.csv").exists()
    conf.write_text(CONFIG.replace("clock: simulated\n", ""))
    assert main(["lease", "run", "--config", str(conf)]) == 2
    assert "clock is real" in capsys.readouterr().err
    assert main(["lease", "run"]) == 2
    assert main(["lease", "run", day, "--lwf-times", "french"]) == 2


def test_dates_count_from_the_start_that_the_configuration_gives(folder, capsys):
    """They were refused for want of the very start that stands there."""
    dated = '<exact time="2006-11-25 13:30:00"/>'
    work = (folder / "day.lwf").read_text().replace('<exact time="00:30:00.00"/>', dated)
    assert dated in work
    (folder / "day.lwf").write_text(work)
    (folder / "more.lwf").write_text(work)
    start = "clock: simulated\nstarttime: 2006-11-25 13:00:00"
    conf, out = folder / "haizea.conf", folder / "out"
    for more in ("", "injectionfile: more.lwf\n"):
        conf.write_text(CONFIG.replace("clock: simulated", start) + more)
        assert main(["lease", "run", "--config", str(conf), "--out", str(out)]) == 0
        rows = [row for row in read(out / "leases.csv") if row["requested_start"] == "1800"]
        assert len(rows) == (2 if more else 1)
    conf.write_text(CONFIG.replace("clock: simulated", start))
    given = ["lease", "run", "--config", str(conf), "--inject", str(folder / "more.lwf"), "--out", str(out)]
    assert main(given) == 0
    assert sum(row["requested_start"] == "1800" for row in read(out / "leases.csv")) == 2
    assert main(["lease", "run", str(folder / "day.lwf"), "--site", str(folder / "site.xml")]) == 2
    assert "the start of the workload is not known" in capsys.readouterr().err


def test_the_command_line_prints_the_account(folder, capsys):
    text = (folder / "day.lwf").read_text().replace("<lease ", '<lease colour="red" ', 1)
    (folder / "odd.lwf").write_text(text)
    given = ["lease", "run", str(folder / "odd.lwf"), "--site", str(folder / "site.xml")]
    for more, said in (((), True), (("--quiet",), False)):
        assert main([*given, "--out", str(folder / "out"), *more]) == 0
        assert ("'colour'" in capsys.readouterr().err) is said
        assert "'colour'" in (folder / "out" / "run.json").read_text()
    assert main([*given, "--strict-input"]) == 2
    assert "'colour'" in capsys.readouterr().err


def test_several_runs(folder, capsys):
    text = (
        CONFIG.replace("[", "[common:").replace("backfilling: aggressive\n", "").replace("file:", f"file:{folder}/")
    )
    text = text.partition("[common:tracefile]")[0] + "[on:scheduling]\nbackfilling: aggressive\n"
    text += "[off:scheduling]\nbackfilling: off\n[multi]\ntracefiles: day.lwf\n"
    (folder / "multi.conf").write_text(text)
    assert main(["lease", "run", "--config", str(folder / "multi.conf"), "--out", str(folder / "runs")]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["on_day", "off_day"]
    facts = json.loads((folder / "runs" / "off_day" / "statistics.json").read_text())
    assert facts["attributes"]["profile"] == "off"


def test_recorded_traces_run_from_the_command_line(capsys, tmp_path):
    trace = shared("golden/haizea/lwf/preemption.lwf")
    words = ["-o", "suspension=all", "-o", "policy-preemption=ar-preempts-everything", "--haizea-compat"]
    assert main(["lease", "run", str(trace), *words, "--out", str(tmp_path / "out")]) == 0
    assert "end: 5,464 s" in capsys.readouterr().out


def test_the_times_of_hosts_are_counted(tmp_path):
    nodes = (NodeSet(2, {CPU: (100,), MEMORY: (512,)}),)
    leases = [Lease(id=1, nodes=nodes, duration=100.0), Lease(id=2, nodes=nodes, duration=50.0, submit=120.0)]
    work = LeaseWorkload(leases=leases, site=LeaseSite((CPU, MEMORY), (NodeSet(3, {CPU: (100,), MEMORY: (1024,)}),)))
    simulate_leases(work, out=tmp_path)
    row = read(tmp_path / "schedule.csv")[0]
    assert (float(row["time_computing"]), float(row["time_idle"])) == (300.0, 40.0)


PLATFORM = """<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="0">
<prop id="wattage_per_state" value="100:120:200"/></cluster>
</zone></platform>"""


def test_the_command_line_has_what_the_engine_has(folder, capsys):
    day, out = str(folder / "day.lwf"), folder / "out"
    (folder / "cluster.xml").write_text(PLATFORM)
    line = ["lease", "run", day, "--site", str(folder / "cluster.xml"), "--energy", "--out", str(out)]
    assert main([*line, "--failures", "between=exponential:2000;repair=exponential:500;until=8000;seed=3"]) == 0
    assert json.loads((out / "metrics.json").read_text())["consumed_joules"] > 0
    assert (out / "events.csv").exists()
    assert (out / "leases.csv").exists()
    engine = ["run", str(folder / "cluster.xml"), day, "-s", "leases", "--out", str(folder / "engine"), "--quiet"]
    assert main([*engine, "--failures", "between=exponential:2000;repair=exponential:500;until=8000;seed=3"]) == 0
    for name in ("leases.csv", "reservations.csv", "events.csv"):
        assert (folder / "engine" / name).read_bytes() == (out / name).read_bytes()
    assert main([*line, "--until", "1200", "--speed", "1000000"]) == 0
    assert not load_run(out).complete
    assert main(["lease", "run", day, "--site", "4 CPU:100,Memory:1024", "--energy"]) == 2
    assert "watt" in capsys.readouterr().err
    assert main(["lease", "run", day, "--site", "hosts:4", "--energy-rule", "simgrid"]) == 2
    assert "add --energy" in capsys.readouterr().err
    assert main(["lease", "run", day, "--site", "hosts:4"]) == 0
    assert "4 leases" in capsys.readouterr().out


def test_a_run_without_leases_is_drawn_by_other_commands(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["run", "example:small", "--out", str(out), "--quiet"]) == 0
    assert main(["lease", "gantt", str(out)]) == 2
    said = capsys.readouterr().err
    assert f"{out} is a run without leases" in said
    assert f"windtunnel report {out} shows the schedule of its jobs; windtunnel plot {out} gantt FILE.svg" in said
    assert main(["lease", "gantt", str(tmp_path / "nowhere")]) == 2
    assert f"there is no run of leases in {tmp_path / 'nowhere'}" in capsys.readouterr().err


def test_a_run_whose_leases_were_all_rejected_has_leases(tmp_path, capsys):
    """It was said to be a run without leases."""
    out = tmp_path / "out"
    (tmp_path / "w.lwf").write_text(
        '<lease-workload name="w"><lease-requests><lease-request arrival="00:00:00"><lease id="1" preemptible="false"><nodes>'
        '<node-set numnodes="9"><res type="CPU" amount="100"/><res type="Memory" amount="9"/></node-set></nodes><start/>'
        '<duration time="01:00:00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>'
    )
    assert main(["lease", "run", str(tmp_path / "w.lwf"), "--site", "4 CPU:100,Memory:1024", "--out", str(out), "-q"]) == 0
    assert main(["lease", "gantt", str(out)]) == 2
    said = capsys.readouterr().err
    assert f"{out}: no lease had machines, so there is nothing to draw" in said
    assert f"the reasons are in {out / 'leases.csv'}" in said


def test_a_run_that_is_stopped_says_so():
    whole = simulate_leases(WORK)
    assert "incomplete" not in str(whole)
    stopped = simulate_leases(WORK, until=600.0)
    assert str(stopped).startswith("incomplete: stopped at 600 s (10 min); 0 of 4 leases were over\n")


def test_a_workload_of_jobs_is_named_as_one(tmp_path, capsys):
    """It was XML that cannot be read."""
    (tmp_path / "log.swf").write_text("1 0 0 100 2 -1 -1 2 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    assert main(["lease", "run", str(tmp_path / "log.swf")]) == 2
    said = capsys.readouterr().err
    assert "log.swf holds no leases: it is in the format swf\n  hint: jobs are scheduled as leases by" in said
    (tmp_path / "odd.xml").write_text("<odd/>")
    assert main(["lease", "run", str(tmp_path / "odd.xml")]) == 2
    assert "the root element is <odd>" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--start", "yesterday"], "now, best_effort, "),
        (["--start", "2030-01-01 08:00:00", "--deadline", "soon"], ""),
    ],
)
def test_dates_of_requests_are_refused_with_examples(options, words, capsys):
    assert main(["lease", "request", *options]) == 2
    hint = f"hint: such as {words}2026-01-31 08:00:00, or +01:00:00 from now"
    assert hint in capsys.readouterr().err
