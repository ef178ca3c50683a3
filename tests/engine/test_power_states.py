"""Hosts that sleep from the start, and power states that are changed on the way."""

import pytest
from msgspec.structs import replace
from tests.engine.runs import simulate, start_all

from windtunnel.diagnostics import DecisionError
from windtunnel.model import Host, HostSet, Platform, PowerState
from windtunnel.testing import job, workload
from windtunnel.vocabulary import (
    CallMeLater,
    ChangeHostsPState,
    Execute,
    Features,
    FinishRegistration,
    HostsPStateChanged,
    HostsTurnedOnOff,
    JobSubmitted,
    OneShot,
    RegisterJob,
    RegisterProfile,
    RequestedCall,
    ResourceStateChanged,
    SetResourceState,
    SimulationBegins,
    TurnOnOffHosts,
)
from windtunnel.wires.batprotocol.notices import notice_out
from windtunnel.wires.batprotocol.schema import HostState
from windtunnel.wires.json.outgoing import Writer

STATES = tuple(PowerState(speed, 10.0, 10.0, 10.0) for speed in (1e9, 1e-9, 0.1, 0.2))
LOOSE = {"compute_sharing": True, "check_sizes": False}
"""As Batsim 5."""


def site(pstate=1, hosts=2):
    """The first hosts sleep at the start, the last does not; switching off takes 10 s, on 5 s."""
    made = [Host(id=k, name=f"h{k}", pstates=STATES, pstate=pstate, sleep_pstates={1: (2, 3)}) for k in range(hosts)]
    made.append(Host(id=hosts, name="awake", pstates=STATES, sleep_pstates={1: (2, 3)}))
    return Platform(name="site", hosts=tuple(made))


@pytest.mark.parametrize("options", [{"energy": True}, LOOSE])
def test_a_host_that_sleeps_from_the_start_computes_nothing(options):
    with pytest.raises(DecisionError, match=r"host 0 cannot compute jobs now .* its state is sleeping"):
        simulate(start_all, workload(job(1, run=10.0)), site=site(), **options)


@pytest.mark.parametrize("wake", [TurnOnOffHosts, SetResourceState])
def test_it_can_be_switched_on(wake):
    def script(now, notices):
        if any(isinstance(n, SimulationBegins) for n in notices):
            return [wake(hosts=HostSet.parse("0-1"), state=0)]
        return [Execute("w0!1", HostSet([0]))] if any(isinstance(n, JobSubmitted) for n in notices) else None

    _, checker, simulation = simulate(script, workload(job(1, run=10.0, at=5.0)), site=site(), energy=True)
    assert checker.rows[0][2:4] == (5.0, 15.0)
    assert simulation.world.hosts.counts == [0, 0, 0, 3, 0]


@pytest.mark.parametrize("change", [ChangeHostsPState, SetResourceState])
def test_each_request_is_acknowledged_also_where_nothing_changes(change):
    def script(now, notices):
        again = change(hosts=HostSet([2]), **{"pstate" if change is ChangeHostsPState else "state": 0})
        if any(isinstance(n, JobSubmitted) for n in notices):
            return [again, again, Execute("w0!1", HostSet([2]))]
        return None

    component, checker, _ = simulate(script, workload(job(1, run=10.0, at=5.0)), site=site(), energy=True)
    told = component.told(HostsPStateChanged, ResourceStateChanged)
    assert [(n.timestamp, str(n.hosts)) for n in told] == [(5.0, "2"), (5.0, "2")]
    assert checker.rows[0][2:4] == (5.0, 15.0)


def test_both_protocols_announce_it():
    begins = SimulationBegins(0.0, site())
    assert [host.state for host in notice_out(begins).event.computation_hosts] == [HostState.SLEEPING] * 2 + [
        HostState.IDLE
    ]
    said = Writer({}).message(0.0, [begins])
    assert [part.partition('"')[0] for part in said.split('"state":"')[1:]] == ["sleeping", "sleeping", "idle"]


def test_a_switch_is_not_cut_short():
    def script(now, notices):
        if any(isinstance(n, SimulationBegins) for n in notices):
            return [
                TurnOnOffHosts(hosts=HostSet([2]), state=1),
                CallMeLater(call_me_later_id="", when=OneShot(3)),
            ]
        return [ChangeHostsPState(hosts=HostSet([2]), pstate=0)] if now == 3 else None

    with pytest.raises(DecisionError, match=r"machine 2 \('awake'\) is switching off"):
        simulate(script, site=site(), **LOOSE)


def test_a_sleeping_host_is_switched_on_not_set():
    def script(now, notices):
        if any(isinstance(n, SimulationBegins) for n in notices):
            return [TurnOnOffHosts(hosts=HostSet([2]), state=1)]
        if any(isinstance(n, HostsTurnedOnOff) for n in notices):
            return [ChangeHostsPState(hosts=HostSet([2]), pstate=0)]
        return None

    with pytest.raises(DecisionError, match=r"machine 2 \('awake'\) is asleep: switch it on"):
        simulate(script, site=site(), **LOOSE)


def registering(*decisions):
    def script(now, notices):
        if any(isinstance(n, SimulationBegins) for n in notices):
            return list(decisions)
        return start_all(now, notices)

    return script


def test_nothing_is_registered_after_the_end_of_registration():
    """Not even where the feature need not be asked for, as in Batsim 5."""
    one = replace(job("1", run=5.0), id="dyn!1")
    for late in (RegisterJob(job=one), RegisterProfile(profile=one.profile)):
        with pytest.raises(DecisionError, match="registration was finished before"):
            simulate(
                registering(FinishRegistration(), late),
                features=Features(dynamic_registration=True),
                check_registration=False,
            )


@pytest.mark.parametrize("reuse", [True, False])
def test_static_profiles_that_no_job_uses_can_be_registered_for(reuse):
    spare = job("x", run=5.0).profile
    dynamic = replace(job("1", run=5.0), id="dyn!1")
    script = registering(RegisterJob(job=dynamic, profile_id="w0!spare"), FinishRegistration())
    features = Features(dynamic_registration=True, profile_reuse=reuse, acknowledge_dynamic_jobs=True)
    static = workload(job(1, run=1.0, at=100.0), profiles=[type(spare)(id="w0!spare", delay=7.0)])
    component, checker, _ = simulate(script, static, features=features)
    assert [row[0] for row in checker.rows] == ["dyn!1", "w0!1"]
    assert checker.rows[0][3] == 7.0
    assert not component.told(RequestedCall)
