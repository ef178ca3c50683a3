"""Curves over time and their means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.small_runs import record

import windtunnel as wt
from windtunnel.engine import Options
from windtunnel.formats import Signal
from windtunnel.model import Host, Platform, PowerState
from windtunnel.report.series import binned, busy_hosts, electricity, queue_length, steps_of
from windtunnel.results.run import Run
from windtunnel.testing import job, workload


def test_by_hand():
    steps = steps_of([(10.0, 4.0), (0.0, 2.0), (20.0, -4.0), (20.0, -1.0)])
    assert steps == [(0.0, 2.0), (10.0, 6.0), (20.0, 1.0)]
    assert binned(steps, 0.0, 40.0, 4) == [2.0, 6.0, 1.0, 1.0]
    assert binned(steps, 5.0, 25.0, 1) == [(5 * 2 + 10 * 6 + 5 * 1) / 20]
    assert binned([], 0.0, 1.0, 2) == binned(steps, 3.0, 3.0, 2) == [0.0, 0.0]


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50), st.integers(1, 9)), max_size=20),
    st.integers(1, 17),
)
def test_bins_keep_the_integral(blocks, bins):
    changes = [c for start, run, n in blocks for c in ((float(start), float(n)), (float(start + run), -float(n)))]
    means = binned(steps_of(changes), 0.0, 151.0, bins)
    assert sum(means) * 151.0 / bins == pytest.approx(sum(run * n for _, run, n in blocks))


def test_curves_of_a_run():
    run = Run.of(record())
    assert max(value for _, value in busy_hosts(run)) == 8
    assert busy_hosts(run)[-1][1] == queue_length(run)[-1][1] == 0
    assert min(value for _, value in queue_length(run)) == 0


def test_curves_of_electricity(tmp_path):
    """What was asked for, with its unit; nothing of a run without an account."""
    watts = PowerState(speed=1e9, idle=100.0, epsilon=100.0, full=200.0)
    site = Platform(name="s", hosts=(Host(id=0, name="h", pstates=(watts,)),))
    options = {"energy": True, "options": Options(delays_compute=True)}
    work = workload(job("a", 1, 2700.0))
    price = Signal("p", "EUR/MWh", [0.0, 1800.0], [-50.0, 90.0], outside="hold")
    run = wt.simulate(site, work, "easy", price=price, generation="50W", **options)
    assert electricity(run) == [
        ("power of the grid", "W", [(0.0, 150.0), (900.0, 150.0), (1800.0, 150.0), (2700.0, 0.0)]),
        ("generation", "W", [(0.0, 50.0), (900.0, 50.0), (1800.0, 50.0), (2700.0, 0.0)]),
        ("price", "EUR/MWh", [(0.0, -50.0), (900.0, -50.0), (1800.0, 90.0), (2700.0, 0.0)]),
    ]
    run.report(tmp_path / "a.html")
    assert "power of the grid" in (tmp_path / "a.html").read_text()
    assert electricity(wt.simulate(site, work, "easy", **options)) == []
