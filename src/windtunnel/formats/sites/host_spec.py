"""Platforms in one word: ``hosts:128`` (so many hosts of one core) or ``hosts:64x32`` (64 hosts of 32 cores)."""

import re

from windtunnel.diagnostics import UsageError
from windtunnel.model.platform import Platform

__all__ = ["read_host_spec"]

SPEC = re.compile(r"hosts:([0-9]+)(?:x([0-9]+))?", re.ASCII)
MOST = 10_000_000


def read_host_spec(text: str) -> Platform:
    """The platform: equal hosts of 1 Gflop/s per core, communication free.

    Raises:
        UsageError: The word is not of that form, or a number is 0 or too large.
    """
    match = SPEC.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{text!r} is not a platform", "expected hosts:NUMBER or hosts:NUMBERxCORES, as in hosts:64x32"
        )
    hosts, cores = int(match[1]), int(match[2] or 1)
    if not 1 <= hosts <= MOST or not 1 <= cores <= MOST:
        raise UsageError(f"{text!r}: hosts and cores must lie between 1 and {MOST}")
    return Platform.uniform(hosts, cores)
