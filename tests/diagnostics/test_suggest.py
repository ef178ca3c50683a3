"""Hints for misspelt names."""

import pytest

from windtunnel.diagnostics import did_you_mean, nearest_names
from windtunnel.model.application import Pattern

NAMES = ["batsched/easy_bf", "easy", "fcfs", "literature/easy++", "literature/sjf", "pybatsim/easySjf"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("EASY", "did you mean 'easy' or 'literature/easy++'?"),
        ("sjf", "did you mean 'literature/sjf'?"),
        ("SJF", "did you mean 'literature/sjf'?"),
        ("fcsf", "did you mean 'fcfs'?"),
        ("easy_bf", "did you mean 'batsched/easy_bf' or 'easy'?"),
        ("other/sjf", "did you mean 'literature/sjf'?"),
        ("", ""),
        ("quantum annealing", ""),
    ],
)
def test_the_nearest_of_many_names_are_suggested(name, hint):
    assert nearest_names(name, NAMES) == hint


def test_several_are_suggested_where_they_are_as_near():
    assert nearest_names("a/x", ["b/x", "c/x", "d/x", "e/x"]) == "did you mean 'b/x', 'c/x' or 'd/x'?"


def test_one_that_differs_in_case_alone_comes_before_all_others():
    assert did_you_mean("EASY", ["EAST", "easy"]) == "did you mean 'easy'?"


def test_few_names_are_listed_and_many_are_not():
    assert did_you_mean("zzz", ["a", "b"]) == "known: a, b"
    assert did_you_mean(0.7, ["0.75", "easy"]) == "did you mean '0.75'?"  # what was given may be no text
    assert did_you_mean("zzz", map(str, range(100))) == ""


def test_what_is_named_twice_is_listed_once():
    """The types of a site may be named twice by mistake, which is another finding."""
    assert did_you_mean("Disk", ["CPU", "Memory", "CPU"]) == "known: CPU, Memory"


def test_members_of_enumerations_are_suggested_by_what_is_written():
    assert did_you_mean("unif", Pattern) == "did you mean 'uniform'?"
