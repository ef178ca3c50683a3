"""Options that would change nothing, or that are given twice, are refused; what is not there is said plainly."""

import pytest

from windtunnel.cli.main import main

LOG = "; MaxProcs: 4\n1 0 -1 100 2 -1 -1 2 200 -1 1 7 1 -1 1 -1 -1 -1\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.swf").write_text(LOG)
    (tmp_path / "folder").mkdir()
    (tmp_path / "nodes.xml").write_text("<Node/>")
    return tmp_path


def said(capsys, line):
    """What a refused command prints; it leaves nothing behind."""
    assert main(line.split()) == 2, line
    printed = capsys.readouterr()
    assert not printed.out
    return printed.err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("run log.swf --numbering lexicographic", "there is no platform to take options (numbering)"),
        ("run log.swf --platform-option mmax=3", "there is no platform to take options (mmax)"),
        ("run hosts:4 log.swf --platform-option format=sss", "'hosts:4' is in the format hosts, and cannot be read as"),
        ("run poisson:3 --workload-option format=swf", "'poisson:3' is in the format poisson, and cannot be read as"),
        ("run log.swf --force", "--force needs --out"),
        ("lease run day.lwf --force", "--force needs --out"),
        ("lease run day.lwf --trust-code", "there is no --config"),
        ("serve leases --site site.xml --trust-code", "there is no --config"),
        ("run log.swf --live-paused", "add --live"),
        ("lease request --file one.lwf -n 4 -c 0.5", "--numnodes, --cpu cannot be given with it"),
        ("lease request -z 100", "add --vmimage NAME"),
        ("inspect hosts:4 --all --route host0 host1", "--all shows every kind of host and link"),
        ("study run sweep.toml --jobs 4 --on dask://head:8786", "dask://head:8786 has workers of its own"),
        ("serve nodes nodes.xml --at 5", "nodes.xml is a file of nodes: it has one state"),
        ("serve nodes nodes.xml --platform hosts:4", "nodes.xml is a file of nodes: it has one state"),
    ],
)
def test_what_has_no_effect_is_refused(capsys, line, says):
    assert says in said(capsys, line)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("run log.swf -o queue_order=fcfs -o queue_order=lcfs", "'queue_order' is given twice: 'fcfs' and 'lcfs'"),
        ("convert log.swf new.json -o walltime=kill -o walltime=extend", "'walltime' is given twice"),
        ("run log.swf --walltime kill --workload-option walltime=extend", "by --walltime"),
        ("run poisson:3?seed=1&seed=2", "seed is given twice"),
        ("run poisson:3?load=0.5 --workload-option load=0.7", "load is given twice"),
    ],
)
def test_what_is_given_twice_is_refused(capsys, line, says):
    assert says in said(capsys, line)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("run folder", "folder: error [unreadable]: cannot be read: Is a directory"),
        ("run poisson", "descriptions begin with hosts:, lublin:, poisson:"),
        ("run poison:5", "did you mean 'poisson:5'?"),
        ("run host:16", "did you mean 'hosts:16'?"),
        ("run 16 some.json", "a number of hosts is written hosts:16"),
        ("run hosts:4 hosts:4", "it stands for a platform"),
        ("run hosts:4", "there is nothing to simulate"),
        ("calibrate hosts:4 log.swf", "describes no Slurm site"),
        ("run log.swf -s lib:./missing.so", "lib:./missing.so: there is no file ./missing.so"),
        ("lease list --server http://127.0.0.1:1/RPC2", "hint: windtunnel serve leases starts a service"),
        ("plot folder gantt .", "there is no run in 'folder'"),
    ],
)
def test_what_is_not_an_input_is_said_plainly(capsys, line, says):
    assert says in said(capsys, line)


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "x"])
def test_odd_trims_are_refused_before_anything_is_read(capsys, number):
    assert f"'{number}' is neither a duration" in said(capsys, f"run hosts:4 missing.swf --warm-up {number}")


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "0", "x"])
def test_a_speed_is_a_number_of_times(capsys, number):
    assert f"'{number}' is not a number of more than 0" in said(capsys, f"lease run day.lwf --speed {number}")


@pytest.mark.parametrize("option", ["mmax=-3", "mmax=x"])
def test_options_of_platforms_have_bounds(capsys, option):
    assert "mmax must be a whole number of at least 0" in said(capsys, f"run example:small --platform-option {option}")


def test_options_of_logs_have_bounds(capsys):
    assert "max_processors must be a whole number of at least 1" in said(
        capsys, "run log.swf --workload-option max_processors=-1"
    )


def test_a_master_that_is_not_a_host_is_told_of(capsys):
    assert main(["run", "example:small", "--platform-option", "master=boss", "--until", "9"]) == 0
    assert "the master 'boss' is not a host: 'master_host', whose role that is, is the master" in capsys.readouterr().err


def test_a_run_in_place_of_an_input_is_named_as_one(capsys):
    assert main(["run", "log.swf", "--out", "out", "-q"]) == 0
    for line in ("run out", "run hosts:4 out", "inspect out", "convert out made.swf"):
        assert "it holds a run, which windtunnel report, metrics and compare read" in said(capsys, line)


def test_a_library_here_is_named_with_its_folder(here, capsys):
    (here / "libedc.so").write_bytes(b"")
    assert main(["run", "log.swf", "-q", "-s", "lib:libedc.so"]) == 1
    assert "(./libedc.so is here: name it so)" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["-s easy -s fcfs", "-s easy -s easy --lenient", "-s easy_bf -s leases --out out"])
def test_schedulers_that_each_take_all_jobs_are_refused(here, capsys, line):
    """The first job was started twice, which was refused at t=0 without a hint."""
    assert "each of them would start all jobs\n  hint: run one after the other: windtunnel compare" in said(
        capsys, f"run log.swf {line}"
    )
    assert not (here / "out").exists()


def test_one_of_ours_beside_what_registers_jobs(capsys):
    assert main(["run", "poisson:3?load=0.1&hosts=8", "-s", "batsched/submitter", "-s", "fcfs", "--until", "0.5"]) == 0
    assert "cannot share" not in capsys.readouterr().err


def test_what_no_file_heeds_is_told(here, capsys):
    assert main(["validate", "log.swf", "--schema-only", "--merge-order", "reference"]) == 0
    assert capsys.readouterr().err == "--schema-only, --merge-order: no effect, as no environment is among these files\n"
    (here / "site.json").write_text('{"environment": {"datacenters": []}}')
    main(["validate", "log.swf", "site.json", "--schema-only"])
    assert not capsys.readouterr().err


def test_a_timeout_that_nobody_heeds_is_told(capsys):
    assert main(["run", "log.swf", "-s", "easy", "--timeout", "5"]) == 0
    assert "--timeout has no effect: no scheduler is out of process" in capsys.readouterr().err
    assert main(["run", "log.swf", "-s", "easy"]) == 0
    assert "without-effect" not in capsys.readouterr().err


def test_what_a_live_page_may_need_is_no_option_without_effect(capsys, monkeypatch):
    """Its readers may let machines fail."""
    monkeypatch.setattr("windtunnel.simulation.Simulation.live", lambda run, **_: run.run())
    line = ["run", "example:small", "--on-failure", "requeue", "--strict-input"]
    assert main([*line, "--live"]) == 0
    assert "has no effect unless events are put into the run while it goes on" in capsys.readouterr().err
    assert main(line) == 2
    assert "on-failure requeue has no effect: no machine is known to fail" in capsys.readouterr().err


LEASES = """<lease-workload name="day"><site><resource-types names="CPU Memory"/><nodes>
<node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes></site>
<lease-requests><lease-request arrival="00:00:00.00"><lease preemptible="true"><nodes><node-set numnodes="2">
<res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes><start></start>
<duration time="01:00:00.00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>"""
SEVERAL = """[multi]
tracedir: .
tracefiles: day.lwf
[common:general]
mode: simulated
[common:simulation]
clock: simulated
resources: in-tracefile
[slow:scheduling]
backfilling: off
suspension: none
"""


@pytest.fixture
def several(here):
    (here / "day.lwf").write_text(LEASES)
    (here / "several.conf").write_text(SEVERAL)
    return here


@pytest.mark.parametrize("more", ["day.lwf", "--inject day.lwf", "--annotations x.lwfa"])
@pytest.mark.usefixtures("several")
def test_workloads_beside_those_of_a_configuration_are_refused(capsys, more):
    """They were not read."""
    name = more.split()[0].replace("day", "FILE")
    assert f"workloads of their own: {name} cannot be given with it" in said(
        capsys, f"lease run --config several.conf {more}"
    )
    assert "--lwf-times is haizea or document" in said(capsys, "lease run --config several.conf --lwf-times x")


def test_what_is_said_of_all_runs_of_a_configuration_counts(several):
    line = "lease run --config several.conf --quiet --out out --probe cpu-utilization --no-haizea-compat"
    assert main(line.split()) == 0
    (run,) = (several / "out").iterdir()
    told = (run / "run.json").read_text()
    assert '"haizea_compat":false' in told.replace(" ", "")
    assert {row.split(",")[0] for row in (run / "counters.csv").read_text().splitlines()[1:]} == {"CPU utilization"}
