"""Signals: what holds when, and integrals that are those of a sum over every second."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.model.signal_units import convert, currency_of
from windtunnel.model.signals import OUTSIDE, Signal, constant

DAY = 86400.0


def made(steps, outside="error", **more):
    """A signal of (duration, value)."""
    dates, date = [], more.pop("first", 0.0)
    for seconds, _ in steps:
        dates.append(date)
        date += seconds
    return Signal("s", "g/kWh", dates, [value for _, value in steps], end=date, outside=outside, **more)


def test_a_step_begins_with_its_date():
    signal = made([(10, 1.0), (5, 3.0)])
    assert [signal.at(date) for date in (0, 9.999, 10, 14.9)] == [1, 1, 3, 3]
    assert signal.integral(0, 15) == 25
    assert signal.integral(5, 12) == 11
    assert signal.integral(12, 12) == 0
    for date in (-0.1, 15.0):
        assert not signal.knows(date)
        with pytest.raises(SimulationError, match="has no value at"):
            signal.at(date)
    with pytest.raises(SimulationError, match=r"outside=hold"):
        signal.integral(0, 15.1)
    with pytest.raises(SimulationError):
        signal.integral(-1, 2)


def test_a_signal_that_holds():
    signal = made([(10, 1.0), (5, 3.0)], "hold")
    assert (signal.at(-5), signal.at(100)) == (1, 3)
    assert signal.integral(-10, 20) == 10 + 25 + 15
    assert constant("c", "g/kWh", 7.0).integral(-2, 3) == 35


def test_a_signal_that_repeats():
    signal = made([(DAY / 2, 1.0), (DAY / 2, 3.0)], "day", first=100.0)
    assert [signal.at(100 + DAY * days) for days in (-1.0, -0.5, 0, 5, 5.5)] == [1, 3, 1, 1, 3]
    assert signal.integral(100 - 3 * DAY, 100 + 4 * DAY) == pytest.approx(7 * DAY * 2)


def test_of_a_longer_file_the_last_period_repeats_after_it_and_the_first_before():
    signal = made([(DAY, 1.0), (DAY, 2.0), (DAY, 3.0)], "day")
    assert (signal.at(-1.0), signal.at(3 * DAY + 1)) == (1, 3)


STEPS = st.lists(st.tuples(st.integers(1, 50), st.integers(-9, 99)), min_size=1, max_size=12)


@given(STEPS, st.sampled_from(["hold", "error"]), st.integers(-40, 400), st.integers(-40, 400))
def test_integrals_are_sums_over_seconds(steps, outside, one, other):
    signal = made(steps, outside)
    since, until = sorted((one, other))
    if outside == "error":
        since, until = max(since, 0), min(until, signal.end)
    expected = sum(signal.at(second) for second in range(int(since), int(until)))
    assert signal.integral(since, until) == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(st.integers(-9, 99), min_size=24, max_size=60),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
)
def test_integrals_of_what_repeats_add_up(values, first, second, third):
    signal = made([(3600, value) for value in values], "day")
    low, middle, high = sorted((first, second, third))
    whole = signal.integral(low, high)
    assert whole == pytest.approx(signal.integral(low, middle) + signal.integral(middle, high), rel=1e-9, abs=1e-2)
    hours = range(int(low // 3600) + 1, int(high // 3600))
    if len(hours) > 1:
        summed = sum(signal.at(hour * 3600.0 + 1800.0) * 3600.0 for hour in hours[:-1])
        assert signal.integral(hours[0] * 3600.0, hours[-1] * 3600.0) == pytest.approx(summed, abs=1e-3)


@given(STEPS, st.floats(0, 1e9), st.floats(0, 1), st.floats(0, 1))
def test_another_second_zero_changes_no_integral(steps, zero, one, other):
    signal = made(steps, first=round(zero), dated=True)
    since, until = sorted((one * (signal.end - signal.first), other * (signal.end - signal.first)))
    moved = signal.from_zero(signal.first)
    expected = signal.integral(signal.first + since, signal.first + until)
    assert moved.integral(since, until) == pytest.approx(expected, rel=1e-6, abs=1e-4)
    assert moved.from_zero(5.0) is moved


@pytest.mark.parametrize(
    ("dates", "values", "more", "said"),
    [
        ([], [], {}, "as many dates as values"),
        ([1.0], [1.0, 2.0], {}, "as many dates as values"),
        ([1.0, 1.0], [1.0, 2.0], {}, "ascend"),
        ([1.0], [1.0], {"end": 1.0}, "ascend"),
        ([1.0], [inf], {}, "at most 1e\\+15"),
        ([1.0], [float("nan")], {}, "at most 1e"),
        ([-1e16], [1.0], {}, "at most 1e"),
        ([1.0], [1.0], {"outside": "month"}, "must be one of error, hold, day"),
        ([1.0], [1.0], {"end": 3600.0, "outside": "day"}, "cannot repeat every day"),
    ],
)
def test_what_is_no_signal(dates, values, more, said):
    with pytest.raises(UsageError, match=said):
        Signal("s", "g/kWh", dates, values, **more)


@pytest.mark.parametrize(
    ("quantity", "unit", "ours"),
    [
        ("carbon", "gCO2e/kWh", ("g/kWh", 1.0)),
        ("carbon", "gCO₂eq/kWh", ("g/kWh", 1.0)),
        ("carbon", "g/kWh", ("g/kWh", 1.0)),
        ("carbon", "kg CO2-eq/kWh", ("g/kWh", 1000.0)),
        ("carbon", "tCO2/MWh", ("g/kWh", 1000.0)),
        ("carbon", "lbs_co2_per_mwh", ("g/kWh", 0.45359237)),
        ("carbon", "g/Wh", None),
        ("carbon", "EUR/MWh", None),
        ("price", "EUR/MWh", ("EUR/MWh", 1.0)),
        ("price", "€/kWh", ("EUR/MWh", 1000.0)),
        ("price", "ct/kWh", None),
        ("price", "g/kWh", None),
    ],
)
def test_units(quantity, unit, ours):
    assert convert(quantity, unit) == ours
    assert ours is None or currency_of(ours[0]) in {"g", "EUR"}


def test_what_may_be_outside():
    assert OUTSIDE == ("error", "hold", "day", "week", "year")


@given(
    st.lists(st.integers(-9, 99), min_size=24, max_size=60),
    st.sampled_from(["day", "hold", "error"]),
    st.floats(-5e5, 5e5),
    st.floats(0, 3e5),
)
def test_between_steps_nothing_changes(values, outside, since, length):
    signal = made([(3600, value) for value in values], outside, first=100.0)
    until = since + length
    if outside == "error":
        since, until = max(since, signal.first), min(until, signal.end)
    if until <= since:
        return
    found = signal.steps(since, until)
    assert found == sorted(set(found))
    assert all(since < date < until for date in found)
    total = 0.0
    for low, high in pairwise([since, *found, until]):
        seen = {signal.at(low + (high - low) * share) for share in (0.01, 0.5, 0.99)}
        assert len(seen) == 1 or high - low < 1e-6
        total += seen.pop() * (high - low)
    assert signal.integral(since, until) == pytest.approx(total, rel=1e-9, abs=1e-2)
    if length > 1.0:
        expected = signal.forecast(since, until)
        middle = (since + min(until, expected.end)) / 2
        assert expected.integral(since, middle) == pytest.approx(signal.integral(since, middle), rel=1e-9, abs=1e-2)


def test_a_forecast_is_right_about_the_present_and_off_by_the_same_shares_later():
    signal = made([(3600, 100.0)] * 48, "error")
    early = signal.forecast(1800.0, 1e9, error=0.1, seed=1)
    late = signal.forecast(7200.0, 1e9, error=0.1, seed=1)
    assert (early.at(1800.0), late.at(7200.0), early.end) == (100.0, 100.0, signal.end)
    assert early.values[-1] == late.values[-1] != 100.0
    assert early.values[-1] != signal.forecast(1800.0, 1e9, error=0.1, seed=2).values[-1]
    off = [value / 100 - 1 for value in early.values[1:]]
    assert 0.05 < (sum(one * one for one in off) / len(off)) ** 0.5 < 0.2
    with pytest.raises(SimulationError):
        signal.forecast(1e9, 2e9)


@pytest.mark.parametrize("until", [float("inf"), float("nan")])
def test_a_signal_that_repeats_has_no_end_of_steps(until):
    """They would be listed for ever."""
    signal = Signal("s", "g/kWh", [0.0, 43200.0], [1.0, 2.0], end=86400.0, outside="day")
    for look in (lambda: signal.steps(0.0, until), lambda: signal.forecast(0.0, until), lambda: signal.steps(-until, 5.0)):
        with pytest.raises(UsageError, match="have no end"):
            look()
    held = Signal("s", "g/kWh", [0.0, 43200.0], [1.0, 2.0], outside="hold")
    assert held.forecast(-5.0, float("inf")).steps(-9.0, 1e9) == [-5.0, 0.0, 43200.0]


@pytest.mark.parametrize("error", [-0.1, float("nan"), float("inf"), 101.0])
def test_an_error_is_a_share(error):
    with pytest.raises(UsageError, match="a share from 0 to 100"):
        Signal("s", "g/kWh", [0.0], [1.0], outside="hold").forecast(0.0, 5.0, error=error)
