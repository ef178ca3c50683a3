"""What a notebook and an interactive session show: short, escaped, the same figures."""

from html.parser import HTMLParser

import pytest

import windtunnel as wt
from windtunnel.diagnostics import MissingExtraError
from windtunnel.diagnostics.html_tables import html_table
from windtunnel.model.workload import JobList


class Reader(HTMLParser):
    """The texts of a page, and whether its tags are closed."""

    def __init__(self):
        super().__init__()
        self.texts, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def texts_of(thing):
    reader = Reader()
    reader.feed(thing._repr_html_())
    assert reader.open == []
    return reader.texts


def job(name, **more):
    return wt.Job(id=f"w!{name}", request=wt.Request(1), profile=wt.DelayProfile(5.0), submission_time=0.0, **more)


@pytest.fixture
def run():
    return wt.simulate("hosts:2", JobList("w", [job("<b>1"), job("2", user="ann")]), "easy")


def test_a_large_platform_shows_itself_in_a_line():
    platform = wt.Platform.uniform(10_000, cores=4)
    assert repr(platform) == "<Platform 'hosts:10000x4': 10,000 hosts, 40,000 cores>"
    assert texts_of(platform)[0] == "hosts:10000x4: 10,000 hosts, 40,000 cores"
    assert "4" in texts_of(platform)


def test_workloads_show_their_size_and_where_they_come_from(tmp_path):
    assert repr(JobList("w", [job("1")])) == "<JobList 'w': 1 job>"
    file = tmp_path / "small.swf"
    file.write_text("1 0 -1 5 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n")
    read = wt.read_workload(file)
    assert repr(read) == f"<SwfWorkload 'w0': 1 job of {file}>"
    assert "1" in texts_of(read)
    assert repr(wt.arrange(read, "first(1)")).startswith("<Arranged 'w0': 1 job of ")


def test_a_run_shows_its_metrics_and_its_account(run):
    told = texts_of(run)
    assert "complete" in told[0]
    for name, value in run.metrics.table():
        assert name in told
        assert value in told
    assert texts_of(run.metrics) == [text for row in run.metrics.table() for text in row]


def test_an_account_is_a_table_or_says_that_all_took_effect(run):
    account = wt.simulate("hosts:2", JobList("w", [job("1")])).account
    account.tell("kind", "it <did> nothing", count=3)
    assert {"kind", "3", "it <did> nothing"} <= set(texts_of(account))
    assert texts_of(type(account)()) == ["Everything that was read and asked for took effect as written."]


def test_a_comparison_is_a_table(run):
    assert "waiting time, mean [s]" in texts_of(run.compare(run))


def test_long_tables_are_cut_and_texts_are_escaped():
    shown = html_table([(f"<{number}>", "a&b") for number in range(40)], ("x", "y"))
    assert "… and 10 more" in shown
    assert "&lt;0&gt;" in shown
    assert "<0>" not in shown


def test_frames_have_the_same_columns_on_every_run(run, tmp_path):
    other = wt.simulate("hosts:2", JobList("w", [job("1")]), "easy", out=tmp_path / "out")
    assert set(run.jobs.columns) == set(other.jobs.columns) == set(wt.load_run(tmp_path / "out").jobs.columns)
    assert run.jobs.sort("job_id")["user"].to_list() == ["ann", None]
    assert other.jobs["queue"].to_list() == [None]


def test_to_pandas_says_what_it_needs(run, monkeypatch):
    def absent(self):
        raise ImportError("no pandas")

    monkeypatch.setattr(type(run.jobs), "to_pandas", absent)
    needed = r"pandas with pyarrow is needed for this\n  hint: pip install 'windtunnel\[pandas\]'"
    with pytest.raises(MissingExtraError, match=needed):
        run.to_pandas()


def test_what_is_read_in_python_can_be_written(tmp_path):
    lost = wt.write_workload(JobList("w", [job("1", walltime=9.0)], hosts=2), tmp_path / "made.json")
    assert lost == []
    assert len(wt.read_workload(tmp_path / "made.json")) == 1
    assert wt.read_platform("hosts:4").cores_per_host == 1
    with pytest.raises(wt.UsageError, match="the suffix does not name a format"):
        wt.write_workload(JobList("w", []), tmp_path / "made.xyz")
