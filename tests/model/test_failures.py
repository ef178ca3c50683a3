"""Generated failures: the same for the same seed, each machine alone and racks together; checkpoints."""

import pytest

from windtunnel.diagnostics import UsageError
from windtunnel.model import Host
from windtunnel.model.failures import Distribution, FailureModel, failures, parse_distribution, parse_failures
from work import calls

HOSTS = [Host(id=i, name=f"n{i}", place=("dc", "room", f"rack{i // 2}")) for i in range(4)]
DAY = 86400.0


def rows(events):
    return [(e.timestamp, str(e.hosts), e.attributes["state"]) for e in events.events]


def test_constant_times_by_hand():
    model = FailureModel(
        between=Distribution("constant", (10.0,)), repair=Distribution("constant", (5.0,)), until=30.0
    )
    assert rows(failures(HOSTS[:2], model)) == [
        (10.0, "0", "FAILURE"),
        (10.0, "1", "FAILURE"),
        (15.0, "0", "ACTIVE"),
        (15.0, "1", "ACTIVE"),
        (25.0, "0", "FAILURE"),
        (25.0, "1", "FAILURE"),
        (30.0, "0", "ACTIVE"),
        (30.0, "1", "ACTIVE"),
    ]


def test_racks_fail_together_and_overlaps_are_one_absence():
    """The racks are away from 8 to 20, machines from 10 to 15 and from 25 to 30."""
    model = FailureModel(
        between=Distribution("constant", (10.0,)),
        repair=Distribution("constant", (5.0,)),
        rack_between=Distribution("constant", (8.0,)),
        rack_repair=Distribution("constant", (12.0,)),
        until=26.0,
    )
    found = rows(failures(HOSTS[:3], model))
    assert found == [
        (8.0, "0-1", "FAILURE"),
        (8.0, "2", "FAILURE"),
        (20.0, "0-1", "ACTIVE"),
        (20.0, "2", "ACTIVE"),
        (25.0, "0", "FAILURE"),
        (25.0, "1", "FAILURE"),
        (25.0, "2", "FAILURE"),
        (30.0, "0", "ACTIVE"),
        (30.0, "1", "ACTIVE"),
        (30.0, "2", "ACTIVE"),
    ]


@pytest.mark.parametrize("text", ["exponential:36000", "weibull:0.8,30000", "lognormal:10,1", "gamma:2,20000"])
def test_seeds(text):
    model = FailureModel(between=parse_distribution(text), seed=1, until=30 * DAY)
    whole = rows(failures(HOSTS, model))
    assert whole == rows(failures(HOSTS, model))
    other = FailureModel(between=parse_distribution(text), seed=2, until=30 * DAY)
    assert whole != rows(failures(HOSTS, other))
    fewer = [row for row in whole if row[1] in {"0", "1"}]
    assert fewer == rows(failures(HOSTS[:2], model)), "other machines change nothing"
    state = dict.fromkeys("0123", "ACTIVE")
    for _, host, new in whole:
        assert state[host] != new
        state[host] = new
    assert 30 < len(whole) < 1000


def test_the_mean_is_about_right():
    model = FailureModel(
        between=parse_distribution("exponential:1000"), repair=Distribution("constant", (0.0,)), until=1e6
    )
    count = len(rows(failures(HOSTS[:1], model))) / 2
    assert count == pytest.approx(1000, rel=0.15)


@pytest.mark.parametrize(
    "text", ["normal:1,2", "exponential", "exponential:x", "exponential:0", "weibull:1", "uniform:5,2", "gamma:-1,2"]
)
def test_distributions_that_are_none(text):
    with pytest.raises(UsageError):
        parse_distribution(text)


def test_failures_without_end_are_refused():
    with pytest.raises(UsageError):
        failures(HOSTS, FailureModel(between=Distribution("constant", (1.0,)), until=float("inf")))


def test_models_from_texts():
    text = "between=weibull:0.7,86400;repair=lognormal:7,1;rack-between=exponential:1e6;seed=3;until=1e5"
    assert parse_failures(text) == FailureModel(
        between=Distribution("weibull", (0.7, 86400.0)),
        repair=Distribution("lognormal", (7.0, 1.0)),
        rack_between=Distribution("exponential", (1e6,)),
        seed=3,
        until=1e5,
    )
    for wrong in ("", "until=5", "between=constant:1", "between=constant:1;until=inf", "colour=red", "seed=x"):
        with pytest.raises(UsageError):
            parse_failures(wrong)


@pytest.mark.parametrize("text", ["rack-between=constant:5;repair=constant:3", "between=constant:5;rack-repair=constant:3"])
def test_repairs_of_what_does_not_fail_are_refused(text):
    """Racks were away for an hour, as if no repair had been given."""
    with pytest.raises(UsageError, match="repair has no effect without"):
        parse_failures(f"{text};until=100")


@pytest.mark.parametrize("text", ["between=constant:5", "rack-between=constant:5", "between=constant:1;rack-between=constant:5"])
def test_models_are_written_as_they_are_read(text):
    model = parse_failures(f"{text};until=100")
    assert parse_failures(str(model)) == model


def test_sites_without_racks_have_none_that_fail():
    with pytest.raises(UsageError, match="the platform has no racks"):
        failures([Host(id=0, name="a"), Host(id=1, name="b")], parse_failures("rack-between=constant:5;until=100"))


def test_all_faults_of_a_text_are_named():
    text = "between=exponential:0;betwen=constant:1;seed=x;until=-1;repair=constant:1;repair=constant:2"
    with pytest.raises(UsageError) as refused:
        parse_failures(text)
    said = str(refused.value)
    for fault in (
        "'exponential:0': these parameters do not define a distribution",
        "there is no part 'betwen': did you mean 'between'?",
        "seed must be a whole number, not 'x'",
        "until must be a number of seconds, more than 0, not '-1'",
        "repair is given twice",
    ):
        assert fault in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("between=exponential:86400;until=1e300", "4 machines, with exponential:86400 s"),
        ("rack-between=weibull:0.7,3600;until=1e15", "2 racks, with weibull:0.7,3600 s"),
        ("between=constant:0;repair=constant:0;until=1e9", "4 machines, with constant:0 s between"),
        ("between=exponential:3600;repair=constant:0;until=2.2e10", "4 machines, with exponential:3600 s between"),
    ],
)  # fmt: skip
def test_too_many_failures_are_not_made(text, said):
    """It is seen after the first thousand of a machine."""

    def refused():
        with pytest.raises(UsageError, match=f"more than 5,000,000 failures until .* s: {said}"):
            failures(HOSTS, parse_failures(text))

    assert calls(refused) < 100_000


def test_failures_are_counted(monkeypatch):
    monkeypatch.setattr("windtunnel.model.failures.MOST", 3000)
    few = parse_failures("between=constant:10;repair=constant:0;until=7501")
    assert len(failures(HOSTS, few).events) == 6000
    with pytest.raises(UsageError, match="more than 3,000 failures until 7511 s: 4 machines, with constant:10 s"):
        failures(HOSTS, parse_failures("between=constant:10;repair=constant:0;until=7511"))


def test_times_beyond_all_numbers():
    never = parse_failures("between=lognormal:1000,1;until=1e9")
    assert rows(failures(HOSTS, never)) == []
    lost = parse_failures("between=exponential:3600;repair=lognormal:1000,1;until=1e9")
    with pytest.raises(UsageError, match="a repair that takes lognormal:1000,1 s never ends"):
        failures(HOSTS, lost)
