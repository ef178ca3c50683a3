"""Compositions that nest deeply: as deep as is allowed they run, are saved and forked; deeper ones are refused."""

import json

import pytest

import windtunnel as wt
from windtunnel.diagnostics import DecisionError, InputError, SimulationError
from windtunnel.engine import Options, Simulation
from windtunnel.model import DelayProfile, SequentialCompositionProfile
from windtunnel.testing import Scripted, job, platform, workload
from windtunnel.vocabulary import Features, JobSubmitted, RegisterProfile, SimulationBegins


def nested(depth):
    """A delay below so many sequences; the outermost last."""
    made = [DelayProfile(id="w0!p0", delay=1.0)]
    for level in range(1, depth + 1):
        made.append(SequentialCompositionProfile(id=f"w0!p{level}", profile_ids=(f"w0!p{level - 1}",) * 2))
    return made


def of_file(folder, depth):
    profiles = {f"p{k}": {"type": "composed", "seq": [f"p{k - 1}"]} for k in range(1, depth + 1)}
    jobs = [{"id": "1", "subtime": 0, "res": 2, "profile": f"p{depth}"}]
    content = {"nb_res": 4, "jobs": jobs, "profiles": profiles | {"p0": {"type": "delay", "delay": 5}}}
    (folder / "jobs.json").write_text(json.dumps(content))
    return folder / "jobs.json"


def test_a_hundred_levels(tmp_path):
    simulation = wt.Simulation("hosts:4", of_file(tmp_path, 100), "fcfs")
    simulation.run_until(1.0)
    other = simulation.fork()
    simulation.save(tmp_path / "saved")
    again = wt.Simulation.restore(tmp_path / "saved")
    assert [run.run().metrics.makespan for run in (simulation, other, again)] == [5.0] * 3


@pytest.mark.parametrize("depth", [101, 3000])
def test_more_are_refused(tmp_path, depth):
    with pytest.raises(InputError) as caught:
        wt.simulate("hosts:4", of_file(tmp_path, depth), "fcfs")
    assert [finding.message for finding in caught.value.errors] == [
        "profile 'p101': compositions nest more than 100 deep"
    ]


def test_registered_ones_too():
    def script(now, notices):
        if isinstance(notices[0], SimulationBegins):
            return [RegisterProfile(profile=profile) for profile in nested(101)]
        return None

    scheduler = Scripted(script, Features(dynamic_registration=True))
    with pytest.raises(DecisionError, match="'w0!p101': its compositions nest more than 100 deep"):
        Simulation(platform(4), [], [scheduler], options=Options()).run()


def test_what_came_another_way_is_no_traceback():
    made = [
        SequentialCompositionProfile(id=f"w0!p{k}", profile_ids=(f"w0!p{k - 1}",)) if k else nested(0)[0]
        for k in range(2000)
    ]
    work = workload(job(1, run=made[-1]), profiles=made)
    with pytest.raises(wt.UsageError, match="'w0!p1999': its compositions nest more than 100 deep"):
        wt.simulate("hosts:4", work, "fcfs")

    def execute(now, notices):
        return [wt.Execute(notice.job, [0]) for notice in notices if isinstance(notice, JobSubmitted)]

    with pytest.raises(SimulationError, match="job 'w0!1': its profile nests too deeply to be run"):
        Simulation(platform(4), [work], [Scripted(execute)], options=Options()).run()
