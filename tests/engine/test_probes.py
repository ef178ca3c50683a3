"""Probes: every metric, trigger, accumulation, aggregation and filter, checked against values worked out by hand."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.runs import start_all

from windtunnel.diagnostics import DeadlockError, DecisionError
from windtunnel.engine import Options, Simulation
from windtunnel.formats.registry import read_platform
from windtunnel.model import HostSet, ParallelTaskHomogeneousProfile, ParallelTaskProfile
from windtunnel.testing import Scripted, job, workload
from windtunnel.vocabulary import (
    Accumulation,
    BooleanComparisonOperator,
    CallMeLater,
    ChangeHostsPState,
    CreateProbe,
    CumulativeFunction,
    ExponentialMovingAverage,
    Metric,
    OneShot,
    Periodic,
    ProbeDataEmitted,
    ProbeResources,
    Reply,
    RequestedCall,
    ResetProbe,
    ResourcesAggregation,
    SimulationBegins,
    SlidingWindowOperation,
    StopProbe,
    ThresholdFiltering,
    TimeUnit,
    TriggerProbe,
)

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
  <host id="h0" speed="100f, 50f"><prop id="wattage_per_state" value="10:10:30, 5:5:20"/></host>
  <host id="h1" speed="100f, 50f"><prop id="wattage_per_state" value="10:10:30, 5:5:20"/></host>
  <host id="h2" speed="100f" core="2"><prop id="wattage_per_state" value="20:20:60"/></host>
  <host id="master_host" speed="1f"><prop id="wattage_per_state" value="0:0"/></host>
  <link id="up" bandwidth="40Bps" latency="0"/><link id="wide" bandwidth="100Bps" latency="0"/>
  <route src="h0" dst="h1"><link_ctn id="up"/></route>
  <route src="h0" dst="h2"><link_ctn id="wide"/></route>
  <route src="h1" dst="h2"><link_ctn id="wide"/></route>
</zone></platform>
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    path = tmp_path_factory.mktemp("site") / "p.xml"
    path.write_text(PLATFORM)
    return read_platform(str(path), energy=True)


def compute(flops):
    return ParallelTaskHomogeneousProfile(id=f"w0!c{flops:g}", computation_amount=flops, communication_amount=0.0)


def send(amount, flops=0.0):
    """From the first of two hosts to the second."""
    return ParallelTaskProfile(
        id="w0!send", computation_vector=(flops, 0.0) if flops else None, communication_matrix=(0, amount, 0, 0)
    )


def probe(name="p", metric=Metric.ComputationLoad, when=Periodic(1, nb_periods=3), hosts="0-1", **fields):
    links = fields.pop("links", None)
    resources = ProbeResources(HostSet.parse(hosts)) if links is None else ProbeResources(links=links)
    return CreateProbe(probe_id=name, metrics=metric, resources=resources, when=when, **fields)


def run(site, script, *jobs, energy=True, rule="exact"):
    """What the probes emitted: (date, name, data), and the notices themselves."""

    def answer(now, notices):
        return [*(script(now, notices) or ()), *start_all(now, notices)]

    component = Scripted(answer)
    options = Options(energy=energy, energy_rule=rule, compute_sharing=True, check_sizes=False)
    Simulation(site, [workload(*jobs)], [component], options=options).run()
    emitted = component.told(ProbeDataEmitted)
    return [(n.timestamp, n.probe_id, n.data) for n in emitted], emitted


def at_start(*decisions):
    return lambda _, notices: decisions if isinstance(notices[0], SimulationBegins) else ()


def at(**dated):
    """Decisions by date (``t5=[...]``), with calls to be there; those of t0 at the beginning."""
    plan = {float(key[1:].replace("_", ".")): list(made) for key, made in dated.items()}

    def script(now, notices):
        if isinstance(notices[0], SimulationBegins):
            calls = [
                CallMeLater(call_me_later_id=str(t), when=OneShot(round(t * 1000), TimeUnit.Millisecond))
                for t in plan
                if t
            ]
            return plan.get(0.0, []) + calls
        return [d for n in notices if isinstance(n, RequestedCall) for d in plan[float(n.call_me_later_id)]]

    return script


# A job of 150 flops on h0 (and h1) from 0: 1.5 s at 100 flop/s.


def test_levels_periodic_the_first_boundary_only_begins(site):
    data, notices = run(site, at_start(probe()), job(1, 1, compute(250.0)))
    assert data == [(2.0, "p", (100.0, 0.0)), (3.0, "p", (0.0, 0.0)), (4.0, "p", (0.0, 0.0))]
    assert [(n.nb_triggered, n.nb_emitted, n.manually_triggered) for n in notices] == [
        (1, 1, False),
        (2, 2, False),
        (3, 3, False),
    ]
    assert notices[0].resources == ProbeResources(HostSet.parse("0-1"))


def test_a_one_shot_measures_at_its_date_and_stays_for_triggers_by_hand(site):
    script = at(
        t0=[probe(when=OneShot(1500, TimeUnit.Millisecond), metric=Metric.NormalizedComputationLoad, hosts="0 2")],
        t1=[TriggerProbe(probe_id="p")],
        t2=[TriggerProbe(probe_id="p"), StopProbe(probe_id="p")],
    )
    data, notices = run(site, script, job(1, 3, compute(180.0)))
    assert data == [(1.0, "p", (1.0, 0.5)), (1.5, "p", (1.0, 0.5)), (2.0, "p", (0.0, 0.0))]
    assert [n.manually_triggered for n in notices] == [True, False, True]


def test_a_probe_by_hand_only_does_not_keep_the_run_open(site):
    assert run(site, at_start(probe(when=None)), job(1, 1, compute(100.0)))[0] == []


@pytest.mark.parametrize("rule", ["exact", "simgrid"])
def test_power_is_watts_and_its_sum_is_joules_since_the_start(site, rule):
    script = at(
        t0=[],
        t1_5=[
            probe("W", Metric.Power, OneShot(2)),
            probe("J", Metric.Power, Periodic(1, nb_periods=2), accumulation=Accumulation()),
            probe("mean", Metric.Power, OneShot(4), accumulation=Accumulation(temporal_normalization=True)),
        ],
    )
    data, _ = run(site, script, job(1, 1, compute(250.0)), rule=rule)  # 30 W until 2.5, then 10 W
    assert data[0] == (2.0, "W", (30.0, 10.0))
    assert data[1] == (3.0, "J", (pytest.approx(80.0), 30.0))
    assert data[2] == (4.0, "J", (pytest.approx(90.0), 40.0))
    assert data[3] == (4.0, "mean", (pytest.approx(22.5), 10.0))


def test_sums_since_creation_and_with_resets(site):
    script = at(
        t0=[
            probe("all", accumulation=Accumulation(), hosts="0"),
            probe("each", accumulation=Accumulation(reset_to=1000.0), hosts="0"),
            probe(
                "rate",
                accumulation=Accumulation(reset_to=0.0, temporal_normalization=True),
                hosts="0",
                when=Periodic(2, nb_periods=1),
            ),
        ]
    )
    data, _ = run(site, script, job(1, 1, compute(350.0)))  # 100 flop/s until 3.5
    values = {name: [v[0] for _, n, v in data if n == name] for name in ("all", "each", "rate")}
    assert values["all"] == pytest.approx([200.0, 300.0, 350.0])
    assert values["each"] == pytest.approx([1100.0, 1100.0, 1050.0])
    assert values["rate"] == pytest.approx([75.0])  # 100 from 2 to 3.5, nothing until 4


def test_extremes_take_what_lasted_and_begin_anew_at_a_reset(site):
    def extreme(which, **reset):
        return Accumulation(which, **reset)

    script = at(
        t0=[
            probe("high", accumulation=extreme(CumulativeFunction.Maximum), when=OneShot(3), hosts="0"),
            probe("low", accumulation=extreme(CumulativeFunction.Minimum), when=OneShot(3), hosts="0"),
            probe(
                "share",
                Metric.NormalizedComputationLoad,
                accumulation=extreme(CumulativeFunction.Maximum, reset_to=0.25),
                hosts="0",
            ),
        ],
        t0_5=[ChangeHostsPState(hosts=HostSet([0]), pstate=1)],
        t1=[ChangeHostsPState(hosts=HostSet([0]), pstate=0)],
    )
    data, _ = run(site, script, job(1, 1, compute(225.0)))  # 100, 50 from 0.5 to 1, 100 until 2.5
    assert [d for d in data if d[1] in ("high", "low")] == [(3.0, "high", (100.0,)), (3.0, "low", (0.0,))]
    # From 1 to 2 fully loaded, from 2 to 3 too; then nothing: what the reset set stands.
    assert [d[2] for d in data if d[1] == "share"] == [(1.0,), (1.0,), (0.25,)]


def test_minimum_of_power_follows_power_states(site):
    script = at(
        t0=[probe("w", Metric.Power, OneShot(4), "1", accumulation=Accumulation(CumulativeFunction.Minimum))],
        t1=[ChangeHostsPState(hosts=HostSet([1]), pstate=1)],
        t2=[ChangeHostsPState(hosts=HostSet([1]), pstate=0)],
    )
    assert run(site, script)[0] == [(4.0, "w", (5.0,))]


def test_what_lasts_no_time_is_no_extreme(site):
    """At 1 s a job ends and another starts on its host: the host was never idle."""
    low = probe("low", hosts="0", when=OneShot(1500, TimeUnit.Millisecond))
    low.accumulation = Accumulation(CumulativeFunction.Minimum)
    data, _ = run(site, at_start(low), job(1, 1, compute(100.0)), job(2, 1, compute(100.0), at=1.0))
    assert data == [(1.5, "low", (100.0,))]


def test_reset_by_hand(site):
    script = at(
        t0=[probe("s", when=OneShot(3), hosts="0", accumulation=Accumulation())],
        t2=[ResetProbe(probe_id="s", new_value=7.0)],
    )
    assert run(site, script, job(1, 1, compute(250.0)))[0] == [(3.0, "s", (pytest.approx(57.0),))]


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        (ResourcesAggregation("sum"), 100.0 + 0.0 + 50.0),
        (ResourcesAggregation("mean"), 50.0),
        (ResourcesAggregation("quantile", 0.0), 0.0),
        (ResourcesAggregation("quantile", 0.3), 0.0),
        (ResourcesAggregation("quantile", 0.5), 50.0),
        (ResourcesAggregation("quantile", 1.0), 100.0),
    ],
)
def test_aggregation_over_resources(site, aggregation, expected):
    two = ParallelTaskProfile(id="w0!two", computation_vector=(200.0, 0.0, 100.0))
    made = probe(when=OneShot(1), hosts="0-2", resources_aggregation=aggregation)
    assert run(site, at_start(made), job(1, 3, two))[0] == [(1.0, "p", pytest.approx(expected))]


def test_filters_count_what_they_hold_back_and_triggers_may_pass_them(site):
    below = ThresholdFiltering(50.0, BooleanComparisonOperator.LessThan)
    script = at(
        t0=[probe(hosts="0", when=Periodic(1, nb_periods=4), filtering=below)],
        t1_5=[TriggerProbe(probe_id="p"), TriggerProbe(probe_id="p", force_data_emission=False)],
    )
    _, notices = run(site, script, job(1, 1, compute(350.0)))
    assert [(n.timestamp, n.nb_triggered, n.nb_emitted) for n in notices] == [(1.5, 1, 1), (4.0, 5, 2), (5.0, 6, 3)]


@pytest.mark.parametrize(
    ("operator", "threshold", "passes"),
    [
        (BooleanComparisonOperator.GreaterThan, 100.0, False),
        (BooleanComparisonOperator.GreaterThanOrEqual, 100.0, True),
        (BooleanComparisonOperator.LessThan, 100.0, False),
        (BooleanComparisonOperator.LessThanOrEqual, 100.0, True),
    ],
)
def test_comparison_operators(site, operator, threshold, passes):
    made = probe(hosts="0", when=OneShot(1), filtering=ThresholdFiltering(threshold, operator))
    assert bool(run(site, at_start(made), job(1, 1, compute(200.0)))[0]) is passes


def test_a_vector_passes_when_one_value_does(site):
    made = probe(when=OneShot(1), filtering=ThresholdFiltering(50.0))
    assert run(site, at_start(made), job(1, 1, compute(200.0)))[0] == [(1.0, "p", (100.0, 0.0))]


def test_probes_of_which_nothing_is_ever_told_do_not_keep_a_run_going(site):
    """Nobody would be asked again, and the run would go on indefinitely; the reason names them."""
    never = ThresholdFiltering(1e9)
    made = [probe(name, when=Periodic(period), filtering=never) for name, period in (("fast", 1), ("slow", 7))]
    with pytest.raises(DeadlockError, match=r"Only probes go on \(fast, slow\)"):
        run(site, at_start(*made), job(1, 1, compute(250.0)))
    waits = Scripted(lambda now, notices: at_start(*made)(now, notices))
    unasked = r"(?s)1 job was submitted and neither executed nor rejected: w0!1.*Only probes go on"
    with pytest.raises(DeadlockError, match=unasked):
        Simulation(site, [workload(job(1, 1, compute(250.0)))], [waits]).run()
    later = at(t0=made, t9000=[StopProbe(probe_id="fast"), StopProbe(probe_id="slow")])
    assert run(site, later, job(1, 1, compute(250.0)))[0] == []


def test_what_is_summed_up_may_still_be_told_after_long(site):
    """2000 measures of 20 W before the first that the filter lets pass."""
    watched = probe(
        "joules",
        Metric.Power,
        Periodic(1),
        accumulation=Accumulation(CumulativeFunction.Sum),
        resources_aggregation=ResourcesAggregation("sum"),
        filtering=ThresholdFiltering(40_000.0),
    )

    def script(now, notices):
        told = any(isinstance(notice, ProbeDataEmitted) for notice in notices)
        return [StopProbe(probe_id="joules")] if told else at_start(watched)(now, notices)

    assert run(site, script)[0] == [(2001.0, "joules", 40_020.0)]


def test_moving_averages_of_successive_measures(site):
    script = at_start(
        probe("ema", hosts="0", temporal_aggregation=ExponentialMovingAverage()),
        probe("sliding", hosts="0", temporal_aggregation=SlidingWindowOperation(2)),
    )
    data, _ = run(site, script, job(1, 1, compute(250.0)))  # 100 at 2, nothing at 3 and 4
    assert [v[0] for _, n, v in data if n == "ema"] == [100.0, 50.0, 25.0]
    assert [v[0] for _, n, v in data if n == "sliding"] == [100.0, 50.0, 0.0]


def test_links_and_hosts_carry_bytes(site):
    """400 bytes from h0 to h1 over a link of 40 bytes/s: 10 s."""
    script = at_start(
        probe("link", Metric.NetworkLoad, OneShot(1), links=("up", "wide")),
        probe("share", Metric.NormalizedNetworkLoad, OneShot(1), links=("wide", "up")),
        probe("host", Metric.NetworkLoad, OneShot(1), "0-2"),
        probe("host share", Metric.NormalizedNetworkLoad, OneShot(1), "0-2"),
        probe("bytes", Metric.NetworkLoad, OneShot(20), "0 2", accumulation=Accumulation()),
        probe("link bytes", Metric.NetworkLoad, OneShot(20), links=("up",), accumulation=Accumulation()),
    )
    data = {name: value for _, name, value in run(site, script, job(1, 2, send(400.0)))[0]}
    assert data["link"] == (pytest.approx(40.0), 0.0)
    assert data["share"] == (0.0, pytest.approx(1.0))
    assert data["host"] == (pytest.approx(40.0), pytest.approx(40.0), 0.0)
    assert data["host share"] == (pytest.approx(1.0), pytest.approx(1.0), 0.0)
    assert data["bytes"] == (pytest.approx(400.0), 0.0)
    assert data["link bytes"] == (pytest.approx(400.0),)


def test_probes_of_a_run_under_way_see_what_runs_already(site):
    script = at(t2=[probe("b", Metric.NetworkLoad, OneShot(4), "1", accumulation=Accumulation())])
    assert run(site, script, job(1, 2, send(400.0)))[0] == [(4.0, "b", (pytest.approx(80.0),))]


def test_simultaneous_triggers_are_in_order_of_id_calls_first(site):
    script = at_start(
        probe("b", when=Periodic(2, nb_periods=1)),
        CallMeLater(call_me_later_id="z", when=Periodic(4, nb_periods=1)),
        probe("a", when=Periodic(2, nb_periods=1)),
        CallMeLater(call_me_later_id="y", when=Periodic(2, nb_periods=2)),
    )
    component = Scripted(script)
    Simulation(site, [], [component], options=Options(energy=True)).run()
    last = [getattr(n, "probe_id", "") or n.call_me_later_id for n in component.log[-2][1]]
    assert last == ["y", "z", "a", "b"]


REFUSED = {
    "Power on a link": (probe(metric=Metric.Power, links=("up",)), "links have no Power"),
    "flops on a link": (probe(links=("up",)), "links have no ComputationLoad"),
    "unknown link": (probe(metric=Metric.NetworkLoad, links=("upp",)), "there is no link 'upp'.*up"),
    "unknown host": (probe(hosts="2-5"), "there are no hosts 3-5"),
    "no host": (probe(hosts=""), "names no host"),
    "sum of shares": (
        probe(metric=Metric.NormalizedComputationLoad, accumulation=Accumulation()),
        "cannot be accumulated by Sum",
    ),
    "rate of an extreme": (
        probe(accumulation=Accumulation(CumulativeFunction.Maximum, temporal_normalization=True)),
        "only a Sum can be divided",
    ),
    "quantile": (probe(resources_aggregation=ResourcesAggregation("quantile", 1.5)), r"in \[0, 1\]"),
    "aggregation": (probe(resources_aggregation=ResourcesAggregation("mode")), "not by 'mode'"),
    "alpha": (probe(temporal_aggregation=ExponentialMovingAverage(0.0)), "weight of the newest"),
    "window": (probe(temporal_aggregation=SlidingWindowOperation(0)), "at least 1 value"),
    "period": (probe(when=Periodic(0)), "at least 1"),
    "unknown": (TriggerProbe(probe_id="q"), "no probe 'q'"),
    "unknown reset": (ResetProbe(probe_id="q", new_value=0.0), "no probe 'q'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(site, what):
    decision, reason = REFUSED[what]
    with pytest.raises(DecisionError, match=reason):
        run(site, at_start(decision))


def test_refusals_that_need_two(site):
    with pytest.raises(DecisionError, match="already active"):
        run(site, at_start(probe(), probe()))
    with pytest.raises(DecisionError, match="accumulates nothing"):
        run(site, at_start(probe(), ResetProbe(probe_id="p", new_value=0.0)))
    with pytest.raises(DecisionError, match="energy is not simulated"):
        run(site, at_start(probe(metric=Metric.Power)), energy=False)


@settings(max_examples=30)
@given(
    works=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 400)), max_size=6),
    ticks=st.lists(st.integers(1, 40), min_size=1, max_size=5),
)
def test_integrals_do_not_depend_on_how_often_one_looks(site, works, ticks):
    """Sums read at any dates, and their parts between resets, agree with the work that was done."""
    jobs = [job(i, 1, compute(float(flops)), at=at / 10) for i, (at, flops) in enumerate(works)]
    script = at_start(
        probe("total", hosts="0", when=OneShot(1000), accumulation=Accumulation()),
        *(probe(f"part{i}", hosts="0", when=OneShot(t), accumulation=Accumulation()) for i, t in enumerate(ticks)),
    )
    data = {name: value[0] for _, name, value in run(site, script, *jobs)[0]}
    assert data["total"] == pytest.approx(sum(flops for _, flops in works), rel=1e-9, abs=1e-9)
    seen = [data[f"part{i}"] for i in sorted(range(len(ticks)), key=lambda i: ticks[i])]
    assert all(b >= a - 1e-9 for a, b in pairwise(seen))
    assert max(seen) <= data["total"] + 1e-9


class Plain(Scripted):
    """A script that can be saved: its decisions are data."""

    def __init__(self, first):
        super().__init__(None)
        self.first = first

    def decide(self, now, notices):
        self.log.append((now, list(notices)))
        begins = isinstance(notices[0], SimulationBegins)
        return Reply(now, [*(self.first if begins else ()), *start_all(now, notices)])


def test_a_fork_measures_the_same(site):
    decisions = [
        probe("sum", accumulation=Accumulation(), when=Periodic(1, nb_periods=9)),
        probe(
            "max", accumulation=Accumulation(CumulativeFunction.Maximum, reset_to=0.0), when=Periodic(2, nb_periods=4)
        ),
        probe("bytes", Metric.NetworkLoad, OneShot(12), accumulation=Accumulation()),
        probe("mean", Metric.Power, Periodic(1, nb_periods=9), temporal_aggregation=SlidingWindowOperation(3)),
    ]
    jobs = workload(job(1, 2, send(300.0, 400.0)), job(2, 1, compute(250.0), at=3.0))
    options = Options(energy=True, compute_sharing=True, check_sizes=False)
    whole = Simulation(site, [jobs], [Plain(decisions)], options=options)
    whole.run_until(4.5)
    branch = whole.fork()
    for simulation in (whole, branch):
        simulation.run()
    told = [simulation.components[0].told(ProbeDataEmitted) for simulation in (whole, branch)]
    assert told[0] == told[1]
    assert len(told[0]) == 23
