"""Metrics of one's own: what they are given, and what becomes of those that fail."""

import pytest
from tests.results.small_runs import outage, workload

import windtunnel as wt
from windtunnel.diagnostics import UsageError
from windtunnel.model import JobState
from windtunnel.results import own_metrics
from windtunnel.results.metrics import Figure
from windtunnel.results.own_metrics import metric


@pytest.fixture
def own(monkeypatch):
    """Nothing that is registered here stays."""
    monkeypatch.setattr(own_metrics, "_METRICS", {})


def run(**options):
    return wt.simulate("hosts:8", workload(), "easy", events=[outage()], **options)


@pytest.mark.usefixtures("own")
def test_they_are_computed_from_what_counts(tmp_path):
    @metric("used", unit="host s")
    def used(record):
        return sum(job.hosts * (job.finish - job.start) for job in record.ran())

    @metric("of_user1")
    def of_user1(record):
        assert record.hosts == 8
        assert record.window == record.metrics.window
        return sum(job.user == "user1" for job in record.ran())

    @metric("rejected_too")
    def rejected_too(record):
        return len(record.columns)

    @metric("outages", label="Outages")
    def outages(record):
        return sum(row["event"] == "unavailable" for row in record.rows("events.csv"))

    @metric("states")
    def states(record):
        return len({job.state for job in record.ran()} & set(JobState))

    done = run(out=tmp_path / "out")
    figures = done.metrics.own
    assert list(figures) == ["of_user1", "outages", "rejected_too", "states", "used"]
    assert figures["used"].value == pytest.approx(done.metrics.allocated_host_seconds)
    assert figures["of_user1"].value == done.metrics.users["user1"].jobs == 20
    assert figures["rejected_too"].value == 60
    assert figures["outages"] == Figure(1.0, "", "Outages")
    assert wt.load_run(tmp_path / "out").metrics.own == figures
    trimmed = done.measure(warm_up="50%")
    assert trimmed.own["rejected_too"].value == trimmed.jobs < 60


@pytest.mark.usefixtures("own")
def test_a_table_that_no_run_has_is_not_an_empty_one():
    metric("misspelt")(lambda record: len(list(record.rows("event.csv"))))
    metric("not_written")(lambda record: len(list(record.rows("rack_power.csv"))))
    own = run().metrics.own
    assert own["misspelt"].value is None
    assert "no table 'event.csv'" in own["misspelt"].error
    assert "did you mean 'events.csv'?" in own["misspelt"].error
    assert own["not_written"].value == 0


@pytest.mark.usefixtures("own")
def test_only_functions_are_metrics():
    with pytest.raises(UsageError, match="the metric 'five' must be a function of a record, not 5"):
        metric("five")(5)


@pytest.mark.usefixtures("own")
def test_one_that_fails_says_so_and_the_others_stay():
    metric("nothing")(lambda _: None)
    metric("broken", unit="s")(lambda record: 1 / (record.hosts - 8))
    metric("endless")(lambda _: float("inf"))
    metric("fine", unit="s")(lambda _: 3)
    metrics = run().metrics
    assert {name: str(figure) for name, figure in metrics.own.items()} == {
        "broken": "failed: ZeroDivisionError: division by zero",
        "endless": "failed: it is inf",
        "fine": "3.00 s",
        "nothing": "-",
    }
    assert ("fine", "3.00 s") in metrics.table()


@pytest.mark.usefixtures("own")
def test_names_are_given_once():
    metric("mine")(test_names_are_given_once)
    metric("mine")(test_names_are_given_once)  # a module that is loaded again
    with pytest.raises(UsageError, match="there is a metric 'mine' already"):
        metric("mine")(len)
    with pytest.raises(UsageError, match="not a valid name of a metric"):
        metric("")


@pytest.mark.usefixtures("own")
def test_without_any_nothing_is_computed():
    assert run().metrics.own == {}
