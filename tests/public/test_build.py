"""Which build is running is said, and both builds give the same bytes."""

import json
import os
import random
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from tests.shared import missing

import windtunnel
from windtunnel.cli.main import main
from windtunnel.model import hostset

OTHER = os.environ.get("WINDTUNNEL_OTHER_BUILD", "")
"""The interpreter of an environment in which the other build is installed."""

JOBS = 300
RUNS = {
    "easy": ["hosts:64", "jobs.swf", "--scheduler", "easy"],
    "conservative on cores": ["hosts:16x4", "jobs.swf", "--scheduler", "conservative", "--share-hosts"],
    "filler": ["hosts:64", "jobs.swf", "--scheduler", "filler"],
    "of others": ["hosts:64", "jobs.swf", "--scheduler", "batsched/easy_bf"],
    "tasks and energy": ["site.xml", "tasks.json", "--scheduler", "easy", "--energy"],
    "max-min": ["site.xml", "tasks.json", "--scheduler", "fcfs", "--sharing", "maxmin"],
    "datacenters": ["datacenters.json", "datacenters.swf"],
    "failures": ["hosts:64", "jobs.swf", "--scheduler", "easy", "--failures", "between=exponential:9000;until=90000"],
}


SITE = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-4" speed="1Gf" bw="125MBps" lat="50us" bb_bw="1GBps" bb_lat="5us">
    <prop id="wattage_per_state" value="95:100:190"/>
  </cluster>
</platform>
"""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A log, a site with a network, and tasks that communicate there."""
    folder = tmp_path_factory.mktemp("inputs")
    rng = random.Random(1)
    date, rows = 0, []
    for number in range(1, JOBS + 1):
        date += rng.randrange(200)
        size, lasts = rng.choice([1, 2, 4, 7, 16]), rng.randrange(1, 3000)
        asked = lasts + rng.randrange(2000)
        rows.append(f"{number} {date} -1 {lasts} {size} -1 -1 {size} {asked} -1 1 {number % 5} 1 1 1 1 -1 -1")
    (folder / "jobs.swf").write_text("\n".join(rows) + "\n")
    for name in ("datacenters.json", "datacenters.swf"):
        shutil.copy(Path(windtunnel.__file__).parent / "examples" / name, folder)
    (folder / "site.xml").write_text(SITE)
    profiles = {
        f"p{k}": {"type": "parallel_homogeneous", "cpu": 10.0 ** rng.randint(8, 11), "com": 10.0 ** rng.randint(3, 8)}
        for k in range(10)
    }
    jobs = [
        {
            "id": str(k),
            "subtime": 0.5 * k,
            "res": rng.choice([1, 2, 3, 5]),
            "walltime": 200.0,
            "profile": f"p{k % 10}",
        }
        for k in range(80)
    ]
    (folder / "tasks.json").write_text(json.dumps({"nb_res": 5, "jobs": jobs, "profiles": profiles}))
    return folder


def outputs(python, words, cwd, out):
    """Name -> content of all files of a run by a command line, without wall-clock figures and the name of the build."""
    subprocess.run([python, "-m", "windtunnel", "run", *words, "--quiet", "--out", str(out)], cwd=cwd, check=True)
    made = {}
    for path in sorted(out.iterdir()):
        content = path.read_bytes()
        if path.name == "run.json":
            content = json.loads(content)
            made["build"] = content.pop("build")
        elif path.name == "schedule.csv":
            head, values = content.decode().splitlines()
            row = dict(zip(head.split(","), values.split(","), strict=True))
            content = {k: v for k, v in row.items() if k not in ("scheduling_time", "simulation_time")}
        if path.name != "real_exec_info.json":
            made[path.name] = content
    return made


@pytest.mark.parametrize("name", RUNS)
def test_both_builds_give_the_same_bytes(tmp_path, inputs, name):
    if not OTHER:
        missing("an environment with the other build (WINDTUNNEL_OTHER_BUILD names its interpreter)")
    out = tmp_path / "out"
    ours = outputs(sys.executable, RUNS[name], inputs, out)
    shutil.rmtree(out)
    theirs = outputs(OTHER, RUNS[name], inputs, out)
    assert {ours.pop("build"), theirs.pop("build")} == {"compiled", "pure Python"}
    assert ours == theirs
    assert len(ours["jobs.csv"].splitlines()) > 50


def test_the_build_is_said(tmp_path):
    build = "compiled" if hostset.__file__.endswith(tuple(EXTENSION_SUFFIXES)) else "pure Python"
    assert windtunnel.build() == build
    run = windtunnel.simulate("hosts:4", [], "easy", out=tmp_path / "out")
    assert json.loads(run.read("run.json"))["build"] == build


def test_the_version_says_the_build(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"windtunnel {windtunnel.__version__} ({windtunnel.build()})\n"
