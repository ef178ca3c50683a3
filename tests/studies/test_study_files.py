"""Study files: what they may say, and what is said about what they should not."""

import pytest

import windtunnel as wt
from windtunnel.cli.main import main
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.studies.toml_places import toml_places

GOOD = """\
name = "load"
workloads = ["lublin:50?hosts=32&seed={seed}"]
platforms = ["hosts:32"]
operations = ["scale_load({load})"]
schedulers = ["easy", {scheduler = "fcfs", label = "first"}]
seeds = 2
[parameters]
load = [0.5, 0.9]
"""


def read(text, folder, **more):
    path = folder / "study.toml"
    path.write_text(text)
    return wt.read_study(path, **more)


def faults(text, folder, **more):
    with pytest.raises(InputError) as caught:
        read(text, folder, **more)
    return [(one.line, one.message, one.hint) for one in caught.value.errors]


def test_everything_is_crossed_schedulers_fastest(tmp_path):
    points = read(GOOD, tmp_path).plan.points
    assert [(p.columns["load"], p.columns["seed"], p.columns["scheduler"]) for p in points] == [
        (load, seed, scheduler) for load in (0.5, 0.9) for seed in (1, 2) for scheduler in ("easy", "first")
    ]
    assert len({point.key for point in points}) == 8


def test_a_file_and_python_say_the_same(tmp_path):
    made = wt.study(
        "load",
        workloads="lublin:50?hosts=32&seed={seed}",
        platforms="hosts:32",
        operations=["scale_load({load})"],
        schedulers=["easy", {"scheduler": "fcfs", "label": "first"}],
        seeds=[1, 2],
        parameters={"load": [0.5, 0.9]},
    )
    assert made.plan.points == read(GOOD, tmp_path).plan.points


def test_a_fault_for_each_value_of_a_parameter_is_told_once(tmp_path):
    (found,) = faults(GOOD.replace("scale_load(", "scale_lod("), tmp_path)
    assert found == (4, "there is no operation 'scale_lod' on workloads", "did you mean 'scale_load'?")


def test_all_faults_at_once_each_in_its_place(tmp_path):
    text = """\
nmae = "x"
workloads = ["nothing.swf", {workload = "lublin:50", colour = 1}]
schedulers = ["eazy", "easy",
  "evil.py:Class"]
seeds = 0
[parameters]
lod = [1, 1]
[[engine]]
on_failure = "requeue"
[[engine]]
on_failure = "explode"
"""
    found = faults(text, tmp_path)
    assert [(line, message.partition(":")[0]) for line, message, _ in found] == [
        (1, "a study has no 'nmae'"),
        (2, str(tmp_path / "nothing.swf")),  # what words stand for is looked at, too
        (2, "a workload of a study has no 'colour'"),
        (3, "there is no scheduler 'eazy'"),
        (4, "'evil.py"),
        (5, "seeds must be a number of at least 1, or a list of seeds, not 0"),
        (7, "a value is given twice"),
        (7, "the parameter 'lod' changes nothing"),
        (10, "the engine"),
    ]
    assert "did you mean 'name'?" in found[0][2]
    assert "--scheduler NAME=file.py:Class" in found[4][2]
    assert "{lod}" in found[7][2]


def test_what_words_stand_for_is_looked_at_before_anything_runs(tmp_path):
    text = """\
workloads = ["nothing.swf", "lublin:x"]
schedulers = ["eazy", {scheduler = "easy", options = {colour = 1}}]
operations = ["scale(0.9)"]
failures = "between=often"
[[engine]]
on_failure = "requeue"
[[engine]]
on_failure = "explode"
"""
    found = faults(text, tmp_path)
    assert {line for line, _, _ in found} == {1, 2, 3, 4, 7}
    assert sum("eazy" in message for _, message, _ in found) == 1
    said = " ".join(message + hint for _, message, hint in found)
    for part in ("nothing.swf", "lublin", "did you mean 'easy'", "colour", "scale_load", "often", "explode"):
        assert part in said, part


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('schedulers = "easy"', 1, "a study needs workloads"),
        ('workloads = "a.swf"\nschedulers = []', 2, "empty list"),
        ('workloads = "lublin:9"\nschedulers = "easy"\nseeds = 3', 3, "seeds change nothing"),
        ('workloads = "lublin:9?seed={seed}"\nschedulers = "easy"', 1, "has no seeds"),
        ('workloads = "lublin:9?load={load}"\nschedulers = "easy"', 1, "there is no parameter 'load'"),
        ('workloads = "lublin:9"\nschedulers = ["easy", "easy"]', 2, "called 'easy'"),
        ('workloads = "lublin:9"\nschedulers = "easy"\ndesign = "randm"', 3, "a design must be one of"),
        ('workloads = "lublin:9"\nschedulers = "easy"\ndesign = "random"', 3, "needs samples"),
        ('workloads = "lublin:9"\nschedulers = "easy"\nsamples = 3', 3, "draws nothing"),
        ('workloads = "lublin:9"\nschedulers = "easy"\npoints = [{x = 1}]', 3, "belong together"),
        (
            'workloads = "lublin:9?load={load}"\nschedulers = "easy"\n[parameters]\nload = {from = 0.9, to = 0.5}',
            4,
            "to a greater one",
        ),
        (
            'workloads = "lublin:9?load={x}"\nschedulers = "easy"\n[parameters]\nx = {from = 0, to = 1, scale = "log"}',
            4,
            "begins above 0, not at 0",
        ),
        (
            'workloads = "lublin:{x}"\nschedulers = "easy"\nparameters.x = {from = 1, to = 9, scale = "log", whole = true}',
            3,
            "a span of whole numbers cannot be drawn in logarithms: leave out whole = true",
        ),
        (
            'workloads = "lublin:9?load={makespan}"\nschedulers = "easy"\n[parameters]\nmakespan = 3',
            4,
            "cannot be called 'makespan'",
        ),
        ('workloads = "lublin:9"\nschedulers = "easy"\nwarm_up = "much"', 3, "nor a percentage"),
        ('workloads = "lublin:9"\nschedulers = "easy"\nenergy = 1', 3, "true or false"),
        ('workloads = "lublin:9"\nschedulers = "tcp://localhost:1"', 2, "input files may not name code"),
        ('workloads = 3\nschedulers = "easy"', 1, "a workload must be a string"),
        ('workloads = "lublin:9"\nschedulers = "easy"\nuntil = "soon"', 3, "not a valid time"),
        ('workloads = "lublin:9"\nschedulers = "easy"\nuntil = 0', 3, "does nothing"),
        ('workloads = "lublin:9"\nschedulers = "easy"\nuntil = "{days}d"', 3, "no parameter 'days'"),
        ('schedulers = "easy"\nworkloads = [["lublin:9", "lublin:8"]]', 2, "together need a platform"),
        (
            'schedulers = "easy"\nworkloads = [["lublin:9", 8]]\nplatforms = "hosts:9"',
            2,
            "a workload must be a string",
        ),
        ('schedulers = "easy"\nworkloads = [[]]\nplatforms = "hosts:9"', 2, "at least one workload"),
        ('schedulers = "easy"\nworkloads = [["lublin:9", "no.swf"]]\nplatforms = "hosts:9"', 2, "no.swf"),
        ("x = [1,\n", 0, "this is not TOML"),
        ('workloads = "lublin:9"\nschedulers = "easy"\nx == 1', 3, "this is not TOML"),
    ],
)
def test_what_is_refused(text, line, message, tmp_path):
    found = faults(text, tmp_path)
    assert any(message in said for _, said, _ in found), found
    if line:
        assert line in {where for where, _, _ in found}


def test_the_command_line_says_it_without_a_traceback(tmp_path, capsys):
    path = tmp_path / "study.toml"
    path.write_text('workloads = "lublin:9"\nschedulers = ["eazy"]\n')
    assert main(["study", "run", str(path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert f"{path}:2:15#/schedulers/0: error" in said
    assert not (tmp_path / "out").exists()
    assert main(["study", "run", str(tmp_path / "no.toml")]) == 2


def test_own_schedulers_are_bound_by_who_runs_the_study(tmp_path):
    (tmp_path / "bound_here.py").write_text("import windtunnel as wt\n\ndef first(view):\n    return ()\n")
    text = GOOD.replace('"easy"', '"mine-too"')
    with pytest.raises(InputError, match="there is no scheduler 'mine-too'\n  hint: one of your own is named with"):
        read(text, tmp_path)
    reference = f"{tmp_path}/bound_here.py:first"
    keys = {point.key for point in read(text, tmp_path, schedulers={"mine-too": reference}).plan.points}
    with pytest.raises(InputError, match="the study has no scheduler 'other'"):
        read(text, tmp_path, schedulers={"mine-too": reference, "other": reference})
    with (tmp_path / "bound_here.py").open("a") as file:
        file.write("\n# changed\n")
    changed = {point.key for point in read(text, tmp_path, schedulers={"mine-too": reference}).plan.points}
    assert len(keys & changed) == 4  # those of the other scheduler


def test_files_are_relative_to_the_study_and_keys_follow_their_content(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    log = tmp_path / "in" / "log.swf"
    assert main(["convert", "lublin:30?hosts=16", str(log)]) == 0
    monkeypatch.chdir("/")
    text = 'workloads = "in/log.swf"\nschedulers = "easy"'
    key = read(text, tmp_path).plan.points[0].key
    (tmp_path / "in").rename(tmp_path / "else")
    assert read(text.replace("in/", "else/"), tmp_path).plan.points[0].key == key
    with (tmp_path / "else" / "log.swf").open("a") as file:
        file.write("; more\n")
    assert read(text.replace("in/", "else/"), tmp_path).plan.points[0].key != key


def test_points_may_be_listed(tmp_path):
    text = GOOD.replace("[parameters]\nload = [0.5, 0.9]", "") + (
        'design = "list"\npoints = [{load = 0.5, scheduler = "easy"}, {load = 0.9, seed = 2}]\n'
    )
    points = read(text, tmp_path).plan.points
    assert [(p.columns["load"], p.columns["seed"], p.columns["scheduler"]) for p in points] == [
        (0.5, 1, "easy"),
        (0.5, 2, "easy"),
        (0.9, 2, "easy"),
        (0.9, 2, "first"),
    ]
    assert (9, "there is no scheduler 'esy' in the study", "did you mean 'easy'?") in faults(
        text.replace('scheduler = "easy"}', 'scheduler = "esy"}'), tmp_path
    )


def test_instances_and_endpoints_are_no_schedulers_of_studies():
    class Mine(wt.Scheduler):
        def schedule(self, view):
            return ()

    with pytest.raises(InputError, match="give its class: Mine"):
        wt.study(workloads="lublin:9", schedulers=Mine())
    with pytest.raises(InputError, match="in its own processes"):
        wt.study(workloads="lublin:9", schedulers="tcp://localhost:2000")
    with pytest.raises(UsageError, match="there is no study"):
        wt.load_study("nowhere")


def test_places_of_keys_and_elements():
    text = 'a = 1\n"b c".d = [1, "x]", {e = """\n[t]\n""", f = [ # ]\n 2]}]\n[t.u]\nv = \'q\'\n[[w]]\nx=1\n[[w]]\nx=2\n[w.y]\nz=3\n'
    places = toml_places(text)
    assert places["a",] == (1, 1)
    assert places["b c", "d", 1] == (2, 15)
    assert places["b c", "d", 2, "f", 0] == (5, 2)
    assert places["t", "u", "v"] == (7, 1)
    assert places["w", 1, "x"] == (11, 1)
    assert places["w", 1, "y", "z"] == (13, 1)


def test_until_may_be_a_parameter_and_changes_the_key(tmp_path):
    text = 'workloads = "lublin:9"\nschedulers = "easy"\nuntil = "{days}d"\n[parameters]\ndays = [1, 2]\n'
    points = read(text, tmp_path).plan.points
    assert len({point.key for point in points}) == 2
    assert [message for _, message, _ in faults(text.replace("{days}d", "{days}x"), tmp_path)] == [
        "'1x' is not a valid time",
        "'2x' is not a valid time",
    ]


@pytest.mark.parametrize("seeds", ["-1", "1.5", "'x'", "0", "100000000", "[]", "[1.5]"])
def test_wrong_seeds_are_one_fault(tmp_path, seeds):
    path = tmp_path / "a.toml"
    path.write_text(f'workloads = "lublin:9?seed={{seed}}"\nschedulers = "easy"\nseeds = {seeds}\n')
    with pytest.raises(InputError) as caught:
        wt.read_study(path)
    assert [finding.line for finding in caught.value.findings] == [3]


def test_no_workloads_are_one_fault(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('workloads = []\nschedulers = "easy"\nseeds = 3\n')
    with pytest.raises(InputError) as caught:
        wt.read_study(path)
    assert [finding.line for finding in caught.value.findings] == [1]
