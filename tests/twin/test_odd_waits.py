"""Waits that a replay does not meet: jobs held and priorities changed by hand are told apart from what no log shows."""

from datetime import UTC, datetime

import pytest

from windtunnel.formats.registry import read_platform, read_workload
from windtunnel.twin.calibrate import calibrate
from windtunnel.twin.odd_waits import OddWaits, told_apart
from windtunnel.twin.replay import Outcome


def outcome(name, submitted, waited, **more):
    given = {"processors": 4, "ran": 60.0, "limit": 3600.0, "qos": "normal"} | more
    return Outcome(
        id=name,
        user="u",
        account="a",
        partition=given.pop("partition", "p"),
        submitted=submitted,
        waited=waited,
        **given,
    )


def pairs(*jobs):
    """Of (name, submitted, recorded wait, simulated wait, other fields)."""
    return [
        (outcome(name, submitted, old, **more), outcome(name, submitted, new, **more))
        for name, submitted, old, new, more in jobs
    ]


EARLY = ("early", 0.0, 9000.0, 100.0, {})


def test_an_earlier_job_overtaken_by_a_later_one_of_its_queue():
    assert told_apart(pairs(EARLY, ("late", 10.0, 100.0, 9000.0, {}))) == OddWaits(raised=1, overtaken=1)


def test_who_overtakes_need_not_have_been_raised_itself():
    assert told_apart(pairs(EARLY, ("late", 10.0, 5000.0, 5100.0, {}))) == OddWaits(overtaken=1)


@pytest.mark.parametrize(
    "other",
    [
        {"processors": 1},  # it fitted into a gap
        {"limit": 600.0},
        {"partition": "q"},
        {"qos": "high"},
    ],
)
def test_what_overtakes_for_a_reason_proves_nothing(other):
    found = told_apart(pairs(EARLY, ("late", 10.0, 100.0, 9000.0, other)))
    assert found == OddWaits(unseen=1)


def test_what_overtakes_in_the_replay_too_proves_nothing():
    assert told_apart(pairs(EARLY, ("late", 10.0, 20.0, 20.0, {}))) == OddWaits(unseen=1)


def test_jobs_that_were_there_before_do_not_overtake():
    assert told_apart(pairs(("before", -10.0, 100.0, 9000.0, {}), EARLY)) == OddWaits(unseen=1)


def test_less_than_an_hour_is_nothing_odd():
    assert told_apart(pairs(("a", 0.0, 3700.0, 100.0, {}), ("b", 10.0, 100.0, 3700.0, {}))) == OddWaits()


def test_held_jobs_are_counted_and_nobody_overtakes_them_while_they_are():
    held = ("held", 0.0, 9000.0, 9000.0, {"held": 8000.0})
    assert told_apart(pairs(held, ("late", 10.0, 100.0, 100.0, {}))) == OddWaits(held=1)
    longer = ("held", 0.0, 20000.0, 9000.0, {"held": 8000.0})
    found = told_apart(pairs(longer, ("late", 10.0, 100.0, 12000.0, {})))
    assert found == OddWaits(held=1, unseen=1)


CONF = """ClusterName=small
SelectType=select/linear
NodeName=n1 CPUs=4
PartitionName=main Nodes=n1 Default=YES MaxTime=1-0
"""
HEAD = "JobID|User|Account|Partition|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|State|NodeList\n"


def log(jobs):
    """Of (id, submitted, eligible, started, ran)."""

    def date(seconds):
        return datetime.fromtimestamp(1704067200 + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")

    return HEAD + "".join(
        f"{name}|u|a|main|{date(came)}|{date(free)}|{date(start)}|{date(start + ran)}|{ran}|120|4|COMPLETED|n1\n"
        for name, came, free, start, ran in jobs
    )


def test_a_calibration_says_what_the_log_shows(tmp_path):
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "log").write_text(
        log(
            [
                (1, 0, 0, 0, 7000),
                (2, 100, 100, 14000, 7000),  # overtaken by the next
                (3, 200, 200, 7000, 7000),
                (4, 300, 40000, 40000, 100),  # released later
            ]
        )
    )
    found = calibrate(read_platform(tmp_path / "slurm.conf"), read_workload(tmp_path / "log"))
    assert found.odd == OddWaits(held=1, raised=1, overtaken=1)
    assert "1 job could start only later than submitted" in found.verdict
    assert "priorities were changed by hand" in found.verdict
