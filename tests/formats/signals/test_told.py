"""What files of signals say beside the point, and options without effect: refused, or told; nothing is silent."""

import json

import pytest
from tests.formats.signals import sources
from tests.formats.signals.test_reading import faults, file, told

from windtunnel.diagnostics import InputError
from windtunnel.formats.signals import quantity_in, read_signal

__all__ = ["file"]


@pytest.mark.parametrize(
    ("name", "options", "codes"),
    [
        ("portal", "?zone=XX", ["zone"]),
        ("history", "?zone=XX", ["zone"]),
        ("watttime-csv", "?zone=XX", ["zone"]),
        ("entsoe", "?zone=XX&sequence=1", ["zone", "sequence"]),
        ("entsoe-2024", "?zone=BZN|XX&sequence=1", ["sequence"]),
    ],
)
def test_an_option_that_has_nothing_to_choose_from(name, options, codes, file):
    quantity, content = sources.SOURCES[name]
    for column in (b"Zone Id", b"zone_name", b"region", b'"Sequence"'):
        content = content.replace(column, b"other")
    path = file(content)
    read_signal(path, quantity)
    assert faults(path + options, quantity) == [(1, code) for code in codes]


def test_a_unit_that_contradicts_the_column(file):
    path = file(sources.PLAIN)
    assert faults(f"{path}?unit=kg/kWh") == [(1, "unit")]
    assert read_signal(f"{path}?unit=kg/MWh", "carbon")[0].at(0) == 100, "g/kWh by another name"


def test_the_api_of_watttime_tells_its_meta_behind_many_points(file):
    day = [f"2024-01-{1 + rank // 288:02}T{rank % 288 // 12:02}:{rank % 12 * 5:02}:00+00:00" for rank in range(3000)]
    points = [{"point_time": date, "value": 1000.0} for date in day]
    text = json.dumps({"data": points, "meta": {"signal_type": "co2_moer", "units": "lbs_co2_per_mwh"}})
    signal, _ = read_signal(file(text), "carbon")
    assert (len(signal.dates), signal.kind) == (3000, "marginal")
    assert quantity_in(text[: 1 << 16].encode()) == "carbon"


def test_unit_signal_and_points_of_watttime_are_looked_at_together(file):
    text = sources.WATTTIME.replace("lbs_co2_per_mwh", "lbs").replace("co2_moer", "health_damage").replace("500.0", "true")
    with pytest.raises(InputError) as caught:
        read_signal(file(text), "carbon")
    assert [one.pointer for one in caught.value.errors] == ["/meta/units", "/meta/signal_type", "/data/1"]


def test_decimals_behind_a_comma(file):
    with pytest.raises(InputError, match="decimals are behind a point") as caught:
        read_signal(file("time;g/kWh\n0;45,3\n900;many\n"), "carbon")
    assert [(one.line, bool(one.hint)) for one in caught.value.errors] == [(2, True), (3, False)]


def test_intensities_below_zero(file):
    path = file("time,g/kWh,EUR/MWh\n0,-1,-1\n10,-999,-999\n20,5,5\n")
    signal, findings = read_signal(path, "carbon")
    assert (list(signal.values), told(findings)) == ([-1, -999, 5], {"negative": (2, 2)})
    assert not told(read_signal(path, "price")[1])


def test_seconds_since_1970(file):
    assert told(read_signal(file("time,g/kWh\n1704067200,1\n1704070800,2\n"), "carbon")[1]) == {"late-times": (1, 2)}


def test_columns_of_the_same_name(file):
    portal = sources.PORTAL.replace("Low Carbon Percentage", "Zone Id")
    assert told(read_signal(file(portal), "carbon")[1]) == {"columns": (1, 1)}


def test_the_line_of_what_is_no_csv(file):
    assert faults(file(f"time,g/kWh\n0,1\n5,{'9' * 200000}\n")) == [(3, "csv")]


def test_rows_without_a_value_at_the_beginning(file):
    signal, findings = read_signal(file("time,g/kWh\n0,-\n10,\n20,5\n30,nan\n"), "carbon")
    assert (signal.first, signal.end, told(findings)) == (20, 40, {"missing-rows": (3, 2)})
    assert findings[0].message.endswith("; those before the first value are as if they were not there")


def test_places_of_rows_in_json_and_parquet(file):
    """A pointer, or the number of the row."""
    points = '{"point_time": "2023-12-31T00:00Z", "value": 5}, {"point_time": "2024-01-02T00:00Z", "value": 1e300}, {"point_time"'
    text = sources.WATTTIME.replace('{"point_time": "2024-01-01T00:05', points + ': "2024-01-03T00:05')
    with pytest.raises(InputError) as caught:
        read_signal(file(text), "carbon")
    assert [(one.pointer, one.code) for one in caught.value.errors] == [("/data/1", "row-order"), ("/data/2", "not-a-number")]
    assert faults(file(sources.parquet(dates=(5, 4)))) == [(2, "row-order")]
    assert faults(file(sources.parquet(dates=(5, None)))) == [(2, "not-a-time")]
    assert faults(file(sources.parquet(values=(float("inf"), 4)))) == [(1, "not-a-number")]


def test_parquet_with_seconds(file):
    path = file(sources.parquet(dates=(1704067200, 1704070800)))
    assert told(read_signal(path, "carbon")[1]) == {"early-times": (1, 1)}
