"""What each wire does with each notice: one half of :mod:`~windtunnel.vocabulary.coverage`."""

from collections.abc import Mapping
from typing import Final

from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.coverage_terms import Row, refused, row, said, silent
from windtunnel.vocabulary.site_notices import (
    ExternalEventOccurred,
    HostGpusChanged,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    ImageTransferred,
    ResourceStateChanged,
)

__all__ = ["NOTICES"]

_OTHERS_JOBS: Final = silent(
    "it cannot suspend jobs; like the starts of jobs of other components, these are not sent"
)
_OTHERS_IMAGES: Final = silent("it cannot send images; what other components send does not concern it")
_NO_PROBES: Final = refused("no probe can be asked for")
_OWN_MACHINES: Final = said("to each datacenter, of its own machines", "hosts")
_AS_CORES: Final = said("of each machine, all cores", "hosts")

_OF_OTHERS: Final = silent("the protocol has no message for what other components do")
_OTHERS_STARTS: Final = silent("its machines and the jobs given to them are its own: other components have others")

_NO_CHANGES: Final = silent("it cannot change the hosts of running jobs: they go on as they are")
_MACHINES_NAMED: Final = said("its hosts are machines, not cores")
_NO_ELASTIC: Final = row(json=_NO_CHANGES, batprotocol=_NO_CHANGES, datacenters=_NO_CHANGES, cores=_MACHINES_NAMED)
_FOLLOWED: Final = said("to whoever asks for it (``Hello.follow_phases``): ElastiSim's wire")
_NOT_ASKED: Final = silent("sent on request only, which this wire never makes")
_NOT_FOLLOWED: Final = row(_FOLLOWED, _NOT_ASKED, _NOT_ASKED, _NOT_ASKED, _FOLLOWED)

NOTICES: Final[Mapping[type[n.Notice], Row]] = {
    n.SimulationBegins: row(
        json=said(
            "without speeds, cores, network and signals", "platform", "workloads", "event_lists", "options", "signals"
        ),
        batprotocol=said(
            "without network and signals; metadata of jobs are not kept",
            "platform",
            "workloads",
            "event_lists",
            "options",
            "allow_compute_sharing",
            "keeps_metadata",
            "signals",
        ),
        datacenters=said("to each, with its own machines, numbered from 0", "platform"),
        cores=said("each core is a host", "platform"),
    ),
    n.SimulationEnds: row(json=said("in a message of its own")),
    n.SimulationErrorOccurred: row(
        json=silent("the protocol has no message for it: the socket is closed"),
        datacenters=silent("its schedulers are stopped"),
    ),
    n.JobSubmitted: row(
        datacenters=said("to the datacenter that the job is given to; if none can hold it, it is rejected"),
        cores=said("asking for cores", "job"),
    ),
    n.JobCompleted: row(
        json=said("without its start", "start"),
        batprotocol=said("without hosts and start, which our other end remembers"),
        datacenters=said("to the datacenter of the job", "hosts"),
        cores=said("with the cores it had", "job", "hosts"),
    ),
    n.JobsKilled: row(
        json=said("with progresses, which our other end does not need", "progresses", "profiles"),
        datacenters=said("to all"),
    ),
    n.JobSuspended: row(
        json=_OTHERS_JOBS,
        batprotocol=_OTHERS_JOBS,
        datacenters=_OTHERS_JOBS,
        cores=said("with the cores it had", "job", "hosts"),
    ),
    n.JobResumed: row(
        json=_OTHERS_JOBS,
        batprotocol=_OTHERS_JOBS,
        datacenters=_OTHERS_JOBS,
        cores=said("with its cores", "job", "hosts"),
    ),
    n.JobMigrated: row(
        json=_OTHERS_JOBS,
        batprotocol=_OTHERS_JOBS,
        datacenters=_OTHERS_JOBS,
        cores=said("asking for cores", "job", "hosts"),
    ),
    n.SchedulingPointReached: _NO_ELASTIC,
    n.HostsRequested: _NO_ELASTIC,
    n.JobReconfigured: _NO_ELASTIC,
    n.JobProgressed: _NOT_FOLLOWED,
    n.JobGoesOn: _NOT_FOLLOWED,
    HostGpusChanged: _NOT_FOLLOWED,
    ImageTransferred: row(
        json=_OTHERS_IMAGES, batprotocol=_OTHERS_IMAGES, datacenters=_OTHERS_IMAGES, cores=_AS_CORES
    ),
    n.JobStarted: row(
        json=_OF_OTHERS,
        batprotocol=_OF_OTHERS,
        datacenters=_OTHERS_STARTS,
        cores=said("with all cores of its machines", "job", "hosts", "amounts"),
    ),
    n.JobRejected: row(
        json=_OF_OTHERS,
        batprotocol=_OF_OTHERS,
        datacenters=_OTHERS_STARTS,
        cores=said("asking for cores", "job"),
    ),
    HostsSwitching: row(
        json=_OF_OTHERS,
        batprotocol=_OF_OTHERS,
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    HostsPStateChanged: row(
        json=said("RESOURCE_STATE_CHANGED", becomes=ResourceStateChanged),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    HostsTurnedOnOff: row(
        json=said("RESOURCE_STATE_CHANGED", becomes=ResourceStateChanged),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    ResourceStateChanged: row(
        batprotocol=said("HostsPStateChangedEvent", becomes=HostsPStateChanged),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    HostsBecameAvailable: row(
        json=said("NOTIFY event_machine_available", "cause"),
        batprotocol=said("a generic external event with the object of Batsim 4's event files"),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    HostsBecameUnavailable: row(
        json=said("NOTIFY event_machine_unavailable", "cause"),
        batprotocol=said("a generic external event with the object of Batsim 4's event files"),
        datacenters=_OWN_MACHINES,
        cores=_AS_CORES,
    ),
    ExternalEventOccurred: row(
        json=said("NOTIFY with the whole object, without the id", "id"),
        batprotocol=said("a generic external event; its data is the object, where the kind is not generic"),
        datacenters=said("to all; a scheduler_change to its datacenter"),
    ),
    n.RequestedCall: row(
        json=said("without its id", "call_me_later_id", "last_periodic_call"),
        datacenters=said("to the datacenter that asked for it, under its own id", "call_me_later_id"),
    ),
    n.ProbeDataEmitted: row(json=_NO_PROBES, datacenters=_NO_PROBES, cores=_NO_PROBES),
    n.AllStaticJobsHaveBeenSubmitted: row(json=said("NOTIFY no_more_static_job_to_submit")),
    n.AllStaticExternalEventsHaveBeenInjected: row(json=said("NOTIFY no_more_external_event_to_occur")),
    n.EnergyAnswered: row(
        batprotocol=refused("the energy cannot be asked for, only probed"),
        datacenters=refused("the energy cannot be asked for"),
    ),
    n.WaitingTimeQueried: row(
        json=said("without what its profile does", "job"),
        batprotocol=refused("there is no such question in this protocol"),
        datacenters=refused("no answer can be given for all datacenters"),
        cores=said("asking for cores", "job"),
    ),
    n.MessageFromJob: row(
        batprotocol=refused("there are no messages from jobs in this protocol"),
        datacenters=said("to the datacenter of the job"),
    ),
    n.DecisionRefused: row(
        json=said("NOTIFY decision_refused, with the event that was refused"),
        batprotocol=said("a generic external event with the decision as a message in JSON", "decision"),
        datacenters=said("to the datacenter that made it", "decision"),
        cores=said("with the cores it was about", "decision"),
    ),
}
"""What each wire does with each notice."""
