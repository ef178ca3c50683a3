"""calibrate and what-if where the truth is known: logs that our own scheduler made, with hidden drains and changes."""

import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.examples import find
from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.model.slurm import SlurmSite
from windtunnel.twin.calibrate import calibrate
from windtunnel.twin.change import Change, Shift
from windtunnel.twin.changes import changed, pairs_of
from windtunnel.twin.conf_files import ConfFiles
from windtunnel.twin.drains import Drain, as_events, drains_in
from windtunnel.twin.extract import script
from windtunnel.twin.node_changes import with_nodes
from windtunnel.twin.replay import log_of, replay
from windtunnel.twin.what_if import what_if

CONF = """ClusterName=small
SelectType=select/linear
SchedulerParameters=bf_window=60,defer
NodeName=n[1-4] CPUs=1
NodeName=g[1-2] CPUs=1
PartitionName=main Nodes=n[1-4],g[1-2] Default=YES MaxTime=1-0
"""
HEAD = "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|State|NodeList\n"


def as_files(text):
    path = Path("slurm.conf").absolute()
    return ConfFiles(path, {path: text})


def with_change(text, change):
    files = changed(as_files(text), pairs_of(change))
    return files.texts[files.path]


def more_nodes(text, change):
    files = with_nodes(as_files(text), change, SlurmSite())
    return files.texts[files.path]


def iso(seconds):
    return datetime.fromtimestamp(1704067200 + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def rows(jobs):
    """A log of (id, user, submitted, waited, ran, CPUs, nodes)."""
    return HEAD + "".join(
        f"{name}|{user}|a{user}|main|{iso(submitted)}|{iso(submitted + waited)}|{iso(submitted + waited + ran)}"
        f"|{ran:.0f}|120|{cpus}|COMPLETED|{nodes}\n"
        for name, user, submitted, waited, ran, cpus, nodes in jobs
    )


@pytest.fixture
def site(tmp_path):
    (tmp_path / "slurm.conf").write_text(CONF)
    jobs = [(str(1 + k), f"u{k % 3}", 300.0 * k, 0.0, 1500.0 + k % 7 * 300, 1 + k % 2, "n1") for k in range(120)]
    (tmp_path / "asked").write_text(rows(jobs))
    return tmp_path


def recorded(site, events=None, name="log", scheduler="easy", conf="slurm.conf"):
    """A log as our own scheduler makes it; the nodes each job had stand in it."""
    from windtunnel.api import simulate

    platform, asked = read_platform(site / conf), read_workload(site / "asked")
    run = simulate(platform, asked, scheduler, events=events or ())
    names = [host.name for host in platform.hosts]
    made = []
    columns = ["id", "submission_time", "waiting_time", "execution_time", "allocated_resources"]
    known = {job.id: job for job in asked}
    for job, submitted, waited, ran, hosts in run.jobs.select(columns).iter_rows():
        used = []
        for part in str(hosts).split():
            low, _, high = part.partition("-")
            used += names[int(low) : int(high or low) + 1]
        one = known[job]
        made.append((one.name, one.user, submitted, waited, ran, one.request.processors, ",".join(used)))
    (site / name).write_text(rows(made))
    return site / name


@pytest.mark.parametrize("scheduler", ["easy", "slurm"])
def test_a_log_of_our_own_is_met_exactly(site, scheduler):
    log = read_workload(recorded(site, scheduler=scheduler))
    found = calibrate(read_platform(site / "slurm.conf"), log, scheduler)
    assert (found.same_start, found.error, found.missing, found.drains) == (1.0, 0.0, 0, ())
    assert found.jobs == 120
    whole = found.groups[0]
    assert whole.recorded_mean > 0
    assert whole.recorded_mean == pytest.approx(whole.simulated_mean)
    assert found.recorded_use == pytest.approx(found.simulated_use)
    assert found.verdict.startswith("The agreement is close")
    assert sum(one.jobs for one in found.groups if one.by == "user") == 120
    for by in ("partition", "account", "size", "user", "hour"):
        some = [one for one in found.groups if one.by == by]
        assert sum(one.recorded_use for one in some) == pytest.approx(found.recorded_use)
        assert sum(one.simulated_use for one in some) == pytest.approx(found.simulated_use)
        assert {one.same_start for one in some} == {1.0}


@pytest.mark.parametrize("scheduler", ["easy", "slurm"])
def test_hidden_drains_are_found(site, scheduler):
    platform = read_platform(site / "slurm.conf")
    hidden = [Drain("n4", 9000.0, 30000.0), Drain("g1", 9000.0, 30000.0)]
    log = read_workload(recorded(site, [as_events(hidden, platform)], scheduler=scheduler))
    found = calibrate(platform, log, scheduler)
    assert {one.node for one in found.drains} == {"n4", "g1"}
    for one in found.drains:
        assert one.start <= 12000
        assert abs(one.end - 30000) <= 1800
    without = calibrate(platform, log, scheduler, fit_drains=False)
    off = [abs(each.groups[0].simulated_mean - each.groups[0].recorded_mean) for each in (found, without)]
    assert off[0] < off[1] / 2
    assert "2 nodes unused" in found.verdict


def test_a_change_is_foreseen_exactly(site):
    log = recorded(site)
    found = what_if(site / "slurm.conf", read_workload(log), nodes=["main:+2"], scheduler="easy")
    (site / "changed.conf").write_text(more_nodes((site / "slurm.conf").read_text(), "main:+2"))
    truth, _ = replay(read_platform(site / "changed.conf"), read_workload(log), "easy")
    whole = found.shifts[0]
    assert whole.after == pytest.approx(sum(one.waited for one in truth) / len(truth))
    assert whole.after < whole.before
    assert (found.never_before, found.never_after) == (0, 0)
    assert "+NodeName=new-main[1-2] CPUs=1" in found.diff
    assert len(read_platform(site / "changed.conf").hosts) == 8


def test_an_altered_weight_is_foreseen_exactly(site):
    """The log was made without the weight; the run with it is foreseen job by job, by the site's own Slurm."""
    (site / "slurm.conf").write_text(f"PriorityType=priority/multifactor\nPriorityWeightAge=1000\n{CONF}")
    log = read_workload(recorded(site, scheduler="slurm"))
    weight = "PriorityWeightJobSize=100000"
    found = what_if(site / "slurm.conf", log, sets=[weight])
    (site / "changed.conf").write_text(with_change((site / "slurm.conf").read_text(), weight))
    truth = {
        one.id: one.waited for one in log_of(read_workload(recorded(site, None, "truth", "slurm", "changed.conf")))
    }
    now = {one.id: one.waited for one in replay(read_platform(site / "changed.conf"), log)[0]}
    assert now == pytest.approx(truth)
    assert found.shifts[0].after == pytest.approx(sum(truth.values()) / len(truth))
    sizes = {one.name: one.after - one.before for one in found.shifts if one.by == "user"}
    assert any(sizes.values())


def test_hidden_drains_and_an_altered_weight_are_told_apart(site):
    """The log has both; taking the drains away leaves what the weight does, and with the weight nothing is left."""
    plain = f"PriorityType=priority/multifactor\nPriorityWeightAge=1000\n{CONF}"
    (site / "slurm.conf").write_text(plain)
    (site / "heavy.conf").write_text(f"PriorityWeightJobSize=100000\n{plain}")
    heavy = read_platform(site / "heavy.conf")
    hidden = [Drain("n4", 9000.0, 30000.0), Drain("g1", 9000.0, 30000.0)]
    log = read_workload(recorded(site, [as_events(hidden, heavy)], scheduler="slurm", conf="heavy.conf"))
    found, alike = calibrate(read_platform(site / "slurm.conf"), log), calibrate(heavy, log)
    assert {one.node for one in found.drains} == {one.node for one in alike.drains} == {"n4", "g1"}
    assert found.same_start < alike.same_start
    assert found.error > alike.error
    sizes = {one.name: one for one in found.groups if one.by == "size"}
    assert all(one.same_start < 1 for one in sizes.values())


def test_changes_of_the_text():
    text = with_change(CONF, "SchedulerParameters=bf_window=2880,bf_continue")
    assert "SchedulerParameters=bf_window=2880,defer,bf_continue\n" in text
    text = with_change(CONF, "PartitionName=main MaxTime=2-0 PriorityTier=7")
    assert "Default=YES MaxTime=2-0 PriorityTier=7\n" in text
    assert with_change(CONF, "PriorityWeightAge=5").startswith("PriorityWeightAge=5\n")


FAULTS = [
    ("PartitionName=gpu MaxTime=1", "there is no line PartitionName=gpu"),
    (
        "PriorityWeigthAge=1",
        "PriorityWeigthAge changes nothing that is simulated\n  hint: did you mean 'PriorityWeight",
    ),
    ("SlurmctldPort=1", "SlurmctldPort changes nothing"),
    ("fast", "'fast' is not a change"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_faulty_changes(change, message):
    with pytest.raises(UsageError) as caught:
        with_change(CONF, change)
    assert message in str(caught.value)


def test_nodes_are_added_to_a_partition_of_a_node_set_by_their_feature():
    nodes = "NodeName=a[1-4] CPUs=4\nNodeName=b[1-4] CPUs=8 Feature=x,fast\n"
    text = f"{nodes}NodeSet=quick Feature=fast\nPartitionName=p Nodes=quick\n"
    assert more_nodes(text, "p:+2") == text.replace(
        "\nNodeSet", "\nNodeName=new-p[1-2] CPUs=8 Feature=x,fast\nNodeSet"
    )


@pytest.mark.parametrize("change", ["gpu:+2", "main", "main:+0", "gpu:-1", "main:1"])
def test_faulty_nodes(change):
    with pytest.raises(UsageError):
        more_nodes(CONF, change)


def test_options_of_both_formats(site, capsys):
    (site / "accounts.txt").write_text("Cluster|Account|User\nx|root|\nx|au0|\nx|au0|u0\n")
    lines = (site / "asked").read_text().splitlines()
    (site / "bare").write_text("\n".join(lines[1:]) + "\n")
    head = ["--workload-option", f"columns={lines[0].replace('|', ',')}"]
    files = [str(site / "slurm.conf"), str(site / "bare")]
    accounts = ["--platform-option", f"accounts={site / 'accounts.txt'}"]
    assert main(["calibrate", *files, *head, *accounts, "-s", "easy"]) == 0
    assert "all jobs" in capsys.readouterr().out
    change = ["--set", "Account=au0 MaxJobs=1"]
    assert main(["what-if", *files, *head, *accounts, "-s", "easy", *change]) == 0
    assert "sacctmgr modify account au0 set MaxJobs=1" in capsys.readouterr().out
    assert main(["what-if", *files, *head, "-s", "easy", *change]) == 2
    assert "it is not known which accounts there are" in capsys.readouterr().err
    assert main(["what-if", *files, *head, "--platform-option", "sped=2", *change]) == 2
    assert "no option 'sped' (did you mean 'speed'?)" in capsys.readouterr().err


def test_all_that_did_not_take_effect_is_told(site, capsys):
    lines = (site / "asked").read_text().splitlines()
    cancelled = "900|u1|au1|main|2024-01-01T00:00:00|None|2024-01-01T00:00:09|0|120|1|CANCELLED|None assigned"
    (site / "odd").write_text("\n".join([*lines, cancelled, lines[5]]) + "\n")
    found = calibrate(read_platform(site / "slurm.conf"), read_workload(site / "odd"), "easy")
    assert len(found.told) >= 3
    assert main(["calibrate", str(site / "slurm.conf"), str(site / "odd"), "-s", "easy"]) == 0
    printed = capsys.readouterr().err
    assert all(line in printed for line in found.told)
    assert "run.account" not in printed


def test_a_log_without_starts(site):
    text = (site / "asked").read_text().replace("|Start|", "|Begun|")
    (site / "log").write_text(text)
    with pytest.raises(UsageError, match="does not tell when jobs started"):
        log_of(read_workload(site / "log"))


def test_gaps_without_waiting_jobs_are_no_drains(site):
    platform = read_platform(site / "slurm.conf")
    assert drains_in(log_of(read_workload(site / "asked")), platform) == []


def test_the_script_is_one_for_a_shell():
    for anonymous in (False, True):
        text = script(start="2024-01-01", end="now", folder="my site", anonymous=anonymous)
        assert subprocess.run(["sh", "-n"], input=text.encode(), check=False).returncode == 0
        assert "folder='my site'" in text
        assert ("key.txt" in text) == anonymous


def test_commands(site, capsys):
    log = recorded(site)
    made = ["--report", str(site / "page.html")]
    assert main(["calibrate", str(site / "slurm.conf"), str(log), "-s", "easy", *made]) == 0
    assert "The agreement is close" in capsys.readouterr().out
    page = (site / "page.html").read_text()
    assert "<h1>small: how far the replay agrees with the log</h1><p>The agreement is close" in page
    assert "Waiting time: 240 jobs" in page
    change = ["--nodes", "main:+1", "--set", "SchedulerParameters=bf_window=2880"]
    change += ["--set", "PartitionName=main MaxTime=2-0"]
    assert main(["what-if", str(site / "slurm.conf"), str(log), "-s", "easy", *change]) == 0
    out = capsys.readouterr().out
    assert out.startswith("gain: ")
    assert "\nlose: nobody significantly\n" in out
    assert "all jobs" in out
    assert "+SchedulerParameters=bf_window=2880,defer" in out
    assert re.search(r"(?m)^\+PartitionName=main .*MaxTime=2-0$", out)
    assert main(["what-if", str(site / "slurm.conf"), str(log)]) == 2
    assert "nothing changes" in capsys.readouterr().err
    assert main(["slurm", "extract"]) == 0
    assert capsys.readouterr().out.startswith("#!/bin/sh")
    assert main(["slurm", "exract"]) == 2


def test_the_bundled_site_is_what_its_script_makes():
    """5,000 jobs in two partitions, within the capacity of the site at any time."""
    from windtunnel.examples import find

    example = find("slurm")
    platform = read_platform(example.platform)
    log = read_workload(example.workloads[0])
    assert (len(log), len(platform.hosts)) == (5000, 28)
    assert [part.name for part in platform.site.partitions] == ["batch", "gpu"]
    assert len(platform.site.associations) == 18
    assert {one.name for one in platform.site.qos} == {"normal", "urgent", "long"}
    used = []
    for one in log_of(log):
        start = one.submitted + one.waited
        share = one.processors / len(one.nodes.split(","))
        for node in one.nodes.split(","):
            used += [(node, start, share), (node, start + one.ran, -share)]
    amount, before = 0.0, ""
    for node, _, share in sorted(used):
        amount = amount + share if node == before else share
        before = node
        assert 0 <= amount <= 16


def test_a_bundled_site_by_name(capsys):
    assert main(["calibrate", "example:slurm", "-s", "easy"]) == 0
    assert "all jobs" in capsys.readouterr().out
    assert main(["calibrate", "slurm.conf"]) == 2
    assert "name the log after the site" in capsys.readouterr().err


def test_jobs_that_a_change_shuts_out_are_counted(site):
    """A partition's limit below what jobs ask for: they never start, and the run comes to its end all the same."""
    log = read_workload(recorded(site))
    found = what_if(site / "slurm.conf", log, sets=["PartitionName=main MaxTime=60"])
    assert (found.never_before, found.never_after) == (0, 120)


def test_why_jobs_never_start_is_told(site):
    """A log may be older than the site: the verdict said that nothing fits those jobs, whatever it was."""
    log = read_workload(recorded(site))
    (site / "slurm.conf").write_text(CONF.replace("MaxTime=1-0", "MaxTime=60"))
    found = calibrate(read_platform(site / "slurm.conf"), log, "slurm")
    assert (found.jobs, found.missing) == (0, 120)
    assert found.told[-1] == "rejected (120 times, first w0!1): Slurm never starts it: PartitionTimeLimit"
    few = HEAD + rows([("1", "ann", 0.0, 0.0, 60.0, 1, "n1")]).removeprefix(HEAD)
    few += rows([("2", "ann", 0.0, 0.0, 60.0, 1, "n1")]).removeprefix(HEAD).replace("|120|", "|30|")
    (site / "few").write_text(few)
    found = calibrate(read_platform(site / "slurm.conf"), read_workload(site / "few"), "slurm")
    told = "1 job of the log never starts in the replay: Slurm never starts it: PartitionTimeLimit."
    assert (found.jobs, found.missing, told in found.verdict) == (1, 1, True)


def test_a_kept_study_is_not_run_again(site, tmp_path, monkeypatch):
    log = read_workload(recorded(site))
    given = {"nodes": ["main:+1"], "scheduler": "easy", "out": tmp_path / "study"}
    first = what_if(site / "slurm.conf", log, **given)
    monkeypatch.setattr("windtunnel.api.Simulation.run", None)
    assert what_if(site / "slurm.conf", log, **given) == first
    assert (tmp_path / "study" / "points.parquet").is_file()


def shift(by, name, before, after, jobs=10, low=None, high=None):
    return Shift(by, name, jobs, before, after, low, high)


def test_who_gains_and_who_loses():
    shifts = (
        shift("all", "all jobs", 100, 90),
        shift("partition", "gpu", 100, 50, low=-60, high=-40),
        shift("partition", "main", 100, 101, jobs=1000, low=0.5, high=2),
        shift("user", "ann", 100, 60, jobs=1, low=-90, high=10),  # perhaps by chance
        shift("user", "bob", 100, 30, jobs=3),
        shift("account", "x", 10, 10.4),
        shift("hour", "03h", 10, 0),
    )
    found = Change(shifts=shifts, never_before=0, never_after=0, diff="")
    assert [one.name for one in found.gaining()] == ["gpu", "bob"]
    assert [one.name for one in found.losing()] == ["main"]


def test_what_is_told_keeps_its_hint(site):
    (site / "slurm.conf").write_text(f"PriorityType=priority/multifactor\n{CONF}")
    found = what_if(site / "slurm.conf", read_workload(recorded(site)), nodes=["main:+1"], scheduler="easy")
    (line,) = [one for one in found.told if "priorities and fair share" in one]
    assert line.endswith("the other rules of Slurm\n  hint: without --scheduler the site's own Slurm decides")
    assert not any(one.startswith(" ") for one in found.told)


def test_a_log_in_the_place_of_the_site_is_named_as_one(site, capsys):
    """It was read as a slurm.conf: each of its rows was an error of its own."""
    for line in (["calibrate"], ["what-if", "--nodes", "main:+2"]):
        assert main([*line, str(site / "asked"), str(site / "slurm.conf")]) == 2
        said = capsys.readouterr().err
        assert f"{site}/asked is a workload (the format sacct)" in said
        assert "hint: the site comes first, then its log" in said


@pytest.mark.parametrize("page", ["nowhere/page.html", ".", "slurm.conf"])
def test_a_page_that_cannot_be_written_is_refused_before_the_replay(tmp_path, monkeypatch, capsys, page):
    site = Path(find("slurm").platform).parent
    for name in ("slurm.conf", "gres.conf", "jobs.txt.gz"):
        (tmp_path / name).write_bytes((site / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "slurm.conf").read_bytes()
    assert main(["calibrate", "slurm.conf", "jobs.txt.gz", "-s", "easy", "--report", page]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("windtunnel calibrate: --report: ")
    assert not said.out
    assert (tmp_path / "slurm.conf").read_bytes() == before


def test_a_part_of_a_log_is_compared_and_tried_out(site, capsys):
    recorded(site)
    files = [str(site / "slurm.conf"), str(site / "log")]
    assert main(["calibrate", *files, "-s", "easy", "--apply", "first(50)", "--apply", "slice(0, hours=3)"]) == 0
    told = capsys.readouterr().out
    assert "of 36 jobs" in told
    assert main(["calibrate", *files, "-s", "easy", "--apply", "scale_load(2.0)"]) == 2
    told = capsys.readouterr().err
    assert "scale_load changes the jobs of the log" in told
    assert "filter, first, slice" in told
    change = ["--nodes", "main:+1", "-s", "easy"]
    assert main(["what-if", *files, *change, "--apply", "filter(user='u1')", "--apply", "scale_load(0.9, hosts=6)"]) == 0
    assert re.search(r"all jobs +40 ", capsys.readouterr().out)
    for command in (["calibrate", *files], ["what-if", *files, *change]):
        assert main([*command, "--apply", "slice('2099')"]) == 2
        told = capsys.readouterr().err
        assert "no job of the log is left" in told
        assert "after slice(start='2099')" in told
    assert main(["what-if", *files, *change, "--apply", "frist(9)"]) == 2
    assert "first" in capsys.readouterr().err


def test_a_later_part_of_a_log_is_met_where_nothing_was_left_over(site):
    from windtunnel.api import changed

    jobs = [(str(1 + k), "u", 9000.0 * k, 0.0, 1500.0, 6, "n1") for k in range(12)]
    (site / "asked").write_text(rows(jobs))
    recorded(site)
    part = changed(read_workload(site / "log", format="sacct"), ["slice(36000)"])
    found = calibrate(read_platform(site / "slurm.conf"), part, "easy")
    assert (found.jobs, found.same_start, found.missing) == (8, 1.0, 0)
