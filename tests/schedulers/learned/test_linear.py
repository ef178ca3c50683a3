"""Linear policies: files of numbers, refused where they are none, and the same scheduler everywhere."""

import pytest

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.learning.evolution import save_policy
from windtunnel.schedulers.learned.linear import LinearPolicy
from windtunnel.schedulers.learned.sights import FEATURES
from windtunnel.schedulers.registry import make_scheduler, scheduler_options

SHORTEST = [0.0, -1.0] + [0.0] * 8
LOG = "lublin:120?hosts=32&load=1.2&estimates=exact&seed=3"


def test_a_policy_from_a_file_is_a_scheduler_like_any_other(tmp_path):
    save_policy(tmp_path / "p.json", SHORTEST, rules="chosen-anew", longest=1e6)
    run = wt.simulate("hosts:32", LOG, "learned/linear", scheduler_options={"policy": str(tmp_path / "p.json")})
    other = wt.simulate("hosts:32", LOG, LinearPolicy(weights=SHORTEST, rules="chosen-anew", longest=1e6))
    plain = wt.simulate("hosts:32", LOG, "literature/sjf", scheduler_options={"backfill": "none"})
    assert run.jobs.equals(other.jobs)
    assert run.jobs["starting_time"].to_list() == plain.jobs["starting_time"].to_list()


def test_weights_order_all_jobs(tmp_path):
    ordered = wt.simulate(
        "hosts:32", LOG, LinearPolicy(weights=SHORTEST, rules="ordered", backfill=True, longest=1e6)
    )
    easy = wt.simulate("hosts:32", LOG, "literature/sjf")
    assert ordered.jobs["starting_time"].to_list() == easy.jobs["starting_time"].to_list()


def test_a_run_can_be_forked():
    simulation = wt.Simulation("hosts:32", LOG, LinearPolicy(weights=SHORTEST, backfill=True))
    simulation.run_until(30_000.0)
    assert simulation.fork().run().jobs.equals(simulation.run().jobs)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "is not a policy"),
        ('{"weights": [1, "a"]}', r"\$.weights\[1\]"),
        ('{"weights": [1, 2], "rules": "mine"}', r"\$.rules"),
        ('{"weights": [1, 2], "code": "os:system"}', "code"),
        ('{"weights": [1, 2]}', "has 2 weights, and the view 'windtunnel' tells 10"),
        ("\udcff", "is not a policy|cannot be read"),
    ],
)
def test_files_that_are_no_policy(text, said, tmp_path):
    (tmp_path / "p.json").write_bytes(text.encode("utf8", "surrogateescape"))
    with pytest.raises(UsageError, match=said):
        make_scheduler("learned/linear", policy=str(tmp_path / "p.json"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        make_scheduler("learned/linear", policy=str(tmp_path / "none.json"))


def test_a_policy_is_given_once():
    assert len(LinearPolicy().learned.weights) == 10
    with pytest.raises(UsageError, match="by a file"):
        LinearPolicy(policy="x.json", weights=SHORTEST)
    assert [option.name for option in scheduler_options("learned/linear")] == ["policy"]


def test_every_view_has_names_for_its_numbers():
    assert len(FEATURES["windtunnel"]) == len(SHORTEST)
    assert len(FEATURES["rlscheduler"]) == 8
