"""What is left of hosts, now and in times to come: what is kept up to date is what looking at every host gives."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from windtunnel.model import HostSet, Request
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.packing.later import LaterRoom
from windtunnel.schedulers.packing.room import Room, union
from windtunnel.schedulers.packing.timetable import Timetable
from windtunnel.testing import job, platform
from windtunnel.vocabulary import Mirror, SimulationBegins

HOSTS, CORES, MEMORY = 5, 4, 8.0
NEEDS = [
    Need(count, amounts, whole=not amounts)
    for count in (1, 2, 3)
    for amounts in (
        (("cores", 1.0), ("memory", 1.0)),
        (("cores", 1.0), ("memory", 5.0)),
        (("cores", 3.0),),
        (),
    )
]


def site():
    made = platform(HOSTS, cores=CORES)
    return replace(made, hosts=tuple(replace(host, resources={"memory": MEMORY}) for host in made.hosts))


def mirror():
    made, where = Mirror(), site()
    made.apply(0.0, [SimulationBegins(0.0, where, (), (), False, False, (), ())])
    return made, Demands(where.hosts)


def looked_up(room, need):
    """The hosts that can hold a part, each asked for."""
    whole = room.demands.whole
    return HostSet(
        host
        for host in range(HOSTS)
        if host not in room.absent
        and (need.within(room.left[host]) if host in room.left else host in room.free and need.within(whole(host)))
    )


def started(made, room, need, name):
    """A job that needs this starts if it fits, and that is noted."""
    hosts = room.choose(need)
    if hosts is None:
        return False
    room.note(hosts)
    amounts = None if need.whole else {host: dict(need.amounts) for host in hosts}
    asked = replace(job(name, need.hosts, walltime=10.0 + 7 * name), request=Request(need.hosts, amounts=need.amounts))
    made.start(asked, hosts, amounts)
    return True


STEPS = st.lists(st.tuples(st.sampled_from(NEEDS), st.booleans(), st.integers(0, 5)), max_size=25)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_the_hosts_that_can_hold_a_part_are_kept_up_to_date(steps):
    made, demands = mirror()
    room = Room.now(made, demands)
    for name, (need, ends, which) in enumerate(steps):
        if ends and made.running:
            running = list(made.running.values())[which % len(made.running)]
            del made.running[running.job.id]
            made._leave(running)
            room.note(running.hosts)
        else:
            started(made, room, need, name)
        assert room.in_parts() == HostSet(room.left)
        for other in NEEDS:
            if not other.whole:
                assert room.parts(other) == looked_up(room, other)
            able = room.able(other)
            chosen = room.choose(other)
            assert (chosen is not None) == (len(able) >= other.hosts)
            assert chosen is None or (chosen <= able and len(chosen) == other.hosts)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, asked=st.sampled_from(NEEDS))
def test_later_rooms_change_apart_from_what_is(steps, asked):
    made, demands = mirror()
    room = Room.now(made, demands)
    for name, (need, _, _) in enumerate(steps):
        started(made, room, need, name)
    before = {host: dict(left) for host, left in made.shares.left.items()}, made.free.frozen()
    later = LaterRoom(room, made, asked)
    for _, _, _, held in made.ends:
        later.give_back(held)
        for need in NEEDS:
            if not need.whole:
                assert later.parts(need) == looked_up(later, need)
    assert later.free.frozen() == HostSet.span(HOSTS)
    assert not later.left
    assert ({host: dict(left) for host, left in made.shares.left.items()}, made.free.frozen()) == before
    hosts = later.choose(asked)
    later.take(asked, hosts)
    assert later.free.frozen() == HostSet.span(HOSTS) - hosts
    assert later.in_parts() == (HostSet() if asked.whole else hosts)


def test_unions_of_sets_of_any_size():
    assert union([]) == HostSet()
    assert union([HostSet([1, 5]), HostSet([2]), HostSet([5, 6])]) == HostSet([1, 2, 5, 6])
    assert union([HostSet([1]), HostSet.span(3, 1_000_000)]) == HostSet([1, 1_000_000, 1_000_001, 1_000_002])


DATES = st.integers(0, 20).map(float)
LENGTHS = st.integers(1, 9).map(float)
CHANGES = st.lists(st.tuples(st.sampled_from(NEEDS), DATES, LENGTHS), max_size=12)


def brute_force(taken, need, length, earliest):
    """The first date from which enough hosts have the part for so long: every host at every date."""
    demands = Demands(site().hosts)

    def left(host, date, name):
        whole = demands.whole(host)[name]
        there = [one for one, begin, end, on in taken if host in on and begin <= date < end]
        return whole - sum(whole if one.whole else dict(one.amounts).get(name, 0.0) for one in there)

    wanted = dict(need.amounts)
    dates = sorted({earliest, *(date for _, begin, end, _ in taken for date in (begin, end) if date > earliest)})
    for date in dates:
        during = [other for other in dates if date <= other < date + length]
        able = [
            host
            for host in range(HOSTS)
            if all(
                left(host, other, name) >= (demands.whole(host)[name] if need.whole else wanted.get(name, 0.0))
                for other in during
                for name in ("cores", "memory")
            )
        ]
        if len(able) >= need.hosts:
            whole = {name: demands.whole(0)[name] for name in ("cores", "memory")}
            used = [host for host in able if any(left(host, date, name) < whole[name] for name in whole)]
            return date, HostSet((used + [host for host in able if host not in used])[: need.hosts])
    return inf, HostSet()


@settings(max_examples=150, deadline=None)
@given(changes=CHANGES, need=st.sampled_from(NEEDS), length=LENGTHS, now=st.integers(0, 6).map(float))
def test_the_first_date_is_that_of_looking_at_every_host(changes, need, length, now):
    table = Timetable(Demands(site().hosts), HostSet.span(HOSTS), 0.0)
    taken = []
    for other, earliest, lasts in changes:
        begin, hosts = table.find(other, lasts, earliest)
        assert (begin, hosts) == brute_force(taken, other, lasts, earliest)
        table.change(hosts, other, begin, begin + lasts, -1)
        taken.append((other, begin, begin + lasts, hosts))
    table.forget(now)
    assert table.find(need, length, now) == brute_force(taken, need, length, now)
    for other, begin, end, hosts in taken:
        if begin >= now:
            table.change(hosts, other, begin, end, +1)
    taken = [one for one in taken if one[1] < now]
    found = table.find(need, length, now)
    assert found == brute_force(taken, need, length, now)
    assert table.earlier(need, length, now, found[0] + 1.0, found[1])
    if need.hosts == 1:
        assert not table.earlier(need, length, now, found[0], HostSet.span(HOSTS))


@pytest.mark.parametrize("need", NEEDS[:1])
def test_no_date_where_there_are_not_so_many_hosts(need):
    table = Timetable(Demands(site().hosts), HostSet.span(2), 0.0)
    assert table.find(replace(need, hosts=3), 1.0, 0.0) == (inf, HostSet())
    assert table.find(replace(need, hosts=0), 1.0, 4.0) == (4.0, HostSet())


def test_a_host_in_use_comes_before_a_smaller_one_that_the_job_would_fill():
    hosts = (replace(site().hosts[0], id=0, cores=4), replace(site().hosts[0], id=1, cores=8))
    table = Timetable(Demands(hosts), HostSet.span(2), 0.0)
    need = Need(1, (("cores", 4.0),), whole=False)
    assert table.find(need, 5.0, 0.0) == (0.0, HostSet([0]))
    table.change(HostSet([1]), replace(need, amounts=(("cores", 2.0),)), 0.0, 9.0, -1)
    assert table.find(need, 5.0, 0.0) == (0.0, HostSet([1]))
    assert table.find(replace(need, hosts=2), 5.0, 0.0) == (0.0, HostSet([0, 1]))


def test_as_many_kinds_of_parts_as_there_are():
    table = Timetable(Demands(site().hosts), HostSet.span(HOSTS), 0.0)
    needs = [Need(1, (("memory", 0.01 * rank), ("cores", 1.0)), whole=False) for rank in range(100)]
    once = [table.find(need, 5.0, 0.0) for need in needs]
    assert once == [table.find(need, 5.0, 0.0) for need in needs] == [(0.0, HostSet([0]))] * 100
