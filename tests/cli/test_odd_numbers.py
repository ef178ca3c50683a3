"""Numbers and names that make no sense, or too much: said at once and in plain words."""

import json

import pytest

from windtunnel.cli.main import main
from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine import Options
from windtunnel.results.trimming import seconds_of

ROW = "1 0 0 {} 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder of small files; returns its code and what it printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.swf").write_text(ROW.format(100))

    def call(*line):
        code = main(list(line))
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def jobs(folder, *given, delay=5.0):
    rows = [{"id": str(k), "subtime": at, "res": 2, "profile": "p", "walltime": -1} for k, at in enumerate(given, 1)]
    content = {"nb_res": 4, "jobs": rows, "profiles": {"p": {"type": "delay", "delay": delay}}}
    (folder / "jobs.json").write_text(json.dumps(content))


def test_times_that_overflow_end_a_run(run, tmp_path):
    jobs(tmp_path, 1e308, delay=1e308)
    code, said = run("run", "hosts:4", "jobs.json", "--out", "out", "-q")
    assert (code, "the times of this run overflowed" in said) == (1, True)
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "incomplete"
    jobs(tmp_path, 0.0)
    assert run("run", "hosts:4", "jobs.json", "--out", "out", "-q")[0] == 0  # it is known as a run, and replaced


@pytest.mark.parametrize("hosts", [2, 4, 10**6])
def test_sums_of_times_that_overflow_end_a_run(run, tmp_path, hosts):
    """Two jobs side by side, two in a row of half the length, and many hosts for a long time."""
    jobs(tmp_path, 0.0, 0.0, delay=1.5e308 if hosts == 4 else 8e307)
    code, said = run("run", f"hosts:{hosts}", "jobs.json", "-q", "--out", "out")
    assert (code, "the sums of the times of this run overflowed" in said) == (1, True)
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "incomplete"
    for command in ("metrics", "report"):
        code, said = run(command, "out")
        assert (code, "overflowed" in said) == (1, True)


def test_large_numbers_are_printed_short(run, tmp_path):
    jobs(tmp_path, 0.0, delay=1e300)
    code, said = run("run", "hosts:4", "jobs.json")
    assert code == 0
    assert "makespan                  1e+300 s" in said


@pytest.mark.parametrize("interval", ["1e-320", "1e-300", "1e-9"])
def test_checkpoints_all_the_time(run, interval):
    code, said = run("run", "hosts:4", "one.swf", "-q", "--checkpoint", f"{interval},1")
    assert (code, "checkpoints are at least 0.001 s apart" in said) == (2, True)
    with pytest.raises(UsageError, match="at least"):
        Options(checkpoint_interval=float(interval))


def test_nodes_all_the_time(run, tmp_path):
    code, said = run("run", "hosts:4", "one.swf", "-q", "--nodes-every", "1e-9", "--out", "out")
    assert (code, "nodes every 1e-09 s until 100 s: more than 100,000 files are not written" in said) == (1, True)
    assert len(list((tmp_path / "out" / "nodes").iterdir())) < 3


@pytest.mark.parametrize("trim", ["100%", "500%", "1e5%", "nan%", "-5%"])
def test_shares_of_everything(run, trim):
    for option in ("--warm-up", "--cool-down"):
        code, said = run("run", "hosts:4", "one.swf", "-q", option, trim)
        assert (code, "leaves nothing" in said or "neither a duration nor a percentage" in said) == (2, True)
    with pytest.raises(UsageError):
        seconds_of(trim, 100.0, "warm-up")


def test_what_leaves_nothing(run):
    run("run", "hosts:4", "one.swf", "-q", "--out", "out")
    for trims in (["--warm-up", "50%", "--cool-down", "50%"], ["--warm-up", "100"], ["--cool-down", "1e300"]):
        code, said = run("metrics", "out", *trims)
        assert (code, "leave nothing of 100 s" in said) == (2, True)
        code, said = run("run", "hosts:4", "one.swf", "-q", "--out", "quiet", *trims)
        assert (code, "leave nothing" in said) == (2, True)


def test_what_is_left_of_a_run_whose_trims_leave_nothing(run, tmp_path):
    """It is complete, the error says what it lacks, and the page asked for is there."""
    code, said = run("run", "hosts:4", "one.swf", "-q", "--out", "out", "--report", "page.html", "--warm-up", "2d")
    assert (code, "the run is complete in out, without metrics.json: windtunnel metrics out has" in said) == (2, True)
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "complete"
    assert not (tmp_path / "out" / "metrics.json").exists()
    assert (tmp_path / "page.html").exists()
    assert run("metrics", "out")[0] == 0


def test_runs_that_share_no_job(run, tmp_path):
    jobs(tmp_path)
    run("run", "hosts:4", "one.swf", "-q", "--out", "a")
    run("run", "hosts:4", "jobs.json", "-q", "--out", "b")
    code, said = run("compare", "a", "b")
    assert (code, "0 in both" in said, "mean shift" in said) == (0, True, False)


@pytest.mark.parametrize(
    "line",
    [
        ["run", "hosts:4", "one.swf", "-q", "-s", "tcp://127.0.0.1:99999"],
        ["scheduler", "easy", "--endpoint", "tcp://127.0.0.1:65536"],
        ["scheduler", "easy", "--protocol", "batprotocol", "--endpoint", "tcp://*:70000"],
    ],
)
def test_ports_that_do_not_exist(run, line):
    """ZeroMQ takes them modulo 65536."""
    code, said = run(*line)
    assert (code, "is not an endpoint: ports end at 65535" in said) == (2, True)


def test_a_library_without_a_name(run):
    code, said = run("run", "hosts:4", "one.swf", "-q", "-s", "lib:")
    assert (code, "lib: names no library" in said) == (2, True)


def test_states_of_machines_are_checked_when_they_are_read(run, tmp_path):
    (tmp_path / "events.json").write_text(
        '{"timestamp": 1, "type": "machine_state", "resources": "0", "state": "FAILED"}\n'
    )
    code, said = run("run", "hosts:4", "one.swf", "-q", "--events", "events.json")
    assert code == 2
    assert "events.json:1#/state: error" in said
    assert "unknown state 'FAILED'" in said


@pytest.mark.parametrize("value", ["x", "nan", "0", "-1", ""])
def test_windows_of_nonsense(run, tmp_path, value):
    host = '<host id="{}" speed="1Gf"/>'
    zone = "".join(map(host.format, ("master_host", "a", "b")))
    (tmp_path / "p.xml").write_text(f'<platform version="4.1"><zone id="z" routing="Full">{zone}</zone></platform>')
    jobs(tmp_path, 0.0)
    code, said = run(
        "batsim4", "-p", "p.xml", "-w", "jobs.json", "--no-sched", "--sg-cfg", f"network/TCP-gamma:{value}"
    )
    assert (code, "a number of bytes is expected" in said) == (2, True)


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_file_is_empty(run, tmp_path, content):
    (tmp_path / "empty").write_text(content)
    code, said = run("validate", "empty")
    assert (code, "empty: error [empty]: is empty" in said) == (1, True)


def test_snapshots_say_so_once(tmp_path):
    from windtunnel.model import Platform
    from windtunnel.results.node_snapshots import NodeSnapshots

    snapshots = NodeSnapshots(tmp_path / "nodes", 1e-6)
    snapshots.on_begin(0.0, Platform.uniform(2), [])
    with pytest.raises(SimulationError, match="more than 100,000 files"):
        snapshots.on_end(1.0, "complete", {})
    snapshots.on_end(1.0, "failed", {})


@pytest.fixture
def environment(tmp_path):
    """Writes an environment of one machine with a clock rate as written."""

    def write(clock="1e9"):
        cpu = '{"clock-rate": CLOCK, "cores": 4}'.replace("CLOCK", clock)
        machine = f'{{"type": "MACHINE", "id": 1, "cpus": [{cpu}]}}'
        rooms = f'[{{"type": "SERVER", "objects": [{{"type": "RACK", "units": [{machine}]}}]}}]'
        (tmp_path / "env.json").write_text(f'{{"environment": {{"datacenters": [{{"rooms": {rooms}}}]}}}}')

    return write


@pytest.mark.parametrize(
    ("option", "said"),
    [
        *[
            (f"flops_per_cycle={v}", "flops_per_cycle must be a number greater than 0")
            for v in ("0", "-1", "nan", "inf")
        ],
        *[
            (f"idle_share={v}", "idle_share must be a number of at least 0 and at most 1")
            for v in ("-0.1", "1.1", "nan")
        ],
        *[(f"network={v}", "is not a network") for v in ("star:0,0", "star:inf,0", "star:1e9,inf", "rack:1,0,0")],
    ],
)
def test_options_of_environments(run, environment, option, said):
    environment()
    code, printed = run("run", "env.json", "one.swf", "-q", "--platform-option", option)
    assert (code, said in printed) == (2, True)


def test_a_clock_that_is_too_fast(run, environment):
    environment("1e400")
    code, said = run("run", "env.json", "one.swf", "-q")
    assert (code, "must be a number, this is null or too large to be one" in said) == (2, True)


@pytest.mark.parametrize(
    ("platform", "said"),
    [
        ('<host id="a" speed="1Gf" core="99999999999"/>', "expected 1 to"),
        (
            '<cluster id="c" prefix="n" suffix="" radical="0-99999999999" speed="1Gf" bw="1GBps" lat="0s"/>',
            "9 digits",
        ),
    ],
)
def test_too_many_of_a_platform(run, tmp_path, platform, said):
    (tmp_path / "p.xml").write_text(
        f'<platform version="4.1"><zone id="z" routing="Full">{platform}</zone></platform>'
    )
    code, printed = run("run", "p.xml", "one.swf", "-q")
    assert (code, said in printed) == (2, True)


@pytest.mark.parametrize(("first", "column"), [("nan", 4), ("soon", 4)])
def test_a_log_whose_first_row_is_wrong(run, tmp_path, first, column):
    """Not known by its content, but by its name."""
    (tmp_path / "wrong.swf").write_text(ROW.format(first))
    for more in ((), ("--workload-option", "format=swf")):
        code, said = run("run", "hosts:4", "wrong.swf", "-q", *more)
        assert (code, f"wrong.swf:1: error [number]: field {column}" in said) == (2, True)


def test_validate_says_what_is_wrong_with_a_log_that_is_known_by_its_name_only(run, tmp_path):
    (tmp_path / "wrong.swf").write_text("1 2 3\n")
    for kind in ((), ("--kind", "workload")):
        code, said = run("validate", "wrong.swf", *kind)
        assert (code, "wrong.swf:1: error [fields]: 3 fields instead of 18" in said) == (1, True)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    code, said = run("validate", "other.csv")
    assert (code, "its name says csv, which needs the option mapping=FILE.toml" in said) == (1, True)
    code, said = run("run", "hosts:4", "other.csv", "-q")
    assert (code, "its name says csv, which needs the option mapping=FILE.toml (--workload-option" in said) == (
        2,
        True,
    )
    code, said = run("run", "hosts:4", "other.csv", "-q", "--workload-option", "format=csv")
    assert (code, said.count("there is no column"), said.count("the option mapping=FILE.toml")) == (2, 9, 1)


@pytest.mark.parametrize("content", ["a = " + "9" * 5000, "a = " + "[" * 3000])
def test_toml_beyond_its_reader(run, tmp_path, content):
    (tmp_path / "c.toml").write_text(content)
    expected = "a number in it has thousands of digits" if "9" in content else "it is nested too deeply"
    code, said = run("batsim5", "-c", "c.toml")
    assert (code, f"c.toml is not TOML: {expected}" in said) == (2, True)
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    code, said = run("run", "hosts:4", "one.csv", "-q", "--workload-option", "mapping=c.toml")
    assert (code, f"the mapping c.toml cannot be read: {expected}" in said) == (2, True)


def test_an_environment_of_numbers_whose_products_are_none(run, environment):
    environment("1e307")
    code, said = run("run", "env.json", "one.swf", "-q")
    assert (code, "[ENV037]: numbers above 1e100 are not supported here" in said) == (2, True)
    environment("1e99")
    code, said = run("run", "env.json", "one.swf", "-q", "--platform-option", "flops_per_cycle=1e300")
    assert (code, "infinitely fast" in said) == (2, True)


def test_more_jobs_than_there_can_be_are_all_of_them(run):
    assert run("run", "hosts:4", "one.swf", "--out", "a", "-q")[0] == 0
    assert run("compare", "a", "a", "--jobs", "9" * 20)[0] == 0
