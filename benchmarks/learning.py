"""Decisions of a learning agent: how many choices a second of CPU the environment lets be made."""

import time
from importlib.util import find_spec

from benchmarks import Figure

__all__ = ["run"]


def run():
    if find_spec("gymnasium") is None:
        yield Figure("learning: not run, gymnasium is not installed", float("nan"), "")
        return
    from windtunnel.learning.environment import SchedulingEnv

    for view in ("windtunnel", "rlscheduler"):
        env = SchedulingEnv("lublin:10000?hosts=256&load=1.06&seed=1&estimates=exact", view=view)
        env.reset(seed=0, options={"start": 0})  # what is done once
        decisions, begin = 0, time.process_time()
        for episode in range(20):
            observation, info = env.reset(seed=episode)
            over = False
            while not over:
                action = int(observation[: len(info["jobs"]), 1].argmin())  # the shortest of the window
                observation, _, over, _, info = env.step(action)
                decisions += 1
        spent = time.process_time() - begin
        yield Figure(
            f"choices among 128 jobs, 256 hosts, view {view}", decisions / spent, "per CPU-s", "at least 3000"
        )
