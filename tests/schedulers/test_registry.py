"""Making schedulers by name, path, class, function and object; options; what is listed."""

import pickle
import sys
from itertools import pairwise

import pytest

from packages import install
from windtunnel.cli.main import main
from windtunnel.diagnostics import UsageError
from windtunnel.schedulers import (
    FunctionScheduler,
    Scheduler,
    list_schedulers,
    make_batsched,
    make_scheduler,
    scheduler_names,
    scheduler_options,
)
from windtunnel.schedulers.registry import ALIASES, make_registered, variants_of
from windtunnel.shipped import SCHEDULERS
from windtunnel.vocabulary import Component, Execute

COMPULSORY = {"pstate_compute": 0, "pstate_sleep": 1}
OWN = """
from windtunnel.schedulers import Scheduler

class Mine(Scheduler):
    def __init__(self, *, greed: int = 3):
        super().__init__()
        self.greed = greed

    def schedule(self, view):
        return []

def plain(view, *, factor: float = 1.0):
    return []

class NoScheduler:
    pass

nothing = 3
"""


def made(name):
    options = {option.name: 1.0 for option in scheduler_options(name) if option.required}
    options |= {key: COMPULSORY[key] for key in options if key in COMPULSORY}
    if "comparison_type" in options:
        del options["comparison_type"]
    for text in ("output_dir", "trace_output_filename"):
        if text in options:
            options[text] = "x"
    return options


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "own_schedulers.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield tmp_path
    sys.modules.pop("own_schedulers", None)


@pytest.mark.parametrize("path", ["", "."])
def test_a_trace_needs_a_file(path):
    with pytest.raises(UsageError, match=r"trace_output_filename: '\.?' cannot be a file"):
        make_scheduler("batsched/easy_bf_plot_liquid_load_horizon", trace_output_filename=path)


def test_whatever_is_shipped_can_be_listed():
    listed = {info.name: info for info in list_schedulers()}
    assert set(SCHEDULERS) <= set(listed)
    assert set(scheduler_names()) == set(listed)
    assert all(info.description and info.source for info in listed.values())


@pytest.mark.parametrize("name", sorted(SCHEDULERS))
def test_whatever_is_shipped_can_be_made_and_pickled(name):
    options = {k: v for k, v in made(name).items() if k not in {"power_idle", "power_compute"}}
    if "power_idle" in made(name):
        options |= {"power_idle": 95.0, "power_compute": 190.0, "power_sleep": 9.0}
    scheduler = make_scheduler(name, **options)
    assert isinstance(scheduler, Component)
    assert scheduler.hello().name == name
    assert type(pickle.loads(pickle.dumps(scheduler))) is type(scheduler)


def test_names_of_other_systems_lead_to_shipped_ones():
    assert variants_of("batsim5") == {"easy": "batsim5/easy", "fcfs": "batsim5/fcfs"}
    assert variants_of("pybatsim")["easyBackfill"] == "pybatsim/easyBackfill"
    assert make_scheduler("easy_bf").hello().name == "batsched/easy_bf"
    assert make_scheduler("filler").hello().name == "filler"
    assert make_batsched("filler").hello().name == "batsched/filler"
    assert make_batsched("easy_bf", queue_order="lcfs").hello().name == "batsched/easy_bf"
    with pytest.raises(UsageError, match="easy_bf"):
        make_batsched("easy_fb")


def test_unknown_names_come_with_a_hint():
    with pytest.raises(UsageError, match=r"no scheduler 'esay'\n  hint: did you mean 'easy'"):
        make_scheduler("esay")


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("easy", {"queue_ordr": "lcfs"}, "scheduler 'easy': no option 'queue_ordr' (did you mean 'queue_order'?)"),
        ("easy", {"queue_order": "best"}, "queue_order must be one of fcfs, lcfs, asc_size"),
        ("rejecter", {"x": 1}, "no option 'x' (it takes no options)"),
        ("sleeper", {}, "pstate_compute must be given; pstate_sleep must be given"),
        (
            "batsched/filler",
            {"fraction_of_machines_to_use": 0},
            "fraction_of_machines_to_use must be a number greater than 0 and at most 1, not 0",
        ),
        (
            "killer",
            {"nb_kills_per_job": -1, "delay_before_kill": "soon"},
            "nb_kills_per_job must be a whole number of at least 0, not -1; delay_before_kill must be",
        ),
        ("batsched/filler", {"custom_mapping": "perhaps"}, "custom_mapping must be true or false, not 'perhaps'"),
    ],
)
def test_faulty_options_are_named_together(name, options, says):
    with pytest.raises(UsageError) as caught:
        make_scheduler(name, **options)
    assert says in str(caught.value)
    assert name in str(caught.value)


def test_options_given_as_text_are_converted():
    scheduler = make_scheduler("killer", nb_kills_per_job="2", delay_before_kill="2.5")
    assert (scheduler.nb_kills_per_job, scheduler.delay_before_kill) == (2, 2.5)
    assert make_scheduler("batsched/filler", custom_mapping="false").custom_mapping is False


@pytest.mark.parametrize("where", ["own_schedulers", "own_schedulers.py", "./own_schedulers.py"])
def test_classes_and_functions_by_path(here, where):
    mine = make_scheduler(f"{where}:Mine", greed="5")
    assert mine.greed == 5
    assert pickle.loads(pickle.dumps(mine)).greed == 5
    plain = make_scheduler(f"{where}:plain", factor=2)
    assert isinstance(plain, FunctionScheduler)
    assert plain.options == {"factor": 2.0}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("own_schedulers:Mime", "did you mean 'Mine'?"),
        ("own_schedulerz:Mine", "'own_schedulerz' cannot be imported"),
        ("nowhere.py:Mine", "there is no file nowhere.py"),
        ("own_schedulers:NoScheduler", "has no hello, decide and stop"),
        ("own_schedulers:nothing", "a int is not a class, function or component"),
        ("own_schedulers:Scheduler", "must define schedule(self, view)"),
    ],
)
def test_paths_that_lead_nowhere(here, path, says):
    with pytest.raises(UsageError) as caught:
        make_scheduler(path)
    assert says in str(caught.value)


def test_objects_are_taken_as_they_are():
    class Mine(Scheduler):
        def schedule(self, view):
            return [Execute(job, view.free.pick(1)) for job in view.queue]

    mine = Mine()
    assert make_scheduler(mine) is mine
    assert isinstance(make_scheduler(Mine), Mine)
    assert isinstance(make_scheduler(lambda view: []), FunctionScheduler)
    with pytest.raises(UsageError, match="takes no options"):
        make_scheduler(mine, x=1)


def test_entry_points_of_other_packages(here, monkeypatch):
    entries = {"greedy": "own_schedulers:Mine", "broken": "no_such_module:Mine"}
    install(here, "own_schedulers", OWN, {"windtunnel.schedulers": entries})
    monkeypatch.syspath_prepend(str(here))
    assert make_scheduler("greedy", greed=4).greed == 4
    listed = {info.name: info for info in list_schedulers()}
    assert [str(option) for option in listed["greedy"].options] == ["greed: a whole number (default 3)"]
    said = "scheduler 'broken' of no_such_module:Mine cannot be imported: ModuleNotFoundError"
    assert listed["broken"].description.startswith(said)
    with pytest.raises(UsageError, match=said):
        make_scheduler("broken")


@pytest.mark.parametrize(("alias", "name"), sorted(ALIASES.items()))
def test_names_that_schedulers_had_before_are_understood(alias, name):
    assert scheduler_options(alias) == scheduler_options(name)
    assert alias not in SCHEDULERS


def test_a_scheduler_is_made_by_its_old_name_which_is_told(caplog):
    assert make_scheduler("easy-batsched").hello().name == "batsched/easy_bf"
    said = "the scheduler 'easy-batsched' is now called 'batsched/easy_bf'; its old name is accepted through 0.2"
    assert caplog.messages == [said]
    assert make_registered("easy_bf").hello().name == "batsched/easy_bf"
    assert make_scheduler("batsched/easy_bf").hello().name == "batsched/easy_bf"
    assert len(caplog.messages) == 2
    assert make_scheduler("easyBackfill-pybatsim").hello().name == "pybatsim/easyBackfill"
    with pytest.raises(UsageError, match="did you mean 'easy-batsched'"):
        make_scheduler("easy-batshed")


def test_the_command_lists_families_and_aliases(capsys):
    assert main(["schedulers"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines.index("Like batsched 1.4.0, decision by decision:") > next(
        k for k, line in enumerate(lines) if line.startswith("easy ")
    )
    headed = [before for before, line in pairwise(lines) if line.startswith(("elastic/a", "learned/"))]
    assert headed == ["For jobs that change their size:", "Policies that were learned:"]
    assert not [line for line in lines if line.startswith("Like windtunnel")]
    assert main(["schedulers", "easy-batsim5"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("batsim5/easy:")
    assert "Aliases (through 0.2): easy-batsim5" in text
