"""One profile of hypothesis for all tests: no deadlines, as machines are shared; under CI the same examples each time."""

import os

from hypothesis import settings

settings.register_profile("windtunnel", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "windtunnel"))
