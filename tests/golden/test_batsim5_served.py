"""Our schedulers, served over batprotocol, told what the real Batsim 5 told its components: they answer the same."""

import pytest
from tests.shared import shared
from tests.wires.batprotocol.recorded_batsim5 import decoded, raw_dialogue

from windtunnel.model import HostSet
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.server import SchedulerSession

pytestmark = pytest.mark.golden

CASES = {"simple-fcfs-0": "batsim5/fcfs", "simple-fcfs-1": "batsim5/fcfs", "simple-easy-0": "batsim5/easy"}


def plain(message):
    """Date and decisions, without how their authors write a set of hosts."""
    found = []
    for stamped in message.events:
        event = stamped.event
        if isinstance(event, s.ExecuteJobEvent):
            hosts = HostSet.parse(event.allocation.host_allocation)
            placement = event.allocation.executor_placement
            found.append((stamped.timestamp, event.job_id, hosts, placement))
        else:
            found.append((stamped.timestamp, event))
    return message.now, found


@pytest.mark.parametrize("name", CASES)
def test_ours_answer_as_theirs(name):
    frames = raw_dialogue(shared(f"golden/batsim5/{name}"))
    session = SchedulerSession(make_scheduler(CASES[name]), json=frames[0][1][:1] == b"{")
    _, hello = session.greet()
    assert isinstance(decoded(hello).events[0].event, s.EDCHelloEvent)
    heard = [raw for who, raw in frames if who == "B"]
    answered = [raw for who, raw in frames if who == "S"]
    executed = 0
    for asked, recorded in zip(heard, answered, strict=True):
        assert not session.over
        ours, theirs = plain(decoded(session.answer(asked))), plain(decoded(recorded))
        assert ours == theirs, decoded(asked)
        executed += len(theirs[1])
    assert session.over
    assert executed >= 10
