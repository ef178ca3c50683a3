"""An exchange inside a star is counted at once: it comes to what all pairs come to."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exchanges import sent_to_all

from windtunnel.model.network import PointKind, StarZone, ZonedNetwork
from windtunnel.model.network.exchange import pairwise
from windtunnel.model.platform import Link

MEMBERS = 6
OWN = 2 * MEMBERS
"""Links 2k and 2k + 1 are member k's own; two more may be had by all."""
WAYS = st.sampled_from(["up and down", "both ways", "up", "none"])
COMMON = st.sampled_from([(), (OWN,), (OWN, OWN + 1)])


@st.composite
def stars(draw: st.DrawFn) -> ZonedNetwork:
    """Mostly members that are alike, and some that are not."""
    usual, common = draw(WAYS), draw(COMMON)
    up: dict[int, tuple[int, ...]] = {}
    down: dict[int, tuple[int, ...]] = {}
    for k in range(MEMBERS):
        odd = draw(st.integers(0, 5)) == 0
        way, all_have = (draw(WAYS), draw(COMMON)) if odd else (usual, common)
        first, second = (2 * k,), (2 * k + 1,)
        out, back = {
            "up and down": (first, second),
            "both ways": (first, first),
            "up": (first, ()),
            "none": ((), ()),
        }[way]
        up[k + 1], down[k + 1] = (*out, *all_have), (*all_have, *back)
    latencies = draw(st.lists(st.sampled_from([1.0, 2.0, 4.0]), min_size=OWN + 2, max_size=OWN + 2))
    shared = draw(st.lists(st.integers(0, 9).map(bool), min_size=OWN + 2, max_size=OWN + 2))
    links = [Link(f"l{i}", 1e8, latencies[i], shared[i]) for i in range(OWN + 2)]
    zone = StarZone(name="S", point=0, up=up, down=down)
    names = ["S", *(f"h{k}" for k in range(MEMBERS))]
    kinds = [PointKind.ZONE, *[PointKind.HOST] * MEMBERS]
    return ZonedNetwork(links, names, kinds, [-1, *[0] * MEMBERS], [zone])


@given(stars(), st.lists(st.lists(st.integers(1, MEMBERS), max_size=MEMBERS, unique=True), min_size=1, max_size=4))
def test_an_exchange_counts_what_all_pairs_count(network: ZonedNetwork, asked: list[list[int]]) -> None:
    for endpoints in asked:  # what is learned of the star serves the next ones
        counts: dict[int, int] = {}
        latency = pairwise(network, Counter(endpoints), counts)
        found, longest = sent_to_all(network, endpoints, 8.0)
        assert found == {link: 8.0 * n if network.links[link].shared else 8.0 for link, n in counts.items()}
        assert longest == pytest.approx(latency, rel=1e-14)
