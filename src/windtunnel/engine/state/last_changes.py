"""When the state of each host changed last: written down for many hosts at a time."""

from array import array
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.model.hostset import BIT_LIMIT, HostSet

__all__ = ["MANY", "LastChanges"]

MANY: Final = 2048
"""If more changes than that wait for being looked at, they are: sets kept for longer leave the cache."""
_FEW: Final = 64
"""Up to so many, none hides enough others."""


@mypyc_attr(allow_interpreted_subclasses=True)
class LastChanges:
    """A date for each host, 0 at first.

    Hot paths append to :attr:`hosts` and :attr:`when` themselves, and see to it that both do not get too long.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._dates = array("d", [0.0]) * size
        self.hosts: list[HostSet] = []
        """Hosts that have changed since, the latest last."""
        self.when: list[float] = []
        """When they did."""

    def note(self, hosts: HostSet, now: float) -> None:
        """These hosts change now."""
        self.hosts.append(hosts)
        self.when.append(now)
        if len(self.hosts) > MANY:
            self.settle()

    def dates(self) -> "array[float]":
        """The dates by host; a caller may change them."""
        if self.hosts:
            self.settle()
        return self._dates

    def settle(self) -> None:
        """Look at the changes that were written down."""
        if len(self.hosts) > _FEW:
            self._settle_backwards()
        else:
            for hosts, now in zip(self.hosts, self.when, strict=True):
                for first, last in hosts.runs:
                    self._dates[first : last + 1] = array("d", [now]) * (last - first + 1)
        self.hosts.clear()
        self.when.clear()

    def _settle_backwards(self) -> None:
        """The latest change comes first, so that most of the others need no more than a look."""
        dates = self._dates
        met = bytearray(self._size)
        left = self._size
        unmet: Any = (1 << left) - 1 if left <= BIT_LIMIT else -1  # an int, of which most sets are told at a glance
        for hosts, now in zip(reversed(self.hosts), reversed(self.when), strict=True):
            bits = hosts._bits
            if bits is not None:
                if not bits & unmet:
                    continue
                unmet &= ~bits
            for first, last in hosts.runs:
                stop = last + 1
                begin = met.find(0, first, stop)
                while begin >= 0:
                    end = met.find(1, begin, stop)
                    if end < 0:
                        end = stop
                    count = end - begin
                    dates[begin:end] = array("d", [now]) * count
                    met[begin:end] = b"\1" * count
                    left -= count
                    begin = met.find(0, end, stop)
            if not left:
                return
