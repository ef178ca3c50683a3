"""What ElastiSim was recorded to say: the same messages, in the same order, when its answers are fed back."""

import gzip
import json
import re

import pytest

from elastic_cases import Differs, replay
from shared import cases

GOES_ON = "nothing more was said, but .*'invocation_type': "
ONE_END = "invocation_type: only recorded"
NO_ITERATIONS = "a phase of no iterations never ends in ElastiSim"
OTHERWISE = {
    "gpu-link-stale": ("kernels and transfers of killed jobs are cancelled", "makespan: said 10.0, recorded 7.0"),
    "refuse-expected-start": (
        "a node that is reserved for another job is refused",
        "given node 1, which job 0 is to have",
    ),
    "refuse-gpu-one-gpu-bytes": ("one GPU exchanges nothing within its node, in no time", f"{GOES_ON}2"),
    "refuse-never-started": ("a deadlock is an error", "deadlock: nothing can happen any more"),
    "refuse-shrink-root-only": ("new nodes prepare themselves only if there are any", f"{GOES_ON}4"),
    "refuse-walltime-tie-two": ("a job ends once", r"\.jobs: said \[1\], recorded \[0\]"),
    "refuse-zero-iterations": ("phases of no iterations are refused when read", NO_ITERATIONS),
    "refuse-zero-iterations-later": ("phases of no iterations are refused when read", NO_ITERATIONS),
    "trigger-min-interval-point": ("a job whose call is dropped goes on", f"{GOES_ON}2"),
    "trigger-min-interval-request": ("a job whose call is dropped goes on", f"{GOES_ON}2"),
    "walltime-before-point": ("a job ends once, by its walltime", "completed_phases: said 1, recorded 2"),
    "walltime-tie": ("a job ends once, by its walltime", ONE_END),
    "walltime-tie-busy": ("a job ends once, by its walltime", ONE_END),
}
"""Faults of ElastiSim that are mended: what happens instead, and how that shows."""
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")
SETS = re.compile(r"\d+(;\d+)+")


def name_of(path) -> str:
    return f"{path.parent.name}/{path.name}"


CASES = [path.parent for path in cases("golden/elastisim", "*/*/case.json")]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_recorded_run(case, tmp_path):
    """What is said, message by message, and the files that are written, from one run."""
    if case.name in OTHERWISE:
        mended(case)
        return
    about = json.loads((case / "case.json").read_text())
    peer, _, error = replay(case, tmp_path)
    if about["exit"] == 0 and error is None:
        assert peer.finished
        assert peer.at == len(peer.lines)
    else:
        assert about["exit"] != 0 or about["name"].startswith("refuse"), error
        assert error is not None, "nothing was refused"
        assert peer.at == len(peer.lines), error
    same_files(case, tmp_path, stopped=about["exit"] != 0, refused=about["exit"] != 0 and peer.at == 0)
    if case in SENSING:
        same_samples(case, tmp_path)


def rows(folder, name):
    """The lines of a recorded or written file."""
    plain, packed = folder / name, folder / f"{name}.gz"
    if packed.exists():
        return gzip.decompress(packed.read_bytes()).decode().splitlines()
    return plain.read_text().splitlines() if plain.exists() else None


def same_figures(said: str, recorded: str) -> bool:
    """Whether two rows are equal, to a step of the sixth digit of each number."""
    mine, theirs = said.split(","), recorded.split(",")
    return len(mine) == len(theirs) and all(
        a == b
        or (NUMBER.fullmatch(a) and NUMBER.fullmatch(b) and float(a) == pytest.approx(float(b), rel=1.1e-5, abs=5e-6))
        for a, b in zip(mine, theirs, strict=True)
    )


FILES = ("job_statistics.csv", "node_utilization.csv", "task_times.csv")


def same_files(case, out, *, stopped, refused):
    """All rows; where ElastiSim stops in the middle, those that it had written; none where the input is refused."""
    for name in FILES:
        recorded = rows(case / "out", name)
        said = rows(out / "out", name)
        if recorded is None or refused:
            assert said is None
            continue
        if name == "task_times.csv":
            recorded, said = sorted(recorded, key=by_numbers), sorted(said, key=by_numbers)
        if name == "node_utilization.csv":
            recorded, said = ([SETS.sub(in_order, row) for row in one] for one in (recorded, said))
        assert len(said) == len(recorded) or (stopped and len(said) > len(recorded)), name
        for mine, theirs in zip(said, recorded, strict=not stopped):
            assert same_figures(mine, theirs), f"{name}: said {mine}, recorded {theirs}"


SENSED = ("cpu_utilization", "network_activity", "pfs_utilization", "gpu_utilization")
TIES = {"gpu-oversubscribed"}
"""Kernels end at each sample."""
SENSING = [
    case
    for case in CASES
    if case.name not in TIES and json.loads((case / "config.json").read_text()).get("sensing") is True
]


def same_samples(case, out):
    """All samples, but those at which something else happens: what they see depends on who comes first."""
    about = json.loads((case / "config.json").read_text())
    events = {row.partition(",")[0] for name in FILES[1:] for row in rows(case / "out", name) or ()} - {"0"}
    ends = {row.split(",")[4] for row in rows(case / "out", FILES[0])}
    for name in SENSED:
        recorded, said = (rows(folder, about[name]) for folder in (case, out))
        if len(said) != len(recorded):
            assert max(said, recorded, key=len)[-1].partition(",")[0] in ends
        compared = 0
        for mine, theirs in zip(said, recorded, strict=False):
            if theirs.partition(",")[0] not in events:
                assert same_figures(mine, theirs), f"{name}: said {mine}, recorded {theirs}"
                compared += 1
        assert compared > 1, name


def by_numbers(row: str):
    time, job, *rest = row.split(",")
    return (job, *rest[:2], float(time)) if NUMBER.fullmatch(time) else ("", "", "", -1.0)


def in_order(found) -> str:
    """ElastiSim lists the jobs of a node by memory address."""
    return ";".join(sorted(found[0].split(";")))


def mended(case) -> None:
    """A fault that is mended: it shows in what is said, or in a refusal."""
    _, shows = OTHERWISE[case.name]
    try:
        _, _, error = replay(case)
    except Differs as difference:
        error = difference
    assert re.search(shows, str(error))
