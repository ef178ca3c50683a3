"""The table of hosts against a plain one that visits every host."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.engine.state import hosts as hosts_of_table
from windtunnel.engine.state import last_changes as room
from windtunnel.engine.state.host_states import HostState
from windtunnel.engine.state.hosts import HostTable
from windtunnel.model import HostSet, Platform

SIZE = 12
STEPS = st.lists(st.tuples(st.integers(0, 4), st.sets(st.integers(0, SIZE - 1), min_size=1)), max_size=40)


class Plain:
    """State and last change of each host; what each state took."""

    def __init__(self) -> None:
        self.state = ["idle"] * SIZE
        self.changed = [0.0] * SIZE
        self.spent = dict.fromkeys(("idle", "computing", "sleeping"), 0.0)

    def change(self, hosts: set[int], state: str, now: float) -> None:
        for host in hosts:
            self.spent[self.state[host]] += now - self.changed[host]
            self.state[host] = state
            self.changed[host] = now


@pytest.mark.parametrize("few", [0, 3, 64])
@given(steps=STEPS, many=st.integers(0, 40))
@settings(max_examples=150)
def test_times_by_state_are_those_of_a_plain_table(few: int, steps: list[tuple[int, set[int]]], many: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "MANY", many)
        patch.setattr(hosts_of_table, "MANY", many)
        patch.setattr(room, "_FEW", few)
        table, plain = HostTable(Platform.uniform(SIZE), sharing=False), Plain()
        running: list[tuple[HostSet, float]] = []
        now = 0.0
        for what, wanted in steps:
            now += 1.0
            hosts = HostSet(wanted) & table.free.frozen()
            if what <= 1 and hosts:
                table.occupy(hosts, now)
                running.append((hosts, now))
                plain.change(set(hosts), "computing", now)
            elif what <= 3 and running:
                mine, since = running.pop(min(wanted) % len(running))
                table.release(mine, since, now)
                plain.change(set(mine), "idle", now)
            elif what == 4 and hosts:
                table.set_special(hosts, HostState.SLEEPING, now)
                plain.change(set(hosts), "sleeping", now)
                now += 0.5
                table.clear_special(hosts, now)
                plain.change(set(hosts), "idle", now)
        for mine, since in running:
            table.release(mine, since, now + 1.0)
            plain.change(set(mine), "idle", now + 1.0)
        totals = table.totals()
        assert list(table.changes.dates()) == plain.changed
        assert {name: totals[f"time_{name}"] for name in plain.spent} == pytest.approx(plain.spent)


class Shared:
    """How many jobs each host has, and whether it is available; what each state took."""

    def __init__(self) -> None:
        self.jobs = [0] * SIZE
        self.absent: set[int] = set()
        self.state = ["idle"] * SIZE
        self.changed = [0.0] * SIZE
        self.spent = dict.fromkeys(("idle", "computing", "unavailable"), 0.0)

    def look(self, now: float) -> None:
        for host, jobs in enumerate(self.jobs):
            state = "unavailable" if host in self.absent else "computing" if jobs else "idle"
            if state != self.state[host]:
                self.spent[self.state[host]] += now - self.changed[host]
                self.state[host], self.changed[host] = state, now


@pytest.mark.parametrize("sharing", [False, True])
@given(steps=STEPS)
@settings(max_examples=300)
def test_jobs_that_share_hosts_which_come_and_go(sharing: bool, steps: list[tuple[int, set[int]]]) -> None:
    table, plain = HostTable(Platform.uniform(SIZE), sharing=sharing), Shared()
    running: list[tuple[HostSet, float]] = []
    now = 0.0
    for what, wanted in [*steps, *[(2, {0})] * len(steps)]:
        now += 1.0
        if what <= 1 and (hosts := HostSet(wanted) & table.free.frozen()):
            assert table.occupy(hosts, now)
            running.append((hosts, now))
            for host in hosts:
                plain.jobs[host] += 1
        elif what == 2 and running:
            hosts, since = running.pop(min(wanted) % len(running))
            table.release(hosts, since, now)
            for host in hosts:
                plain.jobs[host] -= 1
        elif what == 3 and (hosts := HostSet(wanted) - table.unavailable):
            table.make_unavailable(hosts, now)
            plain.absent |= set(hosts)
        elif what == 4 and (hosts := HostSet(wanted) & table.unavailable):
            table.make_available(hosts, now)
            plain.absent -= set(hosts)
        plain.look(now)
        assert [table.state(host).name.lower() for host in range(SIZE)] == plain.state
        assert table.counts[3:] == [plain.state.count("idle"), plain.state.count("computing")]
        able = {h for h in range(SIZE) if h not in plain.absent and (sharing or not plain.jobs[h])}
        assert set(table.free) == able
    totals = table.totals()
    assert list(table.changes.dates()) == plain.changed
    assert {name: totals[f"time_{name}"] for name in plain.spent} == pytest.approx(plain.spent)
