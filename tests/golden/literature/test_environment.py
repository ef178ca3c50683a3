"""The environment with ``view="rlscheduler"`` against the episodes that RLScheduler's own recorded."""

import gzip
import json
from functools import cache

import pytest

from shared import missing, shared
from windtunnel.diagnostics import MissingExtraError
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.learning.environment import SchedulingEnv
from windtunnel.model import DelayProfile, Job, Platform, Request

np = pytest.importorskip("numpy")

pytestmark = pytest.mark.golden
EPISODES = 12


@cache
def recorded():
    with gzip.open(shared("golden/literature/rlscheduler/environment.json.gz")) as file:
        return json.load(file)


@cache
def log():
    """The jobs as RLScheduler takes them: those that run, by number."""
    rows = [line.split() for line in shared("traces/lublin_256.swf").read_text().splitlines()]
    rows = sorted((row for row in rows if row and row[0] != ";" and float(row[3]) > 0), key=lambda row: int(row[0]))
    return TraceWorkload(
        "w0",
        [
            Job(
                id=f"w0!{row[0]}",
                request=Request(hosts=int(row[4]), processors=int(row[4])),
                profile=DelayProfile(id=f"w0!{row[3]}", delay=float(row[3])),
                submission_time=float(row[1]),
                walltime=float(row[3]) * (1 + 1e-12),
            )
            for row in rows
        ],
        in_order=True,
    )


AGENTS = {
    "first": lambda rows: 0,
    "shortest": lambda rows: int(rows[:, 1].argmin()),
    "smallest": lambda rows: int(rows[:, 2].argmin()),
}


@pytest.mark.parametrize("rank", range(EPISODES))
def test_every_choice_of_the_recorded_episodes(rank):
    try:
        env = SchedulingEnv(
            log(), Platform.uniform(256), view="rlscheduler", backfill=recorded()["episodes"][rank]["backfill"]
        )
    except MissingExtraError:
        missing("gymnasium (the extra rl)")
    assert len(recorded()["episodes"]) == EPISODES
    episode = recorded()["episodes"][rank]
    begin = log()[episode["start_index"]].submission_time
    observation, info = env.reset(options={"start": episode["start_index"]})
    for step, (action, number, date, waiting) in enumerate(episode["steps"]):
        choice = env._choice
        assert info["now"] + begin == date
        assert len(env._episode.chooser.waiting) == waiting
        if step < len(episode["features_of_first_40_steps"]):
            features = np.array(episode["features_of_first_40_steps"][step])
            assert len(choice.jobs) == len(features)
            assert abs(observation[: len(features)] - features).max() < 1e-6
        assert choice.jobs[action].name == str(number)
        observation, reward, over, _, info = env.step(action)
        assert over == (step == len(episode["steps"]) - 1)
    assert reward == pytest.approx(episode["reward"], rel=1e-12)
    starts = env._episode.starts
    waits = [starts[job.id] - job.submission_time for job in env._episode.jobs]
    assert waits == episode["wait"]
