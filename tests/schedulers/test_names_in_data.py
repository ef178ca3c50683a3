"""Data names registered schedulers: no name and no option in an environment leads to code or to a file."""

import json
import sys

import pytest

from environments import machine
from windtunnel import api
from windtunnel.diagnostics import UsageError
from windtunnel.leases.component import LeaseManager
from windtunnel.loading import load_reference
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.schedulers.registry import make_registered, make_scheduler, scheduler_options
from windtunnel.shipped import SCHEDULERS

CODE = ("subprocess:Popen", "evil.py:Class", "./evil.py:Class", "os:system", "evil:Class")


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """A module that leaves a trace when it is imported."""
    trace = tmp_path / "imported"
    (tmp_path / "evil.py").write_text(f"open({str(trace)!r}, 'w').close()\nClass = object\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield trace
    sys.modules.pop("evil", None)


def environment(tmp_path, name, options, *, changes):
    """One datacenter that has this scheduler at once, or gets it by an event."""
    told = {"name": name, "options": options}
    usual = {"name": "stage-scheduler"}
    rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": [machine(1)]}]}]
    center = {"id": 1, "rooms": rooms, "operational": {"scheduler": usual if changes else told}}
    event = {"type": "DATACENTER_SCHEDULER_CHANGE", "time": 5, "datacenter": 1, "scheduler": told}
    path = tmp_path / "e.json"
    path.write_text(json.dumps({"environment": {"datacenters": [center]}, "events": [event] if changes else []}))
    return path


@pytest.mark.parametrize("changes", [False, True], ids=["at the start", "by an event"])
@pytest.mark.parametrize("name", CODE)
def test_an_environment_names_no_code(tmp_path, evil, name, changes):
    touched = tmp_path / "touched"
    path = environment(tmp_path, name, {"args": ["touch", str(touched)]}, changes=changes)
    with pytest.raises(UsageError, match="is not the name of a registered scheduler"):
        api.simulate(path, [], "datacenters")
    assert not touched.exists()
    assert not evil.exists()


@pytest.mark.parametrize("changes", [False, True], ids=["at the start", "by an event"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("leases", {"mapper": "evil:Class"}),
        ("leases", {"policy-admission": "evil:Class"}),
        ("leases", {"options": {"mapper": "evil:Class"}}),
        ("datacenters", {"default": "evil:Class"}),
        ("easy_bf_plot_liquid_load_horizon", {"trace_output_filename": "touched"}),
        ("energy_bf_monitoring_inertial", {"monitoring_period": 1, "trace_output_filename": "touched"}),
    ],
)
def test_options_in_an_environment_name_neither_code_nor_files(tmp_path, evil, name, options, changes):
    path = environment(tmp_path, name, options, changes=changes)
    with pytest.raises(UsageError, match="input files may not"):
        api.simulate(path, [], "datacenters")
    assert not evil.exists()
    assert not (tmp_path / "touched").exists()


def test_policies_of_leases_may_be_named_in_data():
    made = make_registered("leases", policy_admission="no-ARs", mapper="deadline")
    assert (made.options.policy_admission, made.options.mapper) == ("no-ARs", "deadline")


def test_names_of_other_systems_are_registered_too():
    assert make_registered("easy_bf").name == make_scheduler("easy_bf").name
    assert make_registered("easyBackfill")


HARMLESS = {"output_dir", "inertial_alteration", "selection", "placement", "blocking", "policy"}
"""Free texts that are looked up in a table, lead nowhere, or name a file of numbers that is read."""


@pytest.mark.parametrize("name", sorted(SCHEDULERS))
def test_free_texts_among_options_are_known_to_lead_to_code_or_files(name):
    """A new scheduler with an option that is a plain text has to say what comes of it."""
    factory = load_reference(SCHEDULERS[name].reference)
    options = [(option.name, str(option.type)) for option in scheduler_options(name)]
    texts = {option for option, kind in options if "str" in kind and "Literal" not in kind}
    assert texts - factory.code_options - factory.file_options <= HARMLESS


def test_texts_among_settings_of_leases_name_code():
    texts = {name for name, kind in LeaseOptions.__annotations__.items() if kind is str}
    assert texts <= LeaseManager.code_options
