"""The whole network: what is sent across its zones."""

from collections.abc import Sequence

from windtunnel.model.network.exchange import bytes_over, exchange
from windtunnel.model.network.routes import Routes

__all__ = ["ZonedNetwork"]


class ZonedNetwork(Routes):
    """Nested zones; implements :class:`~windtunnel.model.platform.Network`."""

    def all_to_all(self, endpoints: Sequence[int], amount: float) -> tuple[dict[int, float], float]:
        """Bytes over each link (the maximum over flows for FATPIPE) when each endpoint sends ``amount`` bytes to each
        other position, and the greatest latency (s) of a route. Costs O(n) inside clusters and between zones.
        """
        counts, latency = exchange(self, endpoints)
        return bytes_over(counts, amount, self.fatpipes), latency
