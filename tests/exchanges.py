"""What is sent when everybody sends to everybody, link by link."""

from collections.abc import Sequence

from windtunnel.model.platform import Network


def sent_to_all(network: Network, endpoints: Sequence[int], amount: float) -> tuple[dict[int, float], float]:
    """The bytes over each link, and the greatest latency (s); no link is named twice."""
    loads, latency = network.all_to_all(endpoints, amount)
    links = [link for links, _ in loads for link in links]
    assert len(set(links)) == len(links)
    assert all(links for links, _ in loads)
    return {link: each for links, each in loads for link in links}, latency
