"""What the real Slurm refused at submission is refused, and nothing else is."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from shared import cases
from slurm_recorded import read_ask
from slurm_replay import Replay
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.loops.submission import refusal

pytestmark = pytest.mark.golden

OWN = sorted(one for one in (Path(__file__).parent / "recorded").iterdir() if one.is_dir())
FOLDERS = [*cases("golden/slurm/snapshots"), *OWN]
OF_SBATCH = re.compile("mutually exclusive|--gpus < -N|invalid partition|Invalid --nice")
"""What sbatch does not even send, and names that the site does not have; who may ask for ``--nice`` below 0 is not described."""


def submissions(folder, replay):
    """Those of the folder, but for heterogeneous jobs, and those that had started when the queue was submitted."""
    for job in json.loads((folder / "jobs.json").read_text()):
        started = replay.before.get(str(job["jobid"]), {}).get("JobState") == "RUNNING"
        if not started and ":" not in job["sbatch"] and not OF_SBATCH.search(job["message"] or ""):
            yield job


def states(folder):
    """While the first jobs were submitted, and while the queue was: with all partitions down."""
    down = any(line["do"] == "all partitions: state=down" for line in commands(folder))
    for phase in ("a", "j"):
        replay = Replay(folder)
        if phase == "j" and down:
            parts = [msgspec.structs.replace(one, state="DOWN") for one in replay.site.partitions]
            replay.site = msgspec.structs.replace(replay.site, partitions=tuple(parts))
        state = replay.state_at(replay.outcome["t_up"], [])
        state.pending.clear()
        yield phase, state, submissions(folder, replay)


def commands(folder):
    path = folder / "timeline.json"
    return json.loads(path.read_text()) if path.exists() else [{"do": "all partitions: state=down"}]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_submissions_are_taken_as_slurm_took_them(folder):
    taken = []
    for phase, state, jobs in states(folder):
        for job in taken:
            made = submitted(state, job)
            state.pending[made.id] = made
        for job in jobs:
            if job.get("phase", "j") == phase:
                made = submitted(state, job)
                reason = refusal(state, made)
                assert (reason is None) == (job["jobid"] is not None), (job["sbatch"], job["message"], reason)
                if reason is None:
                    state.pending[made.id] = made
                    taken.append(job)


def submitted(state, job):
    ask, number = read_ask(job), 10**6 + len(state.pending)
    member = state.tree.find(ask.account or state.tree.default_account(ask.user), ask.user)
    qos = state.cluster.qos.get(ask.qos or state.tree.default_qos(member))
    return PendingJob(str(number), number, ask, int(job["submit_wall"]), state.cluster, member, qos)
