"""Profiles of a platform: speeds, states, bandwidths and latencies that change while jobs run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.runs import simulate, start_all
from tests.simgrid_cases import scenario

from windtunnel.diagnostics import DeadlockError
from windtunnel.engine.state.host_states import HostState
from windtunnel.engine.state.hosts import HostTable
from windtunnel.formats.sites.simgrid_xml import parse_platform
from windtunnel.model import (
    HostSet,
    JobState,
    ParallelTaskHomogeneousProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Platform,
)
from windtunnel.testing import delays, job, sequence, workload
from windtunnel.vocabulary import Execute, HostsBecameAvailable, HostsBecameUnavailable, JobCompleted, JobSubmitted


def site(traces, connects, inside, **options):
    text = f"""<?xml version='1.0'?><platform version="4.1">{traces}<zone id="Z" routing="Full">{inside}</zone>
    {connects}</platform>"""
    return parse_platform(text.encode(), numbering="lexicographic", master="", **options)


def trace(kind, element, lines, periodicity="-1"):
    name = f"t-{kind}-{element}"
    declared = f'<trace id="{name}" periodicity="{periodicity}">{lines}</trace>'
    return declared, f'<trace_connect kind="{kind}" trace="{name}" element="{element}"/>'


def computing(flops, hosts=1, name="p"):
    return ParallelTaskProfile(id=f"w0!{name}", computation_vector=(flops,) * hosts)


ONE = '<host id="h0" speed="1Gf"/>'
PAIR = """<host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/><link id="l" bandwidth="100MBps" latency="0us"/>
<route src="h0" dst="h1"><link_ctn id="l"/></route>"""


def test_a_speed_profile_that_repeats_is_simgrids():
    case = scenario("speed_profile")
    platform = parse_platform(case["platform_xml"].encode(), numbering="lexicographic", master="")
    _, checker, _ = simulate(start_all, workload(job(0, run=computing(1e10))), site=platform)
    (row,) = checker.rows
    assert row[3] == pytest.approx(case["results"]["4.0.0"]["tasks"]["a"]["finish"], rel=1e-12)


def test_bandwidth_and_latency_that_change_are_simgrids():
    case = scenario("link_bw_change")
    traces, connects = zip(trace("BANDWIDTH", "l", "2 50e6"), trace("LATENCY", "l", "6 0.1"), strict=True)
    flow = ParallelTaskProfile(id="w0!p", communication_matrix=(0.0, 1e9, 0.0, 0.0))
    _, checker, _ = simulate(
        start_all, workload(job(0, 2, run=flow)), site=site("".join(traces), "".join(connects), PAIR)
    )
    assert checker.rows[0][3] == pytest.approx(case["results"]["4.0.0"]["tasks"]["a"]["finish"], rel=1e-12)


def test_a_latency_counts_for_tasks_that_begin_later():
    traces, connects = trace("LATENCY", "l", "1 0.5\n20 0")
    flow = ParallelTaskHomogeneousProfile(id="w0!p", communication_amount=1e6)
    jobs = [job(k, 2, run=flow, at=at) for k, at in enumerate((0.0, 2.0, 30.0))]
    _, checker, _ = simulate(start_all, workload(*jobs), site=site(traces, connects, PAIR))
    # Both ways over one shared link: 2e6 B at 1e8 B/s; later 0.5 s before, and 2 * 0.5 * 1e6 / 4194304 s at least.
    assert [row[3] - row[2] for row in checker.rows] == pytest.approx([0.02, 0.5 + 1e6 / 4194304, 0.02])


def test_a_speed_profile_scales_whatever_power_state():
    """At date 0 already, and only its own host."""
    traces, connects = trace("SPEED", "h0", "0 0.5\n2 0\n5 2")
    jobs = [job(0, run=computing(1e10), at=0.0)]
    _, checker, _ = simulate(start_all, workload(*jobs), site=site(traces, connects, PAIR))
    assert checker.rows[0][3] == pytest.approx(2 + 3 + 9e9 / 2e9)  # half speed for 2 s, nothing for 3 s, then double


def test_a_host_that_is_switched_off_fails_its_jobs_and_takes_none():
    traces, connects = trace("HOST_AVAIL", "h1", "4 0\n6 1")

    def script(now, notices):
        wanted = {"w0!0": HostSet((0, 1)), "w0!1": HostSet((0,)), "w0!2": HostSet((1,))}
        return [Execute(n.job, wanted[n.job.id]) for n in notices if isinstance(n, JobSubmitted)]

    jobs = [
        job(0, 2, run=computing(1e10, 2)),
        job(1, run=computing(1e9), at=5.0),
        job(2, run=computing(1e9, 1), at=7),
    ]
    component, checker, _ = simulate(script, workload(*jobs), site=site(traces, connects, PAIR))
    assert checker.rows == [
        ("w0!0", JobState.COMPLETED_FAILED, 0.0, 4.0, "0-1"),
        ("w0!1", JobState.COMPLETED_SUCCESSFULLY, 5.0, 6.0, "0"),
        ("w0!2", JobState.COMPLETED_SUCCESSFULLY, 7.0, 8.0, "1"),
    ]
    (lost,) = [n for n in component.told(JobCompleted) if n.state is JobState.COMPLETED_FAILED]
    assert lost.return_code == -2
    gone, back = component.told(HostsBecameUnavailable), component.told(HostsBecameAvailable)
    assert [(n.timestamp, str(n.hosts)) for n in gone + back] == [(4.0, "1"), (6.0, "1")]
    assert "profile" in gone[0].cause


def test_a_job_that_is_lost_may_be_requeued():
    traces, connects = trace("HOST_AVAIL", "h0", "4 0\n6 1")
    waiting = []

    def script(now, notices):
        waiting.extend(n.job for n in notices if isinstance(n, JobSubmitted))
        if now == 4.0:
            return []
        return [Execute(waiting.pop(), HostSet((0,))) for _ in list(waiting)]

    jobs = [job(0, run=computing(5e9))]
    _, checker, _ = simulate(script, workload(*jobs), site=site(traces, connects, ONE), on_failure="requeue")
    assert [(row[0], row[2], row[3]) for row in checker.rows] == [("w0!0", 0.0, 4.0), ("w0!0#1", 6.0, 11.0)]


def test_what_ends_at_the_date_has_ended_before():
    traces, connects = trace("HOST_AVAIL", "h0", "4 0")
    jobs = [job(0, run=computing(4e9))]
    _, checker, _ = simulate(start_all, workload(*jobs), site=site(traces, connects, ONE))
    assert checker.rows[0][1] is JobState.COMPLETED_SUCCESSFULLY


def test_a_link_that_is_off_fails_the_tasks_that_use_it():
    traces, connects = trace("LINK_AVAIL", "l", "2 0\n5 1")
    flow = ParallelTaskHomogeneousProfile(id="w0!p", communication_amount=1.5e8)
    both = sequence("s", [*delays(4.0), flow])
    jobs = [
        job(0, 2, run=flow, at=0.0),  # under way when the link goes
        job(1, 2, run=computing(1e9, 2, name="c"), at=2.0),  # does not use it
        job(2, 2, run=flow, at=3.5),  # begins while it is off
        job(3, 2, run=both, at=4.0),  # needs it when it is back
    ]
    _, checker, _ = simulate(
        start_all, workload(*jobs, profiles=[*delays(4.0), flow]), site=site(traces, connects, PAIR)
    )
    ended = {row[0]: (row[1], row[3]) for row in checker.rows}
    assert ended == {
        "w0!0": (JobState.COMPLETED_FAILED, 2.0),
        "w0!1": (JobState.COMPLETED_SUCCESSFULLY, 3.0),
        "w0!2": (JobState.COMPLETED_FAILED, 3.5),
        "w0!3": (JobState.COMPLETED_SUCCESSFULLY, 11.0),
    }


def test_a_storage_that_is_off_fails_the_tasks_that_use_it():
    inside = PAIR.replace("<link", '<host id="pfs" speed="0f"><prop id="role" value="storage"/></host><link', 1)
    inside += (
        '<route src="h0" dst="pfs"><link_ctn id="l"/></route><route src="h1" dst="pfs"><link_ctn id="l"/></route>'
    )
    traces, connects = trace("HOST_AVAIL", "pfs", "2 0\n5 1")
    read = ParallelTaskOnStorageHomogeneousProfile(id="w0!p", bytes_to_read=3e8)
    jobs = [job(k, run=read, at=at) for k, at in enumerate((0.0, 3.0, 6.0))]
    _, checker, _ = simulate(start_all, workload(*jobs), site=site(traces, connects, inside))
    assert [(row[1].name, row[3]) for row in checker.rows] == [
        ("COMPLETED_FAILED", 2.0),
        ("COMPLETED_FAILED", 3.0),
        ("COMPLETED_SUCCESSFULLY", 9.0),
    ]


def test_an_unavailable_host_that_slept_sleeps_when_it_is_back():
    table = HostTable(Platform.uniform(2), sharing=False)
    table.set_special(HostSet((0,)), HostState.SLEEPING, 1.0)
    table.make_unavailable(HostSet((0, 1)), 2.0)
    table.make_available(HostSet((0, 1)), 3.0)
    assert [table.state(0), table.state(1)] == [HostState.SLEEPING, HostState.IDLE]
    assert table.counts == [1, 0, 0, 1, 0]
    assert repr(table.free) == "HostPool(HostSet.parse('1'))"


def test_a_run_that_only_profiles_keep_going_is_stuck():
    traces, connects = trace("SPEED", "h0", "0 1.0\n2 0.5", "6")
    with pytest.raises(DeadlockError, match="neither executed nor rejected"):
        simulate(lambda now, notices: [], workload(job(0)), site=site(traces, connects, ONE))


def test_a_run_with_profiles_ends_with_its_jobs():
    traces, connects = trace("SPEED", "h0", "0 1.0\n2 0.5", "6")
    _, checker, simulation = simulate(
        start_all,
        workload(job(0, run=computing(1e9)), job(1, run=computing(1e9), at=100.0)),
        site=site(traces, connects, ONE),
    )
    assert checker.outcome == "complete"
    assert simulation.now == pytest.approx(102.0)  # 100 = 16 * 6 + 4: at half speed until 102


def work_done(pairs, period, end):
    """Full seconds of work of a host by a date: the integral of its speed profile, step by step."""
    cycles = int(end // period) + 1 if period > 0 else 1
    changes = [(k * period + date, factor) for k in range(cycles) for date, factor in pairs]
    done, since, speed = 0.0, 0.0, 1.0
    for date, factor in changes:
        if date >= end:
            break
        done += speed * (date - since)
        since, speed = date, factor
    return done + speed * (end - since)


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.floats(0.0, 5.0), st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])), min_size=1, max_size=5),
    st.booleans(),
    st.lists(st.floats(0.05, 8.0), min_size=1, max_size=4),
)
def test_what_was_computed_is_the_integral_of_the_speed(pairs, repeats, works):
    pairs = sorted({round(date, 3): factor for date, factor in pairs}.items())
    pairs.append((6.0, 1.0))  # so that everything ends
    lines = "\n".join(f"{date} {factor}" for date, factor in pairs)
    traces, connects = trace("SPEED", "h0", lines, "7" if repeats else "-1")
    jobs = [job(k, run=computing(work * 1e9, name=str(k)), at=0.5 * k) for k, work in enumerate(works)]
    _, checker, _ = simulate(start_all, workload(*jobs), site=site(traces, connects, ONE), compute_sharing=True)
    rows = {row[0]: row for row in checker.rows}
    first = min(row[3] for row in rows.values())
    assert all(row[1] is JobState.COMPLETED_SUCCESSFULLY for row in rows.values())
    if len(works) == 1:
        assert work_done(pairs, 7.0 if repeats else 0.0, first) == pytest.approx(works[0])
    else:  # with others: all that the host could do from the first start on was done, unless nobody was there
        last = max(row[3] for row in rows.values())
        assert work_done(pairs, 7.0 if repeats else 0.0, last) >= sum(works) * (1 - 1e-9)


def test_an_unavailable_host_is_switched_only_when_it_would_rest():
    table = HostTable(Platform.uniform(3), sharing=False)
    table.occupy(HostSet((0,)), 0.0)
    table.set_special(HostSet((1,)), HostState.SWITCHING_OFF, 0.0)
    table.make_unavailable(HostSet((0, 1, 2)), 1.0)
    assert [table.behind(h) for h in range(3)] == [HostState.COMPUTING, HostState.SWITCHING_OFF, HostState.IDLE]
    table.release(HostSet((0,)), 0.0, 2.0)
    assert table.behind(0) is HostState.IDLE
