"""A cycle of backfill that leaves out plans which keep no job from starting now starts what a whole one does."""

import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.model.slurm import BackfillSettings, JobAsk, Limits, Partition, Qos
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site

NODES = 8

steps = st.lists(
    st.one_of(
        st.tuples(st.just("submit"), st.integers(1, 32), st.sampled_from((1, 2, 5, 20, 50)), st.integers(0, 9)),
        st.tuples(st.just("submit"), st.sampled_from((1, 3, 20)), st.sampled_from((2, 50)), st.integers(0, 9)),
        st.tuples(st.just("end"), st.integers(0, 7), st.just(0), st.just(0)),
        st.tuples(st.just("wait"), st.sampled_from((30, 60, 97, 600)), st.just(0), st.just(0)),
    ),
    min_size=15,
    max_size=60,
)


def _ask(tasks, minutes, way, partitions):
    """Mostly plain jobs; now and then something that sets of nodes do not tell, or not alone."""
    more = {}
    if way == 0:
        more["min_nodes"] = min(2, tasks)
    elif way == 1:
        more["array"] = (1, 2, 3)
    elif way == 2:
        more["time_min"] = 1
    elif way == 3:
        more["exclusive"] = True
    elif way == 4:
        more["partitions"] = partitions
    return JobAsk(**{"user": "ann", "tasks": tasks, "time_limit": minutes, "partitions": partitions[:1], **more})


def _replay(events, described, partitions, main_every):
    """Once with all plans and once with those that matter: the same jobs run on the same nodes, for the same Reasons."""
    whole, short = State(described, 1000), State(described, 1000)
    for number, (what, size, minutes, way) in enumerate(events, 1):
        for state in (whole, short):
            if what == "submit":
                turned = partitions[number % len(partitions) :] + partitions[: number % len(partitions)]
                ask = _ask(size, minutes, way, turned)
                qos = state.cluster.qos.get("low" if way < 6 else "high")
                made = PendingJob(str(number), number, ask, state.now, state.cluster, qos=qos)
                state.pending[made.id] = made
                for record in made.records:
                    record.priority = way % 3
            elif what == "end" and size < len(state.running):
                state.end(list(state.running)[size], state.now)
            elif what == "wait":
                state.now += size
                for key in [key for key, one in state.running.items() if one.holding.end <= state.now]:
                    state.end(key, state.now)
        if number % main_every:
            continue
        done = []
        for state, all_plans in ((whole, True), (short, False)):
            main_pass(state)
            done.append([one.id for one in backfill_pass(state, all_plans).started])
        assert done[0] == done[1]
        assert _shown(whole) == _shown(short)


def _shown(state):
    waiting = {key: one.reason for key, one in state.pending.items()}
    return waiting, {key: (one.start, one.limit, one.holding.nodes) for key, one in state.running.items()}


@settings(max_examples=60)
@given(steps, st.sampled_from((30, 60, 1440)), st.sampled_from((60, 300)), st.sampled_from((1, 4)))
def test_the_same_jobs_start(events, window, resolution, main_every):
    backfill = BackfillSettings(bf_window=window, bf_resolution=resolution)
    _replay(events, site(nodes=NODES, cpus=4, backfill=backfill), ("main",), main_every)


@settings(max_examples=60)
@given(steps, st.sampled_from((3, 6, 10)), st.sampled_from((0, 2)), st.sampled_from((0, 12, 99)), st.sampled_from((1, 8)))
def test_limits_of_the_cycle_end_it_at_the_same_job(events, tested, started, slots, main_every):
    backfill = BackfillSettings(bf_max_job_test=tested, bf_max_job_start=started, bf_node_space_size=slots)
    _replay(events, site(nodes=NODES, cpus=4, backfill=backfill), ("main",), main_every)


@settings(max_examples=60)
@given(steps, st.sampled_from((0, 40)), st.sampled_from((1, 4)))
def test_the_same_jobs_start_in_several_partitions(events, growth, main_every):
    names = tuple(f"n{k}" for k in range(1, NODES + 1))
    parts = tuple(
        Partition(name=name, nodes=nodes) for name, nodes in (("a", names[:4]), ("b", names[4:]), ("all", names))
    )
    backfill = BackfillSettings(bf_window_linear=growth)
    _replay(events, site(nodes=NODES, cpus=4, backfill=backfill, partitions=parts), ("a", "b", "all"), main_every)


@settings(max_examples=80)
@given(steps, st.sampled_from((4, 9, 20)), st.sampled_from((None, 2)), st.sampled_from((1, 4)))
def test_limits_refuse_the_same_jobs_for_the_same_reasons(events, cpus, running, main_every):
    limits = Limits(max_tres_per_user={"cpu": cpus}, max_jobs_per_user=running)
    kinds = (Qos(name="low", limits=limits), Qos(name="high"))
    described = site(nodes=NODES, cpus=4, qos=kinds, enforce=("limits",), default_memory_per_cpu=10)
    _replay(events, described, ("main",), main_every)


def _drawn(draw, most, waits, ways):
    """Many jobs come, of few tasks and of up to so many; some end, and time passes."""
    events = []
    for _ in range(120):
        what = draw.choice(("submit",) * 7 + ("end", "wait", "wait"))
        tasks = draw.choice((1, 2, 4, 8, draw.randint(1, most), draw.randint(most // 2, most)))
        size = {"submit": tasks, "end": draw.randint(0, 7), "wait": draw.choice(waits)}[what]
        events.append((what, size, draw.choice((1, 5, 20, 50, 200, draw.randint(1, 300))), draw.choice(ways)))
    return events


@pytest.mark.parametrize("seed", range(8))
def test_plans_made_ahead_of_those_that_are_put_off_come_out_alike(seed):
    """Long queues of jobs of many lengths: most cycles put off plans, and make others without them."""
    draw = Random(seed)
    events = _drawn(draw, most=96, waits=(30, 97, 600, 3000), ways=(0, 3, 5, 6, 7, 8, 9))
    backfill = BackfillSettings(bf_window=draw.choice((300, 1440)), bf_resolution=60)
    _replay(events, site(nodes=24, cpus=4, backfill=backfill), ("main",), draw.choice((1, 4)))


@pytest.mark.parametrize("seed", range(8))
def test_cycles_end_after_as_many_tests_though_plans_are_put_off(seed):
    """Where it is certain that all which are put off are tested, the cycle ends without their plans."""
    draw = Random(seed)
    events = _drawn(draw, most=160, waits=(30, 97, 600), ways=(3, 5, 6, 7, 8, 9))
    tested, slots = draw.choice((3, 5, 8, 12)), draw.choice((0, 99))
    settings = BackfillSettings(bf_window=1440, bf_max_job_test=tested, bf_node_space_size=slots)
    _replay(events, site(nodes=40, cpus=4, backfill=settings), ("main",), draw.choice((1, 4)))


def test_a_job_behind_as_many_as_are_tested_does_not_start_before_plans_that_were_put_off():
    """One job has all nodes but one, four cannot start for long, and the last could start at once."""
    described = site(nodes=NODES, cpus=4, backfill=BackfillSettings(bf_max_job_test=4, bf_node_space_size=99))
    done = []
    for all_plans in (True, False):
        state = State(described, 1000)
        for number, (tasks, minutes) in enumerate(((28, 50), (32, 1000), (8, 500), (8, 500), (8, 500), (1, 5)), 1):
            ask = JobAsk(user="ann", tasks=tasks, time_limit=minutes)
            made = PendingJob(str(number), number, ask, state.now, state.cluster)
            state.pending[made.id] = made
        passes = (main_pass(state), backfill_pass(state, all_plans))
        done.append([[one.id for one in each.started] for each in passes])
    assert done[0] == done[1] == [["1"], []]


def test_a_cycle_ends_without_plans_once_enough_jobs_are_tested_for_certain():
    """One job leaves a quarter of the nodes; those that wait for more of them fill the cycle, and none is planned."""
    described = site(nodes=40, cpus=4, backfill=BackfillSettings(bf_max_job_test=4, bf_node_space_size=99))
    planned = []
    for all_plans in (True, False):
        state = State(described, 1000)
        for number, (tasks, minutes) in enumerate(((120, 50), *[(48, 40)] * 4, (1, 5)), 1):
            ask = JobAsk(user="ann", tasks=tasks, time_limit=minutes)
            made = PendingJob(str(number), number, ask, state.now, state.cluster)
            state.pending[made.id] = made
        assert [one.id for one in main_pass(state).started] == ["1"]
        assert not backfill_pass(state, all_plans).started
        planned.append([key for key, one in state.pending.items() if one.expected is not None])
    assert planned == [["2", "3", "4", "5"], []]


@pytest.mark.parametrize(
    ("jobs", "run"),
    [
        (((28, 50), (32, 1000), (8, 500), (8, 500), (8, 500), (1, 5)), 1),  # the second takes all nodes whole
        ((*[(3, 2000)] * 8, (7, 50), (8, 1000), (2, 500), (2, 500), (2, 500), (1, 5)), 9),  # or the rest of each
    ],
)
def test_jobs_for_which_a_plan_leaves_no_node_are_not_tested(jobs, run):
    """However many they are, the last job starts: it is over before the plan begins."""
    described = site(nodes=NODES, cpus=4, backfill=BackfillSettings(bf_max_job_test=3, bf_node_space_size=99, bf_window=900))
    for all_plans in (True, False):
        state = State(described, 1000)
        for number, (tasks, minutes) in enumerate(jobs, 1):
            ask = JobAsk(user="ann", tasks=tasks, time_limit=minutes)
            made = PendingJob(str(number), number, ask, state.now, state.cluster)
            state.pending[made.id] = made
        assert len(main_pass(state).started) == run
        assert [one.id for one in backfill_pass(state, all_plans).started] == [str(len(jobs))]


def test_a_job_shorter_than_a_step_may_be_planned_on_nodes_that_are_taken():
    """So its plan keeps another from starting, though nothing is free where it begins."""
    short, end = ("submit", 1, 1, 0), ("end", 0, 0, 0)
    events = [short, short, short, ("submit", 29, 1, 3), end, short, end, ("end", 1, 0, 0), short]
    events += [("submit", 1, 50, 0), ("submit", 20, 50, 1), ("submit", 13, 50, 4)]
    for idle in (0, 3):
        backfill = BackfillSettings(bf_window=60, bf_resolution=300)
        _replay([end] * idle + events, site(nodes=NODES, cpus=4, backfill=backfill), ("main",), 1)


def test_tasks_of_an_array_count_as_tests_each():
    """Three tests: two tasks of an array and the job behind it, so that nobody looks at the last job."""
    described = site(nodes=NODES, cpus=4, backfill=BackfillSettings(bf_max_job_test=3))
    done = []
    for all_plans in (True, False):
        state = State(described, 1000)
        for number, (tasks, more) in enumerate(((28, {}), (10, {"array": (1, 2)}), (20, {}), (1, {})), 1):
            ask = JobAsk(user="ann", tasks=tasks, time_limit=5, partitions=("main",), **more)
            state.pending[str(number)] = PendingJob(str(number), number, ask, state.now, state.cluster)
        main_pass(state)
        done.append([one.id for one in backfill_pass(state, all_plans).started])
    assert done == [[], []]
