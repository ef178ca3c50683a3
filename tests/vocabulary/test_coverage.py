"""The table of what each wire says is complete, and true: everything is sent over every wire and looked at there."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from tests.vocabulary.spy import Spy

from environments import machine
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ComponentError, UsageError
from windtunnel.formats.registry import read_platform
from windtunnel.model import EventList, HostSet, Job, JobState, PlacementStrategy, Platform, Profile
from windtunnel.model.signals import constant
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.by_core import ByCore
from windtunnel.schedulers.datacenters import Datacenters
from windtunnel.testing import job, workload
from windtunnel.vocabulary.coverage import DECISIONS, NOTICES, Coverage, Told, Wire, coverage_of, unsaid
from windtunnel.vocabulary.coverage_page import page
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.decisions import decision_in, decision_out
from windtunnel.wires.batprotocol.memory import Memory
from windtunnel.wires.batprotocol.notices import notice_in, notice_out
from windtunnel.wires.json.hearing import Hearing
from windtunnel.wires.json.incoming import Reader
from windtunnel.wires.json.outgoing import Writer
from windtunnel.wires.json.speaking import Speaking

A = job("a", 1, 5.0)
B = job("b", 1, 5.0)
ON = HostSet([2])
"""In the second datacenter, where it is host 0; cores 4 and 5."""
PROBED = v.ProbeResources(ON)


def kinds_of(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        if kind.__module__.startswith("windtunnel."):
            yield kind
            yield from kinds_of(kind)


def site(tmp_path: Path) -> Platform:
    """Two datacenters of two machines with two cores each."""
    cpus = [{"clock-rate": 1e9, "cores": 2}]
    centers = []
    for number in (1, 2):
        units = [machine(2 * number + k, cpus=cpus) for k in (0, 1)]
        rooms = [{"type": "SERVER", "objects": [{"type": "RACK", "units": units}]}]
        centers.append({"id": number, "rooms": rooms})
    path = tmp_path / "site.json"
    path.write_text(json.dumps({"environment": {"datacenters": centers}}))
    return read_platform(path)


def notices(platform: Platform) -> list[v.Notice]:
    """One of each kind, at 1 s, about the running job a on host 2 or the new job b; no field as it is by default."""
    killed = {"w0!a": v.AtomicProgress("w0!a", 0.5)}
    refused = v.ExecuteJob(job_id="w0!a", hosts=ON)
    return [
        v.SimulationBegins(1.0, platform, (workload(A),), (EventList(name="e", events=()),), options={"seed": 1}, signals={"carbon": constant("c", "g/kWh", 1.0)}),
        v.SimulationEnds(1.0),
        v.SimulationErrorOccurred(1.0, "it broke"),
        v.JobSubmitted(1.0, B, 0.0, B.profile),
        v.JobCompleted(1.0, A, JobState.COMPLETED_FAILED, 3, ON, 0.5),
        v.JobsKilled(1.0, ("w0!a",), killed, {A.profile.id: A.profile}),
        v.JobSuspended(1.0, A, ON),
        v.JobResumed(1.0, A, ON),
        v.JobStarted(1.0, A, ON, {2: {"cores": 1.0}}),
        v.JobRejected(1.0, A),
        v.JobMigrated(1.0, A, ON),
        v.ImageTransferred(1.0, "image", ON),
        v.SchedulingPointReached(1.0, A, (0, 1), 3),
        v.HostsRequested(1.0, A, (0, 1), 3, 3),
        v.JobReconfigured(1.0, A, (0, 1), ON, awaited=True),
        v.JobProgressed(1.0, A, 3),
        v.JobGoesOn(1.0, A),
        v.HostGpusChanged(1.0, 0, (True, False)),
        v.HostsPStateChanged(1.0, ON, 0),
        v.HostsTurnedOnOff(1.0, ON, 0),
        v.HostsSwitching(1.0, ON, 0),
        v.ResourceStateChanged(1.0, ON, 0),
        v.HostsBecameAvailable(1.0, ON, "repair"),
        v.HostsBecameUnavailable(1.0, ON, "failure"),
        v.ExternalEventOccurred(1.0, "we0!0", "opaque"),
        v.RequestedCall(1.0, "0:call", last_periodic_call=True),
        v.ProbeDataEmitted(1.0, "probe", PROBED, v.Metric.Power, 3.0, True, 1, 2),
        v.AllStaticJobsHaveBeenSubmitted(1.0),
        v.AllStaticExternalEventsHaveBeenInjected(1.0),
        v.EnergyAnswered(1.0, 5.0),
        v.WaitingTimeQueried(1.0, B),
        v.MessageFromJob(1.0, "w0!a", {"hello": "there"}),
        v.DecisionRefused(1.0, refused, "busy", "host 0 is busy"),
    ]


DECIDED: list[v.Decision] = [
    v.RejectJob(job_id="w0!b", reason="why"),
    v.ExecuteJob(job_id="w0!b", hosts=HostSet([1])),
    v.KillJobs(job_ids=("w0!a",)),
    v.SuspendJob(job_id="w0!a"),
    v.ResumeJob(job_id="w0!s", hosts=HostSet([1])),
    v.MigrateJob(job_id="w0!s", hosts=HostSet([1]), duration=2.0),
    v.TransferImage(image_id="image", hosts=ON, duration=2.0),
    v.ResizeJob(job_id=A.id, hosts=HostSet([0])),
    v.SetJobArguments(job_id="w0!a", arguments={"beta": "2"}),
    v.ReportLeases(facts=(v.LeasesNow(1, 0.5, 0),)),
    v.RegisterProfile(profile=B.profile),
    v.RegisterJob(job=job("c", 1, 5.0)),
    v.FinishRegistration(),
    v.ContinueRegistration(),
    v.CallMeLater(call_me_later_id="call", when=v.OneShot(5.0)),
    v.StopCallMeLater(call_me_later_id="call"),
    v.CreateProbe(probe_id="probe", metrics=v.Metric.Power, resources=PROBED, when=v.OneShot(5.0)),
    v.StopProbe(probe_id="probe"),
    v.TriggerProbe(probe_id="probe"),
    v.ResetProbe(probe_id="probe", new_value=1.0),
    v.ChangeHostsPState(hosts=HostSet([1]), pstate=0),
    v.TurnOnOffHosts(hosts=HostSet([1]), state=1),
    v.SetResourceState(hosts=HostSet([1]), state=1),
    v.ForceSimulationStop(),
    v.QueryEnergy(),
    v.AnswerWaitingTime(job_id="w0!b", estimated_waiting_time=3.0),
    v.SetJobMetadata(job_id="w0!a", metadata="text"),
    v.ChangeJobState(job_id="w0!a", job_state=JobState.COMPLETED_KILLED, kill_reason="why"),
    v.MessageToJob(job_id="w0!a", message="hello"),
]

# -- the wires, from end to end --------------------------------------------------------------------------------------


class Ends:
    """Both ends of a wire, at which jobs a (running on host 2) and s (suspended) are known."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform

    def hear(self, notice: v.Notice) -> Sequence[v.Notice]:
        raise NotImplementedError

    def say(self, decision: v.Decision) -> Sequence[v.Decision]:
        raise NotImplementedError


class JsonEnds(Ends):
    def hear(self, notice: v.Notice) -> Sequence[v.Notice]:
        hearing, writer = Hearing(), Writer({})
        hearing.message(writer.message(0.0, [v.JobSubmitted(0.0, A, 0.0, A.profile)]).encode())
        message = writer.message(1.0, [notice])
        return [] if message is None else hearing.message(message.encode())[1]

    def say(self, decision: v.Decision) -> Sequence[v.Decision]:
        return Reader().reply(Speaking().reply(v.Reply(1.0, [decision]), 1.0), 1.0).decisions


class BinaryEnds(Ends):
    codec = binary

    def carried(self, stamped: s.EventAndTimestamp) -> s.EventAndTimestamp:
        (carried,) = self.codec.decode(self.codec.encode(s.Message(now=1.0, events=(stamped,)))).events
        return carried

    def hear(self, notice: v.Notice) -> Sequence[v.Notice]:
        memory = Memory()
        notice_in(self.carried(notice_out(v.JobSubmitted(0.0, A, 0.0, A.profile))), memory)
        memory.decided(v.ExecuteJob(job_id=A.id, hosts=ON), 0.5)
        stamped = notice_out(notice)
        return [] if stamped is None else [notice_in(self.carried(stamped), memory)]

    def say(self, decision: v.Decision) -> Sequence[v.Decision]:
        event = decision_out(decision)
        if event is None:
            return []
        return [decision_in(self.carried(s.EventAndTimestamp(timestamp=1.0, event=event)).event, None)]


class TextEnds(BinaryEnds):
    codec = text


class ComponentEnds(Ends):
    """Something that stands in front of spies. Every other job goes to the last of them."""

    def __init__(self, platform: Platform, component: v.Component, there: HostSet) -> None:
        """``there``: what host 2 is called before the last spy."""
        super().__init__(platform)
        self.component = component
        component.hello()
        component.decide(0.0, [v.SimulationBegins(0.0, platform)])
        self.speaker = Spy.made[-1]
        self.speaker.to_say = [v.ExecuteJob(job_id=A.id, hosts=there)]
        self.submit(0.5, job("z", 1, 5.0), A)

    def submit(self, at: float, *jobs: Job) -> Sequence[v.Decision]:
        return self.component.decide(at, [v.JobSubmitted(at, one, 0.0) for one in jobs]).decisions

    def hear(self, notice: v.Notice) -> Sequence[v.Notice]:
        for spy in Spy.made:
            spy.told = []
        begun = len(Spy.made)
        self.component.decide(1.0, [notice])
        new = isinstance(notice, v.SimulationBegins) and len(Spy.made) > begun
        return [told for spy in Spy.made[begun if new else 0 :] for told in spy.told]

    def say(self, decision: v.Decision) -> Sequence[v.Decision]:
        self.submit(1.0, job("y", 1, 5.0), B)
        if isinstance(decision, v.ExecuteJob) and isinstance(self.component, Datacenters):
            decision.amounts = {1: {"cores": 1.0}}
        self.speaker.to_say = [decision]
        return self.submit(1.5, job("c", 1, 5.0), job("d", 1, 5.0))


class ViewEnds(Ends):
    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self.view = v.View()
        hosts = tuple(
            replace(host, pstates=(*host.pstates, *host.pstates), sleep_pstates={1: (0, 0)})
            for host in platform.hosts
        )
        suspended = job("s", 1, 5.0)
        self.view.apply(0.0, [v.SimulationBegins(0.0, replace(platform, hosts=hosts))])
        self.view.apply(0.5, [v.JobSubmitted(0.5, one, 0.0) for one in (A, B, suspended)])
        self.view.decided([v.ExecuteJob(job_id=one.id, hosts=ON) for one in (A, suspended)])
        self.view.apply(0.6, [v.JobSuspended(0.6, suspended, ON)])

    def hear(self, notice: v.Notice) -> Sequence[v.Notice]:
        heard = []

        class Hears(Scheduler):
            def schedule(self, view: v.View) -> None:
                heard.extend(view.notices)

        hears = Hears()
        hears.decide(0.0, [v.SimulationBegins(0.0, self.platform)])
        heard.clear()
        hears.decide(1.0, [notice])
        return heard

    def say(self, decision: v.Decision) -> Sequence[v.Decision]:
        if isinstance(decision, v.ResizeJob):  # on hosts that are awake
            self.view.mirror.free.add(decision.hosts)
        before = self.shown()
        self.view.decided([decision])
        return [decision] if self.shown() != before else []

    def shown(self) -> object:
        view = self.view
        jobs = [*view.waiting], [*view.running], [*view.suspended]
        return jobs, view.free.frozen(), view.asleep, view.switching, view.unavailable, dict(view.kept)


@pytest.fixture
def ends(tmp_path, request):
    platform = site(tmp_path)
    Spy.made.clear()
    if request.param in (JsonEnds, BinaryEnds, TextEnds, ViewEnds):
        return request.param(platform)
    if request.param is Datacenters:
        spied = Datacenters(default="tests.vocabulary.spy:Spy", dispatch="round-robin")
        return ComponentEnds(platform, spied, HostSet([0]))
    return ComponentEnds(platform, ByCore(Spy()), HostSet([4, 5]))


WIRES = {
    JsonEnds: Wire.JSON,
    BinaryEnds: Wire.BATPROTOCOL,
    TextEnds: Wire.BATPROTOCOL,
    ViewEnds: Wire.VIEW,
    Datacenters: Wire.DATACENTERS,
    ByCore: Wire.CORES,
}


def plain(value: object) -> object:
    """A job or profile without the text that it was read from."""
    if isinstance(value, Job):
        return replace(value, source=None, profile=plain(value.profile))
    return replace(value, source=None) if isinstance(value, Profile) else value


def check(coverage: Coverage, sent: msgspec.Struct, send) -> None:
    """What arrives is what the table says: also that a field which is lost is not there as it was sent."""
    if coverage.told is Told.REFUSED:
        with pytest.raises((UsageError, ComponentError), match=f"{type(sent).__name__}.*{coverage.note}"):
            send(sent)
        return
    arrived = [one for one in send(sent) if isinstance(one, coverage.becomes or type(sent))]
    if coverage.told is Told.SILENT:
        assert arrived == []
        assert coverage.note
        return
    assert arrived, "nothing arrived"
    one = arrived[-1] if isinstance(sent, v.Decision) else arrived[0]
    if coverage.becomes is not None:
        assert msgspec.structs.astuple(one) == msgspec.structs.astuple(sent)
        return
    for name in sent.__struct_fields__:
        same = plain(getattr(one, name)) == plain(getattr(sent, name))
        assert same != (name in coverage.loses), name


# -- the tests --------------------------------------------------------------------------------------------------------


def test_the_table_is_complete(tmp_path):
    """A new notice or decision has to be put into it, and into the samples here."""
    assert set(NOTICES) == set(kinds_of(v.Notice)) == {type(notice) for notice in notices(site(tmp_path))}
    assert set(DECISIONS) == set(kinds_of(v.Decision)) == {type(decision) for decision in DECIDED}
    for row in (*NOTICES.values(), *DECISIONS.values()):
        assert set(row) == set(Wire)
        for coverage in row.values():
            assert coverage.note or coverage.told is Told.SAID


@pytest.mark.parametrize("rank", range(len(NOTICES)))
@pytest.mark.parametrize("ends", WIRES, indirect=True)
def test_each_notice_arrives_as_the_table_says(ends, rank, request):
    notice = notices(ends.platform)[rank]
    check(NOTICES[type(notice)][WIRES[request.node.callspec.params["ends"]]], notice, ends.hear)


@pytest.mark.parametrize("decision", DECIDED, ids=lambda decision: type(decision).__name__)
@pytest.mark.parametrize("ends", WIRES, indirect=True)
def test_each_decision_arrives_as_the_table_says(ends, decision, request):
    check(DECISIONS[type(decision)][WIRES[request.node.callspec.params["ends"]]], decision, ends.say)


def test_what_the_table_does_not_know_is_refused():
    class Unheard(v.Notice):
        pass

    assert coverage_of(Unheard, Wire.JSON) is None
    with pytest.raises(UsageError, match="Batsim's JSON protocol has no Unheard"):
        unsaid(Unheard(1.0), Wire.JSON)


def test_the_page_is_the_table():
    """Made by ``python -m windtunnel.vocabulary.coverage_page > docs/reference/vocabulary.md``."""
    assert Path("docs/reference/vocabulary.md").read_text() == page()


PARTLY = [
    (JsonEnds, v.ExecuteJob(job_id="w0!b", hosts=ON, amounts={2: {"cores": 1.0}}), "parts of hosts"),
    (JsonEnds, v.ExecuteJob(job_id="w0!b", hosts=ON, profile_placements={"p": v.ProfilePlacement(ON)}), "placements"),
    (
        JsonEnds,
        v.ExecuteJob(job_id="w0!b", hosts=ON, placement=PlacementStrategy.FillOneHostCoresFirst),
        "FillOneHostCoresFirst",
    ),
    (JsonEnds, v.CallMeLater(call_me_later_id="call", when=v.Periodic(5.0)), "periodic calls"),
    (BinaryEnds, v.ExecuteJob(job_id="w0!b", hosts=ON, amounts={2: {"cores": 1.0}}), "amounts"),
    (
        BinaryEnds,
        v.ExecuteJob(job_id="w0!b", hosts=ON, additional_io=v.AdditionalIo(hosts=ON, profile_id="w0!io")),
        "additional_io",
    ),
    (
        BinaryEnds,
        v.CreateProbe(probe_id="p", metrics=v.Metric.Power, resources=PROBED, when=None),
        "date|trigger|begin",
    ),
    (ByCore, v.ExecuteJob(job_id="w0!b", hosts=ON, placement=(0,)), "placement"),
]
"""What is said but for some forms of it, which are refused: the end of a wire, what is sent, what is answered."""


@pytest.mark.parametrize(("ends", "decision", "answer"), PARTLY, indirect=["ends"])
def test_forms_that_have_no_words_are_refused_by_name(ends, decision, answer):
    with pytest.raises((UsageError, ComponentError), match=answer):
        ends.say(decision)
