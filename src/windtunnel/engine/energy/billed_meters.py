"""Meters of hosts that also integrate power times carbon intensity and price, so that jobs get their part of both."""

from collections.abc import Iterable, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.meters import Meters
from windtunnel.engine.energy.site_meter import SiteMeter
from windtunnel.model import Host
from windtunnel.model.billing import JOULES_PER_KWH, JOULES_PER_MWH

__all__ = ["BilledMeters"]


@mypyc_attr(allow_interpreted_subclasses=True)
class BilledMeters(Meters):
    """Joules, grams and cost of each host since the start, at its own meter: without overhead."""

    def __init__(self, hosts: Sequence[Host], site: SiteMeter) -> None:
        super().__init__(hosts)
        self._site = site
        self.grams = [0.0] * len(hosts)
        self.costs = [0.0] * len(hosts)
        self._span = (0.0, 0.0)
        self._signals = (0.0, 0.0)
        """Integrals over the span asked for last: that of all hosts of a job."""

    def _charge(self, now: float, host: int) -> None:
        since = self.since[host]
        if now > since and self.metered[host]:
            if self._span != (since, now):
                self._signals = self._site.integrals(since, now)
                self._span = (since, now)
            watts = self.power(host)
            self.grams[host] += watts * self._signals[0] / JOULES_PER_KWH
            self.costs[host] += watts * self._signals[1] / JOULES_PER_MWH
        super()._charge(now, host)

    def billed(self, hosts: Iterable[int]) -> tuple[float, float]:
        """Grams and cost of hosts up to when each was last charged."""
        grams = cost = 0.0
        for host in hosts:
            grams += self.grams[host]
            cost += self.costs[host]
        return grams, cost
