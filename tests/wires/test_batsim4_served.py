"""What Batsim 4 said in the recorded dialogues, said to our schedulers: they answer as its schedulers did."""

import json

import pytest
from tests.schedulers.test_dialogues import ECHO, FAMILIES, scheduler_of
from tests.wires.recorded_batsim4 import dialogue

from shared import cases, missing
from some_cases import PARTS, part_of
from windtunnel.model import HostSet
from windtunnel.schedulers import make_scheduler
from windtunnel.wires.json.incoming import Reader
from windtunnel.wires.json.server import Server

pytestmark = pytest.mark.golden


def comparable(reply, digits):
    """A reply as (now, events), with sets of hosts instead of their texts, dates to so many digits."""
    message = json.loads(reply)
    events = []
    for event in message["events"]:
        data = dict(event["data"])
        for key in ("alloc", "resources"):
            if key in data:
                data[key] = HostSet.parse(data[key])
        if event["type"] == "REGISTER_JOB":  # whose id "should" have its workload's name, as the document says
            data["job"] = data["job"] | {"id": data["job_id"]}
            if (profile := data.pop("profile", None)) is not None:  # which the real Batsim takes by itself only
                told = {"workload_name": "dynamic", "profile_name": data["job"]["profile"], "profile": profile}
                events.append((f"{event['timestamp']:.{digits}g}", "REGISTER_PROFILE", told))
        events.append((f"{event['timestamp']:.{digits}g}", event["type"], data))
    return f"{message['now']:.{digits}g}", events


UNCONTENDED = ("--paper", "--paper--energy", "--dlight")
"""Thousands of messages in which little is decided; tests/schedulers/test_dialogues.py has them without the wire."""


@PARTS
@pytest.mark.parametrize("name", FAMILIES or ["none"])
def test_replies_on_the_wire(name, part):
    if name == "none":
        missing("shared/golden/batsim4")
    for case in part_of(FAMILIES[name], part):
        if case.name.endswith(UNCONTENDED):
            continue
        server = Server(scheduler_of(case))
        digits = 11 if case.name.endswith(ECHO) else 15
        for said, answered in dialogue(case):
            ours = server.answer(said.encode())
            if answered is not None:
                assert comparable(ours, digits) == comparable(answered, digits), (case.name, said[:2000])


OTHERS = ("easy", "fcfs", "conservative", "filler")


@pytest.mark.parametrize("name", OTHERS)
def test_other_schedulers_make_legal_replies(name):
    """Schedulers without a model upstream: what they say is of the protocol, until they decide otherwise."""
    found = cases("golden/batsim4", "filler--*--hpc1*") + cases("golden/batsim4", "filler--small--*")
    if not found:
        missing("shared/golden/batsim4")
    messages = 0
    for case in found:
        server, reader = Server(make_scheduler(name)), Reader()
        for said, answered in dialogue(case):
            now = json.loads(said)["now"]
            ours = server.answer(said.encode())
            reader.reply(ours, now)  # raises when it is not of the protocol
            messages += 1
            if answered is None or comparable(ours, 15)[1] != comparable(answered, 15)[1]:
                break  # from here on Batsim would have said something else
    assert messages > len(found)
