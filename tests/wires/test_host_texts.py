"""Sets of hosts that schedulers name are read once for each text."""

import pytest

from windtunnel.model import HostSet
from windtunnel.wires import host_texts
from windtunnel.wires.host_texts import hosts_of


def test_texts_are_read_as_host_sets():
    for text in ("0", "0-3 7", "7,0-3", ""):
        assert hosts_of(text) == hosts_of(text) == HostSet.parse(text)
    with pytest.raises(ValueError, match="3-1"):
        hosts_of("3-1")


def test_no_more_texts_are_kept_than_are_named_again():
    long = " ".join(str(2 * host) for host in range(200))
    assert hosts_of(long) == HostSet.parse(long)
    assert long not in host_texts._known
    for host in range(10_000):
        assert hosts_of(str(host)).first == host
        assert len(host_texts._known) <= 4096
