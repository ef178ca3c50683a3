"""Decisions of schedulers in process whose fields hold nonsense: refused with the name of the field, never a crash."""

from fractions import Fraction
from math import inf, nan

import msgspec
import pytest
from tests.engine.runs import simulate
from tests.engine.star import star

import windtunnel as wt
from windtunnel import vocabulary as d
from windtunnel.diagnostics import ComponentError, DecisionError
from windtunnel.model import (
    DelayProfile,
    HostSet,
    Job,
    JobState,
    ParallelTaskHomogeneousProfile,
    ParallelTaskProfile,
    ReceiveProfile,
    Request,
    SendProfile,
)
from windtunnel.testing import job, workload
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary import probes as p
from windtunnel.vocabulary.component import Features
from windtunnel.vocabulary.reply import Reply

HOSTS = HostSet([0])
DELAY = DelayProfile(id="w0!new", delay=1.0)
NEW = Job(id="w0!new", request=Request(1), profile=DELAY)
PROBE = d.CreateProbe(
    probe_id="x", metrics=p.Metric.ComputationLoad, resources=p.ProbeResources(HOSTS), when=p.OneShot(1.0)
)

GOOD = [
    d.RejectJob(job_id="w0!1"),
    d.ExecuteJob(job_id="w0!1", hosts=HOSTS),
    d.KillJobs(job_ids=("w0!run",)),
    d.SuspendJob(job_id="w0!run"),
    d.ResumeJob(job_id="w0!run", hosts=HOSTS),
    d.MigrateJob(job_id="w0!run", hosts=HOSTS, duration=1.0),
    d.ResizeJob(job_id="w0!run", hosts=HOSTS),
    d.SetJobArguments(job_id="w0!run", arguments={"n": "1"}),
    d.TransferImage(image_id="x", hosts=HOSTS, duration=1.0),
    d.RegisterProfile(profile=DELAY),
    d.RegisterJob(job=NEW),
    d.FinishRegistration(),
    d.ContinueRegistration(),
    d.CallMeLater(call_me_later_id="x", when=p.OneShot(5.0)),
    d.StopCallMeLater(call_me_later_id="x"),
    PROBE,
    d.StopProbe(probe_id="x"),
    d.TriggerProbe(probe_id="x"),
    d.ResetProbe(probe_id="x", new_value=0.0),
    d.ChangeHostsPState(hosts=HOSTS, pstate=0),
    d.TurnOnOffHosts(hosts=HOSTS, state=0),
    d.SetResourceState(hosts=HOSTS, state=0),
    d.QueryEnergy(),
    d.AnswerWaitingTime(job_id="w0!1", estimated_waiting_time=1.0),
    d.SetJobMetadata(job_id="w0!1", metadata="x"),
    d.ChangeJobState(job_id="w0!1", job_state=JobState.RUNNING),
    d.MessageToJob(job_id="w0!run", message="x"),
    d.ReportLeases(facts=()),
]
"""One of each kind, with every field right."""

NONSENSE = (None, 5, "nonsense", b"x", 1.5, [1, 2], {"a": 1}, object(), True, {0: {"cores": "x"}}, ("x", None))


TEXTS = {
    "job_id", "call_me_later_id", "probe_id", "image_id", "message", "metadata", "kill_reason", "profile_id", "reason"
}  # fmt: skip
NUMBERS = {"timestamp", "duration", "new_value", "estimated_waiting_time"}
OPTIONAL = {
    "timestamp", "amounts", "placement", "additional_io", "accumulation", "filtering", "temporal_aggregation"
}  # fmt: skip


def _allowed(kind, name, value):
    if value is None:
        return name in OPTIONAL or (kind is d.CreateProbe and name == "when")
    if name == "storages" and value == {"a": 1}:
        return True
    if kind is d.ResizeJob and value == [1, 2]:  # a list of ranks is as good as a tuple
        return name == "placement"
    if name == "facts" and isinstance(value, tuple | list):  # what facts are is the lease manager's affair
        return True
    if name in TEXTS:
        return isinstance(value, str)
    if name in NUMBERS:
        return isinstance(value, int | float)
    if name in ("pstate", "state", "gpus"):
        return isinstance(value, int)
    return name == "force_data_emission" and value is True


FIELDS = [(good, name) for good in GOOD for name in good.__struct_fields__]
"""Each field of each kind."""


SITE = star(4)
TASK = ParallelTaskHomogeneousProfile(id="w0!task", computation_amount=1e9)
JOBS = workload(job(1, run=TASK), job("run", run=DelayProfile(id="w0!long", delay=50.0)))


def play(decision, *, strict, before=()):
    """Start one job, decide the thing while another waits, then start that one too."""
    refused = []

    def script(now, notices):
        told = {type(notice) for notice in notices}
        refused.extend(notice for notice in notices if isinstance(notice, n.DecisionRefused))
        if n.JobSubmitted in told:
            return [d.Execute("w0!run", [3]), *before, decision]
        return [d.Execute("w0!1", [0]), d.FinishRegistration()] if n.DecisionRefused in told else None

    features = Features(dynamic_registration=True)
    component, checker, _ = simulate(script, JOBS, site=SITE, features=features, strict=strict)
    return refused, checker, component


def test_every_kind_of_decision_is_tried():
    known = {kind for kind in vars(d).values() if isinstance(kind, type) and issubclass(kind, d.Decision)}
    assert known - {type(good) for good in GOOD} == {d.Decision, d.ForceSimulationStop}


@pytest.mark.parametrize(("good", "field"), FIELDS, ids=[f"{type(good).__name__}-{name}" for good, name in FIELDS])
def test_a_wrong_value_is_named(good, field):
    """Each value that its annotation does not allow."""
    wrong = [value for value in NONSENSE if not _allowed(type(good), field, value)]
    assert wrong
    for value in wrong:
        decision = msgspec.structs.replace(good, **{field: value})
        said = rf"{type(decision).__name__} refused: its field {field}\b.* must be .*, not "
        with pytest.raises(DecisionError, match=said) as caught:
            play(decision, strict=True)
        assert caught.value.rule == "field"
        assert caught.value.now == 0.0
        refused, checker, _ = play(decision, strict=False)
        assert [(r.decision is decision, r.rule) for r in refused] == [(True, "field")]
        assert [row[0] for row in checker.rows] == ["w0!1", "w0!run"]
        assert checker.outcome == "complete"


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (d.ExecuteJob(job_id=3, hosts=[1, 2]), "its field job_id must be a str, not int 3"),
        (d.KillJobs(job_ids="w0!1"), "its field job_ids must be a tuple, not str 'w0!1'"),
        (d.KillJobs(job_ids=("w0!run", 5)), r"its field job_ids\[1\] must be a str, not int 5"),
        (d.CallMeLater(call_me_later_id="x", when=p.OneShot("5")), "when.time must be a number, not str '5'"),
        (d.CallMeLater(call_me_later_id="x", when=p.OneShot(5, 7)), "when.time_unit must be a TimeUnit, not int 7"),
        (d.CallMeLater(call_me_later_id="x", when=p.Periodic(1.5)), "when.period must be a whole number, not float"),
        (d.CallMeLater(call_me_later_id="x", when=p.Periodic(10**400)), "a period must be at least 1, not 1000"),
        (d.CallMeLater(call_me_later_id="x", when=p.Periodic(1, 10**400)), "is not a valid offset of a period"),
        (d.CallMeLater(call_me_later_id="x", when=p.OneShot(10**400)), "must be a number that a float can hold"),
        (d.CallMeLater(call_me_later_id="x", when=p.OneShot(nan)), "nan is not a valid time"),
        (d.CallMeLater(call_me_later_id="x", when=p.OneShot(1e308)), r"1e\+308 is later than any date that can be"),
        (
            d.ExecuteJob(job_id="w0!1", hosts=HOSTS, amounts={"0": {"cores": 1}}),
            "amounts, its key must be a whole number, not str '0'",
        ),
        (
            d.ExecuteJob(job_id="w0!1", hosts=HOSTS, amounts={0: {"cores": "1"}}),
            r"amounts\[0\]\['cores'\] must be a number, not str '1'",
        ),
        (d.ExecuteJob(job_id="w0!1", hosts=HOSTS, placement=[0]), r"placement must be .* tuple .*, not list \[0\]"),
        (
            d.ExecuteJob(job_id="w0!1", hosts=HOSTS, placement=("a",)),
            r"placement\[0\] must be a whole number, not str",
        ),
        (
            d.ExecuteJob(job_id="w0!1", hosts=HOSTS, additional_io=d.AdditionalIo([0], "w0!task")),
            "additional_io.hosts must be a HostSet",
        ),
        (
            d.ExecuteJob(job_id="w0!1", hosts=HOSTS, profile_placements={"x": d.ProfilePlacement(HOSTS, "y")}),
            r"profile_placements\['x'\].placement must be",
        ),
        (d.ExecuteJob(job_id="w0!1", hosts=HOSTS, storages={"a": "b"}), r"storages\['a'\] must be a whole number"),
        (msgspec.structs.replace(PROBE, resources=p.ProbeResources([0])), "resources.hosts must be a HostSet"),
        (msgspec.structs.replace(PROBE, resources=HOSTS), "resources must be a ProbeResources, not HostSet"),
        (msgspec.structs.replace(PROBE, metrics=2), "metrics must be a Metric, not int 2"),
        (msgspec.structs.replace(PROBE, when=p.OneShot(nan)), "nan is not a valid time"),
        (d.RegisterJob(job=msgspec.structs.replace(NEW, request=5)), "job.request must be a Request, not int 5"),
        (d.RegisterJob(job=msgspec.structs.replace(NEW, profile="delay")), "job.profile must be .*, not str 'delay'"),
        (d.RegisterJob(job=msgspec.structs.replace(NEW, profile=None)), "has no profile, and none is named"),
        (d.RegisterJob(job=msgspec.structs.replace(NEW, request=Request(-1))), "it requests -1 resources"),
        (d.RegisterJob(job=msgspec.structs.replace(NEW, submission_time=inf)), "its submission time is inf"),
        (d.RegisterProfile(profile=DelayProfile(id="w0!y", delay="1")), "profile.delay must be a number, not str"),
        (
            d.RegisterProfile(profile=ParallelTaskProfile(id="w0!y", computation_vector=(1.0, "2"))),
            r"profile.computation_vector\[1\] must be a number, not str '2'",
        ),
        (d.RegisterProfile(profile=SendProfile(id="w0!y", message={}, sleeptime=0.0)), "sleeptime is 0.0, not posit"),
        (d.RegisterProfile(profile=ReceiveProfile(id="w0!y", polltime=0.0)), "its polltime is 0.0, not positive"),
        (d.RegisterProfile(profile=ReceiveProfile(id="w0!y", regex="(")), "is not a valid regular expression"),
        (
            d.ResizeJob(job_id="w0!run", hosts=HOSTS, placement=(0, "1")),
            r"placement\[1\] must be a whole number, not str '1'",
        ),
        (d.ResizeJob(job_id="w0!run", hosts=HOSTS), "job 'w0!run' cannot change its hosts while it runs"),
        (d.TransferImage(image_id="x", hosts=HOSTS, duration=nan), "a transfer cannot last nan s"),
        (d.TransferImage(image_id="x", hosts=HOSTS, duration=inf), "a transfer cannot last inf s"),
        (d.TransferImage(image_id="x", hosts=HostSet([3, 4]), duration=1.0), "there are no compute hosts 4"),
        (d.ExecuteJob(job_id="w0!1", hosts=HostSet([10**12])), "there is no compute host 1000000000000"),
    ],
)
def test_what_is_wrong_inside_is_named(decision, said):
    with pytest.raises(DecisionError, match=said):
        play(decision, strict=True)
    refused, checker, _ = play(decision, strict=False)
    assert len(refused) == 1
    assert checker.outcome == "complete"


def test_a_suspended_job_may_not_go_nowhere():
    suspend = [d.SuspendJob(job_id="w0!run")]
    for hosts, duration, said in ((HOSTS, nan, "last nan s"), (HostSet([7]), 1.0, "no compute hosts 7")):
        with pytest.raises(DecisionError, match=said):
            play(d.MigrateJob(job_id="w0!run", hosts=hosts, duration=duration), strict=True, before=suspend)


def test_a_probe_is_not_set_to_nonsense():
    measured = msgspec.structs.replace(PROBE, when=None, accumulation=p.Accumulation())
    with pytest.raises(DecisionError, match="cannot be set to nan"):
        play(d.ResetProbe(probe_id="x", new_value=nan), strict=True, before=[measured])


@pytest.mark.parametrize(
    "decision",
    [
        d.KillJobs(job_ids=["w0!run"]),
        d.CallMeLater(call_me_later_id="x", when=p.OneShot(Fraction(1, 2))),
        d.CallMeLater(call_me_later_id="x", when=p.OneShot(3)),
        d.SetJobMetadata(job_id="w0!run", metadata=""),
    ],
)
def test_what_is_as_good_passes(decision):
    def script(now, notices):
        told = [notice for notice in notices if isinstance(notice, n.JobSubmitted)]
        return [*(d.Execute(notice.job, [notice.job.id == "w0!1"]) for notice in told), *([decision] if told else ())]

    _, checker, _ = simulate(script, JOBS, site=SITE)
    assert checker.outcome == "complete"


@pytest.mark.parametrize("reply", [Reply("later", []), Reply(0.0, None), Reply(0.0, 5), Reply(None, [])])
def test_a_reply_of_nonsense(reply):
    with pytest.raises(ComponentError, match=r"'scripted' answered (with now|decisions) = "):
        simulate(lambda now, notices: reply, JOBS)


@pytest.mark.parametrize("hosts", [[0.5], [1.0, 2], [nan]])
def test_hosts_are_whole_numbers(hosts):
    with pytest.raises(TypeError, match="integer"):
        HostSet(hosts)


class Careless(wt.Scheduler):
    """By the view; its first decision is wrong."""

    def __init__(self, wrong):
        super().__init__()
        self.wrong = [wrong]

    def schedule(self, view):
        free = view.free
        for one in view.queue:
            if self.wrong:
                yield msgspec.structs.replace(self.wrong.pop(), job_id=one.id)
                return
            if hosts := free.pick(one.request.hosts):
                free -= hosts
                yield wt.Execute(one, hosts)


WRONG = [
    d.ExecuteJob(job_id="", hosts=[0]),
    d.ExecuteJob(job_id="", hosts="0"),
    d.ExecuteJob(job_id="", hosts=None, amounts={0: {"cores": 1.0}}),
    d.ExecuteJob(job_id="", hosts=HOSTS, amounts=[1.0]),
    d.ExecuteJob(job_id="", hosts=[0], amounts={0: {"cores": 1.0}}),
    d.ExecuteJob(job_id="", hosts=HOSTS, amounts={0: 5}),
    d.ExecuteJob(job_id="", hosts=HostSet([10**12])),
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("share", [False, True])
def test_the_view_survives(wrong, share, tmp_path):
    def run(*, strict):
        return wt.simulate(
            "hosts:4", workload(job(1), job(2)), Careless(wrong), options=wt.Options(strict=strict), share_hosts=share,
            out=tmp_path,
        )  # fmt: skip

    with pytest.raises(DecisionError, match="ExecuteJob refused: "):
        run(strict=True)
    assert not wt.load_run(tmp_path).complete
    done = run(strict=False)
    assert done.complete
    assert sorted(done.jobs["job_id"]) == ["1", "2"]


@pytest.mark.parametrize("field", ["placement", "amounts", "profile_placements", "storages", "additional_io"])
@pytest.mark.parametrize("value", [5, "nonsense", object()], ids=["5", "text", "object"])
def test_a_job_that_merely_lasts_has_its_fields_looked_at_too(field, value):
    decision = d.ExecuteJob(job_id="w0!1", hosts=HOSTS, **{field: value})
    with pytest.raises(DecisionError, match=rf"its field {field}\b.* must be"):
        simulate(lambda _, told: [decision] if isinstance(told[0], n.JobSubmitted) else None, workload(job(1)))


def test_the_engine_reads_the_fields_of_a_start_in_this_order():
    named = dict.fromkeys(["placement", "amounts", "profile_placements", "storages", "additional_io", "timestamp"])
    decision = d.ExecuteJob(job_id="w0!1", hosts=HostSet([0]), **named)
    assert msgspec.structs.astuple(decision) == ("w0!1", HostSet([0]), *named.values())
    assert d.ExecuteJob.__struct_fields__ == ("job_id", "hosts", *named)
