"""Records of jobs: what they say of themselves, and that they survive being copied and saved."""

import copy
import pickle
from math import inf

import pytest

from windtunnel.model import (
    DelayProfile,
    HostSet,
    Job,
    JobRecord,
    JobState,
    ParallelTaskHomogeneousProfile,
    Request,
)
from windtunnel.model.job_record import new_record, records_of
from windtunnel.testing import job

JOB = Job(id="w!1", request=Request(2), profile=DelayProfile(id="w!d", delay=3.0), walltime=inf)


def test_a_new_record_is_of_a_submitted_job_without_hosts():
    record = JobRecord(job=JOB)
    assert record.job is JOB
    assert (record.state, record.hosts, record.amounts) == (JobState.SUBMITTED, HostSet(), None)
    assert (record.starting_time, record.finish_time, record.consumed_energy) == (-1.0, -1.0, -1.0)
    assert (record.owner, record.version, record.dynamic) == (-1, 0, False)


def test_fields_can_be_given_by_name():
    record = JobRecord(job=JOB, state=JobState.RUNNING, hosts=HostSet([1, 2]), starting_time=4.0)
    assert (record.state, record.hosts, record.starting_time) == (JobState.RUNNING, HostSet([1, 2]), 4.0)


def test_a_field_that_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="colour"):
        JobRecord(job=JOB, colour="red")


def test_records_that_say_the_same_are_equal_and_have_no_hash():
    assert JobRecord(job=JOB, owner=1) == JobRecord(job=JOB, owner=1)
    assert JobRecord(job=JOB, owner=1) != JobRecord(job=JOB, owner=2)
    assert JobRecord(job=JOB) != JOB
    with pytest.raises(TypeError):
        hash(JobRecord(job=JOB))


def test_its_text_names_every_field():
    assert "job=Job(id='w!1'" in repr(JobRecord(job=JOB))
    assert "owner=-1" in repr(JobRecord(job=JOB))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))])
def test_a_copy_says_the_same_and_is_another(again):
    record = JobRecord(job=JOB, state=JobState.RUNNING, hosts=HostSet([0]), metadata="x", announced=True, version=3)
    other = again(record)
    assert other == record
    other.version = 4
    assert record.version == 3


def test_what_is_under_way_may_refer_to_its_record():
    record = JobRecord(job=JOB)
    record.execution = [record]
    other = pickle.loads(pickle.dumps(record))
    assert other.execution[0] is other


def test_it_has_at_hand_what_is_asked_of_its_job():
    lasting = job("a", hosts=3, run=5.0, walltime=9.0)
    computing = job("b", run=ParallelTaskHomogeneousProfile(id="w0!task", computation_amount=1.0, return_code=4))
    for record in (new_record(lasting), *records_of([lasting]), copy.copy(new_record(lasting))):
        assert (record.job_id, record.submission, record.size) == ("w0!a", lasting.submission_time, 3)
        assert (record.walltime, record.delay, record.code) == (9.0, 5.0, 0)
    for record in (new_record(computing), *records_of([computing])):
        assert (record.delay, record.code) == (-1.0, 4)
