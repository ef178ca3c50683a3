"""Runs whose files were cut, edited or overwritten: commands say which file, or do without it; never a traceback."""

import shutil

import pytest

from some_cases import some_slow
from windtunnel.cli.main import main

DAMAGE = {
    "emptied": lambda data: b"",
    "binary": lambda data: bytes(range(256)) * 8,
    "cut": lambda data: data[: len(data) * 2 // 3],
    "header": lambda data: data[: data.find(b"\n") + 1],
    "other": lambda data: b"a,b\n1,2\n",
    "words": lambda data: data.replace(b"0", b"x"),
    "columns": lambda data: data.replace(b",", b",,", 40),
    "numbers": lambda data: data.replace(b"1", b"-1"),
}
COMMANDS = [
    ["metrics", "RUN"],
    ["report", "RUN", "--to", "page.html"],
    ["why", "RUN", "w0!1"],
    ["compare", "RUN", "whole", "--jobs", "3"],
    ["plot", "RUN", "gantt", "a.svg"],
    ["plot", "RUN", "utilisation", "b.svg"],
    ["plot", "RUN", "queue", "c.svg"],
    ["nodes", "RUN"],
    ["nodes", "RUN", "--from", "0"],
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that has files of every kind: machines that fail, jobs that share hosts."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "jobs.swf").write_text(
        "\n".join(f"{k} {k * 9} 0 {50 + k} 2 -1 -1 2 200 -1 1 1 1 1 {k % 2} 1 -1 -1" for k in range(1, 30)) + "\n"
    )
    line = ["run", "hosts:4x2", str(folder / "jobs.swf"), "--share-hosts", "--on-failure", "requeue", "--quiet"]
    failures = ["--failures", "between=constant:200;repair=constant:20;until=600"]
    assert main([*line, *failures, "--out", str(folder / "whole")]) == 0
    return folder


FILES = ["run.json", "jobs.csv", "jobs_extra.csv", "shares.csv", "events.csv", "schedule.csv", "machine_states.csv"]


@pytest.mark.parametrize("hurt", some_slow([f"{damage} {name}" for damage in DAMAGE for name in FILES], 3))
def test_a_damaged_file(whole, hurt, tmp_path, monkeypatch, capsys):
    damage, name = hurt.split()
    shutil.copytree(whole / "whole", tmp_path / "hurt")
    shutil.copytree(whole / "whole", tmp_path / "whole")
    path = tmp_path / "hurt" / name
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    monkeypatch.chdir(tmp_path)
    for line in COMMANDS:
        code = main(["hurt" if word == "RUN" else word for word in line])
        said = capsys.readouterr().err
        assert code in (0, 1, 2), line
        assert bool(code) == bool(said), line
        assert "Traceback" not in said


@pytest.mark.parametrize(
    ("name", "before", "after", "line", "said"),
    [
        ("jobs.csv", b"59.000000", b"soon", ["metrics", "hurt"], "hurt: jobs.csv is damaged: "),
        (
            "jobs.csv",
            b",0,-1.0",
            b",zero,-1.0",
            ["nodes", "hurt"],
            "jobs.csv (or what goes with it) is damaged: 'zero' is not a host",
        ),
        (
            "jobs.csv",
            b"COMPLETED_S",
            b"LOST_S",
            ["metrics", "hurt"],
            "jobs.csv is damaged: 'LOST_SUCCESSFULLY' is not known",
        ),
        ("events.csv", b"unavailable,", b"unavailable,x", ["metrics", "hurt"], "events.csv is damaged: 'x"),
        ("run.json", b'"format": 1', b'"format": 99', ["metrics", "hurt"], "was written by a later version"),
    ],
)
def test_what_is_damaged_is_said(whole, name, before, after, line, said, tmp_path, monkeypatch, capsys):
    shutil.copytree(whole / "whole", tmp_path / "hurt")
    path = tmp_path / "hurt" / name
    assert before in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(before, after))
    monkeypatch.chdir(tmp_path)
    assert main(line) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "before", "after", "line", "said"),
    [
        ("jobs.csv", b",0,-1.0", b",3000000000,-1.0", ["why", "hurt", "w0!29"], "larger than any host number"),
        ("jobs.csv", b",0,-1.0", b",0-999999999,-1.0", ["why", "hurt", "w0!29"], "the site has no host 999999999"),
        ("jobs.csv", b",0,-1.0", b",0-999999999,-1.0", ["plot", "hurt", "gantt", "a.svg"], "has no host 999999999"),
        ("events.csv", b"unavailable,", b"unavailable,7-999999999 ", ["report", "hurt"], "has no host 999999999"),
        ("events.csv", b"unavailable,", b"unavailable,7-999999999 ", ["nodes", "hurt"], "host 999999999"),
        ("run.json", b'"hosts": 4', b'"hosts": 4000000000000', ["why", "hurt", "w0!2"], "run.json is not readable"),
        ("jobs.csv", b"59.000000", b"inf", ["metrics", "hurt"], "not a number of seconds in every row"),
        (
            "shares.csv",
            b"cores=2",
            b"cores=1e308",
            ["nodes", "hurt", "--from", "0"],
            "is not what a job has of a host",
        ),
        ("shares.csv", b"cores=2", b"cores=nan", ["nodes", "hurt"], "is not what a job has of a host"),
    ],
)
def test_sizes_that_no_site_has(whole, name, before, after, line, said, tmp_path, monkeypatch, capsys):
    """Each of them would take the memory, or forever."""
    test_what_is_damaged_is_said(whole, name, before, after, line, said, tmp_path, monkeypatch, capsys)


def test_a_lease_of_more_nodes_than_any_has(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    node = '<node-set numnodes="2"><res type="CPU" amount="50"/><res type="Memory" amount="512"/></node-set>'
    site = '<node-set numnodes="4"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set>'
    (tmp_path / "w.lwf").write_text(
        f'<lease-workload name="w"><site><resource-types names="CPU Memory"/><nodes>{site}</nodes></site>'
        f'<lease-requests><lease-request arrival="00:00:10"><lease id="1" preemptible="true"><nodes>{node}</nodes>'
        '<start/><duration time="01:00:00"/><software><none/></software></lease></lease-request></lease-requests>'
        "</lease-workload>"
    )
    assert main(["lease", "run", "w.lwf", "--out", "run"]) == 0
    table = tmp_path / "run" / "leases.csv"
    assert b"2 CPU:50" in table.read_bytes()
    table.write_bytes(table.read_bytes().replace(b"2 CPU:50", b"99999999999 CPU:50"))
    capsys.readouterr()
    assert main(["nodes", "run"]) == 2
    assert "'99999999999 CPU:50,Memory:512' is not what nodes of a lease ask for" in capsys.readouterr().err
