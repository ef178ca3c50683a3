"""Jobs that ask for no time at all, as those of logs that were cancelled at once, and jobs without a walltime."""

import pytest

import windtunnel as wt

LOG = """; MaxProcs: 3
1 0 -1 0 3 -1 -1 3 -1 -1 1 1 1 -1 1 -1 -1 -1
2 0 -1 5 3 -1 -1 3 50 -1 1 1 1 -1 1 -1 -1 -1
3 0 -1 0 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1
4 9 -1 7 2 -1 -1 2 10 -1 1 1 1 -1 1 -1 -1 -1
"""
JOBS = """{"nb_res": 2, "profiles": {"d": {"type": "delay", "delay": 100}}, "jobs": [
  {"id": "a", "subtime": 0, "res": 2, "profile": "d", "walltime": 200},
  {"id": "b", "subtime": 1, "res": 1, "profile": "d"},
  {"id": "c", "subtime": 250, "res": 2, "profile": "d"},
  {"id": "e", "subtime": 500, "res": 2, "profile": "d", "walltime": 200}]}"""

PREDICTIONS = [{"prediction": name} for name in ("requested", "exact", "last-two", "last-two-of-all", "mean-accuracy")]
POLICIES = [
    *(("literature/priority", options) for options in PREDICTIONS),
    *(("literature/priority", {"grain": "event", "backfill": name}) for name in ("none", "list", "easy", "plan")),
    ("literature/probabilistic", {}),
    ("literature/kept-reservations", {}),
    ("literature/easy++", {}),
    ("literature/slack", {}),
]


@pytest.mark.parametrize(("policy", "options"), POLICIES)
@pytest.mark.parametrize(("name", "text", "count"), [("w.swf", LOG, 4), ("w.json", JOBS, 4)])
def test_they_run(tmp_path, policy, options, name, text, count):
    """They ended runs as errors of the scheduler: more hosts than were free, a division by zero, an infinite integer."""
    (tmp_path / name).write_text(text)
    run = wt.simulate("hosts:3", tmp_path / name, policy, scheduler_options=options)
    assert run.outcome == "complete"
    assert run.jobs["success"].sum() == count
