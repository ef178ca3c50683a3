"""What jobs use of their hosts, counted by groups of hosts that are alike."""

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model import Host, HostSet, Platform
from windtunnel.model.alike_amounts import AlikeAmounts
from windtunnel.results.columns import Collector
from windtunnel.results.shares_csv import amounts_of, amounts_text

HOSTS = 12


def _collector(cores):
    collector = Collector()
    collector.on_begin(
        0.0, Platform(name="p", hosts=tuple(Host(id=k, name=f"h{k}", cores=each) for k, each in cores)), []
    )
    return collector


@given(
    st.lists(st.integers(1, 24), min_size=1, max_size=3),
    st.sampled_from((1, 3, 7, 16, 24)),
    st.booleans(),
)
def test_groups_of_hosts_use_what_their_hosts_use_one_by_one(taken, cores, unlike):
    collector = _collector((k, cores + (unlike and k == HOSTS - 1)) for k in range(HOSTS))
    each = HOSTS // len(taken)
    groups = [
        (HostSet(range(k * each, (k + 1) * each)), {"cores": float(count), "memory": 5e9})
        for k, count in enumerate(taken)
    ]
    amounts = AlikeAmounts(HostSet(range(each * len(taken))), groups)
    used = collector.share(amounts.hosts, amounts)
    assert used == collector.share(amounts.hosts, dict(amounts.items()))
    assert amounts_of(amounts_text(amounts)) == {host: dict(own) for host, own in amounts.items()}
