"""Several sources of events about one machine: the gravest state holds, and each takes back only its own word."""

import pytest

from windtunnel.engine import Options, Simulation
from windtunnel.model import EventList, ExternalEvent, HostSet
from windtunnel.model.failures import FailureModel, failures, parse_distribution
from windtunnel.testing import InvariantChecker, Scripted, job, platform, workload
from windtunnel.vocabulary import Execute, HostsBecameAvailable, HostsBecameUnavailable, JobSubmitted


def event(time, state, hosts="0"):
    if state in {"available", "unavailable"}:
        return ExternalEvent(timestamp=time, kind=f"machine_{state}", hosts=HostSet.parse(hosts))
    return ExternalEvent(
        timestamp=time, kind="machine_state", hosts=HostSet.parse(hosts), attributes={"state": state}
    )


def simulation(lists, *jobs, script=lambda *_: [], **options):
    component, checker = Scripted(script), InvariantChecker()
    events = [EventList(name=f"we{rank}", events=tuple(one)) for rank, one in enumerate(lists)]
    made = Simulation(
        platform(2), [workload(*jobs)], [component], events=events, options=Options(**options), observers=[checker]
    )
    return made, component, checker


def told(lists, **options):
    made, component, _ = simulation(lists, **options)
    made.run()
    assert not made.world.machine_states
    return [
        (n.timestamp, "" if isinstance(n, HostsBecameAvailable) else n.cause.partition(":")[0] or "-")
        for n in component.told(HostsBecameUnavailable, HostsBecameAvailable)
    ]


MAINTENANCE = [event(10, "MAINTENANCE"), event(50, "ACTIVE")]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        # Repaired during the maintenance: the machine stays away, and it is told that it is maintained again.
        (
            [event(20, "FAILURE"), event(30, "ACTIVE")],
            [(10, "MAINTENANCE"), (20, "FAILURE"), (30, "MAINTENANCE"), (50, "")],
        ),
        # Failed before, repaired in it: when it begins nothing changes, the machine is away already.
        ([event(5, "FAILURE"), event(30, "ACTIVE")], [(5, "FAILURE"), (30, "MAINTENANCE"), (50, "")]),
        # Repaired after it: its end changes nothing.
        ([event(20, "FAILURE"), event(70, "ACTIVE")], [(10, "MAINTENANCE"), (20, "FAILURE"), (70, "")]),
        # A failure around it.
        ([event(5, "FAILURE"), event(70, "ACTIVE")], [(5, "FAILURE"), (70, "")]),
        # Something less grave than what is: it comes to light at 50 s.
        (
            [event(20, "unavailable"), event(70, "available")],
            [(10, "MAINTENANCE"), (20, "MAINTENANCE"), (50, "UNAVAILABLE"), (70, "")],
        ),
        # The same state from two sources is told once.
        ([event(20, "MAINTENANCE"), event(70, "ACTIVE")], [(10, "MAINTENANCE"), (70, "")]),
    ],
)
def test_each_source_takes_back_its_own_word(other, expected):
    assert told([MAINTENANCE, other]) == expected
    assert told([other, MAINTENANCE]) == expected


def test_within_one_list_the_last_word_counts():
    assert told([[event(5, "FAILURE"), event(10, "MAINTENANCE"), event(20, "ACTIVE")]]) == [
        (5, "FAILURE"),
        (10, "MAINTENANCE"),
        (20, ""),
    ]


def test_generated_failures_do_not_end_a_maintenance():
    """Fails at 20 s, back at 30 s, within a maintenance from 10 s to 50 s; the job waits for its end."""

    def script(now, notices):
        waiting.extend(n.job for n in notices if isinstance(n, JobSubmitted))
        if any(isinstance(n, HostsBecameAvailable) and 0 in n.hosts for n in notices):
            return [Execute(waiting.pop(), HostSet([0]))]
        return []

    waiting = []
    checker = InvariantChecker()
    model = FailureModel(
        between=parse_distribution("constant:20"), repair=parse_distribution("constant:10"), until=30
    )
    made = Simulation(
        platform(2),
        [workload(job(1, at=15.0, run=5.0))],
        [Scripted(script)],
        events=[EventList(name="environment", events=tuple(MAINTENANCE)), failures(platform(2).hosts, model)],
        observers=[checker],
    )
    made.run()
    assert [(r[0], r[2], r[3]) for r in checker.rows] == [("w0!1", 50, 55)]


def test_what_drains_in_a_maintenance_is_lost_in_a_failure():
    def script(now, notices):
        return [Execute(n.job, HostSet([0])) for n in notices if isinstance(n, JobSubmitted)]

    lists = [MAINTENANCE, [event(20, "FAILURE"), event(30, "ACTIVE")]]
    made, _, checker = simulation(lists, job(1, run=40.0), script=script, on_maintenance="drain")
    made.run()
    assert [(r[1].name, r[3]) for r in checker.rows] == [("COMPLETED_FAILED", 20)]
    times = made.world.hosts.totals()
    assert (times["time_computing"], times["time_unavailable"]) == (10.0, 40.0)


def test_who_speaks_from_outside_has_the_last_word():
    made, component, _ = simulation([MAINTENANCE, [event(5, "FAILURE"), event(40, "ACTIVE")]])
    made.run_until(20.0)
    made.inject(event(25, "ACTIVE"), 25.0)
    made.run()
    (back,) = component.told(HostsBecameAvailable)
    assert back.timestamp == 25
