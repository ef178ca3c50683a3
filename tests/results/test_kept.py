"""Hosts that are not available, and on which jobs go on: what these have of them is used of what there is."""

import pytest

import windtunnel as wt
from windtunnel.model import EventList, ExternalEvent, Host, HostSet
from windtunnel.results.kept import Unavailable
from windtunnel.testing import job, platform, workload
from windtunnel.vocabulary import ResumeJob, SuspendJob

FIRST = HostSet.parse("0")


def events(*steps, hosts=FIRST):
    made = [
        ExternalEvent(timestamp=at, kind=kind, hosts=hosts, attributes={"state": state} if state else {})
        for at, kind, state in steps
    ]
    return EventList(name="e", events=tuple(made))


def simulate(tmp_path, jobs, listed, hosts=1, **more):
    """The run, and the same read again with figures that are computed from its files."""
    run = wt.simulate(platform(hosts), jobs, "easy", events=listed, out=tmp_path / "out", **more)
    again = wt.load_run(tmp_path / "out").measure(cool_down=1e-9)
    assert again.available_host_seconds == pytest.approx(run.metrics.available_host_seconds, abs=1e-5)
    return run.metrics


def test_jobs_go_on_where_machines_become_unavailable(tmp_path):
    """Four fifths of the time counted as used, but not as available: 500 %."""
    listed = events((10.0, "machine_unavailable", ""), (90.0, "machine_available", ""))
    found = simulate(tmp_path, workload(job(1, run=100.0)), listed)
    assert (found.allocated_host_seconds, found.available_host_seconds, found.utilisation) == (100.0, 100.0, 1.0)


def test_machines_are_drained(tmp_path):
    listed = events((10.0, "machine_state", "MAINTENANCE"), (90.0, "machine_state", "ACTIVE"))
    jobs = workload(job(1, run=40.0), job(2, run=100.0))
    found = simulate(tmp_path, jobs, listed, 2, options=wt.Options(on_maintenance="drain"))
    assert found.allocated_host_seconds == 140.0
    assert found.available_host_seconds == 200.0 - (90.0 - 40.0)


@pytest.mark.parametrize(("until", "available"), [(30.0, 30.0), (60.0, 50.0), (95.0, 55.0)])
def test_up_to_a_stop(tmp_path, until, available):
    listed = events((10.0, "machine_unavailable", ""), (90.0, "machine_available", ""))
    jobs = workload(job(1, run=50.0), job(2, run=100.0, at=60.0))
    found = wt.simulate(platform(1), jobs, "easy", events=listed, until=until, out=tmp_path / "out").metrics.up_to_stop
    assert wt.load_run(tmp_path / "out").metrics.up_to_stop == found
    assert found.available_host_seconds == available
    assert found.allocated_host_seconds == min(until, 50.0) + max(0.0, until - 90.0)


def test_parts_of_hosts_count_as_parts(tmp_path):
    listed = events((10.0, "machine_unavailable", ""), (90.0, "machine_available", ""))
    half = wt.Job(
        id="w0!1", request=wt.Request(1, amounts=(("cores", 2.0),)), profile=wt.DelayProfile(id="w0!d", delay=100.0)
    )
    run = wt.simulate(platform(1, 4), workload(half), "easy", events=listed, share_hosts=True, out=tmp_path / "out")
    assert run.metrics.available_host_seconds == 20.0 + 80.0 / 2
    assert wt.load_run(tmp_path / "out").measure(cool_down=1e-9).available_host_seconds == pytest.approx(60.0)


class Stops(wt.Scheduler):
    """Suspends its job while a host is unavailable, and lets it go on elsewhere."""

    def schedule(self, view):
        for waiting in view.queue:
            yield wt.Execute(waiting, HostSet.parse("0-1"))
        happened = [notice for notice in view.notices if isinstance(notice, wt.ExternalEventOccurred)]
        if happened and view.now == 20.0:
            yield SuspendJob(job_id="w0!1")
        if happened and view.now == 30.0:
            yield ResumeJob(job_id="w0!1", hosts=HostSet.parse("0 2"))


def test_suspended_jobs_have_none(tmp_path):
    listed = EventList(
        name="e",
        events=(
            *events((10.0, "machine_unavailable", ""), hosts=HostSet.parse("1")).events,
            *events((20.0, "generic", ""), (30.0, "generic", ""), hosts=HostSet()).events,
            *events((40.0, "machine_unavailable", ""), (60.0, "machine_available", ""), hosts=HostSet.parse("2")).events,
        ),
    )
    run = wt.simulate(platform(3), workload(job(1, hosts=2, run=100.0)), Stops(), events=listed, out=tmp_path / "out")
    assert run.metrics.makespan == 110.0
    kept = (20.0 - 10.0) + (60.0 - 40.0)
    assert run.metrics.available_host_seconds == 3 * 110.0 - (110.0 - 10.0) - 20.0 + kept
    again = wt.load_run(tmp_path / "out").measure(cool_down=1e-9)
    assert again.available_host_seconds == pytest.approx(run.metrics.available_host_seconds, abs=1e-5)


@pytest.mark.parametrize("cores", [(4, 4), (8, 4)])
def test_what_a_job_had_of_the_host_that_became_unavailable(tmp_path, cores):
    """It was taken to have as much of one host as of the other; with another job, more was used than there was."""
    site = wt.Platform(name="site", hosts=tuple(Host(id=k, name=f"h{k}", cores=number) for k, number in enumerate(cores)))
    listed = events((10.0, "machine_unavailable", ""), hosts=HostSet.parse("1"))
    run = wt.simulate(site, workload(job(1, hosts=2, run=100.0)), Unevenly(), events=listed, out=tmp_path / "out")
    of_first, of_second = 1 / cores[0], 1.0
    assert run.metrics.allocated_host_seconds == 100.0 * (of_first + of_second)
    assert run.metrics.available_host_seconds == 100.0 + 10.0 + 90.0 * of_second
    again = wt.load_run(tmp_path / "out").measure(cool_down=1e-9)
    assert again.available_host_seconds == pytest.approx(200.0, abs=1e-5)


class Unevenly(wt.Scheduler):
    """Gives one core of the first host, and all of the second."""

    def schedule(self, view):
        for waiting in view.queue:
            yield wt.Execute(waiting, HostSet.parse("0-1"), amounts={0: {"cores": 1.0}, 1: {"cores": 4.0}})


def test_only_what_overlaps():
    def halves(some):
        return len(some) / 2

    away = Unavailable([(10.0, HostSet.parse("0-3")), (20.0, HostSet()), (30.0, HostSet.parse("3"))])
    assert list(away.kept(0.0, 10.0, HostSet.parse("2-3"), len)) == []
    assert list(away.kept(20.0, 25.0, HostSet.parse("2-3"), len)) == []
    assert list(away.kept(5.0, 40.0, HostSet.parse("2-3"), halves)) == [(10.0, 20.0, 1.0), (30.0, 40.0, 0.5)]
    assert list(away.kept(15.0, 18.0, HostSet.parse("0 9"), len)) == [(15.0, 18.0, 1)]
    steps = [(10.0, HostSet.parse("0")), (20.0, HostSet.parse("0 3")), (30.0, HostSet.parse("0"))]
    assert list(Unavailable(steps).kept(0.0, 40.0, HostSet.parse("0-1"), len)) == [(10.0, 40.0, 1)]


def test_the_last_digits_are_those_of_the_run(tmp_path):
    """Of a run that is read again: events that leave hosts as they are, and energy with all its digits."""
    xml = '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"><prop {}/></host></zone></platform>'
    (tmp_path / "site.xml").write_text(xml.format('id="wattage_per_state" value="93.7:93.7:191.3"'))
    steps = [(1.2, "unavailable"), (2.4, "available"), (6.7, "unavailable"), (6.9, "available")]
    made = [(t, "machine_state", "MAINTENANCE" if kind == "unavailable" else "ACTIVE") for t, kind in steps]
    listed = EventList(name="e", events=(*events(*made).events, *events((2.0, "machine_unavailable", ""), (9.0, "machine_available", "")).events))
    run = wt.simulate(
        tmp_path / "site.xml",
        workload(job(1, run=1 / 3), job(2, run=20 / 3, at=1 / 7), job(3, run=10 / 7, at=9.5)),
        "easy",
        events=EventList(name="e", events=tuple(sorted(listed.events, key=lambda event: event.timestamp))),
        energy=True,
        options=wt.Options(on_maintenance="drain"),
        out=tmp_path / "out",
    )
    assert wt.load_run(tmp_path / "out").measure("10%") == run.measure("10%")
