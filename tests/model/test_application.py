"""Jobs that may change size: what their profiles say of them."""

import pytest

from elastic_jobs import job, pause, work
from windtunnel.model import DelayProfile, Job, Request
from windtunnel.model.application import (
    Application,
    DelayTask,
    Elasticity,
    ElasticProfile,
    Load,
    Pattern,
    Phase,
    SequenceTask,
    sizes_of,
)

WHO = {
    Elasticity.RIGID: (False, False, False),
    Elasticity.MOLDABLE: (False, False, False),
    Elasticity.MALLEABLE: (True, True, False),
    Elasticity.EVOLVING: (True, False, True),
    Elasticity.ADAPTIVE: (True, True, True),
}
"""Whether the hosts of a job may change, whether it stops at points, and whether it asks by itself."""


@pytest.mark.parametrize("kind", Elasticity)
def test_who_may_change_the_size_of_a_job(kind):
    profile = job("a", Phase(tasks=(pause(1.0),)), kind=kind).profile
    assert (profile.resizable, profile.has_points, profile.asks) == WHO[kind]


def test_sizes():
    assert sizes_of(job("a", Phase(), least=2, most=5)) == (2, 5)
    rigid = Job(id="w0!a", request=Request(3), profile=DelayProfile(id="w0!d", delay=1.0))
    assert sizes_of(rigid) == (3, 3)


BUSY = DelayTask(load=Load(1.0, Pattern.UNIFORM), busy=True)
NOTHING_BUT_TIME = [
    ((pause(1.0), pause("num_nodes")), {}, True),
    ((), {"on_init": Phase(tasks=(pause(1.0),))}, True),
    ((pause(1.0), work(1.0)), {}, False),
    ((BUSY,), {}, False),
    ((SequenceTask(tasks=(work(1.0),)),), {}, False),
    ((pause(1.0),), {"on_expansion": Phase(tasks=(work(1.0),))}, False),
    ((pause(1.0),), {"on_reconfiguration": Phase(tasks=(pause(1.0),))}, True),
]


@pytest.mark.parametrize(("tasks", "once", "lasts"), NOTHING_BUT_TIME)
def test_what_merely_lasts(tasks, once, lasts):
    application = Application(phases=(Phase(tasks=tasks),), **once)
    assert ElasticProfile(id="w0!p", application=application).merely_lasts is lasts


def test_applications_are_values():
    one, other = (job("a", Phase(tasks=(work(2.0),))).profile for _ in range(2))
    assert one == other
    assert hash(one.application) == hash(other.application)
    with pytest.raises(AttributeError):
        one.application.phases = ()
