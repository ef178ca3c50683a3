"""The size factor of waiting jobs once the decay thread has been round, in recordings of our own."""

from pathlib import Path

import pytest

from slurm_replay import Replay
from windtunnel.schedulers.slurm.loops.first_reasons import first_reason

pytestmark = pytest.mark.golden


def sizes(name):
    """Of each job and partition the recorded and our own priority; all that counts in it is the size."""
    replay = Replay(Path(__file__).parent / "recorded" / name)
    state = replay.state_at(replay.outcome["t_up"], [])
    recorded = {(row["JOBID"], row["PARTITION"]): int(row["PRIORITY"]) for row in replay.outcome["sprio"]}
    found = {}
    for key, job in state.pending.items():
        first_reason(state, job)
        job.relate_to_last()
        for record in job.records:
            factors = state.ranking.factors(
                record.demand, record.table.partition, job.qos, job.member, 0, 0, job.minutes_for_size, job.last_cpus
            )
            one = (key, record.table.name)
            found[one] = (recorded[one], state.ranking.total(factors), record.demand.exclusive)
    return found


def test_of_select_linear_whole_nodes_count_before_backfill_has_looked():
    found = sizes("linear-sizes")
    assert found
    assert [one for one, (theirs, ours, _) in found.items() if theirs != ours] == []


def test_without_a_limit_the_time_of_the_last_partition_counts():
    found = sizes("size-by-time")
    assert found  # those of jobs with whole nodes are known once backfill has found them
    assert [one for one, (theirs, ours, whole) in found.items() if theirs != ours and not whole] == []


def test_under_sched_builtin_whole_nodes_count_once_starts_have_been_foreseen():
    found = sizes("builtin-sizes")
    assert any(whole for _, _, whole in found.values())
    assert [one for one, (theirs, ours, _) in found.items() if theirs != ours] == []
