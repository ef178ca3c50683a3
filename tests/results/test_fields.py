"""Fields of CSV files: what is written is read again, and a spreadsheet computes none of it."""

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windtunnel as wt
from windtunnel.model import DelayProfile, Job, JobList, Request
from windtunnel.results.fields import bare, behind, names_of, plain, plain_column, table_rows, without_apostrophes

FORMULA = "=cmd|' /C calc'!A0"
ODD = st.text(st.sampled_from("=+-@\t\r\n'\",!a1.e"), max_size=6)


def field(text):
    """What a reader of CSV takes a field for."""
    return next(csv.reader(io.StringIO(f"{text},end\n", newline="")))[0]


@given(ODD | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_any_text_comes_back(text):
    assert bare(field(plain(text))) == text


@given(ODD)
def test_no_field_is_a_formula(text):
    read = field(plain(text))
    if read[:1] in {"=", "+", "-", "@", "\t", "\r"} and read:
        float(read)


@pytest.mark.parametrize("number", ["-1", "+5", "-1.5e3", "-.5"])
def test_numbers_stay_as_they_are(number):
    assert plain(number) == number


@given(st.lists(ODD, min_size=1, max_size=4))
def test_columns_are_as_their_fields(texts):
    assert list(plain_column(texts)) == list(map(plain, texts))


@given(st.lists(ODD, min_size=1, max_size=4), st.sampled_from(["w", "=w", "'w", ""]))
def test_names_are_as_their_fields(texts, workload):
    names, workloads = names_of([f"{workload}!{text}" for text in texts])
    assert list(names) == list(map(plain, texts))
    assert list(workloads) == [plain(workload)] * len(texts)
    assert behind([f"w!{text}" for text in texts], "w!") in (None, list(map(plain, texts)))


@given(st.lists(st.tuples(ODD, ODD), max_size=4))
def test_tables_come_back(rows):
    text = "a,b\n" + "".join(f"{plain(a)},{plain(b)}\n" for a, b in rows)
    if "\r" not in text:
        assert [tuple(row.values()) for row in table_rows(text.encode())] == [pair for pair in rows if pair]


def test_frames_come_back():
    frame = pl.DataFrame({"a": ["'=x", "'x", None, "-1"], "b": [1, 2, 3, 4]})
    assert without_apostrophes(frame)["a"].to_list() == ["=x", "'x", None, "-1"]


def test_a_run_writes_no_formula_and_reads_its_texts_again(tmp_path):
    profile = DelayProfile(id=f"w0!{FORMULA}", delay=5)
    jobs = [
        Job(id=f"w0!{FORMULA}", request=Request(1), profile=profile, submission_time=0, user="@me", queue="+q"),
        Job(id="w0!plain", request=Request(1), profile=profile, submission_time=0, user="-1", queue="q"),
    ]
    run = wt.simulate("hosts:2", JobList("w0", jobs), "fcfs", out=tmp_path / "out")
    assert run.jobs.sort("id")["id"].to_list() == [f"w0!{FORMULA}", "w0!plain"]
    assert sorted(run.jobs["user"]) == ["-1", "@me"]
    for path in (tmp_path / "out").glob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_text())):
            assert not [cell for cell in row if cell[:1] in "=+@-" and cell.strip("=+@-") and not is_number(cell)]
    again = wt.Run.load(tmp_path / "out")
    assert again.jobs.equals(run.jobs)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return not text
    return True
