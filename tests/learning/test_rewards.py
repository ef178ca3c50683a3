"""What an agent is paid, by hand: two jobs on a machine of two hosts."""

import pytest

import windtunnel as wt
from windtunnel.learning.episode import Episode
from windtunnel.learning.rewards import REWARDS, make_reward
from windtunnel.model import JobList, Platform
from windtunnel.schedulers.learned.choosing import Choosing


def job(number, submit, size, run):
    return wt.Job(
        id=f"w0!{number}",
        request=wt.Request(hosts=size),
        profile=wt.DelayProfile(id=f"w0!{run}", delay=run),
        submission_time=submit,
        walltime=run + 1,
    )


def pays(name, *, dense=False):
    """What is paid after each choice: the first job runs from 0 to 100 s, the second waits from 40 s for it."""
    jobs = JobList("w0", [job(1, 0.0, 1, 100.0), job(2, 40.0, 2, 20.0)], hosts=2)
    episode = Episode(Platform.uniform(2), jobs, Choosing())
    reward, found = make_reward(name, dense=dense), []
    while episode.go_on() is not None:
        if episode.starts:
            found.append(reward.pay(episode))
        episode.answer((0,))
    return [*found, reward.pay(episode)]


@pytest.mark.parametrize(
    ("name", "dense", "expected"),
    [
        ("wait", False, [0.0, -30.0]),  # a mean of 0 and 60 s
        ("wait", True, [0.0, -30.0]),
        ("slowdown", False, [0.0, -2.5]),  # 1, and (60 + 20) / 20
        ("slowdown", True, [-1.0, -1.5]),
        ("utilisation", False, [0.0, (100 + 40) / 240]),
        ("utilisation", True, [40 / 80, 140 / 240 - 40 / 80]),
        ("schedgym", False, [-0.4, -0.6 - 4.0]),
        # half of the machine, a job that had not waited and is half as large as it; then the whole, 60 s of 6 h, all of it
        ("cqgym", False, [(0.5 + 0 + 0.5) / 3, (0 + 60 / 21600 + 1) / 3]),
    ],
)
def test_two_jobs(name, dense, expected):
    assert pays(name, dense=dense) == pytest.approx(expected)


def test_names():
    assert {"cqgym", "schedgym"} == set(REWARDS)
