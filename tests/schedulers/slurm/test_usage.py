"""What is charged to accounts and QOS: when, to whom, and until when."""

import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.model.slurm import Association, Limits, Partition, PrioritySettings, Qos
from windtunnel.schedulers.slurm.component import Slurm
from windtunnel.schedulers.slurm.shares.resets import Resets, next_reset
from windtunnel.schedulers.slurm.shares.tree import AccountTree
from windtunnel.schedulers.slurm.shares.usage import Spending, UsageLedger

sys.path.insert(0, str(Path(__file__).parent))
from sites import job, platform, site, workload

DAY = 86400
ENFORCED = ("associations", "limits", "qos")
MEMBERS = (
    Association(account="root"),
    Association(account="a", parent="root"),
    Association(account="a", user="ann", default=True),
)


def date(text, zone="UTC"):
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


@pytest.mark.parametrize(
    ("period", "due"),
    [
        ("DAILY", "2026-11-26"),
        ("WEEKLY", "2026-11-29"),  # a Sunday
        ("MONTHLY", "2026-12-01"),
        ("QUARTERLY", "2027-01-01"),
        ("YEARLY", "2027-01-01"),
    ],
)
def test_usage_is_forgotten_at_the_midnight_that_ends_a_period(period, due):
    start = date("2026-11-25T13:14:15")
    assert next_reset(period, start, start, "UTC") == date(due)
    there = "Europe/Berlin"
    assert next_reset(period, start, start, there) == date(due, there)


@pytest.mark.parametrize(("then", "due"), [("2026-01-01", "2026-04-01"), ("2026-06-30", "2026-07-01")])
def test_quarters_begin_with_january_april_july_and_october(then, due):
    assert next_reset("QUARTERLY", date(then), date(then), "UTC") == date(due)


def test_days_in_which_nothing_ran_are_passed_over():
    start = date("2026-11-25")
    resets = Resets("DAILY", "UTC", start)
    assert not resets.over(start + DAY - 1)
    assert resets.over(start + 10 * DAY + 5)
    assert resets.over(start + 10 * DAY + 300)  # the day that has just ended is not among them
    assert not resets.over(start + 10 * DAY + 600)
    assert resets.over(start + 11 * DAY)


@given(
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"]),
    st.integers(0, 2_000_000_000),
    st.integers(0, 90 * DAY),
)
def test_a_period_ends_after_it_began(period, last, later):
    due = next_reset(period, last, last + later, "Europe/Berlin")
    assert due > last
    assert period not in ("DAILY", "WEEKLY") or due >= last + later - (DAY if period == "DAILY" else 7 * DAY)


def ledger_of(settings, qos=(), now=0):
    made = UsageLedger(AccountTree(MEMBERS), settings, now)
    made.no_decay = frozenset(qos)
    return made, made.tree.find("a", "ann")


def test_at_the_end_of_a_period_all_usage_is_forgotten_and_what_ran_since_the_last_round_counts():
    ledger, ann = ledger_of(PrioritySettings(usage_reset_period="DAILY", decay_half_life=0))
    running = Spending(ann, ("normal",), 0, 2.0, 1.0, {"cpu": 2.0})
    ledger.tick(DAY - 100, [running])
    assert ledger.qos_tres["normal"]["cpu"] == ann.usage == 2 * (DAY - 100)
    ledger.tick(DAY + 200, [running])
    ledger.tree.sum_usage()
    assert ledger.tree.root.usage == ann.usage == 600
    assert ledger.qos_tres["normal"]["cpu"] == ann.tres_usage["cpu"] == 600
    assert ledger.qos_wall["normal"] == ann.wall_usage == 300


def test_a_run_forgets_usage_at_midnight():
    described = site(
        nodes=1, associations=MEMBERS, enforce=ENFORCED, qos=(Qos(name="normal"),),
        priority=PrioritySettings(usage_reset_period="DAILY", decay_half_life=0),
    )  # fmt: skip
    scheduler = Slurm()
    wt.simulate(platform(described), workload(job("a", DAY + 900, tasks=1, walltime=2 * DAY)), scheduler)
    scheduler.state.ledger.tree.sum_usage()
    assert scheduler.state.ledger.tree.root.usage == pytest.approx(1200, abs=2)  # since the round before midnight


def test_a_qos_without_decay_counts_the_seconds_as_they_are():
    settings = PrioritySettings(decay_half_life=1000)
    ledger, ann = ledger_of(settings, qos=("kept",))
    ledger.tick(300, [Spending(ann, ("kept", "other"), 0, 1.0, 1.0, {"cpu": 1.0})])
    assert ledger.qos_wall["kept"] == ledger.qos_tres["kept"]["cpu"] == 300
    assert ledger.qos_wall["other"] == pytest.approx(300 * (1 - 0.693 / 1000) ** 300)


def test_usage_that_is_billed_nothing_decays_too():
    ledger, ann = ledger_of(PrioritySettings(decay_half_life=1000))
    ledger.tick(300, [Spending(ann, (), 0, 0.0, 1.0, {"cpu": 1.0})])
    used = ann.tres_usage["cpu"]
    ledger.tick(600, [])
    assert ann.tres_usage["cpu"] == pytest.approx(used * (1 - 0.693 / 1000) ** 300)


@pytest.mark.parametrize(("enforce", "used"), [(ENFORCED, 400), ((), 300)])
def test_what_ran_since_the_last_round_is_charged_at_the_end_where_limits_are_enforced(enforce, used):
    """Recorded: 48 CPU-seconds of 4 CPUs that ran for 12 s at their end; none at all where no limits are enforced."""
    described = site(
        nodes=1, associations=MEMBERS, enforce=enforce, qos=(Qos(name="normal"),),
        priority=PrioritySettings(decay_half_life=0, calc_period=300),
    )  # fmt: skip
    scheduler = Slurm()
    wt.simulate(platform(described), workload(job("a", 400, tasks=1)), scheduler)
    scheduler.state.ledger.tree.sum_usage()
    assert scheduler.state.ledger.tree.root.usage == pytest.approx(used, abs=2)


def test_under_priority_basic_nobody_is_charged():
    described = site(
        nodes=1, associations=MEMBERS, enforce=ENFORCED, qos=(Qos(name="normal"),),
        priority=PrioritySettings(multifactor=False),
    )  # fmt: skip
    scheduler = Slurm()
    wt.simulate(platform(described), workload(job("a", 1000, tasks=1)), scheduler)
    assert scheduler.state.ledger.tree.root.usage == 0


def test_the_qos_of_a_partition_is_charged_with_the_jobs_of_its_partition():
    parts = (Partition(name="main", default=True, qos="part"),)
    kinds = (Qos(name="normal", usage_factor=2.0), Qos(name="part", limits=Limits(grp_tres_mins={"cpu": 10**9})))
    described = site(
        nodes=1, associations=MEMBERS, enforce=ENFORCED, qos=kinds, partitions=parts,
        priority=PrioritySettings(decay_half_life=0),
    )  # fmt: skip
    scheduler = Slurm()
    wt.simulate(platform(described), workload(job("a", 100, tasks=4)), scheduler)
    assert scheduler.state.ledger.qos_tres["part"]["cpu"] == pytest.approx(2 * 4 * 100, rel=0.05)
