"""Descriptions of batteries: what is read, and what is refused, all of it at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.model.battery import Battery
from windtunnel.model.battery_text import parse_battery


def test_members_and_units():
    battery = parse_battery(" capacity = 50kWh ;charge=10 kW; policy=double;lower=200;upper=350; discharge=2e-2MW;initial=500Wh;")
    assert battery == Battery(
        capacity=50.0, charge=10000.0, policy="double", lower=200.0, upper=350.0, discharge=20000.0, initial=0.5
    )
    assert parse_battery(battery) is battery
    assert str(battery) == (
        "capacity=50.0;charge=10000.0;policy=double;lower=200.0;upper=350.0;discharge=20000.0;initial=0.5"
    )


@given(st.floats(1e-6, 1e9), st.floats(1e-6, 1e9), st.integers(1, 1000), st.floats(0.1, 1.0), st.sampled_from(["exact", "opendc"]))
def test_it_is_written_as_it_is_read(capacity, charge, window, share, rules):
    one = Battery(
        capacity=capacity,
        charge=charge,
        policy="runningMeanPlus",
        window=window,
        charge_efficiency=share,
        initial=capacity * share,
        signal="price",
        rules=rules,
    )
    assert parse_battery(str(one)) == one


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["capacity is missing", "charge is missing", "policy is missing", "such as capacity=50kWh"]),
        ("x", ["'x' is not of the form member=value"]),
        (
            "capacty=5;charge=1;charge=2;policy=duble",
            ["no member 'capacty' (did you mean 'capacity'?)", "charge is given twice", "not 'duble' (did you mean 'double'?)"],
        ),
        ("capacity=0;charge=-1;policy=single;threshold=x", ["1e+12 (kWh), not 0.0", "1e+12 (W), not -1.0", "number of at most 1e+12, not 'x'"]),
        ("capacity=1kW;charge=1;policy=single;threshold=1", ["capacity must be a number above 0 and at most 1e+12 (kWh), not '1kW'"]),
        ("capacity=1;charge=nan;policy=single;threshold=inf", ["not 'nan'", "not 'inf'"]),
        ("capacity=1e13;charge=1;policy=single;threshold=-1e13", ["not 10000000000000.0", "not -10000000000000.0"]),
        ("capacity=1_0;charge=1;policy=single;threshold=1", ["not '1_0'"]),
        ("capacity=1;charge=1;policy=single", ["policy=single needs threshold"]),
        ("capacity=1;charge=1;policy=double;threshold=3", ["needs lower", "needs upper", "threshold has no effect"]),
        ("capacity=1;charge=1;policy=double;lower=3;upper=2", ["lower=3 is above upper=2"]),
        ("capacity=1;charge=1;policy=runningMean;window=0", ["window must be a whole number from 1, not 0"]),
        ("capacity=1;charge=1;policy=runningMean;window=2.5", ["window must be a whole number"]),
        ("capacity=1;charge=1;policy=runningMean", ["policy=runningMean needs window"]),
        ("capacity=1;charge=1;policy=single;threshold=1;initial=2", ["initial=2 kWh is more than the capacity of 1 kWh"]),
        ("capacity=1;charge=1;policy=single;threshold=1;charge_efficiency=1.1;discharge_efficiency=0", ["not 1.1", "not 0.0"]),
        ("capacity=1;charge=1;policy=single;threshold=1;discharge_efficiency=5e-324", ["from 1e-06 to 1, not 5e-324"]),
        ("capacity=1;charge=1;policy=single;threshold=1;signal=wind;rules=mine", ["one of carbon, price", "one of exact, opendc"]),
    ],
)
def test_what_is_refused(text, said):
    with pytest.raises(UsageError) as caught:
        parse_battery(text)
    for one in said:
        assert one in str(caught.value)


def test_in_python_too():
    with pytest.raises(UsageError, match="capacity must be a number above 0") as caught:
        Battery(capacity="5", charge=True, policy="single", threshold=1.0, window=1.5)
    with pytest.raises(UsageError, match="threshold must be a number"):
        Battery(capacity=1, charge=1, policy="single", threshold=10**400)
    assert "charge must be" in str(caught.value)
    assert "window must be" in str(caught.value)
