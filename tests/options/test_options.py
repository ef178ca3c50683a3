"""The one rule of options: what annotations ask for, in words; conversion of texts; all faults at once."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from math import inf, nan
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.options import Option, check_fields, checked_options, expected, options_of


class Colour(StrEnum):
    RED = "red"
    DARK_BLUE = "dark-blue"


class Settings(msgspec.Struct, frozen=True):
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    count: Annotated[int, msgspec.Meta(ge=1)] = 3
    mode: Literal["on", "off"] = "on"
    colour: Colour = Colour.RED
    limit: float = inf
    name: Annotated[str, msgspec.Meta(min_length=1)] = "x"
    title: str = ""
    rest: dict[str, Any] = {}


class Taking:
    Options = Settings


def read(path, name="w0", *, twice: bool = False, seed: int | None = None, **others):
    pass


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (float, "a number"),
        (int | None, "a whole number"),
        (bool, "true or false"),
        (Literal["a", 4], "one of a, 4"),
        (Colour, "one of red, dark-blue"),
        (Annotated[float, msgspec.Meta(gt=0, le=1)], "a number greater than 0 and at most 1"),
        (Annotated[int, msgspec.Meta(ge=1, lt=5)] | str, "a whole number of at least 1 and less than 5 or a string"),
        (Annotated[str, msgspec.Meta(min_length=1)], "a string that is not empty"),
        (Annotated[float, msgspec.Meta(ge=0, description="in seconds")], "a number of at least 0, in seconds"),
        (dict[str, int], "a dict"),
        (Any, "anything"),
    ],
)
def test_what_is_expected_is_said_in_words(kind, words):
    assert expected(kind) == words


@pytest.mark.parametrize(("text", "seconds"), [("90", 90.0), ("1min", 60.0), ("1h30min", 5400.0), ("2 hours", 7200.0)])
def test_times_are_numbers_of_seconds_or_durations(text, seconds):
    """A duration was refused, by a message without the unit of the number that is expected."""
    kind = Annotated[float, msgspec.Meta(ge=0, description="in seconds")]
    for some in (kind, kind | None):
        known = {"idle": Option("idle", some, 0.0), "part": Option("part", float, 0.0)}
        assert checked_options("it", (known, False), {"idle": text}) == {"idle": seconds}
        for wrong in ({"idle": "soon"}, {"idle": "-5"}, {"part": text + "h"}):
            with pytest.raises(UsageError, match="must be a number"):
                checked_options("it", (known, False), wrong)


def test_options_are_parameters_or_fields():
    known, anything = options_of(read, skip=2)
    assert ([*known], anything) == (["twice", "seed"], True)
    assert options_of(Taking) == options_of(Settings)
    assert [str(option) for option in options_of(Settings)[0].values()][:2] == [
        "share: a number greater than 0 and at most 1 (default 0.5)",
        "count: a whole number of at least 1 (default 3)",
    ]
    assert options_of(object) == ({}, False)


@pytest.mark.parametrize(
    ("name", "given_", "read_"),
    [
        ("share", "0.25", 0.25),
        ("count", "7", 7),
        ("colour", "dark-blue", Colour.DARK_BLUE),
        ("limit", "inf", inf),
        ("title", 5, "5"),
        ("rest", {"a": [1]}, {"a": [1]}),
    ],
)
def test_texts_mean_what_they_say(name, given_, read_):
    assert checked_options("it", Settings, {name: given_}) == {name: read_}


def test_numbers_of_other_libraries_are_taken():
    numpy = pytest.importorskip("numpy")
    made = checked_options("it", Settings, {"share": numpy.float64(0.5), "count": numpy.int64(4)})
    assert [type(value) for value in made.values()] == [float, int]


def test_words_of_digits_are_words():
    known = {"size": Option("size", Literal["8", "64", 5], "8")}, False
    assert [checked_options("it", known, {"size": size})["size"] for size in ("64", "5")] == ["64", 5]


@pytest.mark.parametrize("value", [inf, -inf, nan, "inf", "nan", "1e999"])
def test_numbers_are_finite_unless_there_is_no_limit_by_default(value):
    with pytest.raises(UsageError, match="share must be a number"):
        checked_options("it", Settings, {"share": value})
    if value in {inf, "inf"}:
        assert checked_options("it", Settings, {"limit": value}) == {"limit": inf}
    with pytest.raises(UsageError, match="limit must be a number, not 'nan'"):
        checked_options("it", Settings, {"limit": "nan"})


def test_all_faults_come_at_once():
    known = {"n": Option("n", int, options_of(lambda n: 0)[0]["n"].default)}, False
    with pytest.raises(UsageError) as caught:
        checked_options("the thing", known, {"m": 1, "o-o": 2}, shown=lambda name: name.upper())
    assert str(caught.value).splitlines() == [
        "the thing: no option 'M' (known: N); no option 'O-O' (known: N); N must be given",
        "  hint: its options: n: a whole number",
    ]


def test_fields_of_a_struct_that_is_made():
    good = Settings(count=4, colour="dark-blue")
    check_fields(good, "it", texts=True)
    assert good.colour is Colour.DARK_BLUE
    with pytest.raises(
        UsageError, match=r"^it: share must be .*, not '0.5'; count must be .*, not True; mode must be"
    ):
        check_fields(Settings(share="0.5", count=True, mode="maybe"), "it")


@given(st.dictionaries(st.sampled_from([*Settings.__struct_fields__, "other"]), st.text() | st.floats() | st.none()))
def test_whatever_is_given_is_converted_or_refused_by_name(given_):
    with suppress(UsageError):
        check_fields(Settings(**checked_options("it", Settings, given_)), "it")
        return
    with pytest.raises(UsageError, match="|".join(given_)):
        checked_options("it", Settings, given_)


def test_what_no_string_can_be_is_not_proposed():
    def reader(*, number: int | None = None, roles: Mapping[str, str] | None = None, found: Counter | None = None): ...

    with pytest.raises(UsageError) as caught:
        checked_options("the reader", reader, {"number": "x"})
    assert str(caught.value).endswith("hint: its options: number: a whole number (default None)")
