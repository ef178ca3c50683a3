"""Refusing a decision: one exception that names job, rule and time (law 3)."""

from typing import NoReturn

from windtunnel.diagnostics import DecisionError
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord
from windtunnel.vocabulary import Decision

__all__ = ["known_job", "refuse"]


def refuse(world: World, decision: Decision, rule: str, reason: str) -> NoReturn:
    """Raise the refusal of a decision."""
    raise DecisionError(f"{type(decision).__name__} refused: {reason}", rule=rule, now=world.now)


def known_job(world: World, decision: Decision, job_id: str, rank: int) -> JobRecord:
    """The record of a job that this component may decide on."""
    record = world.jobs.get(job_id)
    if record is None:
        refuse(
            world,
            decision,
            "unknown-job",
            f"there is no job {job_id!r} (never submitted, or its end has already been told)",
        )
    if record.owner not in (-1, rank):
        owner = world.sessions[record.owner].name
        refuse(world, decision, "owner", f"job {job_id!r} belongs to the decision component {owner!r}")
    return record
