"""Energy where delays keep their cores busy, beside tasks that compute, and over changes of power states."""

import pytest

import windtunnel as wt
from windtunnel.model import DelayProfile, Host, Job, JobList, ParallelTaskHomogeneousProfile, PowerState, Request

FAST = PowerState(speed=1e9, idle=100.0, epsilon=120.0, full=200.0)
SLOW = PowerState(speed=5e8, idle=80.0, epsilon=90.0, full=130.0)


def platform(hosts=2, cores=1):
    return wt.Platform(
        name="watts", hosts=tuple(Host(id=n, name=f"n{n}", cores=cores, pstates=(FAST, SLOW)) for n in range(hosts))
    )


def delay(number, hosts=1, length=100.0):
    return Job(id=f"w!{number}", request=Request(hosts), profile=DelayProfile(id=f"w!d{number}", delay=length))


def joules(jobs, hosts=2, **more):
    run = wt.simulate(
        platform(hosts, more.pop("cores", 1)),
        JobList("w", jobs),
        more.pop("scheduler", "fcfs"),
        options=wt.Options(energy=True, delays_compute=more.pop("busy", True)),
        **more,
    )
    return run.metrics.consumed_joules


def test_a_delay_keeps_its_cores_busy():
    assert joules([delay(1)]) == pytest.approx((200.0 + 100.0) * 100.0)
    assert joules([delay(1)], busy=False) == pytest.approx((100.0 + 100.0) * 100.0)
    assert joules([delay(1)], cores=4) == pytest.approx((200.0 + 100.0) * 100.0)


def test_beside_a_task_that_computes():
    task = ParallelTaskHomogeneousProfile(id="w!c", computation_amount=1e11)
    computing = Job(id="w!2", request=Request(1), profile=task)
    assert joules([delay(1), computing]) == pytest.approx((200.0 + 200.0) * 100.0)


class Slower(wt.Scheduler):
    """Changes the power state of the host under the running job."""

    def schedule(self, view):
        from windtunnel.vocabulary import ChangeHostsPState, RequestedCall

        for job in view.queue:
            yield wt.Execute(job, [0])
            yield wt.CallMeLater(call_me_later_id="c", when=wt.OneShot(40.0))
        if any(isinstance(notice, RequestedCall) for notice in view.notices):
            yield ChangeHostsPState(hosts=wt.HostSet([0]), pstate=1)


def test_over_a_change_of_power_state():
    assert joules([delay(1)], hosts=1, scheduler=Slower()) == pytest.approx(200.0 * 40.0 + 130.0 * 60.0)
