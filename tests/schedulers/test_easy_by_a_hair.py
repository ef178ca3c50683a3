"""EASY and lengths that differ by less than dates can tell: what overtakes is decided on exactly."""

import pytest

from windtunnel import simulate
from windtunnel.testing import job, platform, workload

BEGIN = float(1 << 26)  # numbers of this size are 1.5e-8 apart
LEFT = 995.0  # seconds from the end of the second job to the start of the first that waits


@pytest.mark.parametrize(("longer", "overtakes"), [(0.0, True), (5e-9, True), (3e-8, False), (5e-8, False)])
def test_a_job_that_ends_a_hair_later_than_the_first_one_starts_does_not_overtake_it(longer, overtakes):
    jobs = [
        job("1", hosts=1, run=1000.0, walltime=1000.0, at=BEGIN),
        job("2", hosts=1, run=5.0, walltime=10.0, at=BEGIN),
        job("3", hosts=2, run=5.0, walltime=10.0, at=BEGIN),
        job("4", hosts=1, run=5.0, walltime=LEFT + longer, at=BEGIN),
    ]
    run = simulate(platform(2), workload(*jobs), "easy")
    started = dict(run.jobs.select("job_id", "starting_time").iter_rows())
    assert (started["4"] == BEGIN + 5.0) is overtakes
