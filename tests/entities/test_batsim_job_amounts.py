"""``amounts_per_host`` of Batsim jobs."""

import pytest

from windtunnel.diagnostics import Findings
from windtunnel.entities.batsim_jobs import job_from_json, job_to_json

JOB = {"id": "a", "subtime": 0, "res": 2, "profile": "p"}


def read(amounts):
    findings = Findings("w.json")
    return job_from_json({**JOB, "amounts_per_host": amounts}, 5, workload="w0", findings=findings), list(findings)


def test_amounts_both_ways():
    job, findings = read({"cores": 4, "memory": 8e9})
    assert not findings
    assert job.request.amounts == (("cores", 4.0), ("memory", 8e9))
    assert job_to_json(job, 5)["amounts_per_host"] == {"cores": 4, "memory": 8e9}


@pytest.mark.parametrize("amounts", [[], 4, {"cores": "4"}, {"cores": -1}, {"cores": True}])
def test_amounts_that_are_none(amounts):
    job, findings = read(amounts)
    assert job is None
    assert len(findings) == 1
