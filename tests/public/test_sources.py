"""What compiled classes do not keep is read in their sources; in pure Python a class is its own source."""

import inspect
from typing import get_args, get_type_hints

import windtunnel
from windtunnel.schedulers.conservative import Conservative
from windtunnel.schedulers.easy import Easy
from windtunnel.sources import as_written


class Own(Easy):
    """Of a user."""


def test_parameters_and_docstrings_are_found():
    easy = as_written(Easy)
    assert inspect.getdoc(easy).startswith("EASY: the queue is started from the front")
    assert inspect.signature(easy.__init__).parameters["policy"].default == "best_effort_contiguous"
    assert "basic" in get_args(get_type_hints(easy.__init__)["policy"])


def test_what_is_not_compiled_is_itself():
    assert as_written(Own) is Own
    assert as_written(windtunnel.Request) is windtunnel.Request
    if windtunnel.build() == "pure Python":
        assert as_written(Conservative) is Conservative
