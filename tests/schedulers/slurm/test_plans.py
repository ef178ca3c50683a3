"""What the backfill loop finds in large steps is what small ones, one after another, find."""

import random
import sys
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.model.slurm import BackfillSettings, JobAsk, Partition
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.loops.planner import Planner
from windtunnel.schedulers.slurm.nodes.holdings import Holding, Part
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of, spans
from windtunnel.schedulers.slurm.plans.kept import KeptPlans
from windtunnel.schedulers.slurm.plans.node_map import NodeMap
from windtunnel.schedulers.slurm.select.answers import Answers
from windtunnel.schedulers.slurm.select.batches import Batches
from windtunnel.schedulers.slurm.select.shortage import Shortage
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import site

NODES = 6
STEP = 60
EVERYTHING = 2**NODES - 1

plans = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20), st.integers(1, EVERYTHING)), max_size=8)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20), st.integers(1, EVERYTHING)), max_size=12), st.data())
def test_nodes_free_of_plans_are_the_same_asked_again_after_further_plans(planned, data):
    known, asked = NodeMap(1000, 3600, STEP, EVERYTHING), []
    for number, (begin, length, nodes) in enumerate(planned):
        known.take(1000 + 50 * begin, 1000 + 50 * begin + STEP * length, nodes)
        asked.append((1000 + data.draw(st.integers(0, 3000)), data.draw(st.integers(0, 2000))))
        fresh = NodeMap(1000, 3600, STEP, EVERYTHING)
        for one, longer, others in planned[: number + 1]:
            fresh.take(1000 + 50 * one, 1000 + 50 * one + STEP * longer, others)
        assert [known.free_for(*one) for one in asked] == [fresh.free_for(*one) for one in asked]


@given(st.sets(st.integers(0, 300)) | st.sets(st.integers(0, 9000)))
def test_runs_of_nodes_are_listed_in_order(nodes):
    found = spans(mask_of(nodes))
    assert [node for begin, end in found for node in range(begin, end)] == sorted(nodes)
    assert all(end < begin for (_, end), (begin, _) in pairwise(found))
    assert list(bits(mask_of(nodes))) == sorted(nodes)


def _one_try_after_another(node_map, start, mask, length, least, few, base=EVERYTHING):
    """As slurm.md says it: at each date what is free all the time, then again at the next date with more."""
    tries, ever = 0, False
    while True:
        tries += 1
        later, among, _ = node_map.later_than(start, base, base, start + length)
        count = (among & mask).bit_count()
        ever = ever or count >= few
        if count >= least:
            return start, later, among & mask, tries, True
        if not later:
            return start, 0, 0, tries, ever
        start = later


@given(plans, st.integers(1, EVERYTHING), st.integers(0, 30), st.integers(1, NODES), st.integers(0, 2400))
def test_the_first_date_with_nodes_enough_is_that_of_one_try_after_another(taken, mask, length, least, start):
    node_map = NodeMap(0, 70 * STEP, STEP, EVERYTHING)
    for begin, steps, nodes in taken:
        node_map.take(begin * STEP, (begin + steps) * STEP, nodes)
    few = max(1, least - 2)
    found = node_map.chance(start, EVERYTHING, mask, length * STEP, least, few, 500)
    assert found == _one_try_after_another(node_map, start, mask, length * STEP, least, few)


@given(
    plans,
    st.integers(1, EVERYTHING),
    st.integers(0, 30),
    st.integers(1, NODES),
    st.lists(st.integers(0, 2400), min_size=1, max_size=3),
)
def test_what_is_remembered_of_slots_follows_the_plans(taken, base, length, least, starts):
    node_map = NodeMap(0, 70 * STEP, STEP, EVERYTHING)
    for begin, steps, nodes in taken:
        node_map.take(begin * STEP, (begin + steps) * STEP, nodes)
        for start in starts:
            for some in (EVERYTHING, base):
                found = node_map.chance(start, some, some, length * STEP, least, 1, 500)
                assert found == _one_try_after_another(node_map, start, some, length * STEP, least, 1, some)


@given(plans, st.integers(0, 30), st.sampled_from((1, STEP, 7)), st.lists(st.integers(0, 3000), min_size=1, max_size=4))
def test_what_is_free_from_now_on_follows_the_plans(taken, now, step, lengths):
    node_map = NodeMap(now, 20 * STEP, step, EVERYTHING)
    for begin, steps, nodes in taken:
        for length in lengths:
            assert node_map.free_from_now(length) == node_map.free_for(now, length)
        node_map.take(now + begin * STEP, now + (begin + steps) * STEP, nodes)
    assert [node_map.free_from_now(one) for one in lengths] == [node_map.free_for(now, one) for one in lengths]


def test_no_more_tries_are_made_than_allowed():
    node_map = NodeMap(0, 10 * STEP, STEP, 0b11)
    node_map.take(0, 2 * STEP, 0b11)
    assert node_map.chance(0, 0b11, 0b11, STEP // 2, 1, 1, 1)[2:] == (0, 1, False)
    assert node_map.chance(0, 0b11, 0b11, STEP // 2, 1, 1, 2) == (2 * STEP, 0, 0b11, 2, True)


def _walk(running, among, growth):
    """slurm.md §4.4, 4, job by job: the ends of the batches, and which jobs are in them."""
    window, edge, place, found = 30, 0, 0, []
    while place < len(running):
        batch, following = [], None
        while place < len(running):
            one = running[place]
            place += 1
            if not one.nodes & among:
                continue
            if not edge:
                edge = one.end + window - one.end % window
            batch.append(one.job)
            following = running[place] if place < len(running) else None
            if following is not None and following.end > edge + window:
                break
        if not batch:
            break
        found.append((batch, place))
        while True:
            window = window + growth if growth else window * 2
            if following is None or following.end <= edge + window:
                break
    return found


@given(
    st.lists(st.tuples(st.integers(0, 600), st.integers(1, EVERYTHING)), max_size=12),
    st.integers(0, EVERYTHING),
    st.sampled_from((0, 7, 60)),
)
def test_batches_are_those_of_a_walk_over_all_running_jobs(rows, among, growth):
    running = [Holding(str(k), nodes, end) for k, (end, nodes) in enumerate(sorted(rows))]
    batches = Batches(running, [one.end for one in running], among, growth)
    found = []
    while batches.advance():
        jobs = [one.job for one in batches.batch()]
        assert batches.end == running[int(jobs[-1])].end
        found.append((jobs, batches.place))
    assert found == _walk(running, among, growth)


@given(st.integers(0, 10**6), st.sampled_from((0, 60)), st.integers(1, 9))
def test_batches_are_the_same_where_many_jobs_are_passed_over(seed, growth, few):
    odd = random.Random(seed)
    rows = sorted((odd.randint(0, 9000), 1 << odd.randint(0, 5000)) for _ in range(200))
    running = [Holding(str(k), nodes * odd.choice((1, 3, 255)), end) for k, (end, nodes) in enumerate(rows)]
    among = 0
    for one in odd.sample(running, few):
        among |= one.nodes
    batches = Batches(running, [one.end for one in running], among, growth)
    found = []
    while batches.advance():
        found.append(([one.job for one in batches.batch()], batches.place))
    assert found == _walk(running, among, growth)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_dates_with_too_few_nodes_are_those_by_which_no_job_starts(seed):
    odd = random.Random(seed)
    state = State(site(nodes=NODES, cpus=4), 1000)
    selector = state.selector
    for number in range(odd.randint(1, 9)):
        ask = JobAsk(user="ann", tasks=odd.randint(1, 12), time_limit=odd.randint(1, 60))
        state.pending[str(number)] = PendingJob(str(number), number, ask, state.now, state.cluster)
        main_pass(state)
    ask = JobAsk(user="ann", tasks=odd.randint(1, 24), min_nodes=odd.choice((None, 1, 3)), time_limit=5)
    record = PendingJob("asks", 99, ask, state.now, state.cluster).records[0]
    told = []
    shortage = Shortage(selector, selector.futures, record, told)
    for _ in range(8):
        date, among = odd.randint(1000, 5000), odd.randint(1, EVERYTHING)
        short = shortage.until(date, among)
        start = selector.will_run(record, among, state.occupancy, state.now, (), date)
        assert not (short and start is not None)
        if start is None and record.demand.cpus > 4 * among.bit_count():
            assert short
    assert all(selector.stands(answer) and answer.placed is None for answer in told)


def test_a_plan_that_is_looked_for_anew_and_found_alike_is_kept():
    """A job that takes the last node, and ends long after it, leaves the three nodes that it goes to."""
    state = State(site(nodes=6, cpus=4), 1000)
    for number, tasks, minutes in ((1, 8, 10), (2, 8, 20), (3, 12, 5)):
        ask = JobAsk(user="ann", tasks=tasks, time_limit=minutes)
        state.pending[str(number)] = PendingJob(str(number), number, ask, state.now, state.cluster)
    main_pass(state)
    backfill_pass(state)
    record, selector = state.pending["3"].records[0], state.selector
    known = state.kept_plans.find(0, record, 1000)
    answer = known.answers[-1]
    assert (known.plan.start, known.plan.nodes) == (1600, 0b010011)
    last, first = [Holding(f"on {node}", 1 << node, 9000, alike=[Part(1 << node, 4, 15, 0)]) for node in (5, 4)]
    selector.took(last)
    assert not selector.stands(answer)
    assert selector.again(answer) is not answer
    assert selector.again(answer).placed.nodes == 0b010011
    assert Planner(state).stands(known)
    selector.took(first)
    assert selector.again(known.answers[-1]) is None
    assert not Planner(state).stands(known)


events = st.lists(
    st.one_of(
        st.tuples(st.just("submit"), st.integers(1, 24), st.integers(1, 50)),
        st.tuples(st.just("end"), st.integers(0, 5), st.just(0)),
        st.tuples(st.just("wait"), st.integers(1, 200), st.just(0)),
        st.tuples(st.just("wait"), st.sampled_from((30, 60, 600)), st.just(0)),
    ),
    min_size=10,
    max_size=40,
)


def _shown(state):
    waiting = {key: (one.expected, one.planned, one.reason) for key, one in state.pending.items()}
    return waiting, {key: (one.start, one.holding.nodes) for key, one in state.running.items()}


@settings(max_examples=60)
@given(events, st.sampled_from((30, 60, 1440)), st.sampled_from((60, 300)))
def test_plans_kept_between_cycles_are_those_made_anew(steps, window, resolution):
    _same_plans(steps, window, resolution)


@settings(max_examples=120)
@given(events, st.sampled_from((30, 60, 1440)), st.sampled_from((0, 40)))
def test_plans_hold_while_jobs_start_and_end_on_nodes_that_they_did_not_ask_about(steps, window, growth):
    names = tuple(f"n{k}" for k in range(1, 2 * NODES + 1))
    halves = (("a", names[:NODES]), ("b", names[NODES:]), ("all", names))
    parts = tuple(Partition(name=name, nodes=nodes) for name, nodes in halves)
    backfill = BackfillSettings(bf_window=window, bf_window_linear=growth)
    _replay(steps, site(nodes=2 * NODES, cpus=4, backfill=backfill, partitions=parts), ("a", "b", "a", "all", "b"))


def _same_plans(steps, window, resolution):
    backfill = BackfillSettings(bf_window=window, bf_resolution=resolution)
    _replay(steps, site(nodes=NODES, cpus=4, backfill=backfill), ("main",))


def _replay(steps, described, partitions):
    """Jobs in these partitions by turns, once with plans that are kept and once with plans made anew."""
    keeping, anew = State(described, 1000), State(described, 1000)
    for number, (what, size, minutes) in enumerate(steps, 1):
        for state in (keeping, anew):
            if what == "submit":
                part = partitions[number % len(partitions)]
                ask = JobAsk(user="ann", tasks=size, time_limit=minutes, partitions=(part,))
                state.pending[str(number)] = PendingJob(str(number), number, ask, state.now, state.cluster)
            elif what == "end" and size < len(state.running):
                state.end(list(state.running)[size], state.now)
            elif what == "wait":
                state.now += size
                for key in [key for key, one in state.running.items() if one.holding.end <= state.now]:
                    state.end(key, state.now)
            main_pass(state)
        anew.kept_plans, anew.selector.answers = KeptPlans(), Answers()
        done = [[one.id for one in backfill_pass(state).started] for state in (keeping, anew)]
        assert done[0] == done[1]
        assert _shown(keeping) == _shown(anew)


def test_a_plan_that_the_map_now_reaches_beyond_makes_another_map():
    steps = [("wait", 1, 0), ("submit", 20, 10), ("submit", 17, 50), ("submit", 5, 1), ("wait", 19, 0)]
    _same_plans(steps, 60, 60)
    steps = [("submit", 12, 34), ("wait", 449, 0), ("submit", 8, 16), ("submit", 13, 1), ("submit", 5, 15)]
    _same_plans([*steps, ("wait", 51, 0)], 30, 300)
    steps = [("end", 0, 0), ("end", 0, 0), ("submit", 1, 24), ("submit", 24, 1), ("submit", 1, 24), ("end", 1, 0)]
    _same_plans([*steps, ("wait", 600, 0)], 30, 300)  # shorter than a step


def test_a_plan_is_kept_until_it_is_due_and_forgotten_when_a_job_ends():
    state = State(site(nodes=2, cpus=4), 1000)
    for number, tasks, minutes in ((1, 4, 10), (2, 4, 20), (3, 8, 5), (4, 8, 5)):
        ask = JobAsk(user="ann", tasks=tasks, time_limit=minutes)
        state.pending[str(number)] = PendingJob(str(number), number, ask, state.now, state.cluster)
    main_pass(state)
    backfill_pass(state)
    third, fourth = state.pending["3"], state.pending["4"]
    assert (third.expected, fourth.expected) == (2200, 2460)
    record = third.records[0]
    known = state.kept_plans.find(0, record, 1019)
    assert known.plan.start == 2200
    assert Planner(state).stands(known)
    assert state.kept_plans.find(0, record, 2200) is None
    state.end("2", 1100)
    assert not Planner(state).stands(known)


def test_with_licences_in_plans_whole_running_nodes_are_in_the_map_as_well():
    """So a job that needs every node is tried again when the whole node of another is free, not with its licence."""
    for licensed in (False, True):
        backfill = BackfillSettings(bf_licenses=licensed, bf_resolution=1)
        state = State(site(nodes=2, cpus=4, backfill=backfill, licences={"x": 1}), 1000)
        asks = (JobAsk(user="a", tasks=4, exclusive=True, time_limit=10), JobAsk(user="a", tasks=8, time_limit=5))
        for number, ask in enumerate(asks, 1):
            state.pending[str(number)] = PendingJob(str(number), number, ask, state.now, state.cluster)
        main_pass(state)
        planner = Planner(state)
        first = state.running["1"].holding.nodes
        assert planner.map.free(1000, 1001, first) is not licensed
        assert planner.map.free(1600, 1601, first)
