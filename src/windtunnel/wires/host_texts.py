"""Sets of hosts as schedulers name them: the same texts come again and again."""

from typing import Final

from windtunnel.model import HostSet

__all__ = ["hosts_of"]

_KEPT: Final = 4096
_LONGEST: Final = 256
"""Longer texts are rarely the same."""

_known: Final[dict[str, HostSet]] = {}
_HostSet: Final = HostSet


def hosts_of(text: str) -> HostSet:
    """The hosts that a text names, as :meth:`HostSet.parse`.

    Raises:
        ValueError: it is not an interval set.
    """
    hosts = _known.get(text)
    if hosts is None:
        hosts = _HostSet.parse(text)
        if len(text) <= _LONGEST:
            if len(_known) >= _KEPT:
                _known.clear()
            _known[text] = hosts
    return hosts
