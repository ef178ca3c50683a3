"""A scheduler of ours decides the same in process, behind ``batsim4`` and behind ``batsim5``: starts, ends and hosts
to the printed digit, on random workloads without network."""

from random import Random

import pytest
from tests.wires.both_ends import OURS, behind_batsim4, behind_batsim5, in_process, write_inputs

from windtunnel.schedulers.shipped import SHIPPED

ELSEWHERE = {
    "leases": "plans leases",
    "stage-scheduler": "needs the cores of hosts, of which Batsim 4 does not tell",
    "datacenters": "needs an environment that describes schedulers",
}
"""Schedulers of ours that cannot be served to a Batsim, and why."""


def test_all_of_ours_are_here():
    plain = {
        name
        for name, entry in SHIPPED.items()
        if entry.source in ("windtunnel", "literature", "Haizea 1.1", "OpenDC 1.x")
    }
    assert plain == {*OURS, *ELSEWHERE}


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("seed", range(50))
def test_random_workloads(name, seed, tmp_path):
    random = Random(seed)
    write_inputs(tmp_path, random, jobs=random.randrange(15, 50), hosts=random.choice((4, 8, 32)))
    own = in_process(tmp_path, name)
    assert behind_batsim4(tmp_path, name) == own
    assert behind_batsim5(tmp_path, name, text=seed % 2 == 1) == own
