"""Who handles what: one table for events of the calendar, one for decisions.

Much code is behind most of them, for few runs each: it is loaded when one of them first happens.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from windtunnel.engine.jobs import ending, starting, submission
from windtunnel.engine.state import calendar as e
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import decisions as d

__all__ = ["DECISIONS", "EVENTS", "RARE_DECISIONS", "RARE_EVENTS"]

RARE_EVENTS: Final[dict[int, str]] = {
    e.LEAF_END: "jobs.execution.nodes:leaf_due",
    e.WALLTIME: "jobs.killing:walltime_reached",
    e.EXTERNAL: "site.external_events:events_due",
    e.CALL: "rounds.calls:call_due",
    e.PERIODIC: "rounds.calls:periodic_due",
    e.PROBE: "rounds.silent_probes:probe_due",
    e.INJECTED: "site.external_events:inject",
    e.SHARING: "sharing.model:sharing_due",
    e.POLL: "jobs.execution.messages:poll",
    e.MIGRATED: "jobs.suspension:job_migrated",
    e.TRANSFERRED: "jobs.suspension:image_transferred",
    e.SWITCHED: "site.switching:request_done",
    e.WORKFLOW: "jobs.workflows:workflow_due",
    e.CONDITION: "site.conditions:change_due",
    e.JOB_LOST: "jobs.requeueing:job_lost",
}
"""Kind of event -> the module of the engine and the function in it that handles it."""

RARE_DECISIONS: Final[dict[type[d.Decision], str]] = {
    d.KillJobs: "jobs.killing:kill_jobs",
    d.RegisterProfile: "jobs.registration:register_profile",
    d.RegisterJob: "jobs.registration:register_job",
    d.FinishRegistration: "jobs.registration:finish_registration",
    d.ContinueRegistration: "jobs.registration:continue_registration",
    d.SetJobMetadata: "jobs.registration:set_job_metadata",
    d.ChangeJobState: "jobs.registration:change_job_state",
    d.ReportLeases: "jobs.registration:report_leases",
    d.AnswerWaitingTime: "jobs.registration:answer_waiting_time",
    d.CallMeLater: "rounds.calls:call_me_later",
    d.StopCallMeLater: "rounds.calls:stop_call_me_later",
    d.CreateProbe: "probes.handlers:create_probe",
    d.StopProbe: "probes.handlers:stop_probe",
    d.TriggerProbe: "probes.handlers:trigger_probe",
    d.ResetProbe: "probes.handlers:reset_probe",
    d.MessageToJob: "jobs.execution.messages:message_to_job",
    d.ResizeJob: "jobs.elastic.resizing:resize_job",
    d.SetJobArguments: "jobs.elastic.resizing:set_job_arguments",
    d.SuspendJob: "jobs.suspension:suspend_job",
    d.ResumeJob: "jobs.suspension:resume_job",
    d.MigrateJob: "jobs.suspension:migrate_job",
    d.TransferImage: "jobs.suspension:transfer_image",
    d.ChangeHostsPState: "site.switching:change_hosts_pstate",
    d.TurnOnOffHosts: "site.switching:turn_on_off_hosts",
    d.SetResourceState: "site.switching:set_resource_state",
    d.QueryEnergy: "site.switching:query_energy",
}
"""The same of types of decisions."""


def _later(where: str) -> Callable[..., None]:
    """A function that is loaded when it is first called."""
    module, _, name = where.partition(":")
    found: list[Callable[..., None]] = []

    def call(*given: Any) -> None:
        if not found:
            found.append(getattr(import_module(f"windtunnel.engine.{module}"), name))
        found[0](*given)

    return call


def _no_more(world: World, what: str) -> None:
    if what == "jobs":
        submission.no_more(world)
    else:
        from windtunnel.engine.site.external_events import no_more_events

        no_more_events(world)


def _ready(world: World, rank: int) -> None:
    """The component can be called again; what has happened meanwhile waits in its outbox."""
    world.sessions[rank].ready_at = world.now  # dates closer than a nanosecond are one instant
    world.unfinished -= 1


EVENTS: Final[dict[int, Callable[[World, Any], None]]] = {
    e.JOB_END: ending.end_job,
    e.SUBMIT: submission.submit_due,
    e.NO_MORE: _no_more,
    e.READY: _ready,
    e.RELEASE_HELD: submission.release_held,
    **{kind: _later(where) for kind, where in RARE_EVENTS.items()},
}
"""Kind of event -> function(world, payload). Delayed decisions are applied by the loop itself."""

DECISIONS: Final[dict[type[d.Decision], Callable[[World, int, Any], None]]] = {
    d.ExecuteJob: starting.execute_job,
    d.RejectJob: ending.reject_job,
    **{kind: _later(where) for kind, where in RARE_DECISIONS.items()},
}
"""Type of decision -> function(world, rank of the component, decision). ForceSimulationStop belongs to the loop."""
