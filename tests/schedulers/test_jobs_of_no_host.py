"""Jobs that ask for no host are legal: whoever schedules starts them, too."""

import pytest

import windtunnel as wt
from windtunnel.schedulers.registry import scheduler_names
from windtunnel.testing import job, workload

OURS = ["easy", "conservative", "fcfs", "filler", "stage-scheduler"]
POLICIES = [name for name in scheduler_names() if name.startswith(("elastic/", "literature/"))]


@pytest.mark.parametrize("policy", [*OURS, *POLICIES])
def test_they_run(policy):
    """Policies for elastic jobs never started them (a deadlock), and a probability of nothing given back failed."""
    jobs = [job(number, hosts=number % 3, run=10.0 + number, at=2.0 * number, walltime=50.0) for number in range(12)]
    run = wt.simulate("hosts:2", workload(*jobs), policy)
    assert run.jobs["success"].sum() == 12
    assert run.outcome == "complete"
