"""Options of the engine: values that make no sense are refused."""

from math import inf, nan

import pytest

from windtunnel.diagnostics import UsageError
from windtunnel.engine import Options

FLOATS = ("checkpoint_interval", "checkpoint_cost", "first_submission")
FLAGS = [name for name in Options.__struct_fields__ if isinstance(getattr(Options(), name), bool)]
WORDS = [name for name in Options.__struct_fields__ if isinstance(getattr(Options(), name), str)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("max_rounds", value) for value in (0, -1, 2.5, inf, "many", None)],
        *[(name, value) for name in FLOATS for value in (-1.0, nan, inf, "1", None)],
        *[(name, value) for name in FLAGS for value in (1, "no", None)],
        *[(name, value) for name in WORDS for value in ("", "KILL", None, 1)],
        ("forward", 5),
    ],
)
def test_nonsense_is_refused(name, value):
    with pytest.raises(UsageError, match=f"{name} must be .*, not "):
        Options(**{name: value})


def test_every_option_is_tried():
    assert {"max_rounds", "forward", *FLOATS, *FLAGS, *WORDS} == set(Options.__struct_fields__)


def test_sense_passes():
    assert Options(max_rounds=1, checkpoint_interval=10, first_submission=5).max_rounds == 1
