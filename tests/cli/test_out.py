"""``--out``: inputs survive, what is not ours is refused, a rerun leaves nothing of the earlier run."""

import json
import shutil
import sys

import pytest

from windtunnel.cli.main import main
from windtunnel.examples import find

SMALL = find("small")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with inputs whose names are those of outputs."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMALL.platform, tmp_path / "site.xml")
    shutil.copy(SMALL.workloads[0], tmp_path / "jobs.csv")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_run_into_the_folder_of_its_inputs_keeps_them(here, capsys, force):
    before = contents(here)
    assert main(["run", "site.xml", "jobs.csv", "--out", ".", "-q", *force]) == 2
    assert "is an input of this run" in capsys.readouterr().err
    assert contents(here) == before


def test_other_files_need_force(here, capsys):
    assert main(["run", SMALL.platform, SMALL.workloads[0], "--out", ".", "-q"]) == 2
    assert "not written by a run: jobs.csv, site.xml" in capsys.readouterr().err
    assert main(["run", SMALL.platform, SMALL.workloads[0], "--out", ".", "-q", "--force"]) == 0
    assert json.loads((here / "run.json").read_text())["status"] == "complete"
    assert not (here / "site.xml").exists()


def test_a_rerun_leaves_nothing_of_the_run_before(here):
    line = ["run", SMALL.platform, SMALL.workloads[0], "--out", "out", "-q"]
    assert main([*line, "--parquet", "--report", "out/report.html", "--nodes-every", "10000"]) == 0
    assert (here / "out/jobs.parquet").exists()
    assert (here / "out/nodes/nodes-0.xml").exists()
    assert main(line) == 0
    assert {"jobs.parquet", "report.html", "nodes"}.isdisjoint(path.name for path in (here / "out").iterdir())


def test_a_report_does_not_overwrite_an_input(here, capsys):
    before = contents(here)
    assert main(["run", "site.xml", SMALL.workloads[0], "--report", "site.xml", "-q"]) == 2
    assert "is an input of this run" in capsys.readouterr().err
    assert contents(here) == before


def test_leases_keep_their_site(here, capsys):
    machines = '<node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set>'
    site = f'<site><resource-types names="CPU Memory"/><nodes>{machines}</nodes></site>'
    (here / "site.xml").write_text(site)
    (here / "work.lwf").write_text('<lease-workload name="w"><lease-requests/></lease-workload>')
    before = contents(here)
    for force in ((), ("--force",)):
        assert main(["lease", "run", "work.lwf", "--site", "site.xml", "--out", ".", *force]) == 2
        assert "is an input of this run" in capsys.readouterr().err
        assert contents(here) == before


def test_batsims_own_command_lines_keep_inputs(here, capsys):
    shutil.copy(SMALL.workloads[0], here / "out_jobs.csv")
    before = contents(here)
    assert main(["batsim4", "-p", "site.xml", "-w", "out_jobs.csv", "-e", "out"]) == 2
    assert "is an input of this run" in capsys.readouterr().err
    assert contents(here) == before


def test_an_environment_runs_no_command(here, capsys):
    """A scheduler change that names a function of Python's library: it was called with the options as arguments."""
    touch = {"name": "subprocess:Popen", "options": {"args": [sys.executable, "-c", "open('touched', 'w')"]}}
    rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": []}]}]
    event = {"type": "DATACENTER_SCHEDULER_CHANGE", "time": 5, "datacenter": 1, "scheduler": touch}
    environment = {"environment": {"datacenters": [{"id": 1, "rooms": rooms}]}, "events": [event]}
    (here / "env.json").write_text(json.dumps(environment))
    assert main(["run", "env.json", SMALL.workloads[0], "-s", "datacenters", "-q"]) == 2
    assert "is not the name of a registered scheduler" in capsys.readouterr().err
    assert not (here / "touched").exists()


def test_whatever_a_command_has_read_is_an_input(here, capsys):
    """The workload that a configuration names, which no argument of the command does."""
    machines = '<node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set>'
    site = f'<site><resource-types names="CPU Memory"/><nodes>{machines}</nodes></site>'
    (here / "leases.csv").write_text(f'<lease-workload name="w">{site}<lease-requests/></lease-workload>')
    (here / "haizea.conf").write_text(
        "[general]\nmode: simulated\n[scheduling]\nbackfilling: off\nsuspension: none\n[simulation]\nclock: simulated\n"
        "resources: in-tracefile\n[tracefile]\ntracefile: leases.csv\n"
    )
    before = contents(here)
    assert main(["lease", "run", "--config", "haizea.conf", "--out", ".", "--force"]) == 2
    assert "leases.csv is an input of this run" in capsys.readouterr().err
    assert contents(here) == before


@pytest.mark.parametrize("report", ["out", "out/jobs.csv", "out/run.json"])
def test_a_report_does_not_overwrite_the_run_it_is_about(here, capsys, report):
    line = ["run", SMALL.platform, SMALL.workloads[0], "--out", "out", "-q"]
    assert main([*line, "--report", report]) == 2
    assert f"--report: {report} is what --out writes" in capsys.readouterr().err
    assert not (here / "out").exists()
    assert main(line) == 0
    before = contents(here / "out")
    assert main(["report", "out", "--to", report]) == 2
    assert main(["lease", "gantt", "out", "--to", report]) == 2
    assert contents(here / "out") == before
    assert main(["report", "out"]) == main(["report", "out"]) == 0


def test_a_picture_of_leases_is_written_whole_and_beside_the_run(here, capsys):
    machines = '<node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set>'
    site = f'<site><resource-types names="CPU Memory"/><nodes>{machines}</nodes></site>'
    lease = (
        '<lease-request arrival="00:00:00"><lease id="1" preemptible="false"><nodes><node-set numnodes="1">'
        '<res type="CPU" amount="100"/></node-set></nodes><start/><duration time="01:00:00"/><software><none/>'
        "</software></lease></lease-request>"
    )
    (here / "day.lwf").write_text(
        f'<lease-workload name="w">{site}<lease-requests>{lease}</lease-requests></lease-workload>'
    )
    assert main(["lease", "run", "day.lwf", "--out", "out", "-q"]) == 0
    before = contents(here / "out")
    assert main(["lease", "gantt", "out", "--to", "out/leases.csv"]) == 2
    assert "out/leases.csv is a file of a run: it would be overwritten" in capsys.readouterr().err
    assert main(["lease", "gantt", "out", "--to", "missing/gantt.svg"]) == 2
    assert contents(here / "out") == before
    assert main(["lease", "gantt", "out"]) == main(["lease", "gantt", "out"]) == 0


@pytest.mark.parametrize("name", ["study.json", "journal.jsonl", "points.parquet"])
def test_a_page_about_a_study_does_not_overwrite_it(here, capsys, name):
    (here / "s.toml").write_text('workloads = ["poisson:5"]\nschedulers = ["easy"]\n')
    assert main(["study", "run", "s.toml", "--jobs", "1", "-q"]) == 0
    before = contents(here / "s.study")
    assert main(["study", "report", "s.study", "--to", f"s.study/{name}"]) == 2
    assert "is a file of a study: it would be overwritten" in capsys.readouterr().err
    assert contents(here / "s.study") == before


def test_energy_without_watts_is_refused_before_an_earlier_run_is_replaced(here, capsys):
    line = ["run", "poisson:3?hosts=4", "--out", "out", "-q"]
    assert main(line) == 0
    before = contents(here / "out")
    assert main([*line, "--energy"]) == 2
    assert "gives no watts for host0" in capsys.readouterr().err
    assert contents(here / "out") == before


def test_snapshots_that_cannot_be_written_leave_the_run_before(here, capsys):
    line = ["run", SMALL.platform, SMALL.workloads[0], "--out", "out", "-q"]
    assert main(line) == 0
    before = contents(here / "out")
    assert main([*line, "--nodes-every", "0.1"]) == 2
    assert "nodes every 0.1 s until 38517.9 s: more than 100,000 files" in capsys.readouterr().err
    assert contents(here / "out") == before
    assert main([*line, "--nodes-every", "0.1", "--until", "10"]) == 0
    assert main(line) == 0
    (here / "out/nodes").write_text("of mine")
    before = contents(here / "out")
    assert main([*line, "--nodes-every", "1000"]) == 2
    assert "out/nodes is no folder" in capsys.readouterr().err
    assert contents(here / "out") == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-s", "datacenters"], "the scheduler 'datacenters' needs an environment"),
        (["-s", "tcp://nohost"], "cannot connect to 'tcp://nohost': no host and port"),
        (["-s", "batprotocol+tcp://nohost:0"], "no host and port"),
        (["--warm-up", "99%", "--cool-down", "50%"], "warm-up 99% and cool-down 50% leave nothing"),
    ],
)
def test_what_can_be_known_before_is_refused_before_an_earlier_run_is_gone(here, capsys, words, told):
    line = ["run", SMALL.platform, SMALL.workloads[0], "--out", "out", "-q"]
    assert main(line) == 0
    before = contents(here / "out")
    assert main([*line, *words]) == 2
    assert told in capsys.readouterr().err
    assert contents(here / "out") == before


def test_snapshots_are_not_put_into_a_run(here, capsys):
    line = ["run", SMALL.platform, SMALL.workloads[0], "-q"]
    assert main([*line, "--out", "out"]) == main([*line, "--out", "out/nodes"]) == 0
    before = contents(here / "out/nodes")
    assert main([*line, "--out", "out", "--nodes-every", "1000"]) == 2
    assert "out/nodes is the folder of a run" in capsys.readouterr().err
    assert contents(here / "out/nodes") == before
