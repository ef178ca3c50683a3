"""Running actions: the event-driven system against the stepper that walks everything, and its own promises."""

import copy
import math
import pickle
import random

import pytest
from tests.engine.sharing import reference
from tests.engine.sharing.networks import TableNetwork, star

from windtunnel.diagnostics import UsageError
from windtunnel.engine.sharing import Builder, System, Task, fair_bottleneck, max_min
from windtunnel.model.platform import Link


def finish(system: System, starts: list[tuple[float, Task, str]]) -> dict[str, float]:
    """Start tasks at their dates, run to the end; the date of each completion, in order."""
    waiting = sorted(starts, key=lambda start: start[0])
    ends: dict[str, float] = {}
    while True:
        date = min(waiting[0][0] if waiting else math.inf, system.next_event())
        if date == math.inf:
            return ends
        for action in system.advance(date):
            ends[action.tag] = date
        while waiting and waiting[0][0] - date < 1e-9:
            _, task, tag = waiting.pop(0)
            system.start(date, task, tag)


class RandomCase:
    """A random platform and random tasks on it, with ties, repeated hosts, FATPIPEs and latencies made likely."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        n = rng.randint(1, 6)
        self.speeds = [rng.choice([1e9, 1e9, 2e9, rng.uniform(1e8, 3e9)]) for _ in range(n)]
        self.cores = [rng.choice([1, 1, 2, 4]) for _ in range(n)]
        links = [
            Link(
                f"l{i}",
                rng.choice([1e8, 1e8, rng.uniform(1e7, 1e9)]),
                rng.choice([0.0, 0.0, rng.uniform(1e-5, 2e-2)]),
                rng.random() > 0.15,
            )
            for i in range(rng.randint(1, 6))
        ]
        pairs = [(i, j) for i in range(n) for j in range(n)]
        self.network = TableNetwork(
            links, {p: rng.sample(range(len(links)), rng.randint(0, len(links))) for p in pairs}
        )
        self.starts = []
        for k in range(rng.randint(1, 9)):
            positions = (
                rng.choices(range(n), k=rng.randint(1, 4))
                if rng.random() < 0.4
                else rng.sample(range(n), rng.randint(1, n))
            )
            size = len(positions)
            some = rng.choice([0.2, 0.6, 1.0])

            def amount(scale, some=some):
                return rng.choice([scale, scale / 2, rng.random() * scale]) if rng.random() < some else 0.0

            flops = [amount(2e9) for _ in positions] if rng.random() < 0.8 else None
            amounts = [[amount(1e8) for _ in range(size)] for _ in range(size)] if rng.random() < 0.6 else None
            self.starts.append((rng.choice([0.0, 0.0, 1.0, rng.uniform(0, 5)]), positions, flops, amounts, f"t{k}"))

    def ours(self) -> dict[str, float]:
        build = Builder(range(len(self.speeds)), self.network)
        system = System(self.speeds, self.cores, self.network.links)
        return finish(
            system,
            [
                (start, build.matrices(hosts, flops, amounts), tag)
                for start, hosts, flops, amounts, tag in self.starts
            ],
        )

    def oracle(self) -> tuple[list[str], dict[str, float]]:
        cpus = [reference.Constraint(speed * n, False) for speed, n in zip(self.speeds, self.cores, strict=True)]
        links = [reference.Constraint(link.bandwidth, not link.shared) for link in self.network.links]
        jobs = []
        for start, hosts, flops, amounts, tag in self.starts:
            variable = reference.Variable()
            bound, latency, longest = math.inf, 0.0, 0.0
            for host, amount in zip(hosts, flops or [0.0] * len(hosts), strict=True):
                variable.wants.append((cpus[host], amount))
                if amount > 0:
                    bound = min(bound, self.speeds[host] / amount)
            weights: dict[int, float] = {}
            for i, row in enumerate(amounts if amounts and len(hosts) > 1 else ()):
                for j, amount in enumerate(row):
                    if amount > 0:
                        route, delay = self.network.route(hosts[i], hosts[j])
                        latency, longest = max(latency, delay), max(longest, delay * amount)
                        for link in route:
                            old = weights.get(link, 0.0)
                            weights[link] = old + amount if self.network.links[link].shared else max(old, amount)
            variable.wants += [(links[link], weight) for link, weight in weights.items()]
            bound = min(bound, 4194304 / (2 * longest)) if longest > 0 else bound
            jobs.append(reference.Job(tag, start, variable, latency, bound))
        order = reference.run(jobs, cpus + links)
        return order, {job.name: job.finish for job in jobs}


@pytest.mark.parametrize("block", range(10))
def test_dates_and_order_equal_those_of_stepping_through_everything(block):
    endless = 0
    for seed in range(block * 150, block * 150 + 150):
        case = RandomCase(seed)
        try:
            order, dates = case.oracle()
        except reference.EndlessError:
            endless += 1
            continue
        ours = case.ours()
        assert ours == pytest.approx(dates, rel=1e-9), seed
        # Dates that differ by rounding only may be told apart by one and not by the other.
        assert [f"{dates[tag]:.9e}" for tag in ours] == [f"{dates[tag]:.9e}" for tag in order], seed
    assert endless < 10


def test_rates_equal_the_reference_to_the_last_bit_with_all_that_is_merged():
    rng = random.Random(11)
    for _ in range(400):
        # Large capacities: whether a constraint is exhausted in a round hangs on the last bits, so on every order.
        speeds = [rng.choice([3e12, 7e12]) for _ in range(8)]
        links = [Link(f"l{i}", rng.choice([1e10, 3e11, 7e11]), 0.0, rng.random() > 0.1) for i in range(6)]
        network = TableNetwork(links, {(i, j): rng.sample(range(6), 2) for i in range(8) for j in range(8) if i != j})
        build = Builder(range(8), network)
        system = System(speeds, [3] * 8, links)
        constraints = [reference.Constraint(3 * speed, False) for speed in speeds]
        constraints += [reference.Constraint(link.bandwidth, not link.shared) for link in links]
        variables = []
        for _ in range(rng.randint(2, 9)):
            hosts = rng.choices(range(8), k=rng.randint(1, 6))
            task = build.homogeneous(hosts, rng.choice([1e12, 7e12]), rng.choice([0.0, 1e9, 3e9]))
            bound = min(min(speeds[c] for c in cs) / (w if isinstance(w, float) else max(w)) for cs, w in task.cpus)
            wants = [
                (constraints[c], each)
                for cs, w in (*task.cpus, *task.links)
                for c in cs
                for each in ([w] if isinstance(w, float) else w)
            ]
            variables.append(reference.Variable(bound, wants))
            variables[-1].enable()
            system.start(0.0, task)
        for gone in rng.sample(range(len(variables)), len(variables) // 3):
            system.cancel(0.0, system.actions[gone])
            variables[gone].disable()
        try:
            reference.solve(variables, constraints)
        except reference.EndlessError:
            continue
        system.settle()
        assert {n: a.rate for n, a in system.actions.items()} == {
            i: v.value for i, v in enumerate(variables) if v.enabled
        }


def test_what_is_nearly_simultaneous_ends_together():
    system = System([1e9], [4])
    build = Builder([0], None)
    for k, duration in enumerate((1.0, 1.0 + 5e-10, 1.0 + 2e-9)):
        system.sleep(0.0, duration, k)
    assert [a.tag for a in system.advance(system.next_event())] == [0, 1]
    assert [a.tag for a in system.advance(system.next_event())] == [2]
    # The second has a fraction of 8e-16 left when the first ends, the third one of 1.2e-14.
    for k, flops in enumerate((1e15, 1e15 + 0.75, 1e15 + 12.0)):
        system.start(system.now, build.homogeneous([0], flops, 0.0), k)
    assert [a.tag for a in system.advance(system.next_event())] == [0, 1]
    assert [a.tag for a in system.advance(system.next_event())] == [2]


def run_in_step(system: System, other: System) -> None:
    """Two copies of a system end the same actions at the same dates."""
    while (date := system.next_event()) < math.inf:
        assert other.next_event() == date
        assert [a.tag for a in system.advance(date)] == [a.tag for a in other.advance(date)]
    assert other.next_event() == math.inf


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda system: pickle.loads(pickle.dumps(system))])
def test_a_system_is_a_value_that_can_be_copied_under_way(copied):
    network = star(64, backbone=1e9)
    build = Builder(range(64), network)
    system = System([1e9] * 64, [2] * 64, network.links)
    for k in range(200):
        system.start(0.0, build.homogeneous([(k + i) % 64 for i in range(1 + k % 9)], 1e9 + k, 1e6), tag=k)
    for _ in range(20):
        system.advance(system.next_event())
    run_in_step(copied(system), system)


@pytest.mark.parametrize("rule", [fair_bottleneck, max_min])
def test_no_host_and_no_shared_link_is_ever_above_its_capacity(rule):
    rng = random.Random(7)
    network = star(16, bandwidth=1e8, backbone=3e8)
    build = Builder(range(16), network)
    system = System([1e9] * 16, [2] * 16, network.links, rule=rule)
    for k in range(60):
        hosts = rng.sample(range(16), rng.randint(1, 6))
        system.start(system.now, build.homogeneous(hosts, rng.uniform(0, 3e9), rng.uniform(0, 2e8)), tag=k)
        if k % 3 == 0:
            system.advance(system.next_event())
        used = dict.fromkeys(range(16 + len(network.links)), 0.0)
        system.settle()
        for action in system.actions.values():
            assert action.rate <= action.bound
            for constraints, weight in (*action.task.cpus, *action.task.links):
                for c in constraints:
                    used[c] += weight * action.rate
        for host in range(16):
            assert system.load(host) == pytest.approx(used[host], rel=1e-12)
            assert used[host] <= 2e9 * (1 + 1e-9)
        assert all(used[16 + i] <= link.bandwidth * (1 + 1e-9) for i, link in enumerate(network.links))


def test_dates_do_not_depend_on_how_often_somebody_looks():
    case = RandomCase(3)
    build = Builder(range(len(case.speeds)), case.network)
    systems = [System(case.speeds, case.cores, case.network.links, watch_loads=watch) for watch in (False, True)]
    for system in systems:
        for _, hosts, flops, amounts, tag in case.starts:
            system.start(0.0, build.matrices(hosts, flops, amounts), tag)
            if system.watch_loads:
                system.changed_loads()
                system.next_event()
    run_in_step(*systems)


def test_loads_are_told_when_they_change_and_only_then():
    build = Builder(range(4), None)
    system = System([1e9] * 4, [4] * 4, watch_loads=True)
    first = system.start(0.0, build.homogeneous([0, 1], 2e9, 0.0))
    assert system.changed_loads() == {0: 1e9, 1: 1e9}
    assert system.changed_loads() == {}
    system.start(0.5, build.homogeneous([1, 1, 1, 1, 2], 1e9, 0.0))
    assert system.changed_loads() == {0: 0.8e9, 1: pytest.approx(4e9), 2: 0.8e9}
    system.cancel(0.6, first)
    assert system.changed_loads() == {0: 0.0, 1: 4e9, 2: 1e9}
    system.advance(system.next_event())
    assert system.changed_loads() == {1: 0.0, 2: 0.0}


def test_an_action_is_touched_only_when_its_rate_changes():
    build = Builder(range(4), None)
    system = System([1e9] * 4, [1] * 4)
    alone = system.start(0.0, build.homogeneous([0, 1], 9e9, 0.0))
    for k in range(1, 5):
        system.start(float(k), build.homogeneous([2, 3], 1e9, 0.0))
        system.next_event()
    assert alone.since == 0.0
    system.start(5.0, build.homogeneous([1], 1e9, 0.0))
    system.next_event()
    assert (alone.since, alone.remaining) == (5.0, pytest.approx(4 / 9))


def test_groups_are_few_whatever_comes_and_goes():
    network = star(128, latency=0.0, backbone=1e9)
    build = Builder(range(128), network)
    system = System([1e9] * 128, [1] * 128, network.links)
    keep = system.start(0.0, build.homogeneous(range(128), 1e12, 1e3))
    assert len(system._groups.groups) == 3  # cpus, links up and down, the backbone
    others = [system.start(0.0, build.homogeneous(range(k, k + 40), 1e9, 1e6)) for k in range(0, 80, 7)]
    system.next_event()
    assert len(system._groups.groups) > 20
    for other in others:
        system.cancel(1e-3, other)
    assert len(system._groups.groups) == 3
    system.cancel(2e-3, keep)
    assert (system._groups.groups, {*system._groups.group_of}, system.next_event()) == ({}, {-1}, math.inf)


def test_the_heap_of_dates_does_not_grow_with_what_has_been():
    build = Builder([0], None)
    system = System([1e9], [1])
    system.start(0.0, build.homogeneous([0], 1e15, 0.0))
    for k in range(2000):
        system.sleep(float(k), 1e6)
        system.cancel(k + 0.5, system.start(float(k), build.homogeneous([0], 1e12, 0.0)))
    assert len(system._heap) < 5 * len(system.actions) + 100
    assert len(system.actions) == 2001


def test_a_change_of_speed_counts_from_its_date_also_when_nobody_asked_between():
    build = Builder(range(2), None)
    system = System([1e9] * 2, [1] * 2)
    action = system.start(0.0, build.homogeneous([0, 1], 4e9, 0.0))
    system.set_speed(1.0, [0, 1], 0.5e9)
    system.set_speed(3.0, [0], 0.0)
    assert system.next_event() == math.inf
    assert system.remaining(4.0, action) == pytest.approx(0.5)
    system.set_speed(10.0, [0, 1], 2e9)
    assert system.next_event() == pytest.approx(11.0)


def test_a_task_whose_latency_is_not_paid_uses_nothing():
    network = star(2, bandwidth=1e8, latency=1.0)
    build = Builder(range(2), network)
    system = System([1e9] * 2, [1] * 2, network.links)
    late = system.start(0.0, build.homogeneous([0, 1], 1e9, 1e8), "late")
    system.start(0.0, build.homogeneous([0], 1e9, 0.0), "early")
    assert (system.next_event(), late.latent) == (1.0, True)
    assert [a.tag for a in system.advance(1.0)] == ["early"]
    assert system.remaining(1.5, late) == 1.0
    assert system.next_event() == 2.0
    assert system.advance(2.0) == []
    # 1e8 bytes over 2 s of latency: the TCP window allows 4194304 / (2 * 2 s) B/s.
    assert system.next_event() == pytest.approx(2.0 + 1e8 / (4194304 / 4))


def test_a_suspended_task_leaves_its_hosts_to_others_and_goes_on_later():
    build = Builder(range(2), None)
    system = System([1e9] * 2, [1] * 2)
    first = system.start(0.0, build.homogeneous([0, 1], 2e9, 0.0), "first")
    second = system.start(0.0, build.homogeneous([1], 2e9, 0.0), "second")
    system.suspend(1.0, first)
    system.suspend(1.5, first)  # nothing more happens
    assert (system.remaining(2.0, first), system.load(0), system.load(1)) == (0.75, 0.0, 1e9)
    assert system.next_event() == pytest.approx(2.5)
    assert system.advance(system.next_event()) == [second]
    system.set_speed(3.0, [0, 1], 0.5e9)
    system.resume(4.0, first)
    system.resume(4.0, first)
    assert system.next_event() == pytest.approx(4.0 + 1.5 / 0.5)
    system.suspend(5.0, first)
    system.cancel(6.0, first)
    system.resume(7.0, first)
    assert system.next_event() == math.inf


def test_tasks_that_make_no_sense_are_refused_by_name():
    build = Builder(range(3), star(3))
    with pytest.raises(UsageError, match=r"hosts among 0\.\.2"):
        build.homogeneous([0, 3], 1.0, 1.0)
    with pytest.raises(UsageError, match="needs hosts"):
        build.homogeneous([], 1.0, 1.0)
    with pytest.raises(UsageError, match="2 positions needs as many flops"):
        build.matrices([0, 1], [1.0], None)
    with pytest.raises(UsageError, match="2 rows of 2 bytes"):
        build.matrices([0, 1], None, [[1.0, 2.0]])
    with pytest.raises(UsageError, match="cannot have nan bytes"):
        build.matrices([0, 1], None, [[1.0, math.nan], [0.0, 0.0]])
    with pytest.raises(UsageError, match=r"cannot have -1\.0 flops"):
        build.homogeneous([0], -1.0, 0.0)


def test_a_homogeneous_task_consumes_what_its_matrices_would():
    network = star(9, backbone=2e8)
    build = Builder(range(9), network)
    hosts = [7, 2, 3, 8, 1]
    amounts = [[0.0 if i == j else 3e5 for j in range(5)] for i in range(5)]
    one, other = build.homogeneous(hosts, 1e8, 3e5), build.matrices(hosts, [1e8] * 5, amounts)
    assert (one.latency, one.network_bound) == (other.latency, other.network_bound)
    for bundles in (lambda task: task.cpus, lambda task: task.links):
        pairs = [sorted((c, w) for constraints, w in bundles(task) for c in constraints) for task in (one, other)]
        assert pairs[0] == pairs[1]
