"""``example:NAME`` wherever a platform or a workload is named."""

import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.examples import find
from windtunnel.formats.registry import read_platform, read_workload


def test_an_example_brings_its_workload():
    small = find("small")
    named = wt.simulate("example:small", scheduler="fcfs")
    assert named.jobs.equals(wt.simulate(small.platform, small.workloads, "fcfs").jobs)
    assert wt.simulate("example:small", "lublin:5?hosts=16&seed=1").metrics.jobs == 5


def test_an_example_is_a_platform_or_a_workload_by_itself():
    assert len(read_platform("example:small").hosts) == 16
    assert len(read_workload("example:small")) == len(wt.arrange("example:small")) == 200
    assert wt.simulate("hosts:20", "example:small").metrics.jobs == 200


def test_examples_that_are_not_there():
    for made in (wt.simulate, wt.arrange, read_platform):
        with pytest.raises(UsageError, match="there is no bundled example 'smal'"):
            made("example:smal")


def test_examples_are_converted_and_studied(tmp_path, capsys):
    assert main(["convert", "example:small", str(tmp_path / "small.json")]) == 0
    assert main(["convert", "example:small", str(tmp_path / "small.swf")]) == 0
    capsys.readouterr()
    assert wt.simulate("hosts:16", str(tmp_path / "small.swf")).metrics.jobs == 200
    study = wt.study(platforms=["example:small"], workloads=["example:small"], schedulers=["fcfs"])
    assert study.run(tmp_path / "study").done["jobs"].to_list() == [200]


def test_a_run_says_on_what_it_ran(capsys):
    assert main(["run", "hosts:16", "example:small"]) == 0
    assert "platform:  hosts:16x1 (16 hosts)\nscheduler: easy (whole hosts)\n" in capsys.readouterr().out
