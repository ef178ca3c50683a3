"""Hostile and odd files through the command line: each is refused by name, at once, and none is a traceback."""

import gzip
import json
import os
import signal
from contextlib import contextmanager
from math import inf

import pytest
from tests.campaign import seeds

from windtunnel import simulate
from windtunnel.cli.main import main
from windtunnel.diagnostics import UNFORESEEN, WindtunnelError
from windtunnel.engine import Options
from windtunnel.testing import job, platform, workload

ROW = "1 0 0 {run} 4 -1 -1 4 {limit} -1 1 1 1 1 1 1 -1 -1\n"
BEYOND, LONG = "1" + "0" * 400, "9" * 5000


@contextmanager
def at_once(seconds=120):
    """Whatever waits indefinitely, or computes for longer, is interrupted."""

    def over(number, frame):
        raise TimeoutError("that hangs")

    old = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Runs a command line in a folder; returns its code and what it said, which is not an excuse."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.swf").write_text(ROW.format(run=100, limit=200))

    def call(*words):
        with at_once():
            code = main([*words])
        said = "".join(capsys.readouterr())
        assert "an internal error of windtunnel" not in said, said
        assert f"[{UNFORESEEN}]" not in said, said
        assert "Traceback" not in said
        return code, said

    return call


def lines(*documents):
    """The command lines that read each of the files in all of their ways."""
    return [(name, data, words) for name, data, *ways in documents for words in ways]


XML = lines(
    ("p.xml", seeds.SIMGRID_CLUSTER, ["run", "p.xml", "one.swf", "-q"], ["validate", "p.xml"], ["inspect", "p.xml"]),
    ("w.lwf", seeds.LWF, ["lease", "run", "w.lwf"], ["validate", "w.lwf"], ["run", "w.lwf", "-q"]),
    ("n.xml", seeds.SSS, ["run", "n.xml", "one.swf", "-q"], ["validate", "n.xml"]),
    ("d.xml", seeds.DAX, ["run", "hosts:4", "d.xml", "-q"], ["validate", "d.xml"]),
)


@pytest.mark.parametrize("encoding", ["undefined", "punycode", "idna", "rot13", "raw_unicode_escape", "x"])
@pytest.mark.parametrize(("name", "data", "words"), XML, ids=lambda value: None)
def test_xml_in_odd_encodings(command, tmp_path, name, data, words, encoding):
    head, rest = (data[: data.index(b"?>") + 2], data[data.index(b"?>") + 2 :]) if data[:2] == b"<?" else (b"", data)
    del head
    (tmp_path / name).write_bytes(f"<?xml version='1.0' encoding='{encoding}'?>".encode() + rest)
    code, said = command(*words)
    assert (code > 0, name in said) == (True, True)


NUMBERS = [
    (
        "w.json",
        json.dumps(seeds.BATSIM4),
        ['"subtime": 1.5', '"walltime": 100', '"res": 2', '"delay": 10'],
        ["run", "hosts:4", "w.json", "-q"],
    ),
    (
        "e.json",
        json.dumps(seeds.ENVIRONMENT_SMALL),
        [
            *('"clock-rate": 2000000000.0', '"cores": 4', '"energy-consumption": 50', '"power-capacity": 1000'),
            *('"time": 3', '"capacity": 4'),
        ],
        ["run", "e.json", "one.swf", "-q"],
    ),
    (
        "n.xml",
        seeds.SSS.decode(),
        ["<Processors>4", "<Memory units='GB'>8", "<Processors>2"],
        ["run", "n.xml", "one.swf", "-q"],
    ),
    (
        "slurm.conf",
        seeds.SLURM.decode(),
        ["CPUs=8", "RealMemory=1000", "Sockets=2", "a100:2", "MaxTime=1"],
        ["run", "slurm.conf", "one.swf", "-q"],
    ),
    (
        "s.json",
        json.dumps(seeds.SACCT_JSON),
        ['"submission": 100', '"elapsed": 90', '"number": 10', '"count": 4', '"CPUs": 4', '"end": 200'],
        ["run", "hosts:4", "s.json", "-q"],
    ),
]


HARMLESS = {'"capacity": 4', "Sockets=2", "MaxTime=1", '"count": 4', '"CPUs": 4', '"end": 200'}
"""Nothing is computed with these where something else says the same."""


@pytest.mark.parametrize("number", [BEYOND, LONG, "1e400"])
@pytest.mark.parametrize(
    ("name", "text", "place", "words"),
    [(name, text, place, words) for name, text, places, words in NUMBERS for place in places],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_numbers_beyond_all(command, tmp_path, name, text, place, words, number):
    assert place in text
    digits = place.rstrip("0123456789.")
    (tmp_path / name).write_text(text.replace(place, digits + number))
    code, said = command(*words)
    if place in HARMLESS:
        assert code in (0, 2)
    else:
        assert (code, name in said) == (2, True)


@pytest.mark.parametrize("number", ["1" + "0" * 29, "9" * 400, LONG, "9" * 400 + ":00:00", "nan", "1e400"])
@pytest.mark.parametrize(
    "place", ['duration time="01:00:00"', 'arrival="00:00:10"', 'realduration time="00:10:00"', 'amount="50"']
)
def test_lengths_that_no_lease_has(command, tmp_path, place, number):
    text = seeds.LWF.decode()
    assert place in text
    (tmp_path / "w.lwf").write_text(text.replace(place, f'{place.partition(chr(34))[0]}"{number}"'))
    for words in (["lease", "run"], ["validate"]):
        code, said = command(*words, "w.lwf")
        assert (code > 0, "w.lwf:" in said, "[bad-value]" in said) == (True, True, True)


@pytest.mark.parametrize("rate", ["1e400", "-1e400", "nan", LONG])
@pytest.mark.parametrize("setting", ["suspend-rate", "resume-rate"])
def test_rates_that_are_none(command, tmp_path, setting, rate):
    (tmp_path / "w.lwf").write_bytes(seeds.LWF)
    (tmp_path / "h.conf").write_bytes(seeds.HAIZEA.replace(f"{setting}: 32".encode(), f"{setting}: {rate}".encode()))
    code, said = command("lease", "run", "-c", "h.conf")
    assert (code, f"{setting}: not a finite number" in said) == (2, True)
    code, said = command("lease", "run", "w.lwf", "-o", f"{setting}={rate}")
    assert (code, f"{setting} must be a number greater than 0" in said) == (2, True)


@pytest.mark.parametrize("base", [{"a": 1}, [["#/definitions/cpu"]], [{}], 7, None, [None]])
def test_bases_that_are_no_places(command, tmp_path, base):
    document = json.loads(json.dumps(seeds.ENVIRONMENT_SMALL))
    machine = document["environment"]["datacenters"][0]["rooms"][0]["objects"][0]["units"][0]
    machine["cpus"][0]["$base"] = base
    (tmp_path / "e.json").write_text(json.dumps(document))
    for words in (["validate", "e.json"], ["resolve", "e.json"], ["run", "e.json", "one.swf", "-q"]):
        code, said = command(*words)
        assert (code > 0, "ENV0" in said) == (True, True)


def test_a_mapping_that_is_no_text(command, tmp_path):
    (tmp_path / "jobs.csv").write_bytes(seeds.CSV)
    (tmp_path / "m.toml").write_bytes(b"[columns]\nsubmit = '\xff\xfe'\n")
    code, said = command("run", "hosts:4", "jobs.csv", "-q", "--workload-option", "mapping=m.toml")
    assert (code, "the mapping m.toml cannot be read" in said) == (2, True)


@pytest.mark.parametrize("name", ["a\\u0000b", "\\ud800", "x" * 5000])
def test_traces_of_impossible_names(command, tmp_path, name):
    work = {"nb_res": 2, "jobs": [{"id": "1", "subtime": 0, "res": 2, "profile": "t"}]}
    text = json.dumps({**work, "profiles": {"t": {"type": "smpi", "trace": "NAME"}}}).replace("NAME", name)
    (tmp_path / "w.json").write_text(text)
    code, said = command("run", "hosts:4", "w.json", "-q")
    assert (code, "w.json" in said) == (2, True)


@pytest.mark.parametrize("field", range(10))
@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e400", LONG, "x"])
def test_old_leases_of_no_numbers(command, tmp_path, field, number):
    fields = ["0", "-1", "3600", "1800", "2", "1", "512", "0", "image", "100"]
    fields[field] = number
    (tmp_path / "old.lwf").write_text(" ".join(fields) + "\n")
    code, said = command("lease", "run", "old.lwf", "--site", "4 CPU:100,Memory:1024")
    if field in (7, 8):  # a disk that is not used, and a name
        assert code in (0, 2)
    else:
        assert (code, "old.lwf:1" in said) == (2, True)


def jobs(folder, **member):
    job = {"id": "1", "subtime": 0, "walltime": 100, "res": 2, "profile": "d"} | member
    profile = {"type": "delay", "delay": 10}
    text = json.dumps({"nb_res": 4, "jobs": [job, job | {"id": "2"}], "profiles": {"d": profile}})
    (folder / "w.json").write_text(text.replace('"INFINITY"', "1e999"))


def test_jobs_that_never_end_and_checkpoints(command, tmp_path):
    (tmp_path / "endless.swf").write_text(ROW.format(run="1e308", limit=-1))
    code, said = command("run", "hosts:4", "endless.swf", "-q", "--checkpoint", "10,1")
    assert (code, "overflowed" in said) == (1, True), said
    endless = workload(job(1, 2, inf))
    with pytest.raises(WindtunnelError):
        simulate(platform(4), endless, "easy", options=Options(checkpoint_interval=10.0, checkpoint_cost=1.0))


@pytest.mark.parametrize("walltime", [-1, 1e308, "INFINITY"])
def test_waiting_times_behind_a_job_without_a_bound(command, tmp_path, walltime):
    jobs(tmp_path, walltime=walltime, res=4)
    for name in ("batsched/conservative_bf", "conservative", "easy"):
        code, _ = command("run", "hosts:4", "w.json", "-q", "-s", name)
        assert code in (0, 1, 2)


# --- hangs and floods -------------------------------------------------------------------------------------------------

READERS = [
    ["validate", "IN"],
    ["resolve", "IN"],
    ["lease", "run", "IN"],
    ["lease", "run", "-c", "IN"],
    ["batsim5", "-c", "IN"],
    ["run", "hosts:4", "IN", "-q"],
    ["run", "IN", "one.swf", "-q"],
    ["run", "hosts:4", "one.swf", "-q", "--events", "IN"],
    ["run", "hosts:4", "t.json", "-q"],
    ["run", "slurm.conf", "one.swf", "-q"],
    ["convert", "IN", "out.json"],
]


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "bomb"])
def test_what_has_no_end_is_not_read(command, tmp_path, monkeypatch, words, kind):
    """Nothing is waited for, and nothing is filled with what a small file unzips to."""
    target = tmp_path / "IN"
    if kind == "pipe":
        os.mkfifo(target)
    elif kind == "device":
        target.symlink_to("/dev/zero")
    elif kind == "folder":
        target.mkdir()
    else:
        monkeypatch.setattr("windtunnel.diagnostics.opening._SMALL", 1 << 20)
        begin = (
            b"<platform version='4.1'>"
            if words[1] == "IN" and "one.swf" in words
            else ROW.format(run=1, limit=1).encode()
        )
        target.write_bytes(gzip.compress(begin + (b"\n" * (1 << 24))))
    (tmp_path / "slurm.conf").write_text("NodeName=n1 CPUs=4\nPartitionName=p Nodes=n1 Default=YES\nInclude IN\n")
    work = {"nb_res": 2, "jobs": [{"id": "1", "subtime": 0, "res": 2, "profile": "t"}]}
    (tmp_path / "t.json").write_text(json.dumps({**work, "profiles": {"t": {"type": "smpi", "trace": "IN"}}}))
    code, said = command(*words)
    assert code in (1, 2)
    assert "IN" in said
    expected = {"pipe": "pipe", "device": "device", "folder": "directory", "bomb": "unzips to more than 100 times"}
    assert expected[kind] in said.lower()


def test_more_cores_than_there_are_numbers(command, tmp_path):
    document = json.dumps(seeds.ENVIRONMENT_SMALL).replace('"cores": 4', f'"cores": {2**63 - 1}')
    (tmp_path / "e.json").write_text(document)
    code, said = command("run", "e.json", "one.swf", "-q", "--share-hosts")
    assert code in (0, 2), said
    (tmp_path / "p.xml").write_text(
        f'<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf" core="{2**63 - 1}"/></zone></platform>'
    )
    code, said = command("run", "p.xml", "one.swf", "-q", "--share-hosts")
    assert (code, "p.xml:1" in said) == (2, True)
    code, said = command("run", f"hosts:4x{2**63 - 1}", "one.swf", "-q", "--share-hosts")
    assert code in (0, 2), said
