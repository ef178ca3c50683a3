"""Tasks laid out in whole rounds are where tasks laid out one by one are."""

import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model.slurm import JobAsk
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.select.layout import lay_out
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site

STATE = State(site(nodes=8))


def one_by_one(demand, taken, threads, tasks):
    each, nodes = demand.cpus_per_task, sorted(taken)
    most = demand.tasks_per_node or tasks
    found = {node: min(each, taken[node]) for node in nodes[:tasks]}
    counts = dict.fromkeys(found, 1)
    tasks -= len(found)
    for node, own in list(found.items()):
        for _ in range(own % threads[node] // each):
            if tasks > 0 and taken[node] - found[node] >= each and counts[node] < most:
                tasks, counts[node], found[node] = tasks - 1, counts[node] + 1, found[node] + each
    crowded = all(found[node] >= taken[node] for node in found)
    while tasks > 0:
        before = tasks
        for node in list(found):
            for _ in range(max(threads[node] // each, 1)):
                if tasks > 0 and (crowded or (taken[node] - found[node] >= each and counts[node] < most)):
                    tasks, counts[node] = tasks - 1, counts[node] + 1
                    found[node] = min(taken[node], found[node] + each)
        crowded = crowded or tasks == before
    return {node: found.get(node, 0) for node in nodes}


@given(
    st.dictionaries(st.integers(0, 7), st.integers(1, 40), min_size=1),
    st.lists(st.sampled_from((1, 2, 4)), min_size=8, max_size=8),
    st.integers(1, 90),
    st.sampled_from((None, 1, 2, 3, 5)),
    st.sampled_from((None, None, 2, 7)),
)
def test_whole_rounds_are_many_single_ones(taken, threads, tasks, cpus_per_task, tasks_per_node):
    ask = JobAsk(user="u", tasks=tasks, cpus_per_task=cpus_per_task, tasks_per_node=tasks_per_node)
    demand = PendingJob("1", 1, ask, 0, STATE.cluster).records[0].demand
    per_node = demand.tasks_per_node
    if demand.cpus_per_task > 1 and per_node:
        wanted = per_node * len(taken)
    else:
        cpus = max(demand.cpus, len(taken) * max(per_node, 1), len(taken) * demand.least_cpus)
        wanted = max(1, cpus // demand.cpus_per_task)
    assert lay_out(demand, taken, threads) == one_by_one(demand, taken, threads, wanted)
