"""A format and a policy with an option, added by a package from outside the tree: they take effect as ours do."""

import json
import os
import subprocess
import sys

import pytest

from packages import install
from windtunnel.cli.main import main
from windtunnel.formats.registry import read_workload

PACKAGE = '''
"""Lines of nothing but run times, and a scheduler that leaves some hosts alone."""

from windtunnel.formats.format import Format
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.schedulers import Scheduler
from windtunnel.vocabulary import Execute


def looks_like_times(head):
    return head.startswith(b"times:")


def read_times(path, name, *, hosts: int = 1, apart: float = 0.0):
    times = [float(line) for line in path.read_text().splitlines()[1:]]
    return JobList(name, [
        Job(
            id=f"{name}!{rank}",
            request=Request(hosts),
            profile=DelayProfile(id=f"{name}!{time}", delay=time),
            submission_time=rank * apart,
        )
        for rank, time in enumerate(times)
    ])


def write_times(workload, path):
    path.write_text("times:\\n" + "".join(f"{job.profile.delay:g}\\n" for job in workload))
    return ["dates and hosts"]


TIMES = Format(
    name="times",
    kind="workload",
    description="run times, one a line",
    looks_like="times_and_leavers:looks_like_times",
    reader="times_and_leavers:read_times",
    writer="times_and_leavers:write_times",
    suffixes=(".times",),
)


class Leaver(Scheduler):
    """First come, first served, on all hosts but some."""

    def __init__(self, *, leave: int = 0):
        super().__init__()
        self.leave = leave

    def schedule(self, view):
        free = view.free
        for job in view.queue:
            if len(free) - self.leave < job.request.hosts:
                return
            hosts = free.pick(job.request.hosts)
            free -= hosts
            yield Execute(job, hosts)
'''
ENTRIES = {
    "windtunnel.formats": {"times": "times_and_leavers:TIMES"},
    "windtunnel.schedulers": {"leaver": "times_and_leavers:Leaver"},
}
IN_PYTHON = """
import json, sys
import windtunnel as wt

def starts(leave):
    chosen = {"scheduler_options": {"leave": leave}, "workload_options": {"hosts": 2}}
    return wt.simulate("hosts:4", sys.argv[1], "leaver", **chosen).jobs.sort("id")["starting_time"].to_list()

print(json.dumps([starts(0), starts(2)]))
"""


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """Runs a command where the package is installed, in a folder with a file of its format."""
    folder = tmp_path_factory.mktemp("outside")
    site = install(folder / "site", "times_and_leavers", PACKAGE, ENTRIES)
    (folder / "three.times").write_text("times:\n10\n10\n5\n")

    def call(*words):
        environment = {**os.environ, "PYTHONPATH": str(site)}
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    call.folder, call.site = folder, site
    return call


@pytest.fixture
def here(outside, monkeypatch, capsys):
    """The same in this process: what a command line prints, and what it answers."""
    monkeypatch.syspath_prepend(str(outside.site))
    monkeypatch.chdir(outside.folder)

    def call(*words, code=0):
        assert main([*map(str, words)]) == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    yield call
    sys.modules.pop("times_and_leavers", None)


@pytest.mark.parametrize(("leave", "makespan"), [(0, 15.0), (2, 25.0)])
def test_on_the_command_line(outside, leave, makespan):
    run = ("run", "hosts:4", "three.times", "-s", "leaver", "-o", f"leave={leave}", "--workload-option", "hosts=2")
    assert json.loads(outside("-m", "windtunnel", *run, "--json"))["makespan"] == makespan


def test_in_python(outside):
    assert json.loads(outside("-c", IN_PYTHON, "three.times")) == [[0.0, 0.0, 10.0], [0.0, 10.0, 20.0]]


def test_in_lists(here):
    lines = [line.split(maxsplit=4) for line in here("formats").splitlines()]
    assert ["times", "workload", "read,", "write", "run times, one a line"] in lines
    assert "leave: a whole number (default 0)" in here("schedulers", "leaver")


def test_in_conversions(here):
    assert "lost: dates and hosts" in here("convert", "three.times", "four.times")
    here("convert", "four.times", "four.swf", "-o", "apart=3", "-o", "hosts=2")
    assert [(job.submission_time, job.request.processors) for job in read_workload("four.swf")] == [
        (0, 2),
        (3, 2),
        (6, 2),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-s", "leaver", "-o", "leef=1"), "scheduler 'leaver': no option 'leef' (did you mean 'leave'?)"),
        (("-s", "leaver", "-o", "leave=most"), "leave must be a whole number, not 'most'"),
        (("-s", "leavers"), "did you mean 'leaver'"),
        (("--workload-option", "host=2"), "the format times: no option 'host' (did you mean 'hosts'?)"),
        (("--workload-option", "apart=nan"), "apart must be a number, not 'nan'"),
    ],
)
def test_what_is_wrong_is_said(here, words, said):
    assert said in here("run", "hosts:4", "three.times", *words, code=2)
