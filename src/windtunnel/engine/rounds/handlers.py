"""Who handles what: one table for events of the calendar, one for decisions."""

from collections.abc import Callable
from typing import Any, Final

from windtunnel.engine.jobs import (
    ending,
    killing,
    registration,
    requeueing,
    starting,
    submission,
    suspension,
    workflows,
)
from windtunnel.engine.jobs.execution import messages
from windtunnel.engine.jobs.execution.nodes import leaf_due
from windtunnel.engine.rounds import calls
from windtunnel.engine.sharing import model as sharing
from windtunnel.engine.site import conditions, external_events, switching
from windtunnel.engine.state import calendar as e
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import decisions as d

__all__ = ["DECISIONS", "EVENTS"]


def _no_more(world: World, what: str) -> None:
    if what == "jobs":
        submission.no_more(world)
    else:
        external_events.no_more_events(world)


def _ready(world: World, rank: int) -> None:
    """The component can be called again; what has happened meanwhile waits in its outbox."""
    world.sessions[rank].ready_at = world.now  # dates closer than a nanosecond are one instant
    world.unfinished -= 1


# Much code is behind these, for few runs: it is loaded by them.


def _create_probe(world: World, rank: int, decision: d.CreateProbe) -> None:
    from windtunnel.engine.probes.handlers import create_probe

    create_probe(world, rank, decision)


def _stop_probe(world: World, rank: int, decision: d.StopProbe) -> None:
    from windtunnel.engine.probes.handlers import stop_probe

    stop_probe(world, rank, decision)


def _trigger_probe(world: World, rank: int, decision: d.TriggerProbe) -> None:
    from windtunnel.engine.probes.handlers import trigger_probe

    trigger_probe(world, rank, decision)


def _reset_probe(world: World, rank: int, decision: d.ResetProbe) -> None:
    from windtunnel.engine.probes.handlers import reset_probe

    reset_probe(world, rank, decision)


def _probe_due(world: World, probe: Any) -> None:
    from windtunnel.engine.probes.handlers import probe_due

    probe_due(world, probe)


def _resize_job(world: World, rank: int, decision: d.ResizeJob) -> None:
    from windtunnel.engine.jobs.elastic.resizing import resize_job

    resize_job(world, rank, decision)


def _set_job_arguments(world: World, rank: int, decision: d.SetJobArguments) -> None:
    from windtunnel.engine.jobs.elastic.resizing import set_job_arguments

    set_job_arguments(world, rank, decision)


EVENTS: Final[dict[int, Callable[[World, Any], None]]] = {
    e.JOB_END: ending.end_job,
    e.LEAF_END: leaf_due,
    e.WALLTIME: killing.walltime_reached,
    e.SUBMIT: submission.submit_due,
    e.EXTERNAL: external_events.events_due,
    e.CALL: calls.call_due,
    e.PERIODIC: calls.periodic_due,
    e.PROBE: _probe_due,
    e.NO_MORE: _no_more,
    e.READY: _ready,
    e.INJECTED: external_events.inject,
    e.RELEASE_HELD: submission.release_held,
    e.SHARING: sharing.sharing_due,
    e.POLL: messages.poll,
    e.MIGRATED: suspension.job_migrated,
    e.TRANSFERRED: suspension.image_transferred,
    e.SWITCHED: switching.request_done,
    e.WORKFLOW: workflows.workflow_due,
    e.CONDITION: conditions.change_due,
    e.JOB_LOST: requeueing.job_lost,
}
"""Kind of event -> function(world, payload). Delayed decisions are applied by the loop itself."""

DECISIONS: Final[dict[type[d.Decision], Callable[[World, int, Any], None]]] = {
    d.ExecuteJob: starting.execute_job,
    d.RejectJob: ending.reject_job,
    d.KillJobs: killing.kill_jobs,
    d.RegisterProfile: registration.register_profile,
    d.RegisterJob: registration.register_job,
    d.FinishRegistration: registration.finish_registration,
    d.ContinueRegistration: registration.continue_registration,
    d.SetJobMetadata: registration.set_job_metadata,
    d.ChangeJobState: registration.change_job_state,
    d.ReportLeases: registration.report_leases,
    d.AnswerWaitingTime: registration.answer_waiting_time,
    d.CallMeLater: calls.call_me_later,
    d.StopCallMeLater: calls.stop_call_me_later,
    d.CreateProbe: _create_probe,
    d.StopProbe: _stop_probe,
    d.TriggerProbe: _trigger_probe,
    d.ResetProbe: _reset_probe,
    d.MessageToJob: messages.message_to_job,
    d.ResizeJob: _resize_job,
    d.SetJobArguments: _set_job_arguments,
    d.SuspendJob: suspension.suspend_job,
    d.ResumeJob: suspension.resume_job,
    d.MigrateJob: suspension.migrate_job,
    d.TransferImage: suspension.transfer_image,
    d.ChangeHostsPState: switching.change_hosts_pstate,
    d.TurnOnOffHosts: switching.turn_on_off_hosts,
    d.SetResourceState: switching.set_resource_state,
    d.QueryEnergy: switching.query_energy,
}
"""Type of decision -> function(world, rank of the component, decision). ForceSimulationStop belongs to the loop."""
