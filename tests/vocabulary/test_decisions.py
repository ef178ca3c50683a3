"""Decisions that name nothing share one mapping, which nobody can change."""

import copy
import pickle

import pytest

from windtunnel.model import HostSet
from windtunnel.vocabulary import ExecuteJob


def test_the_mapping_that_names_nothing_is_as_any_empty_one():
    decision = ExecuteJob("w0!1", HostSet([1]))
    assert decision == ExecuteJob("w0!1", HostSet([1]), storages={}, profile_placements={})
    assert pickle.loads(pickle.dumps(decision)) == copy.deepcopy(decision) == decision
    assert decision.storages == {}


@pytest.mark.parametrize(
    "change",
    [
        lambda nothing: nothing.__setitem__("disk", 3),
        lambda nothing: nothing.update(disk=3),
        lambda nothing: nothing.setdefault("disk", 3),
        lambda nothing: nothing.__ior__({"disk": 3}),
    ],
)
def test_the_mapping_that_names_nothing_cannot_be_changed(change):
    with pytest.raises(TypeError, match="replaced"):
        change(ExecuteJob("w0!1", HostSet([1])).storages)
    assert not ExecuteJob("w0!2", HostSet([1])).storages
