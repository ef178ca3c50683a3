"""Platforms in one word."""

import pytest

from windtunnel.diagnostics import UsageError
from windtunnel.formats.sites import is_host_spec
from windtunnel.formats.sites.host_spec import read_host_spec


def test_hosts_of_one_core():
    platform = read_host_spec("hosts:128")
    assert len(platform.hosts) == 128
    assert {host.cores for host in platform.hosts} == {1}
    assert platform.network is None


def test_hosts_of_many_cores():
    platform = read_host_spec("hosts:64x32")
    assert (len(platform.hosts), platform.cores_per_host) == (64, 32)


@pytest.mark.parametrize(
    "text", ["hosts:", "hosts:0", "hosts:4x0", "hosts:-3", "hosts:4x", "hosts:4x2x1", "hosts:٣", "hosts:99999999999"]
)
def test_others_are_refused_with_a_reason(text):
    assert is_host_spec(text)
    with pytest.raises(UsageError, match=text.split(":")[0]):
        read_host_spec(text)
