"""Generators against the recorded runs of their authors' programs."""

import gzip
import json
from collections import Counter
from itertools import islice
from random import Random
from statistics import fmean as mean
from statistics import stdev

import pytest

from shared import cases
from some_cases import some_slow
from windtunnel.workloads import lublin
from windtunnel.workloads.estimates import assign_estimates, estimate_distribution
from windtunnel.workloads.random_sources import Drand48

FOLDER = "golden/literature/generators"

pytestmark = pytest.mark.golden


def load(path):
    with gzip.open(path) as file:
        return json.load(file)


def tsafrir(member, every=1):
    """The recorded runs of Tsafrir's program that have this member, by name; one of every so many is not slow."""
    runs = [run for path in cases(FOLDER, "tsafrir*.json.gz") for run in load(path).items()]
    chosen = [(name, recorded) for name, recorded in runs if member in recorded]
    return [
        pytest.param(recorded, id=name, marks=[pytest.mark.slow] if rank % every else [])
        for rank, (name, recorded) in enumerate(chosen)
    ]


@pytest.mark.parametrize(
    "path", some_slow(cases(FOLDER, "lublin99_*.json.gz"), 3), ids=lambda path: path.name.split(".")[0]
)
def test_every_row_of_lublins_program(path):
    recorded = load(path)
    types = lublin.types_for(recorded["nodes"], typed=len(set(recorded["type"])) > 1)
    jobs = list(islice(lublin.jobs_of(types, Drand48(recorded["seed"])), len(recorded["arrival"])))
    columns = ("arrival", "size", "run_time", "type")
    assert jobs == list(zip(*(recorded[name] for name in columns), strict=True))


@pytest.mark.parametrize("recorded", tsafrir("bins"))
def test_estimates_and_how_many_jobs_have_them(recorded):
    made = estimate_distribution(recorded["jobs"], recorded["max_estimate"], Random(5))
    assert [estimate.seconds for estimate in made] == [seconds for seconds, _ in recorded["bins"]]
    # Which of them are popular is drawn; how many jobs the most popular, the next... have, is not.
    assert sorted(estimate.jobs for estimate in made) == sorted(jobs for _, jobs in recorded["bins"])


@pytest.mark.parametrize("recorded", tsafrir("accuracy_histogram_deciles", every=3))
def test_the_accuracy_of_assigned_estimates(recorded, request):
    """The draws are those of another generator: their distribution is compared."""
    seed = int(request.node.callspec.id.rpartition("_")[2])
    jobs = list(islice(lublin.jobs_of(lublin.types_for(256), Drand48(seed)), recorded["jobs"]))
    runs = [job.run_time for job in jobs]
    samples = [_accuracy(runs, recorded["max_estimate"], Random(sample)) for sample in range(25)]
    found = [recorded["mean_accuracy"], *recorded["accuracy_histogram_deciles"]]
    for figure, values in zip(found, zip(*samples, strict=True), strict=True):
        assert abs(figure - mean(values)) <= 4 * stdev(values)


def _accuracy(runs, longest, source):
    """The mean of run time over estimate, and how many jobs lie in each tenth of it."""
    estimates = assign_estimates(runs, estimate_distribution(len(runs), longest, source), source)
    accuracies = [run / estimate for run, estimate in zip(runs, estimates, strict=True)]
    tenths = Counter(min(int(10 * accuracy), 9) for accuracy in accuracies)
    return [mean(accuracies), *(tenths[tenth] for tenth in range(10))]
