"""The whole network: what is sent across its zones."""

from collections.abc import Sequence

from windtunnel.model.network.exchange import bytes_over, exchange
from windtunnel.model.network.routes import Routes
from windtunnel.model.platform import Loads

__all__ = ["ZonedNetwork"]


class ZonedNetwork(Routes):
    """Nested zones; implements :class:`~windtunnel.model.platform.Network`."""

    def all_to_all(self, endpoints: Sequence[int], amount: float) -> tuple[Loads, float]:
        """Links by the bytes over each (the maximum over flows for FATPIPE) when each endpoint sends ``amount`` bytes
        to each other position, and the greatest latency (s) of a route. Costs O(n) inside clusters and between zones.
        """
        crossed, latency = exchange(self, endpoints)
        return bytes_over(crossed, amount, self.fatpipes), latency
