"""News and decisions in brief say the same as in full."""

from windtunnel.model import HostSet, JobRecord, JobState
from windtunnel.testing import job
from windtunnel.vocabulary import ExecuteJob, JobCompleted, JobSubmitted, Mirror, RejectJob, RequestedCall
from windtunnel.vocabulary.brief import decisions_in_full, notices_in_full


def over(one, hosts):
    """The record of a job that ended as it should."""
    record = JobRecord(one)
    record.hosts, record.starting_time, record.finish_time = hosts, 3.0, 13.0
    record.state = JobState.COMPLETED_SUCCESSFULLY
    return record


def test_records_stand_for_notices():
    first, second = job(1, 2, at=12.5), job(2, 2)
    call = RequestedCall(13.0, "c", last_periodic_call=False)
    hosts = HostSet([0, 2])
    assert notices_in_full([JobRecord(first), call, over(second, hosts)], 13.0) == [
        JobSubmitted(13.0, first, 12.5),
        call,
        JobCompleted(13.0, second, JobState.COMPLETED_SUCCESSFULLY, 0, hosts, 3.0),
    ]


def test_a_mirror_that_is_told_in_brief_is_the_same():
    one, hosts = job(1, 2, walltime=20.0), HostSet([0, 1])
    arrival, end = JobRecord(one), over(one, hosts)
    for told in ([[arrival], [end]], [notices_in_full([arrival], 3.0), notices_in_full([end], 13.0)]):
        mirror = Mirror()
        mirror.free.add(HostSet.span(4))
        mirror.apply(3.0, told[0])
        assert (mirror.arrived, mirror.changed) == ([one], False)
        running = mirror.begin(one, together=True)
        assert (running.hosts, running.end, mirror.free.size) == (hosts, 23.0, 2)
        mirror.apply(13.0, told[1])
        assert (mirror.arrived, mirror.changed, mirror.free.size) == ([], True, 4)
        assert [entry[3] for entry in mirror.left] == [running]
        assert not mirror.running


def test_starts_stand_for_decisions():
    one = job(1, 2)
    mirror = Mirror()
    mirror.free.add(HostSet.span(4))
    reject = RejectJob(job_id="w0!9")
    assert decisions_in_full([reject, mirror.begin(one, together=False)]) == [
        reject,
        ExecuteJob(one.id, HostSet([0, 1])),
    ]
