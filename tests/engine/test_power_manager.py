"""A scheduler and a power manager side by side: the scheduler knows what the other one switches, and the other way round."""

import pytest

from windtunnel.engine import Options, Simulation
from windtunnel.model import Host, HostSet, Platform, PowerState
from windtunnel.schedulers import Scheduler, make_scheduler
from windtunnel.testing import InvariantChecker, job, workload
from windtunnel.vocabulary import Execute, Observer, Reject, TurnOnOffHosts

AWAKE, ASLEEP = 0, 1
STATES = (
    PowerState(1e9, 100.0, None, 200.0),
    PowerState(1e-9, 10.0, None, 10.0),
    PowerState(1 / 5, 50.0, None, 50.0),  # 5 s to switch off
    PowerState(1 / 20, 80.0, None, 80.0),  # 20 s to switch on
)


def site(hosts=4):
    return Platform(
        name="p",
        hosts=tuple(Host(id=k, name=f"h{k}", pstates=STATES, sleep_pstates={ASLEEP: (2, 3)}) for k in range(hosts)),
    )


class PowerManager(Scheduler):
    """Switches off what is idle while no job waits, and on what the waiting jobs lack."""

    def schedule(self, view):
        missing = sum(waiting.hosts for waiting in view.queue) - view.free_count - len(view.switching)
        if missing > 0 and view.asleep:
            yield TurnOnOffHosts(hosts=view.asleep.lowest(missing), state=AWAKE)
        elif not view.queue and view.free_count and not view.ended:
            yield TurnOnOffHosts(hosts=view.free.frozen(), state=ASLEEP)


class Switches(Observer):
    def __init__(self):
        self.seen = []

    def on_pstate(self, now, hosts, pstate):
        self.seen.append((now, str(hosts), pstate))


def run(scheduler, *jobs, strict=True):
    checker, switches = InvariantChecker(), Switches()
    components = [make_scheduler(scheduler), PowerManager()]
    options = Options(energy=True, strict=strict)
    Simulation(site(), [workload(*jobs)], components, options=options, observers=[checker, switches]).run()
    return {row[0]: row[2:] for row in checker.rows}, switches.seen


@pytest.mark.parametrize("scheduler", ["fcfs", "filler", "easy", "conservative"])
def test_hosts_that_another_component_has_put_to_sleep_get_no_job(scheduler):
    jobs = [
        job("a", 2, run=10.0, walltime=20.0),
        job("b", 2, run=10.0, at=7.0, walltime=20.0),
        job("c", 1, run=5.0, at=100.0, walltime=9.0),
    ]
    rows, switches = run(scheduler, *jobs)
    # All hosts are asked to sleep at the start, before the first job; they are off at 5, and on again 20 s later.
    assert switches[0] == (0.0, "0-3", -2)
    assert rows["w0!a"][0] == 25.0
    assert rows["w0!c"][0] == 120.0


def test_the_power_manager_knows_what_the_scheduler_runs():
    """It switches off neither a host that computes nor one that is free while a job waits."""
    rows, switches = run("easy", job("a", 3, run=50.0, walltime=60.0), job("b", 4, run=5.0, at=1.0, walltime=9.0))
    assert rows["w0!b"][0] >= rows["w0!a"][1]
    busy = [
        (now, hosts) for now, hosts, pstate in switches if pstate == -2 and rows["w0!a"][0] < now < rows["w0!a"][1]
    ]
    assert not busy


def test_a_job_that_another_component_rejects_or_starts_waits_no_more():
    class Picky(Scheduler):
        """Starts jobs named s and rejects those named r, whatever others think of them."""

        def schedule(self, view):
            for waiting in list(view.queue):
                if waiting.name == "s" and view.free.covers(HostSet([3])):
                    yield Execute(waiting, HostSet([3]))

    class Late(Scheduler):
        """Starts whatever is still there a second later."""

        seen = ()

        def schedule(self, view):
            self.seen = (*self.seen, (view.now, [waiting.name for waiting in view.queue], str(view.free.frozen())))

    late = Late()
    jobs = [job("s", 1, run=5.0), job("x", 1, run=1.0, at=2.0)]

    class Rejecting(Picky):
        def schedule(self, view):
            yield from super().schedule(view)
            for waiting in list(view.queue):
                if waiting.name == "x":
                    yield Reject(waiting)

    Simulation(site(), [workload(*jobs)], [Rejecting(), late]).run()
    assert (0.0, [], "0-2") in late.seen
    assert (2.0, ["x"], "0-2") in late.seen
    assert (2.0, [], "0-2") in late.seen
    assert late.seen[-1] == (5.0, [], "0-3")


def test_a_job_whose_host_falls_asleep_in_the_same_round_waits_again():
    class Hasty(Scheduler):
        """Switches off hosts 0 and 1 just when the first job comes."""

        def schedule(self, view):
            if view.queue and 0 in view.free:
                yield TurnOnOffHosts(hosts=HostSet([0, 1]), state=ASLEEP)

    checker = InvariantChecker()
    components = [Hasty(), make_scheduler("easy")]
    Simulation(
        site(),
        [workload(job("a", 2, run=10.0, walltime=20.0))],
        components,
        options=Options(energy=True, strict=False),
        observers=[checker],
    ).run()
    assert {row[0]: row[2:] for row in checker.rows} == {"w0!a": (0.0, 10.0, "2-3")}
