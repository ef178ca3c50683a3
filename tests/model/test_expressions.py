"""Performance models: every measured expression, and properties of the language."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import cases
from windtunnel.model.expressions import ExpressionError, evaluate, hidden_names, substituted, unknown_names

SIZES = (("num_nodes", "3"), ("num_gpus_per_node", "2"), ("num_gpus", "6"))
BEYOND = (";", "{", "[", "'", "//", "#", ":=", "var ", "repeat")
"""What ElastiSim's parser runs and ours refuses: programs, texts, comments."""
OTHER_FUNCTIONS = {"not_equal", "mand", "mor", "ncdf", "sinc", "sec", "csc", "cot", "deg2rad", "deg2grad", "rad2deg"}
OTHER_FUNCTIONS |= {"grad2deg", "asinh", "acosh", "atanh", "iclamp", "swap", "log1"}


def measured() -> list[dict[str, object]]:
    return [row for file in cases("golden/elastisim", "expressions.json") for row in json.loads(file.read_text())]


def value_of(text: str) -> float:
    return evaluate(substituted(text, SIZES))


def outside(text: str) -> bool:
    """Whether it is outside the documented part of the language."""
    return any(mark in text for mark in BEYOND) or any(f"{name}(" in text for name in OTHER_FUNCTIONS)


@pytest.mark.parametrize("row", measured(), ids=lambda row: str(row["expression"])[:40])
def test_measured(row):
    text = row["expression"]
    if outside(text):
        with pytest.raises(ExpressionError):
            value_of(text)
    elif "value" in row:
        assert value_of(text) == pytest.approx(row["value"], rel=1e-15, abs=0.0)
    else:  # refused, or no finite number, which none may use
        with contextlib.suppress(ExpressionError):
            assert not math.isfinite(value_of(text))


@given(st.text(alphabet="0123456789.+-*/%^()<>=&|?:, eEabcdminmaxnotfif_$", max_size=40))
def test_any_text_is_a_number_or_refused(text):
    with contextlib.suppress(ExpressionError):
        assert isinstance(evaluate(text), float)


NUMBERS = st.floats(min_value=0, max_value=1e9, allow_subnormal=False)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_arithmetic_is_that_of_floats(a, b, c):
    assert evaluate(f"{a!r} + {b!r} * {c!r} - {a!r}") == a + b * c - a
    assert evaluate(f"({a!r} + {b!r}) * {c!r}") == (a + b) * c
    assert evaluate(f"{a!r} < {b!r} ? {b!r} : {c!r}") == (b if a < b else c)
    assert evaluate(f"min({a!r}, {b!r}, {c!r})") == min(a, b, c)


@given(st.integers(1, 400))
def test_depth_is_refused_before_it_hurts(depth):
    text = "(" * depth + "1" + ")" * depth
    if depth < 99:
        assert evaluate(text) == 1.0
    elif depth > 100:
        with pytest.raises(ExpressionError, match="deeper"):
            evaluate(text)
    signs = "-" * 2 * depth + "1"
    if depth > 100:
        with pytest.raises(ExpressionError, match="deeper"):
            evaluate(signs)
    elif depth < 49:
        assert evaluate(signs) == 1.0


def test_names_are_replaced_as_text_in_order():
    assert substituted("t*tt", [("t", "2"), ("tt", "5")]) == "2*22"
    assert value_of("2num_nodes") == 23.0
    assert hidden_names("max(x, x2)", ["x"]) == ["max", "x2"]
    assert hidden_names("num_nodes + num_gpus", ["num_nodes", "num_gpus"]) == []


def test_unknown_names_are_told_and_faults_whatever_they_stand_for_refused():
    assert unknown_names("beta * num_nodes + gamma / beta", {"num_nodes": "3"}) == ["beta", "gamma"]
    with pytest.raises(ExpressionError, match="ends where a number is expected"):
        unknown_names("beta *", {})


def test_many_unknown_names_are_told_at_once():
    names = [f"x{rank}" for rank in range(10_000)]
    assert unknown_names("+".join(names), {}) == names
    assert unknown_names("a1 + (B1) a1 ? c : 2", {"c": "3"}) == ["a1", "B1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("num_noodles", "did you mean"),
        ("min()", "where a number"),
        ("sqrt(1, 2)", "takes 1 arguments, not 2"),
        ("1 || 0", "where a number"),
        ("__import__('os')", "is not known|is not part"),
        ("2" * 200_000, "too long"),
    ],
)
def test_faults_say_what_and_where(text, said):
    with pytest.raises(ExpressionError, match=said):
        evaluate(text)


def test_where_c_has_infinities_there_are_infinities():
    assert evaluate("1/0") == math.inf
    assert evaluate("-1/0") == -math.inf
    assert math.isnan(evaluate("0/0"))
    assert math.isnan(evaluate("sqrt(-1)"))
    assert evaluate("exp(1e6)") == math.inf
    assert evaluate("log(0)") == -math.inf
