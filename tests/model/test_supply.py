"""A chain of power supply: what it takes is a line in the watts of the machines, as a walk through its units shows."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.model.supply import Level, Supply

WATTS = st.floats(0, 1e4)
LEVELS = st.lists(
    st.builds(
        Level,
        hosts=st.integers(1, 5),
        device_watts=WATTS,
        converters=st.integers(1, 4),
        converter_watts=WATTS,
        efficiency=st.floats(0.5, 1.0),
    ),
    min_size=1,
    max_size=3,
)


def walked(levels, machines, off):
    """What each unit takes, level by level; units feed machines that are numbered one after another."""
    load = {(number,): watts for number, watts in enumerate(machines)}
    devices = 0.0
    for level in levels:
        units = {}
        for members, watts in load.items():
            units.setdefault(members[0] // level.hosts, []).append((members, watts))
        load = {}
        for parts in units.values():
            members = tuple(number for numbers, _ in parts for number in numbers)
            if level.hosts == 1 and members[0] in off:
                load[members] = 0.0
                continue
            devices += level.device_watts
            taken = sum(watts for _, watts in parts) + level.device_watts
            load[members] = (taken + level.converters * level.converter_watts) / level.efficiency
    return sum(load.values()), devices


@given(LEVELS, st.lists(WATTS, min_size=1, max_size=20), st.sets(st.integers(0, 19)))
def test_the_line_is_a_walk_through_the_units(levels, machines, off):
    sizes = [level.hosts for level in levels]
    if any(big % small for small, big in pairwise(sizes)):
        return  # units that split others cannot be walked so
    off = {number for number in off if number < len(machines)}
    machines = [0.0 if number in off else watts for number, watts in enumerate(machines)]
    taken, devices = Supply(levels=tuple(levels)).chain(len(machines)).watts(sum(machines), len(off))
    expected = walked(levels, machines, off)
    assert taken == pytest.approx(expected[0], rel=1e-9, abs=1e-6)
    assert devices == pytest.approx(expected[1], rel=1e-9, abs=1e-6)


def test_units():
    assert [Level(hosts=4).units(n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert Level(count=3).units(100) == 3


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "give either hosts"),
        ({"hosts": 1, "count": 1}, "give either hosts"),
        ({"hosts": -1}, "hosts must be above 0"),
        ({"hosts": 1.5}, "hosts must be a whole number"),
        ({"hosts": 1, "efficiency": 0}, "efficiency must be from 1e-06 to 1"),
        ({"hosts": 1, "efficiency": 1.1}, "efficiency must be from 1e-06 to 1"),
        ({"hosts": 1, "device_watts": float("nan")}, "device_watts must be a number from 0"),
        ({"hosts": 1, "converter_watts": -1}, "converter_watts must be a number from 0"),
        ({"hosts": 1, "converters": 0}, "converters must be above 0"),
    ],
)
def test_what_is_no_level(members, said):
    with pytest.raises(UsageError, match=said):
        Level(**members)


def test_a_supply_has_levels():
    with pytest.raises(UsageError, match="at least one level"):
        Supply(levels=())


def test_a_chain_lets_something_pass():
    """Efficiencies so small that watts would overflow are refused, of a level and of all of them together."""
    with pytest.raises(UsageError, match="efficiency must be from 1e-06"):
        Level(hosts=1, efficiency=5e-324)
    with pytest.raises(UsageError, match="the efficiencies of all levels come to 1e-08, less than 1e-06"):
        Supply(levels=(Level(hosts=1, efficiency=1e-4), Level(count=1, efficiency=1e-4)))
