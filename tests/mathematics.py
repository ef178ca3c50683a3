"""scipy for tests, where it is installed."""

from importlib.util import find_spec

from shared import missing


def needs_scipy():
    """Skip where scipy is not installed; fail where everything is required."""
    if find_spec("scipy") is None:
        missing("scipy")
