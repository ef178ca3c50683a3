"""Which waiting jobs grow older, in a recording of our own."""

from pathlib import Path

import pytest

from slurm_replay import Replay
from windtunnel.schedulers.slurm.loops.queue import job_queue

pytestmark = pytest.mark.golden


def test_only_so_many_jobs_of_a_user_or_qos_grow_older():
    replay = Replay(Path(__file__).parent / "recorded" / "growing-older")
    state = replay.state_at(replay.outcome["t_up"] + 1, [])
    for job in state.pending.values():
        job.accrued_from = None
    assert state.accrual.limited
    job_queue(state)
    ours = {key for key, job in state.pending.items() if job.accrued_from is not None}
    waits = {job["JobId"]: job for job in replay.outcome["jobs"] if job["JobState"] == "PENDING"}
    assert ours == {key for key, job in waits.items() if isinstance(job.get("AccrueTime"), int)}
    assert len(ours) == 6
