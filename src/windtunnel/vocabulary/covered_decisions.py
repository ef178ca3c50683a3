"""What each wire does with each decision: the other half of :mod:`~windtunnel.vocabulary.coverage`."""

from collections.abc import Mapping
from typing import Final

from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary.coverage_terms import SAID, Coverage, Row, refused, row, said, silent

__all__ = ["DECISIONS"]

_SHOWN_LATER: Final = silent("the view changes when it is carried out and reported")
_NO_EFFECT: Final = silent("it changes nothing that a view shows")
_NOT_IN_JSON: Final = refused("there is no such event in this protocol")
_NOT_IN_BATPROTOCOL: Final = refused("there is no such event in this protocol")
_NOT_OF_ONE_DATACENTER: Final = refused("a scheduler of one datacenter decides on its own jobs and machines only")
_NOT_RECORDED: Final = silent("lease tables are recorded where the lease manager is in process")
_MACHINES: Final = refused("it is about machines, and what the scheduler sees are cores")


def _without_hosts(view: Coverage = _NO_EFFECT, json: Coverage = SAID, batprotocol: Coverage = SAID) -> Row:
    return row(view=view, json=json, batprotocol=batprotocol, datacenters=_NOT_OF_ONE_DATACENTER)


def _of_machines(view: Coverage, json: Coverage, batprotocol: Coverage = SAID) -> Row:
    return row(view=view, json=json, batprotocol=batprotocol, datacenters=_NOT_OF_ONE_DATACENTER, cores=_MACHINES)


DECISIONS: Final[Mapping[type[d.Decision], Row]] = {
    d.RejectJob: row(
        json=said("without the reason", "reason"),
        batprotocol=said("without the reason", "reason"),
    ),
    d.ExecuteJob: row(
        json=said("amounts, profile_placements and filling cores first are refused"),
        batprotocol=said("amounts and additional_io are refused", "placement"),
        datacenters=said("on machines of its own", "hosts", "amounts"),
        cores=said("on the machines of the cores, so many of each; a placement is refused", "hosts", "amounts"),
    ),
    d.KillJobs: row(view=_SHOWN_LATER),
    d.SuspendJob: _without_hosts(_SHOWN_LATER, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.ResumeJob: row(
        json=_NOT_IN_JSON,
        batprotocol=_NOT_IN_BATPROTOCOL,
        datacenters=_NOT_OF_ONE_DATACENTER,
        cores=said("on the machines of the cores, so many of each", "hosts", "amounts"),
    ),
    d.ResizeJob: _of_machines(SAID, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.SetJobArguments: _of_machines(_NO_EFFECT, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.MigrateJob: _of_machines(_NO_EFFECT, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.TransferImage: _of_machines(_NO_EFFECT, _NOT_IN_JSON, _NOT_IN_BATPROTOCOL),
    d.RegisterProfile: _without_hosts(),
    d.RegisterJob: _without_hosts(
        silent("the job appears when its submission is sent"),
        said("after REGISTER_PROFILE, if it brings a profile", "profile_id", "job"),
        said("after RegisterProfileEvent, if it brings a profile", "profile_id", "job"),
    ),
    d.FinishRegistration: _without_hosts(),
    d.ContinueRegistration: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.CallMeLater: row(
        view=_NO_EFFECT,
        json=said("one shots only, without the id; periodic calls are refused", "call_me_later_id"),
        batprotocol=said("times between two milliseconds are rounded up"),
        datacenters=said("under an id of its own", "call_me_later_id"),
    ),
    d.StopCallMeLater: row(
        view=_NO_EFFECT, json=_NOT_IN_JSON, datacenters=said("under an id of its own", "call_me_later_id")
    ),
    d.CreateProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON, said("one without a start time is refused")),
    d.StopProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON),
    d.TriggerProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON),
    d.ResetProbe: _of_machines(_NO_EFFECT, _NOT_IN_JSON),
    d.ChangeHostsPState: _of_machines(_SHOWN_LATER, said("SET_RESOURCE_STATE", becomes=d.SetResourceState)),
    d.TurnOnOffHosts: _of_machines(SAID, said("SET_RESOURCE_STATE", becomes=d.SetResourceState)),
    d.SetResourceState: _of_machines(SAID, SAID, _NOT_IN_BATPROTOCOL),
    d.ReportLeases: row(
        view=_NO_EFFECT,
        json=_NOT_RECORDED,
        batprotocol=_NOT_RECORDED,
        datacenters=_NOT_OF_ONE_DATACENTER,
        cores=said("with cores for hosts"),
    ),
    d.ForceSimulationStop: _without_hosts(json=_NOT_IN_JSON),
    d.QueryEnergy: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.AnswerWaitingTime: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.SetJobMetadata: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.ChangeJobState: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
    d.MessageToJob: _without_hosts(batprotocol=_NOT_IN_BATPROTOCOL),
}
"""What each wire does with each decision."""
