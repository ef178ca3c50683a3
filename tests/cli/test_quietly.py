"""Commands that print nothing leave the log as it was, also several of them at a time."""

import logging

from windtunnel.cli.quietly import only_errors_logged

LOG = logging.getLogger("windtunnel")


def test_only_what_is_wanted_is_quiet():
    before = LOG.level
    with only_errors_logged(False):
        assert LOG.level == before
    with only_errors_logged(True):
        assert not LOG.isEnabledFor(logging.WARNING)
        assert LOG.isEnabledFor(logging.ERROR)
    assert LOG.level == before


def test_the_last_of_several_commands_restores_the_level():
    before = LOG.level
    first, second = only_errors_logged(True), only_errors_logged(True)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not LOG.isEnabledFor(logging.WARNING)
    second.__exit__(None, None, None)
    assert LOG.level == before
