"""Which priority jobs get: by the order of submission, and by factors."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

import windtunnel as wt
from windtunnel.model.slurm import Association, GresAsk, GresItem, Partition, PrioritySettings, SlurmNode
from windtunnel.schedulers.slurm.admission import Admission, tick
from windtunnel.schedulers.slurm.component import Slurm
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.state import State

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

FIRST = 4294901759


class Watched(Slurm):
    """Notes the priority of the one job that waits."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def decide(self, now, notices):
        found = super().decide(now, notices)
        if self.state is not None and len(self.state.pending) == 1:
            (one,) = self.state.pending.values()
            self.seen.append(one.records[0].priority)
        return found


def ranked(described, *jobs):
    desk = Admission(State(described))
    made = [desk.submit(one)[0] for one in jobs]
    return [[record.priority for record in parts[0].records] for parts in made]


def basic(*asks):
    described = site(priority=PrioritySettings(multifactor=False))
    found = ranked(described, *(job(f"j{k}", 60, tasks=1, **ask) for k, ask in enumerate(asks)))
    return [priorities[0] for priorities in found]


def test_under_priority_basic_each_job_is_one_behind_the_one_before_it():
    assert basic({}, {}, {}) == [FIRST, FIRST - 1, FIRST - 2]


def test_under_priority_basic_a_nice_value_counts_for_its_job_alone():
    assert basic({"nice": 100}, {"nice": -10}, {}) == [FIRST - 100, FIRST - 1 + 10, FIRST - 2]


def test_under_priority_basic_a_priority_that_is_set_is_kept_and_takes_no_place():
    assert basic({}, {"priority": 7, "nice": 3}, {}) == [FIRST, 7, FIRST - 1]
    assert basic({"priority": 0}, {}) == [0, FIRST]


def test_under_priority_basic_a_job_raised_beyond_32_bits_comes_last():
    assert basic({"nice": -100_000}, {}) == [FIRST + 100_000 - 2**32, FIRST - 1]


@pytest.mark.parametrize("multifactor", [False, True])
def test_a_nice_job_gives_way_under_both_plugins(multifactor):
    settings = PrioritySettings(multifactor=multifactor, weight_job_size=1000)
    found = ranked(site(priority=settings), job("a", 60, tasks=1, nice=200), job("b", 60, tasks=1))
    assert found[0] < found[1]


def of_tres(weights, **ask):
    """The priority of a job that only TRES give, each with 1000 points for all of the partition's."""
    nodes = tuple(
        SlurmNode(
            name=f"n{k}",
            cpus=8,
            cores_per_socket=8,
            memory=8000,
            state="IDLE",
            gres=(GresItem(name="gpu", type="a100", count=4),),
        )
        for k in range(4)
    )
    described = site(
        licences={"matlab": 10},
        partitions=(Partition(name="main", default=True, billing_weights={"cpu": 1.0, "license/matlab": 4.8}),),
        priority=PrioritySettings(weight_tres=dict.fromkeys(weights, 1000.0)),
    )
    return ranked(replace(described, nodes=nodes), job("a", 60, **ask))[0][0]


def test_licences_count_by_those_of_the_cluster():
    assert of_tres(["license/matlab"], tasks=1, licences={"matlab": 3}) == 300


def test_what_a_request_costs_counts_by_what_the_partition_does_in_whole_numbers():
    assert of_tres(["billing"], tasks=8, licences={"matlab": 2}) == int(1000 * int(8 + 2 * 4.8) / int(32 + 10 * 4.8))


@pytest.mark.parametrize(
    ("ask", "gpus"),
    [
        ({"gres_per_node": (GresAsk(name="gpu", type="a100", count=2),), "min_nodes": 2, "tasks": 2}, 4),
        ({"gres_per_job": (GresAsk(name="gpu", type="a100", count=3),), "tasks": 1}, 3),
        ({"gres_per_task": (GresAsk(name="gpu", type="a100", count=1),), "tasks": 4}, 4),
        (
            {
                "gres_per_socket": (GresAsk(name="gpu", type="a100", count=2),),
                "sockets_per_node": 1,
                "min_nodes": 2,
                "tasks": 2,
            },
            4,
        ),
    ],
)
def test_types_of_gpus_count_however_they_are_asked_for(ask, gpus):
    assert of_tres(["gres/gpu:a100"], **ask) == int(1000 * gpus / 16)
    assert of_tres(["gres/gpu"], **ask) == int(1000 * gpus / 16)


def test_of_a_list_of_partitions_the_first_says_what_a_job_costs_in_all():
    dear, cheap = {"cpu": 2.0}, {"cpu": 1.0}
    parts = (
        Partition(name="dear", billing_weights=dear),
        Partition(name="cheap", default=True, billing_weights=cheap),
    )
    described = site(partitions=parts, priority=PrioritySettings(weight_tres={"billing": 1000.0}))
    (both,) = ranked(described, job("a", 60, tasks=8, partitions=("cheap", "dear")))
    (one,) = ranked(described, job("a", 60, tasks=8, partitions=("dear",)))
    assert (sorted(both), one) == ([125, 250], [250])  # 8 of 32 in one, 8 of 64 in the other


@pytest.mark.parametrize("exclusive", [False, True])
def test_the_size_of_a_job_is_that_of_the_placement_last_found_for_it(exclusive):
    """Backfill plans the job on a node of its own; from the next round on all of its CPUs count."""
    sizes = PrioritySettings(weight_job_size=1000, calc_period=60, decay_half_life=0)
    scheduler = Watched()
    jobs = (job("a", 600, tasks=32, walltime=600), job("b", 60, submit=1, tasks=2, exclusive=exclusive))
    wt.simulate(platform(site(priority=sizes)), workload(*jobs), scheduler)
    first, later = int(1000 * (1 / 4 + 2 / 32) / 2), int(1000 * (1 / 4 + 8 / 32) / 2)
    assert scheduler.seen[0] == first
    assert scheduler.seen[-1] == (later if exclusive else first)


@pytest.mark.parametrize("accounted", [False, True])
def test_without_slurmdbd_priorities_stay_as_they_are_at_submission(accounted):
    known = PrioritySettings(weight_age=1000, max_age=600, calc_period=60, accounted=accounted)
    scheduler = Watched()
    jobs = (job("a", 600, tasks=32, walltime=600), job("b", 60, submit=1, tasks=2))
    wt.simulate(platform(site(priority=known)), workload(*jobs), scheduler)
    assert (scheduler.seen[-1] > scheduler.seen[0]) is accounted


@pytest.mark.parametrize("flags", [(), ("NO_FAIR_TREE",), ("DEPTH_OBLIVIOUS",)])
def test_without_fair_tree_a_job_is_ranked_before_those_behind_it_in_the_list_are_charged(flags):
    """The first job of ann, which waits for its date, sees what her second one has used a round later."""
    members = [Association(account="root"), Association(account="a", parent="root")]
    members += [Association(account="a", user=name, default=True) for name in ("ann", "bob")]
    settings = PrioritySettings(weight_fair_share=1000, decay_half_life=0, flags=flags)
    state = State(site(nodes=2, associations=tuple(members), priority=settings))
    desk = Admission(state)
    desk.submit(job("wide", 60, tasks=16))
    desk.submit(job("long", 60, tasks=8))
    (wide, long) = state.pending.values()
    wide.begin, wide.eligible = 10**9, None  # it waits for its date
    (running,) = main_pass(state).started
    assert running.pending is long
    state.now = 300
    tick(state, [running])
    seen = [wide.records[0].priority]
    state.now = 600
    tick(state, [running])
    seen.append(wide.records[0].priority)
    assert (seen[0] == 1000) is bool(flags)
    assert seen[1] < 1000
