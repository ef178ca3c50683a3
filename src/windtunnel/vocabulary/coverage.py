"""What each wire does with each notice and decision: the vocabulary is total, so nothing is dropped without a word.

A wire here is whatever stands between the engine and a scheduler and puts the vocabulary into other terms: the view
of a site, the protocols, and the two components that show a scheduler another site than there is. Each entry says
that a notice or decision is *said* (how, and what of it is lost), *refused by name*, or *silent on purpose*, and why.

Wires look up here what they have no form for (:func:`unsaid`). A test builds every notice and decision, sends it over
every wire and compares with this table; docs/reference/vocabulary.md is made from it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n

__all__ = ["DECISIONS", "NOTICES", "Coverage", "Told", "Wire", "coverage_of", "unsaid"]


class Wire(Enum):
    """What the vocabulary is put into; the value is how it is called in texts."""

    VIEW = "the view"
    JSON = "Batsim's JSON protocol"
    BATPROTOCOL = "batprotocol"
    DATACENTERS = "a scheduler per datacenter"
    CORES = "packing by cores"


class Told(Enum):
    """What a wire does with a notice or decision."""

    SAID = "said"
    REFUSED = "refused by name"
    SILENT = "silent on purpose"


class Coverage(msgspec.Struct, frozen=True):
    """What one wire does with one kind of notice or decision."""

    told: Told
    note: str = ""
    """How it is said; why it is refused, or silent."""
    becomes: type[n.Notice] | type[d.Decision] | None = None
    """What arrives at the other end, where that is another kind."""
    loses: tuple[str, ...] = ()
    """Fields that do not arrive, or not whole."""


Row = Mapping[Wire, Coverage]

SAID: Final = Coverage(Told.SAID)


def _said(note: str = "", *loses: str, becomes: type[n.Notice] | type[d.Decision] | None = None) -> Coverage:
    return Coverage(Told.SAID, note, becomes, loses)


def _refused(reason: str) -> Coverage:
    return Coverage(Told.REFUSED, reason)


def _silent(reason: str) -> Coverage:
    return Coverage(Told.SILENT, reason)


def _row(
    view: Coverage = SAID,
    json: Coverage = SAID,
    batprotocol: Coverage = SAID,
    datacenters: Coverage = SAID,
    cores: Coverage = SAID,
) -> Row:
    return {
        Wire.VIEW: view,
        Wire.JSON: json,
        Wire.BATPROTOCOL: batprotocol,
        Wire.DATACENTERS: datacenters,
        Wire.CORES: cores,
    }


_OTHERS_JOBS: Final = _silent(
    "it cannot suspend jobs; like the starts of jobs of other components, these are not sent"
)
_OTHERS_IMAGES: Final = _silent("it cannot send images; what other components send does not concern it")
_NO_PROBES: Final = _refused("no probe can be asked for")
_OWN_MACHINES: Final = _said("to each datacenter, of its own machines", "hosts")
_AS_CORES: Final = _said("of each machine, all cores", "hosts")

_OF_OTHERS: Final = _silent("the protocol has no message for what other components do")
_OTHERS_STARTS: Final = _silent("its machines and the jobs given to them are its own: other components have others")

_NO_CHANGES: Final = _silent("it cannot change the hosts of running jobs: they go on as they are")
_MACHINES_NAMED: Final = _said("its hosts are machines, not cores")
_NO_ELASTIC: Final = _row(json=_NO_CHANGES, batprotocol=_NO_CHANGES, datacenters=_NO_CHANGES, cores=_MACHINES_NAMED)
_FOLLOWED: Final = _said("to whoever asks for it (``Hello.follow_phases``): ElastiSim's wire")
_NOT_ASKED: Final = _silent("sent on request only, which this wire never makes")
_NOT_FOLLOWED: Final = _row(_FOLLOWED, _NOT_ASKED, _NOT_ASKED, _NOT_ASKED, _FOLLOWED)

NOTICES: Final[Mapping[type[n.Notice], Row]] = {
    n.SimulationBegins: _row(
        json=_said("without speeds, cores and network", "platform", "workloads", "event_lists", "options"),
        batprotocol=_said(
            "without network; metadata of jobs are not kept",
            "platform",
            "workloads",
            "event_lists",
            "options",
            "allow_compute_sharing",
            "keeps_metadata",
        ),
        datacenters=_said("to each, with its own machines, numbered from 0", "platform"),
        cores=_said("each core is a host", "platform"),
    ),
    n.SimulationEnds: _row(json=_said("in a message of its own")),
    n.SimulationErrorOccurred: _row(
        json=_silent("the protocol has no message for it: the socket is closed"),
        datacenters=_silent("its schedulers are stopped"),
    ),
    n.JobSubmitted: _row(
        datacenters=_said("to the datacenter that the job is given to; if none can hold it, it is rejected"),
        cores=_said("asking for cores", "job"),
    ),
    n.JobCompleted: _row(
        json=_said("without its start", "start"),
        batprotocol=_said("without hosts and start, which our other end remembers"),
        datacenters=_said("to the datacenter of the job", "hosts"),
        cores=_said("with the cores it had", "job", "hosts"),
    ),
    n.JobsKilled: _row(
        json=_said("with progresses, which our other end does not need", "progresses", "profiles"),
        datacenters=_said("to all"),
    ),
    n.JobSuspended: _row(
        json=_OTHERS_JOBS,
        batprotocol=_OTHERS_JOBS,
        datacenters=_OTHERS_JOBS,
        cores=_said("with the cores it had", "job", "hosts"),
    ),
    n.JobResumed: _row(
        json=_OTHERS_JOBS,
        batprotocol=_OTHERS_JOBS,
        datacenters=_OTHERS_JOBS,
        cores=_said("with its cores", "job", "hosts"),
    ),
    n.JobMigrated: _row(
        json=_OTHERS_JOBS,
        batprotocol=_OTHERS_JOBS,
        datacenters=_OTHERS_JOBS,
        cores=_said("asking for cores", "job", "hosts"),
    ),
    n.SchedulingPointReached: _NO_ELASTIC,
    n.HostsRequested: _NO_ELASTIC,
    n.JobReconfigured: _NO_ELASTIC,
    n.JobProgressed: _NOT_FOLLOWED,
    n.JobGoesOn: _NOT_FOLLOWED,
    n.HostGpusChanged: _NOT_FOLLOWED,
    n.ImageTransferred: _row(
        json=_OTHERS_IMAGES, batprotocol=_OTHERS_IMAGES, datacenters=_OTHERS_IMAGES, cores=_AS_CORES
    ),
    n.JobStarted: _row(
        json=_OF_OTHERS,
        batprotocol=_OF_OTHERS,
        datacenters=_OTHERS_STARTS,
        cores=_said("with all cores of its machines", "job", "hosts", "amounts"),
    ),
    n.JobRejected: _row(
        json=_OF_OTHERS,
        batprotocol=_OF_OTHERS,
        datacenters=_OTHERS_STARTS,
        cores=_said("asking for cores", "job"),
    ),
    n.HostsSwitching: _row(
        json=_OF_OTHERS,
        batprotocol=_OF_OTHERS,
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    n.HostsPStateChanged: _row(
        json=_said("RESOURCE_STATE_CHANGED", becomes=n.ResourceStateChanged),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    n.HostsTurnedOnOff: _row(
        json=_said("RESOURCE_STATE_CHANGED", becomes=n.ResourceStateChanged),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    n.ResourceStateChanged: _row(
        batprotocol=_said("HostsPStateChangedEvent", becomes=n.HostsPStateChanged),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    n.HostsBecameAvailable: _row(
        json=_said("NOTIFY event_machine_available", "cause"),
        batprotocol=_said("a generic external event with the object of Batsim 4's event files"),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    n.HostsBecameUnavailable: _row(
        json=_said("NOTIFY event_machine_unavailable", "cause"),
        batprotocol=_said("a generic external event with the object of Batsim 4's event files"),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    n.ExternalEventOccurred: _row(
        json=_said("NOTIFY with the whole object, without the id", "id"),
        batprotocol=_said("a generic external event; its data is the object, where the kind is not generic"),
        datacenters=_said("to all; a scheduler_change to its datacenter"),
    ),
    n.RequestedCall: _row(
        json=_said("without its id", "call_me_later_id", "last_periodic_call"),
        datacenters=_said("to the datacenter that asked for it, under its own id", "call_me_later_id"),
    ),
    n.ProbeDataEmitted: _row(json=_NO_PROBES, datacenters=_NO_PROBES, cores=_NO_PROBES),
    n.AllStaticJobsHaveBeenSubmitted: _row(json=_said("NOTIFY no_more_static_job_to_submit")),
    n.AllStaticExternalEventsHaveBeenInjected: _row(json=_said("NOTIFY no_more_external_event_to_occur")),
    n.EnergyAnswered: _row(
        batprotocol=_refused("the energy cannot be asked for, only probed"),
        datacenters=_refused("the energy cannot be asked for"),
    ),
    n.WaitingTimeQueried: _row(
        json=_said("without what its profile does", "job"),
        batprotocol=_refused("there is no such question in this protocol"),
        datacenters=_refused("no answer can be given for all datacenters"),
        cores=_said("asking for cores", "job"),
    ),
    n.MessageFromJob: _row(
        batprotocol=_refused("there are no messages from jobs in this protocol"),
        datacenters=_said("to the datacenter of the job"),
    ),
    n.DecisionRefused: _row(
        json=_said("NOTIFY decision_refused, with the event that was refused"),
        batprotocol=_said("a generic external event with the decision as a message in JSON", "decision"),
        datacenters=_said("to the datacenter that made it", "decision"),
        cores=_said("with the cores it was about", "decision"),
    ),
}
"""What each wire does with each notice."""

_SHOWN_LATER: Final = _silent("the view changes when it is carried out and reported")
_NO_EFFECT: Final = _silent("it changes nothing that a view shows")
_NOT_IN_JSON: Final = _refused("there is no such event in this protocol")
_NOT_IN_BATPROTOCOL: Final = _refused("there is no such event in this protocol")
_NOT_OF_ONE_DATACENTER: Final = _refused("a scheduler of one datacenter decides on its own jobs and machines only")
_NOT_RECORDED: Final = _silent("lease tables are recorded where the lease manager is in process")
_MACHINES: Final = _refused("it is about machines, and what the scheduler sees are cores")


def _without_hosts(view: Coverage = _NO_EFFECT, json: Coverage = SAID, batprotocol: Coverage = SAID) -> Row:
    return _row(view=view, json=json, batprotocol=batprotocol, datacenters=_NOT_OF_ONE_DATACENTER)


def _of_machines(view: Coverage, json: Coverage, batprotocol: Coverage = SAID) -> Row:
    return _row(view=view, json=json, batprotocol=batprotocol, datacenters=_NOT_OF_ONE_DATACENTER, cores=_MACHINES)


DECISIONS: Final[Mapping[type[d.Decision], Row]] = {
    d.RejectJob: _row(
        json=_said("without the reason", "reason"),
        batprotocol=_said("without the reason", "reason"),
    ),
    d.ExecuteJob: _row(
        json=_said("amounts, profile_placements and filling cores first are refused"),
        batprotocol=_said("amounts and additional_io are refused", "placement"),
        datacenters=_said("on machines of its own", "hosts", "amounts"),
        cores=_said("on the machines of the cores, so many of each; a placement is refused", "hosts", "amounts"),
    ),
    d.KillJobs: _row(view=_SHOWN_LATER),
    d.SuspendJob: _without_hosts(_SHOWN_LATER, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.ResumeJob: _row(
        json=_NOT_IN_JSON,
        batprotocol=_NOT_IN_BATPROTOCOL,
        datacenters=_NOT_OF_ONE_DATACENTER,
        cores=_said("on the machines of the cores, so many of each", "hosts", "amounts"),
    ),
    d.ResizeJob: _of_machines(SAID, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.SetJobArguments: _of_machines(_NO_EFFECT, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.MigrateJob: _of_machines(_NO_EFFECT, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.TransferImage: _of_machines(_NO_EFFECT, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.RegisterProfile: _without_hosts(),
    d.RegisterJob: _without_hosts(
        _silent("the job appears when its submission is sent"),
        _said("after REGISTER_PROFILE, if it brings a profile", "profile_id", "job"),
        _said("after RegisterProfileEvent, if it brings a profile", "profile_id", "job"),
    ),
    d.FinishRegistration: _without_hosts(),
    d.ContinueRegistration: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.CallMeLater: _row(
        view=_NO_EFFECT,
        json=_said("one shots only, without the id; periodic calls are refused", "call_me_later_id"),
        batprotocol=_said("times between two milliseconds are rounded up"),
        datacenters=_said("under an id of its own", "call_me_later_id"),
    ),
    d.StopCallMeLater: _row(
        view=_NO_EFFECT, json=_NOT_IN_JSON, datacenters=_said("under an id of its own", "call_me_later_id")
    ),
    d.CreateProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON, _said("one without a start time is refused")),
    d.StopProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON),
    d.TriggerProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON),
    d.ResetProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON),
    d.ChangeHostsPState: _of_machines(_SHOWN_LATER, _said("SET_RESOURCE_STATE", becomes=d.SetResourceState)),
    d.TurnOnOffHosts: _of_machines(SAID, _said("SET_RESOURCE_STATE", becomes=d.SetResourceState)),
    d.SetResourceState: _of_machines(SAID, SAID, _NOT_IN_BATPROTOCOL),
    d.ReportLeases: _row(
        view=_NO_EFFECT,
        json=_NOT_RECORDED,
        batprotocol=_NOT_RECORDED,
        datacenters=_NOT_OF_ONE_DATACENTER,
        cores=_said("with cores for hosts"),
    ),
    d.ForceSimulationStop: _without_hosts(json=_NOT_IN_JSON),
    d.QueryEnergy: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.AnswerWaitingTime: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.SetJobMetadata: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.ChangeJobState: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.MessageToJob: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
}
"""What each wire does with each decision."""


def coverage_of(kind: type[n.Notice] | type[d.Decision], wire: Wire) -> Coverage | None:
    """What a wire does with a kind of notice or decision; None if the table does not know it."""
    row = NOTICES.get(kind) if issubclass(kind, n.Notice) else DECISIONS.get(kind)
    return None if row is None else row[wire]


def unsaid(thing: n.Notice | d.Decision, wire: Wire) -> None:
    """What a wire does with something that it has no form for: nothing, if it is silent on purpose.

    Raises:
        UsageError: it is not; the message names what cannot be said, and why.
    """
    found = coverage_of(type(thing), wire)
    if found is not None and found.told is Told.SILENT:
        return
    reason = f": {found.note}" if found is not None and found.note else ""
    raise UsageError(
        f"{wire.value} has no {type(thing).__name__}{reason}",
        "this needs another protocol, or a scheduler in process",
    )
