"""Carbon intensities and prices from the files of their sources: what is read, refused and told."""

from math import inf

import pytest
from tests.formats.signals import sources

from windtunnel.diagnostics import InputError, Severity, UsageError
from windtunnel.formats.signals import FORMATS, read_signal
from windtunnel.model.signals import Signal

JANUARY = 1704067200.0


@pytest.fixture
def file(tmp_path):
    def write(content, name="signal"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def faults(text, quantity="carbon"):
    with pytest.raises(InputError) as caught:
        read_signal(text, quantity)
    return [(one.line, one.code) for one in caught.value.errors]


def told(findings):
    return {one.code: (one.count, one.line) for one in findings if one.severity is Severity.WARNING}


@pytest.mark.parametrize(
    ("name", "options", "unit", "first", "values", "step", "kind"),
    [
        ("plain", "", "g/kWh", 0.0, [100, 200.5, 300], 3600, ""),
        ("plain-prices", "", "EUR/MWh", JANUARY, [-5, 90], 3600, ""),
        ("portal", "", "g/kWh", JANUARY, [80, 90, 100], 3600, "life-cycle"),
        ("portal", "?column=direct", "g/kWh", JANUARY, [50.5, 60.5, 70.5], 3600, "direct"),
        ("portal-2025", "?zone=XX", "g/kWh", JANUARY, [80, 90, 100], 3600, "life-cycle"),
        ("portal-2025", "?column=direct", "g/kWh", JANUARY, [50.5, 60.5, 70.5], 3600, "direct"),
        ("history", "", "g/kWh", JANUARY, [80, 90, 100], 3600, "life-cycle"),
        ("watttime", "", "g/kWh", JANUARY, [453.59237, 226.796185], 300, "marginal"),
        ("watttime-csv", "", "g/kWh", JANUARY, [453.59237, 226.796185], 300, "average"),
        ("entsoe", "", "EUR/MWh", JANUARY - 3600, [10.5, -3, 20], 3600, ""),
        ("entsoe-2024", "", "GBP/MWh", JANUARY - 3600, [10.5, 20], 900, ""),
        ("opendc", "?outside=hold", "g/kWh", JANUARY, [80, 90], 3600, ""),
    ],
)
def test_each_source(file, name, options, unit, first, values, step, kind):
    quantity, content = sources.SOURCES[name]
    signal, findings = read_signal(file(content) + options, quantity)
    assert (signal.unit, signal.kind, signal.first) == (unit, kind, first)
    assert list(signal.values) == pytest.approx(values)
    assert list(signal.dates) == [first + step * rank for rank in range(len(values))]
    assert signal.end == first + step * len(values)
    assert signal.dated == (name != "plain")
    assert not told(findings)
    estimated = [one.count for one in findings if one.code == "estimated"]
    assert estimated == ([1] if name.startswith("portal") else [])


def test_every_source_has_a_sample():
    samples = [content.partition(b"\n")[0].decode("utf-8", "replace") for _, content in sources.SOURCES.values()]
    found = {next((form.name for form in FORMATS if form.looks_like(head)), "watttime") for head in samples}
    assert found == {form.name for form in FORMATS}


@pytest.mark.parametrize(
    ("text", "quantity", "unit", "value"),
    [
        ("350g/kWh", "carbon", "g/kWh", 350),
        ("0.35 kgCO2e/kWh", "carbon", "g/kWh", 350),
        ("94EUR/MWh", "price", "EUR/MWh", 94),
        ("-0.094 €/kWh", "price", "EUR/MWh", -94),
    ],
)
def test_constants(text, quantity, unit, value):
    signal, findings = read_signal(text, quantity)
    assert (signal.unit, signal.at(-1e9), signal.at(1e12), signal.end, findings) == (unit, value, value, inf, [])


@pytest.mark.parametrize(
    ("text", "quantity", "said"),
    [
        ("", "carbon", "an empty string"),
        ("94EUR/MWh", "carbon", "'EUR/MWh' is not a unit of carbon"),
        ("350", "carbon", "carbon: 350 has no unit"),
        ("-1e3", "price", "price: -1e3 has no unit"),
        ("350g/kWh", "price", "is not a unit of price"),
        ("no-such-file.csv", "carbon", "cannot be read"),
        ("no.csv?outside", "price", "'outside', which is not NAME=VALUE"),
        ("no.csv?a=1&a=2", "price", "gives 'a' twice"),
    ],
)
def test_what_is_neither_a_constant_nor_a_file(text, quantity, said):
    with pytest.raises((UsageError, InputError), match=said):
        read_signal(text, quantity)


def test_a_signal_made_in_python():
    made = Signal("mine", "g/kWh", [0.0], [3.0])
    assert read_signal(made, "carbon") == (made, [])
    with pytest.raises(UsageError, match="a signal of price is in a currency per MWh"):
        read_signal(made, "price")
    with pytest.raises(UsageError, match="is in g/kWh, not in 'kg/kWh'"):
        read_signal(Signal("mine", "kg/kWh", [0.0], [3.0]), "carbon")


def test_options_that_there_are_not(file):
    path = file(sources.PLAIN)
    with pytest.raises(UsageError, match="no option 'zone'"):
        read_signal(f"{path}?zone=DE", "carbon")
    with pytest.raises(UsageError, match=r"outside.*one of error"):
        read_signal(f"{path}?outside=month", "carbon")
    with pytest.raises(UsageError, match=r"cannot repeat every year: its rows cover 0.125 days"):
        read_signal(f"{path}?outside=year", "carbon")


def test_a_file_whose_name_has_a_question_mark(file):
    assert read_signal(file(sources.PLAIN, "a?outside=no"), "carbon")[0].at(0) == 100


def test_all_faults_of_a_file_at_once(file):
    text = "time,gCO2e/kWh\n0,100\nx,1\n10,oops\n10,5\n5,5\n20,1,2\n2024-01-01,4\n30,1e400\n40,7\n"
    expected = [(3, "not-a-time"), (4, "not-a-number"), (5, "row-order"), (6, "row-order"), (7, "fields")]
    assert faults(file(text)) == [*expected, (8, "mixed-times"), (9, "not-a-number")]


def test_missing_rows_are_counted_and_nothing_is_interpolated(file):
    rows = sources.PORTAL.splitlines()
    rows += [f"2024-01-01 0{hour}:00:00,Xland,Xland,XX,{value},{value},1,2,x,false," for hour, value in ((5, 7), (6, ""), (7, 9))]
    signal, findings = read_signal(file("\n".join(rows)), "carbon")
    assert told(findings) == {"missing-rows": (3, 5)}
    assert [signal.at(JANUARY + 3600 * hour) for hour in (2, 3, 4.9, 5, 6, 7)] == [100, 100, 100, 7, 7, 9]


def test_one_row_must_hold(file):
    path = file("time,g/kWh\n5,100\n")
    assert faults(path) == [(0, "one-row")]
    assert read_signal(f"{path}?outside=hold", "carbon")[0].integral(0, 10) == 1000


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "format"),
        ("a,b\n1,2\n", "format"),
        ("time,g/kWh\n", "no-rows"),
        ("time,price\n0,1\n", "unit"),
        ("time,EUR/MWh\n0,1\n", "unit"),
        ("time,g/kWh,kg/kWh\n0,1,2\n", "unit"),
        ("time,g/kWh,g/kWh\n0,1,2\n", "unit"),
        ("\0", "format"),
        (sources.ENTSOE, "format"),
        (sources.PORTAL.replace("gCO₂eq/kWh (LCA)", "gCO₂eq/Wh (LCA)"), "unit"),
        (sources.PORTAL.replace("(LCA)", "(other)"), "columns"),
        (sources.PORTAL.replace("2024-01-01 01", "2024-13-01 01"), "not-a-time"),
        (sources.HISTORY.replace("2024-01-01 01", "yesterday"), "not-a-time"),
        (sources.WATTTIME.replace("lbs_co2_per_mwh", "lbs"), "unit"),
        (sources.WATTTIME.replace("co2_moer", "health_damage"), "signal"),
        (sources.WATTTIME.replace('"co2_moer"', "[]"), "signal"),
        (sources.WATTTIME.replace('"data"', '"points"'), "members"),
        (sources.WATTTIME.replace("500.0", "true"), "point"),
        (sources.WATTTIME[:-5], "json"),
        (sources.WATTTIME_CSV.replace("1000", "many"), "not-a-number"),
        (sources.WATTTIME_CSV.replace("co2_aoer,lbs_co2_per_mwh\n2024", "co2_moer,lbs_co2_per_mwh\n2024"), "unit"),
        (b"PAR1 and nothing more", "parquet"),
        (sources.parquet(values=("a", "b")), "not-a-number"),
        (sources.parquet(dates=("a", "b")), "not-a-time"),
        (sources.parquet(dates=(None, 5)), "not-a-time"),
        (sources.HISTORY.replace("2024-01-01 01", "2024-01-01 24:01 "), "not-a-time"),
    ],
)
def test_what_is_refused(file, text, code):
    assert {code} == {found for _, found in faults(file(text))}


def test_parquet_without_its_columns(file):
    path = file(sources.parquet(zone=("a", "a")))
    _, findings = read_signal(path, "carbon")
    assert [one.message for one in findings] == ["columns that are not read: zone"]


def test_units_where_columns_have_none(file):
    path = file("time,value\n0,1\n10,2\n")
    assert list(read_signal(f"{path}?unit=kg/kWh", "carbon")[0].values) == [1000, 2000]
    assert faults(f"{path}?unit=kg", "carbon") == [(1, "unit")]
    both = file("time,a (EUR/MWh),b (EUR/kWh),c (g/kWh)\n0,1,2,3\n5,1,2,3\n")
    assert list(read_signal(f"{both}?column=b (EUR/kWh)", "price")[0].values) == [2000, 2000]
    assert list(read_signal(both, "carbon")[0].values) == [3, 3]
    assert faults(f"{both}?column=d", "price") == [(1, "unit")]


def test_watttime_without_signal_type_is_told(file):
    text = sources.WATTTIME.replace('"signal_type": "co2_moer", ', "")
    signal, findings = read_signal(file(text), "carbon")
    assert (signal.kind, told(findings)) == ("", {"signal": (1, 0)})
    text = text.replace('"units": "lbs_co2_per_mwh", ', "")
    assert faults(file(text)) == [(0, "unit")]
    assert read_signal(file(text) + "?unit=lb/MWh", "carbon")[0].at(JANUARY) == pytest.approx(453.59237)


def test_members_that_are_not_read_and_warnings_of_the_source(file):
    text = sources.WATTTIME.replace('"units"', '"warnings": ["half of it is estimated"], "units"').replace('{"meta"', '{"more": 1, "meta"')
    _, findings = read_signal(file(text), "carbon")
    assert [(one.code, one.message) for one in findings] == [
        ("source-warns", "the source warns: ['half of it is estimated']"),
        ("not-read", "members that are not read: meta.model, meta.region, more"),
    ]
    again = sources.WATTTIME.replace('"value": 500.0', '"value": 500.0, "value": 600')
    signal, findings = read_signal(file(again), "carbon")
    assert signal.values[1] == pytest.approx(600 * 0.45359237)
    assert "repeated-member" in told(findings)


def test_zones_and_auctions(file):
    more = "2024-01-01 00:00:00,Yland,Yland,YY,1,2,10,20,x.example,false,\n"
    path = file(sources.PORTAL + more)
    assert faults(path) == [(5, "zone")]
    assert faults(f"{path}?zone=ZZ") == [(0, "zone")]
    assert len(read_signal(f"{path}?zone=XX", "carbon")[0].values) == 3
    again = sources.NEW_ENTSOE.partition("\n")[2].replace("Sequence 1", "Sequence 2").replace("10.5", "11")
    path = file(sources.NEW_ENTSOE + again)
    assert faults(path, "price") == [(4, "sequence")]
    assert read_signal(f"{path}?sequence=Sequence Sequence 2", "price")[0].values[0] == 11
    other = sources.ENTSOE.replace('"-3","EUR"', '"-3","GBP"')
    assert faults(file(other), "price") == [(3, "unit")]


def spans(day, *hours, minutes=60):
    """Rows of the old platform: local times and prices."""
    rows = ['"MTU (CET/CEST)","Day-ahead Price [EUR/MWh]","Currency"']
    for time, price in hours:
        hour, minute = divmod(time, 60) if minutes < 60 else (time, 0)
        late, after = divmod(hour * 60 + minute + minutes, 60)
        rows.append(f'"{day} {hour:02}:{minute:02} - {day} {late:02}:{after:02}","{price}","EUR"')
    return "\n".join(rows)


def test_the_hour_that_comes_twice(file):
    signal, findings = read_signal(file(spans("27.10.2024", (0, 1), (1, 2), (2, 3), (2, 4), (3, 5))), "price")
    assert list(signal.dates) == [1729980000.0 + 3600 * rank for rank in range(5)]
    assert list(signal.values) == [1, 2, 3, 4, 5]
    assert not told(findings)


def test_quarters_of_the_hour_that_comes_twice(file):
    quarters = [(105 + 15 * rank, rank) for rank in range(5)] + [(120 + 15 * rank, 10 + rank) for rank in range(5)]
    signal, findings = read_signal(file(spans("27.10.2024", *quarters, minutes=15)), "price")
    assert list(signal.dates) == [1729986300.0 + 900 * rank for rank in range(10)]
    assert not told(findings)


def test_the_hour_that_does_not_come(file):
    signal, findings = read_signal(file(spans("31.03.2024", (0, 1), (1, 2), (2, "-"), (3, 4))), "price")
    assert list(signal.dates) == [1711839600.0 + 3600 * rank for rank in range(3)]
    assert not told(findings)
    assert faults(file(spans("31.03.2024", (0, 1), (1, 2), (2, 3), (3, 4))), "price") == [(4, "clock-change")]


def test_quarters_of_the_hour_that_does_not_come(file):
    """The quarter before it ends when it begins, at a time that does not exist."""
    none = [(120 + 15 * rank, "n/e") for rank in range(4)]
    signal, findings = read_signal(file(spans("31.03.2024", (90, 1), (105, 2), *none, (180, 3), minutes=15)), "price")
    assert list(signal.dates) == [1711845000.0 + 900 * rank for rank in range(3)]
    assert (list(signal.values), told(findings)) == ([1, 2, 3], {})


def test_a_file_that_goes_over_to_quarters_and_misses_one(file):
    rows = sources.ENTSOE + '"01.01.2024 03:00 - 01.01.2024 03:15","1","EUR",""\n'
    rows += '"01.01.2024 03:30 - 01.01.2024 03:45","2","EUR",""\n'
    signal, findings = read_signal(file(rows), "price")
    assert [date - JANUARY for date in signal.dates] == [-3600, 0, 3600, 7200, 9000]
    assert (signal.end - JANUARY, told(findings)) == (9900, {"missing-rows": (1, 6)})


def test_marks_of_summer_time(file):
    rows = '"MTU (CET/CEST)","Day-ahead Price (EUR/MWh)"\n'
    rows += '"27/10/2024 02:00:00 (CEST) - 27/10/2024 02:00:00 (CET)","1"\n'
    rows += '"27/10/2024 02:00:00 (CET) - 27/10/2024 03:00:00 (CET)","n/e"\n"27/10/2024 03:00:00 - 27/10/2024 04:00:00","5"\n'
    signal, findings = read_signal(file(rows), "price")
    assert list(signal.dates) == [1729987200.0, 1729987200.0 + 7200]
    assert told(findings) == {"missing-rows": (1, 3)}


@pytest.mark.parametrize("end", ["01.01.2024 01:00", "01.01.2024 00:00", "31.12.2023 00:00", "01.13.2024 00:00", ""])
def test_spans_that_are_none(file, end):
    rows = sources.ENTSOE.replace("01.01.2024 01:00 - 01.01.2024 02:00", f"01.01.2024 01:00 - {end}")
    assert faults(file(rows), "price") == [(3, "not-a-time")]
