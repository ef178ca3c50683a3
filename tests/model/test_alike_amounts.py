"""Amounts that are said once for many hosts read as those that are said host by host, wherever they are looked at."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.engine.state.shared_hosts import Shares as EngineShares
from windtunnel.model import Host, HostSet
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.results.shares_csv import amounts_text
from windtunnel.vocabulary import ExecuteJob
from windtunnel.vocabulary.checking import wrong_field
from windtunnel.vocabulary.shares import Shares

HOSTS = tuple(Host(id=number, name=f"h{number}", cores=8, resources={"memory": 64.0}) for number in range(8))


def alike(*groups):
    """Amounts from pairs of hosts and what is taken of each."""
    sets = [(HostSet(hosts), taken) for hosts, taken in groups]
    return AlikeAmounts(HostSet(host for hosts, _ in sets for host in hosts), sets)


def test_it_is_a_mapping_in_the_order_of_the_hosts():
    one, two = {"cores": 8.0}, {"cores": 4.0, "memory": 2.0}
    amounts = alike(([5, 1], one), ([3], two))
    assert list(amounts) == [1, 3, 5]
    assert amounts == {1: one, 3: two, 5: one}
    assert (len(amounts), amounts[3], amounts.get(2)) == (3, two, None)
    assert pickle.loads(pickle.dumps(amounts)) == amounts
    assert amounts_text(amounts) == amounts_text(dict(amounts)) == "1:cores=8|3:cores=4;memory=2|5:cores=8"
    assert amounts_text(alike(([2, 0], one))) == "0:cores=8|2:cores=8"


def test_what_is_wrong_in_a_group_is_found():
    decision = ExecuteJob(
        job_id="j", hosts=HostSet([1, 2]), amounts=alike(([1], {"cores": 1.0}), ([2], {"cores": "x"}))
    )
    assert wrong_field(decision) == "its field amounts[2]['cores'] must be a number, not str 'x'"


jobs = st.lists(
    st.tuples(st.sets(st.integers(0, 7), min_size=1), st.sampled_from([1.0, 2.0]), st.booleans()), max_size=12
)


@given(jobs, st.lists(st.integers(0, 11), max_size=12), st.booleans())
def test_shares_are_the_same_however_they_are_written_down(jobs, ends, looked_at):
    """Engine and mirror, each beside one that is told everything host by host."""
    ours, plain, mirror, mirrored = EngineShares(), EngineShares(), Shares(), Shares()
    mirror.hosts = mirrored.hosts = HOSTS
    running = []

    def same():
        for host in range(8):
            assert (host in ours) == (host in plain)
            assert mirror.left_on(host) == mirrored.left_on(host)
        assert mirror.unused is mirrored.unused
        if looked_at:
            assert (mirror.left, mirror.taken) == (mirrored.left, mirrored.taken)

    for hosts, cores, together in jobs:
        given, taken = HostSet(hosts), {"cores": cores}
        by_host = {host: taken for host in given}
        amounts = alike((given, taken)) if together else by_host
        assert ours.refusal(given, by_host, HOSTS) == plain.refusal(given, by_host, HOSTS)
        assert ours.fresh(given) == HostSet(host for host in given if host not in plain)
        assert ours.take(given, amounts) == plain.take(given, by_host)
        assert mirror.take(given, amounts) == mirrored.take(given, by_host)
        running.append((given, amounts, by_host))
        same()
    for place in ends:
        if place < len(running):
            given, amounts, by_host = running.pop(place)
            assert ours.give_back(given, amounts) == plain.give_back(given, by_host)
            assert mirror.give_back(given, amounts) == mirrored.give_back(given, by_host)
            same()
