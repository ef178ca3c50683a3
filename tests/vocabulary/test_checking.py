"""What is wrong with the fields of a decision, and where."""

from typing import NamedTuple

import numpy as np
import pytest

from windtunnel.model import DelayProfile, Job, Request
from windtunnel.vocabulary import RegisterJob
from windtunnel.vocabulary.checking import wrong_field


class Part(NamedTuple):
    name: str
    amount: float


def registered(amounts):
    request = Request(hosts=1, amounts=amounts)
    return RegisterJob(job=Job(id="w!1", request=request, profile=DelayProfile(id="w!p", delay=1.0)))


@pytest.mark.parametrize(
    "amounts", [(), (("cores", 2.0),), [["cores", 2], ("memory", np.float32(0.5))], (("cores", 1.0), ("gpu", 2)), (Part("cores", 1.0),)]
)
def test_a_job_that_asks_for_parts_of_hosts_may_be_registered(amounts):
    assert wrong_field(registered(amounts)) == ""


@pytest.mark.parametrize(
    ("amounts", "fault"),
    [
        ((("cores", "x"),), "[0][1] must be a number, not str 'x'"),
        ((("cores", 1.0), (2, 1.0)), "[1][0] must be a str, not int 2"),
        ((("cores",),), "[0] must be a tuple of 2, not tuple ('cores',)"),
        (("cores",), "[0] must be a tuple of 2, not str 'cores'"),
        (3, " must be a tuple, not int 3"),
    ],
)
def test_what_is_wrong_with_its_amounts_is_said_with_its_place(amounts, fault):
    assert wrong_field(registered(amounts)) == f"its field job.request.amounts{fault}"
