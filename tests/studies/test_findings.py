"""What a study shows: tables, rankings, the page, the commands."""

import json
import re
from html import unescape
from math import sqrt
from statistics import fmean, stdev

import polars as pl
import pytest

import windtunnel as wt
from mathematics import needs_scipy
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.model import Host, Platform, PowerState
from windtunnel.studies.findings import differences, ranking
from windtunnel.studies.statistics.table import Table


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    needs_scipy()
    return wt.study(
        "<load> & all",
        platforms="hosts:32",
        workloads="lublin:80?hosts=32&seed={seed}",
        operations=["scale_load({load})"],
        parameters={"load": [0.7, 1.0]},
        seeds=6,
        schedulers=["fcfs", "easy", {"scheduler": "filler", "label": "<b>fill_er"}],
    ).run(tmp_path_factory.mktemp("study") / "out")


def values(results, load, scheduler, metric="bounded_slowdown_mean"):
    chosen = results.points.filter((pl.col("load") == load) & (pl.col("scheduler") == scheduler))
    return chosen.sort("seed")[metric].to_list()


def test_means_by_what_varies(results):
    table = results.means()
    assert table.columns[:3] == ("load", "scheduler", "points")
    assert len(table.rows) == 6
    row = next(row for row in table.rows if row[:2] == (0.7, "easy"))
    given = values(results, 0.7, "easy")
    assert row[2:4] == (6, pytest.approx(fmean(given)))
    assert row[5] - row[3] == pytest.approx(2.5706 * stdev(given) / sqrt(6), rel=1e-4)  # t of 5 degrees
    assert len(results.means(by=["scheduler"]).rows) == 3


def test_schedulers_are_never_pooled(results):
    table = results.means(by=["load"])
    assert table.columns[:3] == ("load", "scheduler", "points")
    assert table.rows == results.means().rows
    assert {row[2] for row in results.quantiles("makespan", 0.5, by=["load"]).rows} == {6}
    assert len(results.means(by=[]).rows) == 3


def test_what_was_chosen_is_shown_as_it_was_written(results):
    for table in (results.means(), results.quantiles(), results.differences("easy", by=["load"])):
        assert {line.split()[0] for line in str(table).splitlines()[2:]} == {"0.7", "1"}
        assert "| 0.7 |" in table.to_markdown()
        assert "    0.7 & " in table.to_latex()
    page = results.report().read_text()
    assert '<td>0.7</td><td class="text">easy</td>' in page
    assert "0.7000" not in page


def test_a_ranking_prints_as_a_table(results):
    said = str(results.ranking("makespan"))
    assert said.startswith("mean ranks over 12 inputs (1 is best)\n")
    assert "Nemenyi (5%)" in said
    assert str(results.ranking("makespan").table("makespan")) == said.replace("mean ranks", "makespan: mean ranks", 1)


def test_parts_of_the_name_of_a_figure_are_enough_for_a_hint(results):
    with pytest.raises(UsageError, match="such as waiting_time_mean, waiting_time_min"):
        results.means("waiting_time")


def test_differences_are_paired_by_input(results):
    table = results.differences("fcfs", by=["load"])
    row = dict(zip(table.columns, next(r for r in table.rows if r[:2] == (1.0, "easy")), strict=True))
    pairs = zip(values(results, 1.0, "easy"), values(results, 1.0, "fcfs"), strict=True)
    found = [one - other for one, other in pairs]
    assert row["difference"] == pytest.approx(fmean(found))
    below, equal, above = map(int, row["below/equal/above"].split("/"))
    assert (below, equal, above) == (sum(x < 0 for x in found), sum(x == 0 for x in found), sum(x > 0 for x in found))
    assert results.differences("fcfs").rows[0][1] == 12
    assert row["p (Holm)"] >= row["p (t)"]


def test_rankings_over_all_inputs(results):
    found = results.ranking()
    assert found.inputs == 12
    assert sum(found.mean_ranks.values()) == pytest.approx(6)
    assert next(iter(results.ranking("utilisation").mean_ranks)) != "fcfs"


def test_what_is_not_there_is_said(results):
    for fault, said in (
        (lambda: results.means("bounded_slowdown"), "bounded_slowdown_"),
        (lambda: results.means(by=["laod"]), "'load'"),
        (lambda: results.differences("eazy"), "'easy'"),
        (lambda: results.differences("easy", by=["nothing"]), "nothing"),
        (lambda: results.ranking("key"), "no figure 'key'"),
    ):
        with pytest.raises(UsageError, match=said):
            fault()
    with pytest.raises(UsageError, match=r"by is a list of columns, not 'scheduler'\n  hint: by=\['scheduler'\]"):
        results.means("makespan", by="scheduler")
    with pytest.raises(UsageError, match="there is no figure 5"):
        results.means(5)


def test_a_column_named_twice_or_told_anyway_counts_once(results):
    assert results.means(by=["load", "load"]).rows == results.means().rows
    assert results.differences("easy", by=["load", "load"]).rows == results.differences("easy", by=["load"]).rows
    assert results.differences("easy", by=["scheduler"]).rows == results.differences("easy").rows


@pytest.mark.parametrize("by", [["scheduler"], ["load", "load"], ["load", "scheduler"]])
def test_the_command_takes_columns_named_twice(results, capsys, by):
    chosen = [word for name in by for word in ("--by", name)]
    assert main(["study", "show", str(results.folder), "--against", "easy", *chosen]) == 0
    assert "mean ranks over" in capsys.readouterr().out


def test_values_of_a_parameter_are_compared_as_they_were_given(results):
    table = results.differences(0.7, among="load")
    assert table.columns[0] == "load"
    assert table.rows == results.differences("0.7", among="load").rows
    ranks = results.ranking(among="load")
    assert ranks.table().columns[0] == "load"
    assert set(ranks.mean_ranks) == {"0.7", "1.0"}


def test_truth_values_can_be_compared(results):
    frame = results.points.with_columns((pl.col("load") > 0.8).alias("load"))
    assert [row[0] for row in differences(frame, False, among="load").rows] == ["True"]


def test_shares_near_one_are_not_rounded_to_one(results):
    assert "99.9% intervals" in results.means(confidence=0.999).title
    assert "99.9% intervals" in results.differences("easy", confidence=0.999).title
    assert "99.9% quantiles, with 97.5% intervals" in results.quantiles(share=0.999, confidence=0.975).title
    assert "Nemenyi (0.1%)" in str(results.ranking(confidence=0.999))
    with pytest.raises(UsageError, match="a confidence must lie between 0 and 1"):
        results.means(confidence="0.9")


def test_nothing_is_called_better_that_is_not_known_to_be(results):
    assert "(less is better)" in results.differences("easy").title
    assert "(more is better)" in results.differences("easy", "utilisation").title
    assert "better" not in results.differences("easy", "jobs").title
    assert "(1 is the least)" in str(results.ranking("available_host_seconds"))
    billed = results.points.with_columns(
        bill_revenue=pl.col("utilisation"), bill_generated_joules=1.0, bill_exported_joules=pl.col("utilisation")
    )
    assert "(more is better)" in differences(billed, "easy", "bill_revenue").title
    best = ranking(billed, "bill_revenue")
    assert best.mean_ranks == ranking(billed, "utilisation").mean_ranks
    assert best.mean_ranks != ranking(billed, "bill_exported_joules").mean_ranks
    for metric in ("bill_generated_joules", "bill_exported_joules"):
        assert "better" not in differences(billed, "easy", metric).title
    own = results.points.with_columns(own_use=pl.col("utilisation"))
    assert "better" not in differences(own, "easy", "own_use").title


def test_costs_in_several_currencies_are_not_pooled(tmp_path, capsys):
    """Means and differences were those of euros and dollars added up, without a word."""
    needs_scipy()
    states = (PowerState(1e9, 100.0, None, 200.0),)
    site = Platform(name="site", hosts=tuple(Host(id=k, name=f"h{k}", pstates=states) for k in range(8)))
    found = wt.study(
        platforms=site,
        workloads="lublin:30?hosts=8&seed={seed}",
        schedulers=["fcfs", "easy"],
        seeds=2,
        energy=True,
        price="{price}",
        carbon="100g/kWh",
        parameters={"price": ["90EUR/MWh", "70USD/MWh", "30EUR/MWh"]},
    ).run(tmp_path / "study")
    assert found.points["bill_currency"].to_list() == [*["EUR"] * 4, *["USD"] * 4, *["EUR"] * 4]
    assert found.points["bill_carbon_kind"].null_count() == 12
    told = ("bill_cost is in EUR and USD, which are not pooled: group by what tells them apart (by, --by)",)
    for table in (found.means("bill_cost", by=[]), found.quantiles("bill_cost", by=[])):
        assert (table.rows, table.notes) == ((), told)
    assert (found.differences("fcfs", "bill_cost").rows, found.differences("fcfs", "bill_cost").notes) == ((), told)
    with pytest.raises(UsageError, match="EUR and USD, which are not pooled"):
        found.ranking("bill_cost", among="price")
    assert len(found.means("bill_cost").rows) == 6
    apart = found.differences("fcfs", "bill_cost", by=["price"])
    assert ([row[0] for row in apart.rows], apart.notes) == (["90EUR/MWh", "70USD/MWh", "30EUR/MWh"], ())
    assert found.ranking("bill_cost").inputs == 6
    assert found.differences("fcfs", "bill_carbon_g").rows
    assert main(["study", "show", str(tmp_path / "study"), "--against", "fcfs", "-m", "bill_cost"]) == 0
    assert told[0] in capsys.readouterr().out


def test_a_figure_without_values_leaves_the_others_to_be_shown(results, capsys):
    options = ["--against", "easy", "-m", "consumed_joules", "-m", "makespan"]
    assert main(["study", "show", str(results.folder), *options]) == 0
    told = capsys.readouterr()
    assert "no point has a value of consumed_joules" in told.out
    assert "makespan: mean ranks over" in told.out
    assert told.err.startswith("consumed_joules: no ranking: ")


def test_one_input_is_shown_although_it_makes_no_ranking(tmp_path, capsys):
    needs_scipy()
    study = wt.study(workloads="lublin:20?hosts=32", platforms="hosts:32", schedulers=["fcfs", "easy"])
    study.run(tmp_path / "one")
    assert main(["study", "show", str(tmp_path / "one"), "--against", "easy"]) == 0
    told = capsys.readouterr()
    assert "difference to easy" in told.out
    assert "no ranking" in told.err


def test_a_study_without_results_says_so(tmp_path, capsys):
    study = wt.study(workloads="lublin:20?hosts=32", platforms="hosts:32", schedulers="easy", energy=True, job_tables=True)
    results = study.run(tmp_path / "none")
    for asked in (results.means, results.quantiles, results.ranking, lambda: results.differences("easy")):
        with pytest.raises(UsageError, match="no point of the study has a result yet"):
            asked()
    with pytest.raises(UsageError) as told:
        results.jobs()
    assert "job_tables" not in str(told.value)
    assert main(["study", "show", str(tmp_path / "none"), "--against", "easy"]) == 2
    assert "study status" in capsys.readouterr().err


def test_a_simulation_that_no_seed_reaches_is_one_sample(tmp_path):
    """Twice the same number is no sample of two, and makes nothing significant."""
    needs_scipy()
    fixed = wt.arrange("lublin:40?hosts=32&seed=1")
    study = wt.study(
        platforms="hosts:32",
        workloads=[
            {"workload": fixed, "label": "fixed"},
            {"workload": "lublin:40?hosts=32&seed={seed}", "label": "drawn"},
        ],
        schedulers=["fcfs", "easy"],
        seeds=3,
    )
    results = study.run(tmp_path / "out")
    assert results.points.height == 12
    counts = {row[:2]: row[2] for row in results.means().rows}
    assert counts == {("fixed", "fcfs"): 1, ("fixed", "easy"): 1, ("drawn", "fcfs"): 3, ("drawn", "easy"): 3}
    assert {row[3] for row in results.quantiles(by=["workload"]).rows if row[0] == "fixed"} <= {
        row[3] for row in results.means(by=["workload"]).rows
    }
    assert [row[1] for row in results.differences("fcfs").rows] == [4]
    assert {row[0]: row[2] for row in results.differences("fcfs", by=["workload"]).rows} == {"fixed": 1, "drawn": 3}
    assert results.ranking().inputs == 4


def test_a_policy_without_chance_is_compared_with_one_that_draws():
    """The inputs of the first count as often as the other has drawn."""
    frame = pl.DataFrame({
        "point": range(6),
        "key": ["a", "x", "a", "y", "a", "z"],
        "scheduler": ["still", "draws"] * 3,
        "seed": [1, 1, 2, 2, 3, 3],
        "status": ["done"] * 6,
        "makespan": [5.0, 4.0, 5.0, 6.0, 5.0, 7.0],
    })
    needs_scipy()
    assert [row[1] for row in differences(frame, "still", "makespan").rows] == [3]


def test_the_page_takes_one_figure(results, tmp_path):
    assert "<h2>utilisation</h2>" in results.report(tmp_path / "one.html", "utilisation").read_text()


def test_the_page_is_whole_and_nothing_in_it_is_obeyed(results, tmp_path):
    text = results.report(tmp_path / "report.html", baseline="easy").read_text()
    assert "<b>fill_er" not in text
    assert "&lt;b&gt;fill_er" in text
    assert "&lt;load&gt; &amp; all" in text
    assert text.count("<svg") == 3
    assert ">load 0.7, easy</text>" in text
    assert "<h2>waiting_time_mean [s]</h2>" in text
    assert results.means("waiting_time_mean").title.startswith("waiting_time_mean [s]: means")
    assert results.means().title.startswith("bounded_slowdown_mean: means")
    assert "src=" not in text
    assert "Friedman" in text
    assert results.report().parent == results.folder
    with pytest.raises(UsageError):
        results.report(tmp_path / "report.html", baseline="nobody")


def test_a_missing_point_leaves_its_input_out(results, tmp_path):
    from windtunnel.studies.findings import differences

    frame = results.done.filter(~((pl.col("seed") == 2) & (pl.col("scheduler") == "fcfs") & (pl.col("load") == 0.7)))
    assert differences(frame, "easy").rows[0][1] == 11


TABLE = Table("a_b: 5 %", ("who", "mean"), (("x|y_z & 1", 0.00012), ("b", 1234.5678), ("c", None)), ("p < 0.05",))


def test_tables_for_papers_and_pages():
    assert TABLE.to_latex() == (
        "\\begin{table}\n  \\centering\n  \\caption{a\\_b: 5 \\%}\n  \\begin{tabular}{lr}\n    \\toprule\n"
        "    who & mean \\\\\n    \\midrule\n    x|y\\_z \\& 1 & 0.00012 \\\\\n    b & 1,234.6 \\\\\n    c & - \\\\\n"
        "    \\bottomrule\n  \\end{tabular}\n  \\par\\footnotesize p < 0.05\n\\end{table}\n"
    )
    assert TABLE.to_markdown().splitlines()[:3] == ["| who | mean |", "| --- | ---: |", "| x\\|y\\_z & 1 | 0.00012 |"]
    assert str(TABLE).splitlines()[1].split() == ["who", "mean"]
    assert TABLE.frame()["mean"].to_list() == [0.00012, 1234.5678, None]


def test_the_commands_print_and_write(results, capsys):
    place = str(results.folder)
    assert main(["study", "show", place, "--against", "fcfs", "--by", "load", "-m", "makespan"]) == 0
    said = capsys.readouterr().out
    assert "makespan [s]: difference to fcfs" in said
    assert "Nemenyi" in said
    assert main(["study", "show", place, "--as", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)[0]["rows"]) == 6
    assert main(["study", "show", place, "--as", "latex"]) == 0
    assert "\\toprule" in capsys.readouterr().out
    assert main(["study", "report", place, "--against", "easy"]) == 0
    assert "report.html" in capsys.readouterr().out
    assert main(["study", "show", place, "--as", "pdf"]) == 2
    assert main(["study", "show", place, "-m", "wait"]) == 2
    assert main(["study", "report", place, "--against", "nobody"]) == 2


def test_labels_and_parameters_may_be_called_like_columns(tmp_path):
    needs_scipy()
    study = wt.study(
        workloads="lublin:40?hosts=16&load={low}&seed={mean}",
        schedulers=[{"scheduler": "easy", "label": "workload"}, {"scheduler": "fcfs", "label": "by low"}],
        parameters={"low": [0.7, 0.9], "mean": [1, 2, 3]},
    )
    results = study.run(tmp_path / "out")
    table = results.differences("workload", by=["low"])
    assert table.columns[:2] == ("low (chosen)", "scheduler")
    assert table.frame()["low (chosen)"].to_list() == [0.7, 0.9]
    assert results.means(by=["mean"]).frame().columns[:4] == ["mean (chosen)", "scheduler", "points", "mean"]
    assert set(results.ranking().mean_ranks) == {"workload", "by low"}
    assert "<svg" in results.report().read_text()


def test_long_labels_of_the_chart_have_room_and_end_with_the_scheduler(tmp_path):
    needs_scipy()
    study = wt.study(
        workloads="lublin:40?hosts=16&load={load_of_the_machine}&seed={seed}",
        schedulers=[{"scheduler": "easy", "label": "mine & theirs, " + "x" * 40}, "fcfs"],
        parameters={"load_of_the_machine": [0.75, 0.9]},
        seeds=2,
    )
    text = study.run(tmp_path / "out").report().read_text()
    shown = re.findall(r'<text x="([0-9.]+)" y="[0-9.]+" text-anchor="end" font-size="12"[^>]*>([^<]*)</text>', text)
    labels = [(float(x), unescape(label)) for x, label in shown if "load" in label or "…" in label]
    assert {label.rpartition(", ")[2] for _, label in labels} == {"x" * 40, "fcfs"}
    assert any(label.startswith("…") for _, label in labels)
    assert all(len(label) <= 60 and x > 6.5 * len(label) for x, label in labels)


def test_seeds_below_zero_are_no_samples():
    with pytest.raises(InputError, match="seeds must be whole numbers of at least 0"):
        wt.study(workloads="lublin:9?seed={seed}", schedulers="easy", seeds=[1, -1])


def test_percentages_stand_below_each_other_as_numbers_do():
    """They were to the left of their column, the numbers beside them to the right."""
    shares = Table("", ("who", "relative"), (("x|1/2", "+5.0%"), ("-", None), ("c", "-100.0%")))
    assert [shares.is_number(rank) for rank in range(2)] == [False, True]
    assert Table("", ("low",), ((None,),)).is_number(0)  # an interval of a single point is not known
    assert str(shares).splitlines()[1:] == ["x|1/2     +5.0%", "-             -", "c       -100.0%"]


def test_the_page_of_one_scheduler_is_compared_with_no_other(tmp_path):
    study = wt.study("one", platforms="hosts:8", workloads="lublin:5?hosts=8", schedulers="easy").run(tmp_path / "out")
    assert study.report(baseline="easy").is_file()
    with pytest.raises(UsageError, match="there is no scheduler 'nobody' in the study"):
        study.report(baseline="nobody")
