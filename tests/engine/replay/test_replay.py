"""Replays of traces, against what SimGrid's SMPI measured and by their own rules."""

import math
import pickle

import pytest
from tests.engine.sharing.networks import star
from tests.simgrid_cases import platform_of, scenario, smpi_names

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.replay import TraceReplay
from windtunnel.engine.replay.collectives import alltoall
from windtunnel.engine.sharing import Builder, System


def play(replay: TraceReplay) -> TraceReplay:
    replay.begin(0.0)
    return go_on(replay)


def go_on(replay: TraceReplay) -> TraceReplay:
    while (date := replay.system.next_event()) < math.inf:
        for action in replay.system.advance(date):
            assert action.tag.owner == replay.owner
            replay.ended(date, action)
    return replay


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("; ")]


def cluster(traces: list[str], hosts: list[int] | None = None, cores: int = 1) -> TraceReplay:
    """Ranks on hosts of 1 Gf with links of 100 MB/s and 100 us to each."""
    network = star(8, bandwidth=1e8, latency=1e-4)
    build = Builder(range(8), network)
    system = System([1e9] * 8, [cores] * 8, network.links)
    return TraceReplay("job", system, build, [lines(t) for t in traces], hosts or list(range(len(traces))))


@pytest.mark.golden
@pytest.mark.parametrize("name", smpi_names())
def test_ranks_end_when_simgrids_do(name):
    case = scenario(name)
    platform, hosts = platform_of(case)
    index = {host.name: i for i, host in enumerate(hosts)}
    system = System([h.speed for h in hosts], [h.cores for h in hosts], platform.network.links)
    build = Builder([host.endpoint for host in hosts], platform.network)
    traces = [[line.split()[1:] for line in trace] for trace in case["traces"]]
    replay = play(TraceReplay("job", system, build, traces, [index[host] for host in case["hosts"]]))
    assert replay.done
    assert replay.finish == pytest.approx(case["results"]["3.32.0"]["finish_per_rank"], rel=1e-9)


MESSAGE = 2e-4 + (1e6 + 16) / 1e8  # a million bytes between two hosts, alone


@pytest.mark.parametrize(
    ("traces", "finish"),
    [
        (["init; sleep 2.5; compute 1e9; finalize", "init"], [3.5, 0.0]),
        # Without a type an element is a byte, after "init 1" a double.
        (["init 1; send 1 0 1e6", "init; recv 0 0 1e6"], [2e-4 + (8e6 + 16) / 1e8] * 2),
        (["init; send 1 0 1e6", "init; recv 0 0 1e6"], [MESSAGE] * 2),
        # A small message does not hold its sender, and travels once the receiver expects it.
        (["send 1 0 100; compute 1e8", "compute 1e9; recv 0 0 100"], [0.1, 1.0 + 2e-4 + 116 / 1e8]),
        (["isend 1 7 100; wait 0 1 7", "recv 0 7 100"], [0.0, 2e-4 + 116 / 1e8]),
        # What was posted and never waited for is waited for at the end.
        (["isend 1 7 1e6; compute 1e3", "irecv 0 7 1e6"], [MESSAGE] * 2),
        (
            ["isend 1 7 1e6; isend 1 8 1e6; waitall", "irecv 0 7 1e6; irecv 0 8 1e6; waitall; compute 1e9"],
            [2 * MESSAGE - 2e-4, 1 + 2 * MESSAGE - 2e-4],
        ),
        # Two with one tag arrive in the order in which they were sent.
        (["send 1 0 1e6; send 1 0 2e6", "recv 0 0 1e6; recv 0 0 2e6"], [2e-4 + MESSAGE + (2e6 + 16) / 1e8] * 2),
        (["scatter 100000 100000 1 6 6"] * 3, [2e-4 + 2 * (1e5 + 16) / 1e8] * 3),
        (["reduce 1000 2e9"] * 2, [2.0 + 2e-4 + 1016 / 1e8, 2.0]),
        (["barrier"], [0.0]),
    ],
)
def test_ranks_wait_for_what_they_must(traces, finish):
    assert play(cluster(traces)).finish == pytest.approx(finish, abs=1e-12)


@pytest.mark.parametrize(
    ("usage", "cores", "busy"),
    [(1.0, 8, 8), (0.5, 8, 4), (0.07, 8, 1), (0.0, 8, 1), (0.3125, 8, 3), (0.29, 8, 2)],
)
def test_a_line_of_usage_keeps_so_many_cores_busy(usage, cores, busy):
    replay = cluster([f"m_usage {usage} 2e9; m_usage 1 1e9"], cores=cores)
    replay.begin(0.0)
    assert replay.system.load(0) == pytest.approx(busy * 1e9)
    assert go_on(replay).finish == [pytest.approx(3.0)]


def test_blocks_go_all_at_once_or_in_rounds():
    rounds = {(n, size): len(alltoall(0, n, size)) for n in (2, 3, 4, 16, 64, 300) for size in (100.0, 6e5, 2e6)}
    assert {key: number for key, number in rounds.items() if number != 1} == {
        (4, 6e5): 3,  # pairs
        (3, 6e5): 2,
        (16, 100.0): 4,  # Bruck: one round per bit
        (64, 100.0): 6,
        (64, 6e5): 63,
        (64, 2e6): 63,
        (300, 100.0): 9,
        (300, 6e5): 299,
        (300, 2e6): 299,
    }


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 8, 20])
@pytest.mark.parametrize("size", [1, 300, 10_000, 600_000, 3_000_000])
@pytest.mark.parametrize(
    "what", ["alltoall {0} {0} 6 6", "allgather {0} {0} 6 6", "bcast {0} 1 6", "allreduce {0} 0 6"]
)
def test_every_message_of_a_collective_finds_its_other_side(what, size, ranks):
    replay = play(cluster([f"init; {what.format(size)}; barrier"] * ranks, [i % 8 for i in range(ranks)]))
    assert replay.done
    assert not replay._mail.unmatched


def test_ranks_that_wait_for_each_other_are_stuck_and_say_so():
    replay = play(cluster(["recv 1 0 1e6; compute 1", "compute 1e9; recv 0 0 1e6", "compute 1"]))
    assert replay.stuck
    assert not replay.done
    assert replay.waiting() == "rank 0 at action 1 (recv 1 0 1e6), rank 1 at action 2 (recv 0 0 1e6)"
    assert [math.isnan(date) for date in replay.finish] == [True, True, False]


def test_a_replay_can_be_copied_under_way_and_cancelled():
    traces = ["compute 1e8; allreduce 1000000 1e8 6; barrier; alltoall 70000 70000"] * 5
    replay = cluster(traces)
    replay.begin(0.0)
    for _ in range(7):
        date = replay.system.next_event()
        for action in replay.system.advance(date):
            replay.ended(date, action)
    copy = pickle.loads(pickle.dumps(replay))
    assert go_on(copy).finish == go_on(replay).finish
    assert copy.done
    other = cluster(traces)
    other.begin(0.0)
    other.cancel(0.05)
    assert other.system.next_event() == math.inf
    assert not other.system.actions


def test_a_suspended_replay_goes_on_where_it_stood():
    traces = ["sleep 0.2; compute 1e8; allreduce 1000000 1e8 6; barrier"] * 3
    straight = play(cluster(traces)).finish
    for at in (0.1, 0.25, 0.3001, 0.31):
        replay = cluster(traces)
        replay.begin(0.0)
        while (date := replay.system.next_event()) < at:
            for action in replay.system.advance(date):
                replay.ended(date, action)
        replay.suspend(at)
        assert replay.system.next_event() == math.inf
        replay.resume(at + 10.0)
        assert go_on(replay).finish == pytest.approx([date + 10.0 for date in straight], abs=1e-9)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("compute much", "could not convert"),
        ("compute -1", "'-1' is not an amount"),
        ("send 5 0 1e6", "there is no rank 5 among 2"),
        ("send 1 -3 1e6", "tags are not negative"),
        ("send 1 0", "send needs more arguments"),
        ("bcast 100 0 99", "there is no data type 99"),
    ],
)
def test_a_line_that_makes_no_sense_is_named(line, message):
    with pytest.raises(SimulationError, match=r"trace of rank 0, action 2 \(" + line + r"\): .*" + message):
        play(cluster([f"init; {line}", "init"]))


def test_traces_that_cannot_be_replayed_are_refused_at_the_start():
    with pytest.raises(UsageError, match=r"not replayed: scan, test\n.*these are: init, finalize"):
        cluster(["init; test 0 1 2", "scan 1 2"])
    with pytest.raises(UsageError, match="2 traces need as many executors, not 1"):
        cluster(["init", "init"], [3])
