"""Designs: which values are tried together."""

import pytest

import windtunnel as wt
from windtunnel.studies.words import Span


def values(**words):
    study = wt.study(workloads="lublin:9?load={load}&seed={n}", schedulers=["easy", "fcfs"], **words)
    return [(p.columns["load"], p.columns["n"]) for p in study.plan.points if p.columns["scheduler"] == "easy"]


def test_a_grid_crosses_all_values():
    assert values(parameters={"load": [0.5, 0.6], "n": [1, 2]}) == [(0.5, 1), (0.5, 2), (0.6, 1), (0.6, 2)]


def test_a_latin_hypercube_has_one_value_in_each_part():
    spans = {"load": {"from": 0.5, "to": 1.0}, "n": {"from": 1, "to": 8, "whole": True}}
    found = values(parameters=spans, design="latin-hypercube", samples=8)
    assert sorted(int((load - 0.5) / 0.0625) for load, _ in found) == list(range(8))
    assert sorted(n for _, n in found) == list(range(1, 9))
    assert found == values(parameters=spans, design="latin-hypercube", samples=8)
    assert found != values(parameters=spans, design="latin-hypercube", samples=8, design_seed=2)


def test_random_values_stay_in_their_spans_and_lists():
    spans = {"load": {"from": 0.01, "to": 1.0, "scale": "log"}, "n": [3, 5]}
    found = values(parameters=spans, design="random", samples=200)
    assert all(0.01 <= load <= 1.0 for load, _ in found)
    assert 60 < sum(load < 0.1 for load, _ in found) < 140  # half of them, in logarithms
    assert {n for _, n in found} == {3, 5}


@pytest.mark.parametrize(("share", "value"), [(0.0, 2), (0.999, 4), (0.5, 3)])
def test_whole_spans_include_both_ends(share, value):
    assert Span(low=2, high=4, whole=True).at(share) == value


def test_a_point_that_is_listed_twice_is_there_once():
    assert values(design="list", points=[{"load": 0.5, "n": 1}, {"n": 1, "load": 0.5}]) == [(0.5, 1)]
    assert len(values(design="list", points=[{"load": 2, "n": 1}, {"n": 2, "load": 1}])) == 2
