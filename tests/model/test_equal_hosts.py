"""Hosts that are made when somebody asks for them read as the tuple of them all."""

import pickle
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from operator import add
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.model import Host, Platform, PowerState
from windtunnel.model.equal_hosts import EqualHosts
from windtunnel.model.platform import _FEW, column_of, kinds_of
from windtunnel.testing import job, workload

STATE = (PowerState(2e9),)
OTHERS = (Host(id=9, name="x"),)


def the_tuple(size: int) -> tuple[Host, ...]:
    return tuple(Host(id=i, name=f"host{i}", cores=3, pstates=STATE) for i in range(size))


def outcome(what: Callable[[Sequence[Host]], Any], hosts: Sequence[Host]) -> Any:
    """What comes of it, or what kind of fault."""
    try:
        return what(hosts)
    except (IndexError, TypeError, ValueError) as fault:
        return type(fault)


QUESTIONS: tuple[Callable[[Sequence[Host]], Any], ...] = (
    len,
    bool,
    list,
    tuple,
    repr,
    hash,
    lambda hosts: [*reversed(hosts)],
    lambda hosts: hosts["0"],  # type: ignore[call-overload]
    lambda hosts: Host(id=1, name="host1", cores=3, pstates=STATE) in hosts,
    lambda hosts: hosts.index(Host(id=2, name="host2", cores=3, pstates=STATE)),
    lambda hosts: hosts.count(Host(id=2, name="host2", cores=3, pstates=STATE)),
    lambda hosts: add(hosts, OTHERS),
    lambda hosts: add(OTHERS, hosts),
    lambda hosts: add(hosts, [*OTHERS]),
    lambda hosts: add([*OTHERS], hosts),
    lambda hosts: hosts == the_tuple(4),
    lambda hosts: the_tuple(4) == hosts,
    lambda hosts: hosts != [*the_tuple(4)],
    lambda hosts: msgspec.json.encode([*hosts]),
    lambda hosts: pickle.loads(pickle.dumps(hosts)) == hosts,
    lambda hosts: [host.speed for host in hosts[1:3]],
)
BOUND = st.none() | st.integers(-7, 7)
SLICES = st.builds(slice, BOUND, BOUND, BOUND.filter(lambda step: step != 0))


@given(st.integers(0, 6), st.lists(st.sampled_from(QUESTIONS) | st.integers(-7, 7) | SLICES, max_size=8))
def test_every_question_is_answered_as_by_the_tuple(size: int, asked: list[Any]) -> None:
    hosts, plain = EqualHosts(size, 3, STATE), the_tuple(size)
    for one in asked:
        question = one if callable(one) else lambda some, key=one: some[key]
        assert outcome(question, hosts) == outcome(question, plain)


@given(st.integers(1, 6), st.sets(st.integers(0, 5)), st.booleans())
def test_columns_and_kinds_know_hosts_that_were_changed(size: int, changed: set[int], whole: bool) -> None:
    hosts, plain = EqualHosts(size, 3, STATE), the_tuple(size)
    for number in changed:
        if number < size:
            for some in (hosts, plain):
                some[number].cores, some[number].resources = 5 + number, {"gpus": 1.0}
    if whole:
        assert [*hosts] == [*plain]
    for name in ("cores", "resources", "pstates"):
        assert column_of(hosts, name) == column_of(plain, name)
    assert {host.cores for host in kinds_of(hosts)} >= {host.cores for host in plain}
    assert kinds_of(plain) is plain


def test_a_host_is_the_same_one_each_time() -> None:
    hosts = EqualHosts(5, 1, STATE)
    third = hosts[3]
    third.pstate = 0
    third.cores = 7
    assert hosts[-2] is third
    assert [*hosts][3] is third
    assert hosts[3] is third
    assert copy(hosts)[3] is third
    assert deepcopy(hosts)[3] is not third
    assert deepcopy(hosts) == hosts


def test_platforms_of_many_hosts_equal_those_made_of_tuples() -> None:
    lazily = Platform.uniform(_FEW + 1, 2)
    assert isinstance(lazily.hosts, EqualHosts)
    assert isinstance(Platform.uniform(_FEW, 2).hosts, tuple)
    at_once = msgspec.structs.replace(lazily, hosts=tuple(Platform.uniform(_FEW + 1, 2).hosts))
    assert lazily == at_once
    assert at_once == lazily
    assert str(lazily) == str(at_once) == f"hosts:{_FEW + 1}x2: 1,001 hosts, 2,002 cores"
    assert lazily._repr_html_() == at_once._repr_html_()
    assert lazily.cores_per_host == 2


@pytest.mark.parametrize("options", [{}, {"share_hosts": True}], ids=str)
def test_runs_are_the_same_and_look_at_no_more_hosts_than_they_must(options: dict[str, Any], tmp_path: Any) -> None:
    jobs = [job(i, hosts=2 + i, at=float(i)) for i in range(5)]
    platform = Platform.uniform(3000, 2)
    plain = msgspec.structs.replace(platform, hosts=tuple(Platform.uniform(3000, 2).hosts))
    for name, site in (("a", platform), ("b", plain)):
        wt.simulate(site, workload(*jobs), "easy", out=tmp_path / name, **options)
    for file in ("jobs.csv", "machine_states.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    if not options:
        assert isinstance(platform.hosts, EqualHosts)
        assert platform.hosts._all is None
        assert not platform.hosts._made
