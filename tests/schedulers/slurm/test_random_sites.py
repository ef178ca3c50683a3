"""Whole logs on sites made at random: each run ends, each job is accounted for, and nothing is given twice."""

import re
import sys
from itertools import combinations
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.formats import read_platform, read_workload
from windtunnel.model import HostSet

sys.path.insert(0, str(Path(__file__).parent))
from random_sites import write_site

ENDED = {"COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED", "COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED", "REJECTED"}


@pytest.mark.parametrize("seed", range(60))
def test_a_run_of_a_random_site(seed, tmp_path):
    runs_whole(seed, tmp_path, 30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_a_longer_run_of_a_random_site(seed, tmp_path):
    runs_whole(seed, tmp_path, 80)


def runs_whole(seed, folder, jobs):
    site, log = write_site(seed, folder, jobs)
    run = wt.simulate(read_platform(site), read_workload(log), "slurm")
    rows = run.jobs.to_dicts()
    assert len({row["job_id"] for row in rows}) >= jobs
    assert {row["final_state"] for row in rows} <= ENDED
    ran = [row for row in rows if row["starting_time"] is not None]
    assert ran
    assert all(row["submission_time"] <= row["starting_time"] <= row["finish_time"] for row in ran)
    if not {"GANG", "FORCE"} & set(re.findall(r"\w+", site.read_text())):  # others have what suspended jobs leave
        asked = dict(line.split("|")[0::11] for line in log.read_text().splitlines()[1:])
        names = [row["job_id"].partition("#")[0] for row in ran]  # those that were requeued have a number
        nothing_is_given_twice(
            [(asked.get(name) or asked[f"{name}+0"], row) for name, row in zip(names, ran, strict=True)]
        )


def nothing_is_given_twice(ran):
    """Licences, of which there are too few for two jobs, and nodes that jobs have for themselves."""
    for (asked, row), (other_asked, other) in combinations(ran, 2):
        if row["finish_time"] <= other["starting_time"] or other["finish_time"] <= row["starting_time"]:
            continue
        licences = re.findall(r"-L (\S+)", asked)[-1:]  # the last one counts
        assert not licences or licences != re.findall(r"-L (\S+)", other_asked)[-1:], (row, other)
        words = {*asked.split(), *other_asked.split()}
        if "--exclusive" in words and not words & {"-s", "--exclusive=user", ":"}:
            hosts, others = (HostSet.parse(one["allocated_resources"]) for one in (row, other))
            assert not hosts & others, (row, other)
