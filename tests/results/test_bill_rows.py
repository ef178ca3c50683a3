"""The electricity of a site in rows for people: which figures are there, and with how many digits."""

import pytest

from windtunnel.model.bill import Bill
from windtunnel.results.bill_rows import bill_rows, cost_of, mass_of


@pytest.mark.parametrize(
    ("grams", "text"),
    [
        (0.0, "0.000 g"),
        (0.000123456, "0.0001235 g"),
        (-0.05, "-0.05 g"),
        (0.1, "0.100 g"),
        (12.3456, "12.346 g"),
        (-1234.5, "-1.234 kg"),
        (2_000_000, "2.000 t"),
        (3e12, "3,000,000.000 t"),
    ],
)
def test_grams(grams, text):
    assert mass_of(grams) == text


@pytest.mark.parametrize(
    ("cost", "currency", "text"),
    [
        (0.0, "EUR", "0.00 EUR"),
        (0.000123456, "EUR", "0.0001235 EUR"),
        (-0.02, "USD", "-0.02 USD"),
        (9.87654, "EUR", "9.877 EUR"),
        (1234.567, "EUR", "1,234.57 EUR"),
        (-1234.567, "", "-1,234.57"),
    ],
)
def test_costs(cost, currency, text):
    assert cost_of(cost, currency) == text


def test_figures_that_nobody_asked_for_are_not_there():
    assert bill_rows(Bill(machines_joules=5.0, site_joules=5.0, pue=1.0, peak_watts=2.0)) == [
        ("  of the site", "5 J"),
        ("  of that, overhead", "0 J"),
        ("PUE", "1"),
        ("peak of 15 min", "2.0 W"),
    ]


def test_losses_of_a_battery_only_if_it_has_some():
    figures = {"battery_charged_joules": 9.0, "battery_given_joules": 5.0, "battery_end_joules": 3.0}
    for losses in (0.0, 1.0):
        rows = dict(bill_rows(Bill(machines_joules=5.0, grid_joules=9.0, battery_losses_joules=losses, **figures)))
        assert (rows["  of the grid"], rows["battery, charged"], rows["battery, held at the end"]) == ("9 J", "9 J", "3 J")
        assert rows.get("battery, losses") == ("1 J" if losses else None)
