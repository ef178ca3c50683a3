"""What schedulers declare to honour."""

import pytest

from windtunnel.schedulers import Scheduler, list_schedulers, make_scheduler
from windtunnel.schedulers.by_core import ByCore
from windtunnel.schedulers.packing.forms import honours_of
from windtunnel.vocabulary import HONOURED_BY_ALL, Ability, honoured_by

HONOURED = {info.name: info.honours for info in list_schedulers()}


def test_every_shipped_scheduler_declares_what_it_honours():
    for name, honours in HONOURED.items():
        assert honours >= HONOURED_BY_ALL, name
        assert all(isinstance(one, Ability) for one in honours), name


@pytest.mark.parametrize(
    ("name", "ability"),
    [
        ("easy", Ability.UNAVAILABLE_HOSTS),
        ("stage-scheduler", Ability.MEMORY),
        ("datacenters", Ability.DESCRIBED_SCHEDULERS),
        ("leases", Ability.EXACT_STARTS),
    ],
)
def test_what_is_honoured_is_declared(name, ability):
    assert ability in HONOURED[name]


def test_a_class_and_its_objects_declare_the_same():
    for name in ("easy", "stage-scheduler", "batsched/easy_bf"):
        assert honours_of(make_scheduler(name)) == HONOURED[name]


def test_packing_by_cores_honours_cores_but_no_other_amounts():
    packed = honoured_by(ByCore(make_scheduler("stage-scheduler")))
    assert Ability.SHARES in packed
    assert Ability.MEMORY not in packed
    assert honoured_by(ByCore(make_scheduler("easy"))) == honoured_by(make_scheduler("easy")) | {Ability.SHARES}


def test_nothing_but_what_the_engine_sees_to_is_known_of_a_component_that_declares_nothing():
    class Plain:
        """Neither a scheduler of ours nor derived from one."""

    assert honoured_by(Plain()) == HONOURED_BY_ALL
    assert Scheduler().honours == HONOURED_BY_ALL
