"""Jobs of Batsim 5 whose profile is one of another workload."""

import json

import pytest

import windtunnel as wt
from windtunnel.diagnostics import InputError
from windtunnel.formats.batsim.workload import read_batsim5

OTHER = {
    "d": {"type": "DelayProfile", "delay": 8},
    "unused": {"type": "DelayProfile", "delay": 3},
    "whole": {"type": "SequentialCompositionProfile", "seq": ["d", "unused"]},
    "two": {"type": "ParallelTaskProfile", "cpu": [1e9, 1e9]},
}


def written(folder, name, profile, profiles, hosts=1, job="1"):
    described = [{"id": job, "subtime": 0, "res": hosts, "profile": profile}]
    path = folder / name
    path.write_text(json.dumps({"nb_res": 4, "jobs": described, "profiles": profiles}, indent=1))
    return path


@pytest.fixture
def inputs(tmp_path):
    def make(profile, hosts=1):
        first = written(tmp_path, "a.json", profile, {"d": {"type": "DelayProfile", "delay": 3}}, hosts)
        return [first, written(tmp_path, "b.json", "d", OTHER, job="2")]

    return make


@pytest.mark.parametrize(("profile", "seconds"), [("d", 3.0), ("w0!d", 3.0), ("w1!d", 8.0), ("w1!whole", 11.0)])
def test_profiles_of_another_workload(inputs, profile, seconds):
    run = wt.simulate("hosts:4", inputs(profile), "fcfs")
    ends = dict(zip(run.jobs["job_id"], run.jobs["execution_time"], strict=True))
    assert ends == {"1": seconds, "2": 8.0}
    assert "elsewhere" not in {line.kind for line in run.account}


def test_alone_it_is_told(inputs):
    paths = inputs("w1!d")
    (warning,) = read_batsim5(paths[0], "w0").warnings
    assert (warning.code, warning.line) == ("elsewhere", 8)
    assert "'w1!d' is looked up in another workload" in warning.message
    with pytest.raises(InputError, match="there is no workload of the profile 'w1!d'"):
        wt.simulate("hosts:4", paths[0], "fcfs")


@pytest.mark.parametrize(
    ("profile", "hosts", "said"),
    [
        ("w1!dd", 1, "a.json:8:15.*job '1': the profile 'w1!dd' does not exist"),
        ("w2!d", 1, r"job '1': there is no workload of the profile 'w2!d' \(there are w0, w1\)"),
        ("w1!two", 1, "job '1' requests 1 hosts, but its profile 'w1!two' is for 2"),
    ],
)
def test_profiles_that_are_not_there(inputs, profile, hosts, said):
    with pytest.raises(InputError, match=said):
        wt.simulate("hosts:4", inputs(profile, hosts), "fcfs")


def test_a_workload_is_not_changed_by_others(inputs):
    """It may be simulated beside another one later."""
    paths = inputs("w1!unused")
    first, second = read_batsim5(paths[0], "w0"), read_batsim5(paths[1], "w1")
    assert wt.simulate("hosts:4", [first, second], "fcfs").jobs["execution_time"].to_list() == [3.0, 8.0]
    assert list(second.unused) == ["w1!unused", "w1!whole", "w1!two"]
    assert type(first[0].profile).__name__ == "Profile"


def test_batsim_4_knows_its_own_profiles_only(tmp_path):
    path = written(tmp_path, "a.json", "w1!d", {"d": {"type": "delay", "delay": 3}})
    with pytest.raises(InputError, match="it names the workload 'w1'"):
        wt.simulate("hosts:4", path, "fcfs")
