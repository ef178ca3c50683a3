"""Logs of sacct that somebody has opened in a spreadsheet, or written as CSV."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import InputError
from windtunnel.formats.registry import read_workload
from windtunnel.formats.slurm.quoted import unquoted
from windtunnel.formats.slurm.sacct import read_sacct

HEAD = ["JobID", "User", "Submit", "Start", "End", "ElapsedRaw", "State", "ReqTRES", "NCPUS", "TimelimitRaw", "JobName", "SubmitLine"]
DAY = "2024-01-01T00:"
ROWS = [
    ["1", "ann", f"{DAY}00:00", f"{DAY}01:00", f"{DAY}11:00", "600", "COMPLETED", "cpu=4,mem=4G,node=1", "4", "60",
     'a "b", c', 'sbatch -n4 --mem=4G --wrap="a, b;\tc"'],
    ["2", "bob", f"{DAY}30:00", f"{DAY}31:00", f"{DAY}41:00", "600", "COMPLETED", "", "2", "60", '"x"', "sbatch -n2"],
]  # fmt: skip
PLAIN = "".join("|".join(row) + "\n" for row in (HEAD, *ROWS))


def table(rows, **options):
    text = io.StringIO()
    csv.writer(text, **{"lineterminator": "\n", **options}).writerows(rows)
    return text.getvalue()


def jobs(path, text, **options):
    path.write_text(text)
    return [(job.id, job.request, job.walltime, job.user, job.ask) for job in read_workload(path, **options)]


@pytest.mark.parametrize("start", ["", "\ufeff", "\r\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
@pytest.mark.parametrize("mark", ["|", ",", ";", "\t"])
def test_fields_in_quotes(tmp_path, mark, quoting, end, start):
    """Where all were quoted the log was in no known format; where some were it had too many columns, or other jobs."""
    path = tmp_path / "log.csv"
    plain = jobs(path, PLAIN)
    assert len(plain) == 2
    found = jobs(path, start + table([HEAD, *ROWS], delimiter=mark, quoting=quoting, lineterminator=end))
    assert [one[-1].name for one in found] == ['a "b", c', '"x"']
    assert found == plain


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_whole_lines_in_quotes(tmp_path, quoting):
    """What a spreadsheet makes of lines with commas that it has not split."""
    path = tmp_path / "log.csv"
    lines = [[line] for line in PLAIN.splitlines()]
    assert jobs(path, table(lines, quoting=quoting)) == jobs(path, PLAIN)


def test_without_a_head(tmp_path):
    path = tmp_path / "log.csv"
    text = table(ROWS, quoting=csv.QUOTE_ALL)
    assert jobs(path, text, format="sacct", delimiter=",", columns=",".join(HEAD)) == jobs(path, PLAIN)


def test_a_log_with_quotes_is_no_csv_by_that(tmp_path):
    """A name that is not closed, and one that goes on behind its quote."""
    for name in ('"x', '"x" y', '"a""'):
        text = PLAIN.replace('"x"', name)
        assert jobs(tmp_path / "log.txt", text)[1][-1].name == name


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (f"{DAY}30:00", "1.1.24 0:30", "Submit is '1.1.24 0:30', which is not how sacct prints it"),
        ("|600|COMPLETED||2", "|6e2|COMPLETED||2", "ElapsedRaw is '6e2', which is not how sacct prints it"),
        ("cpu=4,mem=4G", 'cpu=4,"mem=4G', "ReqTRES is 'cpu=4,\"mem=4G,node=1', which is not how sacct prints it"),
    ],
)
def test_what_a_spreadsheet_has_changed_is_named(tmp_path, old, new, told):
    """It was a number of fields that do not fit as many columns."""
    path = tmp_path / "log.txt"
    path.write_text(PLAIN.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_sacct(path)
    assert [one.message for one in caught.value.findings] == [told]
    assert "as sacct -P has printed it" in caught.value.findings[0].hint


FIELDS = st.text(alphabet='a"|,;\n\t\r \u2028', max_size=5)


@given(st.lists(st.lists(FIELDS, min_size=3, max_size=3), min_size=1, max_size=4), st.sampled_from("|,;\t"))
def test_any_texts_come_back(rows, mark):
    rows = [["JobID", "Submit", "State"], *([row[0] or "a", *row[1:]] for row in rows)]
    text = table(rows, delimiter=mark, quoting=csv.QUOTE_ALL)
    expected = ["|".join(field.replace("|", "\N{BROKEN BAR}").replace("\r\n", "\n") for field in row) for row in rows]
    assert unquoted(text, mark) == "\n".join(expected)
