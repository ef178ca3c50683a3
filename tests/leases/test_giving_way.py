"""Who gives way while its memory is being saved or restored: nobody, whatever a preemption policy says."""

import pytest

from windtunnel.leases.haizea.workload import site_from_text
from windtunnel.leases.planner.planner import Planner
from windtunnel.leases.planner.policies import PreemptionPolicy
from windtunnel.leases.planner.rules import Rules
from windtunnel.leases.registry import parts_of
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseKind, LeaseState, NodeSet
from windtunnel.model.lease_options import LeaseOptions

SITE = site_from_text("1 CPU:100,Memory:1024")
OPTIONS = LeaseOptions(mapper="deadline", policy_preemption="deadline", suspension="all")


class Anybody(PreemptionPolicy):
    """Every deadline lease gives way, whatever it is doing."""

    def score(self, preemptor, preemptee, time):
        return 1.0 if preemptee.kind is LeaseKind.DEADLINE else None


def lease(number, start, duration, deadline, submit=0.0):
    nodes = (NodeSet(1, {CPU: (100,), MEMORY: (1024,)}),)
    return Lease(id=number, nodes=nodes, duration=duration, start=start, deadline=deadline, submit=submit)


LONG, SHORT = lease(1, 0.0, 3600.0, 9000.0), lease(2, 600.0, 600.0, 1300.0)
"""The first is saved from 568 to 600 s, and restored from 1200 to 1232 s."""


@pytest.mark.parametrize(
    ("submit", "state"), [(500, LeaseState.ACTIVE), (580, LeaseState.SUSPENDING), (1210, LeaseState.RESUMING)]
)
def test_it_ends_well(submit, state):
    planner = Planner(SITE, Rules(OPTIONS), parts_of(OPTIONS)._replace(preemption=Anybody))
    records = [planner.record(LONG), planner.record(SHORT)]
    planner.advance(0, records)
    third = planner.record(lease(3, float(submit), 100.0, submit + 150.0, submit=submit))
    asked = False
    while planner.busy and (following := planner.next_event()) is not None:
        if not asked and following >= submit * 100:
            assert records[0].state is state
            following, asked = submit * 100, True
            planner.advance(following, [third])
        else:
            planner.advance(following)
    assert [record.state for record in records] == [LeaseState.DONE] * 2
    assert records[0].accumulated == 3600_00
    assert third.state in {LeaseState.DONE, LeaseState.REJECTED}
