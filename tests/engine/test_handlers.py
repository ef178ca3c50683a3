"""What is loaded when it is first needed is there."""

from importlib import import_module

import pytest

from windtunnel.engine.rounds.handlers import DECISIONS, EVENTS, RARE_DECISIONS, RARE_EVENTS


@pytest.mark.parametrize("where", sorted({*RARE_EVENTS.values(), *RARE_DECISIONS.values()}))
def test_handlers_of_rare_things_are_where_the_tables_say(where: str) -> None:
    module, _, name = where.partition(":")
    assert callable(getattr(import_module(f"windtunnel.engine.{module}"), name))


def test_they_are_in_the_tables_that_the_loop_reads() -> None:
    assert RARE_EVENTS.keys() < EVENTS.keys()
    assert RARE_DECISIONS.keys() < DECISIONS.keys()
