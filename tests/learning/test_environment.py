"""The environment: what Gymnasium asks of one, its rewards, and that an agent decides as its policy will in a run."""

import pickle
import subprocess
import sys
import warnings

import pytest

import windtunnel as wt
from shared import missing
from windtunnel.diagnostics import MissingExtraError, UsageError
from windtunnel.learning.environment import SchedulingEnv
from windtunnel.model import JobList
from windtunnel.schedulers.learned.linear import LinearPolicy
from windtunnel.schedulers.learned.rules import RULES

try:
    import gymnasium
    import numpy as np
    from gymnasium.utils.env_checker import check_env
    from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
except ImportError:
    gymnasium = None

LOG = "lublin:150?hosts=32&load=1.2&estimates=exact&seed=3"


@pytest.fixture(autouse=True)
def installed():
    if gymnasium is None:
        missing("gymnasium (the extra rl)")


def made(**options):
    return SchedulingEnv(LOG, **{"length": 40, "window": 12, **options})


@pytest.mark.parametrize("backfill", [False, True])
@pytest.mark.parametrize("rules", RULES)
def test_gymnasium_finds_nothing_wrong(rules, backfill):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*render modes.*")  # there is no spec: it is made directly
        check_env(made(rules=rules, backfill=backfill))


@pytest.mark.parametrize("kind", ["SyncVectorEnv", "AsyncVectorEnv"])
def test_vectors_of_environments(kind):
    make = {"SyncVectorEnv": SyncVectorEnv, "AsyncVectorEnv": AsyncVectorEnv} if gymnasium else {}
    vector = make[kind]([lambda: made(reward="wait", dense=True) for _ in range(2)])
    try:
        observations, info = vector.reset(seed=[4, 4])
        assert observations.shape == (2, 12, 10)
        assert (observations[0] == observations[1]).all()
        for _ in range(45):  # beyond the end of an episode
            observations, rewards, *_ = vector.step(np.zeros(2, dtype=int))
            assert rewards[0] == rewards[1]
    finally:
        vector.close()
    assert info["action_mask"].shape == (2, 12)


def played(env, choose, *, seed=5):
    """The starts, the sum of rewards and the last info when ``choose`` gets observation and info."""
    observation, info = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        observation, reward, over, truncated, info = env.step(choose(observation, info))
        total += reward
        assert not truncated
    return env._episode.starts, total, info


@pytest.mark.parametrize("backfill", [False, True])
@pytest.mark.parametrize("rules", RULES)
def test_an_agent_decides_as_its_policy_does_in_a_run(rules, backfill):
    env = made(rules=rules, backfill=backfill)
    weights = (0.3, -1.0, 0.2, -0.5, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0)

    def choose(observation, info):
        sums = observation.astype(float) @ np.array(weights)
        sums[len(info["jobs"]) :] = -9
        if rules == "ordered":
            return (sums / 10).astype(np.float32)
        place = int(sums.argmax())
        return place if rules != "may-wait" or info["action_mask"][place] else env.action_space.n - 1

    starts, _, info = played(env, choose)
    _, begun = env.reset(seed=5)
    sequence = env.sequences.sequence(begun["start"])
    run = wt.simulate("hosts:32", sequence, LinearPolicy(weights=weights, **env.options))
    assert {f"w0!{row['job_id']}": row["starting_time"] for row in run.jobs.iter_rows(named=True)} == pytest.approx(
        starts, abs=1e-5
    )
    assert info["mean_wait"] == pytest.approx(run.metrics.waiting_time.mean)
    assert info["mean_bounded_slowdown"] == pytest.approx(run.metrics.bounded_slowdown.mean)


@pytest.mark.parametrize(
    ("reward", "figure", "sign"),
    [("slowdown", "mean_bounded_slowdown", -1), ("wait", "mean_wait", -1), ("utilisation", "utilisation", 1)],
)
@pytest.mark.parametrize("dense", [False, True])
def test_rewards_sum_to_the_figure_of_the_sequence(reward, figure, sign, dense):
    _, total, info = played(made(reward=reward, dense=dense), lambda *_: 0)
    assert total == pytest.approx(sign * info[figure])


def test_rewards_as_others_pay():
    _, total, _ = played(made(reward="cqgym", rules="chosen-anew"), lambda *_: 0)
    assert 0 < total < 80
    starts, total, _ = played(made(reward="schedgym", rules="may-wait"), lambda *_: 0)
    env = made()
    env.reset(seed=5)
    times = zip(env._episode.jobs, env._episode.runs, strict=True)
    spans = [(starts[job.id] + run - job.submission_time) / max(run, 1.0) for job, run in times]
    assert total == pytest.approx(-sum(spans))


def test_a_reward_of_ones_own():
    class Count:
        def pay(self, episode):
            return float(len(episode.last_started))

    _, total, _ = played(made(reward=Count), lambda *_: 0)
    assert total == 40


@pytest.mark.parametrize("rules", ["chosen-stays", "chosen-anew", "may-wait"])
def test_an_invalid_action_is_told_and_replaced(rules):
    env = made(rules=rules)
    env.reset(seed=1, options={"start": 7})
    assert env.reset(options={"start": 7})[1]["start"] == 7
    mask = env.action_masks()
    assert mask.sum() == 1
    info = env.step(int(np.flatnonzero(~mask)[0]))[4]
    assert info["invalid"] is True
    assert "invalid" not in env.step(int(env.action_masks().argmax()))[4]


@pytest.mark.parametrize("rules", ["chosen-stays", "chosen-anew", "may-wait"])
@pytest.mark.parametrize("action", [-1, 10**6])
def test_actions_that_there_are_not_are_invalid(rules, action):
    """-1 is not the last place, although that may be taken."""
    env = made(rules=rules, window=1)
    env.reset(seed=1, options={"start": 7})
    assert env.step(action)[4]["invalid"] is True


@pytest.mark.parametrize("options", [{"begin": 7}, {"start": 1.5}, {"start": "7"}, {"start": -1}, {"start": 10**9}])
def test_options_of_a_reset_that_there_are_not(options):
    with pytest.raises(UsageError):
        made().reset(options=options)


def test_jobs_that_do_not_fit_are_refused_at_once():
    """They would be rejected, and count as waiting until the end of their episodes."""
    workload = "lublin:60?hosts=64&seed=1&estimates=exact"
    with pytest.raises(UsageError, match=r"jobs request more than the 4 hosts there are[^$]*to_hosts\(4\)"):
        SchedulingEnv(workload, "hosts:4", length=5)
    SchedulingEnv(workload, "hosts:4", length=5, operations=("to_hosts(4)",)).reset(seed=1)


def test_all_views_are_named_when_there_is_no_such_view():
    with pytest.raises(UsageError, match="no view 'x'\n  hint: windtunnel, rlscheduler, cqgym"):
        made(view="x")
    with pytest.raises(UsageError, match="at least one job, not '8'"):
        made(length="8")


def test_after_the_end_there_is_nothing_to_choose():
    env = made(length=1)
    with pytest.raises(UsageError, match="call reset"):
        env.step(0)
    env.reset()
    assert env.step(0)[2] is True
    with pytest.raises(UsageError, match="call reset"):
        env.step(0)
    assert not env.action_masks().any()


def test_equal_seeds_draw_equal_sequences_also_in_a_copy():
    env = made()
    copy = pickle.loads(pickle.dumps(made()))
    begins = [one.reset(seed=3)[1]["start"] for one in (env, copy)] + [one.reset()[1]["start"] for one in (env, copy)]
    assert begins[0] == begins[1]
    assert begins[2] == begins[3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"length": 151}, "has 150 jobs, fewer than a sequence of 151"),
        ({"length": 0}, "at least one job"),
        ({"reward": "money"}, "no reward 'money'"),
        ({"rules": "mine"}, "rules must be one of"),
        ({"view": "mine"}, "there is no view 'mine'"),
        ({"window": 0}, "window must be"),
        ({"operations": ("first(10)",)}, "has 10 jobs"),
    ],
)
def test_options_that_make_no_sense(options, said):
    with pytest.raises(UsageError, match=said):
        made(**options)


def test_cqgyms_view_has_jobs_and_hosts():
    env = made(view="cqgym", rules="chosen-anew")
    observation, info = env.reset(seed=2)
    check_env(env, skip_render_check=True)
    observation, info = env.reset(seed=2)
    held = {}
    for _ in range(25):
        assert observation.shape == (2 * 12 + 32, 2)
        jobs = {job.id: job for job in env._episode.jobs}
        for place, one in enumerate(info["jobs"]):
            assert observation[2 * place].tolist() == [jobs[one].request.hosts, round(jobs[one].walltime)]
            assert observation[2 * place + 1].tolist() == [0, np.float32(info["now"] - jobs[one].submission_time)]
        assert not observation[2 * len(info["jobs"]) : 24].any()
        hosts = observation[24:]
        assert hosts[:, 0].sum() == env._episode.chooser.unused
        for running in env._episode.chooser.holding():
            held[running.job.id] = [0, np.float32(running.end - info["now"])]
            assert all(hosts[host].tolist() == held[running.job.id] for host in running.hosts)
        observation, *_, info = env.step(0)
    assert len(held) > 5


def test_a_workload_that_does_not_say_for_how_many_hosts(tmp_path):
    job = wt.Job(id="w0!1", request=wt.Request(hosts=1), profile=wt.DelayProfile(id="w0!p", delay=1.0))
    with pytest.raises(UsageError, match="give platform="):
        SchedulingEnv(JobList("w0", [job]), length=1)
    assert SchedulingEnv(JobList("w0", [job]), "hosts:3", length=1).reset()[1]["jobs"] == ("w0!1",)
    with pytest.raises(UsageError, match="there is no sequence 4"):
        SchedulingEnv(JobList("w0", [job]), "hosts:3", length=1).reset(options={"start": 4})


def test_without_gymnasium_the_extra_is_named():
    program = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "from windtunnel.learning.environment import SchedulingEnv\n"
        "SchedulingEnv('lublin:10')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert MissingExtraError.__name__ in done.stderr
    assert "windtunnel[rl]" in done.stderr


@pytest.mark.parametrize(
    ("rules", "action"),
    [
        *[("chosen-stays", action) for action in ("x", None, 0.5, float("nan"), [0, 1])],
        *[("ordered", action) for action in (0, [1.0], [float("nan")] * 128, "x", [[0.0] * 128])],
    ],
)
def test_actions_of_another_form_are_refused(rules, action):
    """Half a number was cut, a row too short left jobs out, and numbers that are none came last."""
    env = SchedulingEnv("lublin:200?hosts=16&seed=4&estimates=tsafrir", length=20, rules=rules)
    env.reset(seed=1)
    with pytest.raises(UsageError, match="an action is "):
        env.step(action)
    assert env.step(env.action_space.sample())[1] is not None


def test_an_index_may_stand_in_an_array():
    env = SchedulingEnv("lublin:200?hosts=16&seed=4&estimates=tsafrir", length=20)
    env.reset(seed=1)
    for action in (np.int64(0), np.array(0), np.array([0]), 0.0):
        assert "invalid" not in env.step(action)[4]
