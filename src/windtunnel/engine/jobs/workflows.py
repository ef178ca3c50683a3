"""Workflows: tasks submitted when all they wait for has ended, numbered in that order (batsim-inputs.md 9).

Unlike in Batsim, where the workflow then stalls, a task that was rejected or killed has ended, too.
"""

from collections import deque

import msgspec
from mypy_extensions import mypyc_attr

from windtunnel.engine.jobs.submission import submit_job, workload_over
from windtunnel.engine.state.calendar import SUBMIT, WORKFLOW, Priority
from windtunnel.engine.state.world import World
from windtunnel.model import Job, Workflow

__all__ = ["RunningWorkflow", "begin_workflow", "task_over", "workflow_due"]


@mypyc_attr(allow_interpreted_subclasses=True)
class RunningWorkflow:
    """A running workflow."""

    def __init__(self, source: Workflow) -> None:
        self.source = source
        self.waiting = {job.id: len(job.dependencies) for job in source}
        """How many tasks each task still waits for."""
        self.ready: deque[Job] = deque(job for job in source if not job.dependencies)
        self.tasks = {job.id: job for job in source}
        self.alive = 0
        """Tasks submitted and not ended."""
        self.left = len(source)
        self.submitted = 0


def begin_workflow(world: World, workflow: Workflow) -> None:
    """Plan the first tasks of a workflow."""
    flow = RunningWorkflow(workflow)
    world.workflows_left += 1
    world.push(max(world.options.first_submission, workflow.start), Priority.SUBMISSION, WORKFLOW, flow)


def workflow_due(world: World, flow: RunningWorkflow) -> None:
    """Submit the tasks that are ready, as far as the limit allows."""
    limit = flow.source.limit
    while flow.ready and (not limit or flow.alive < limit):
        task = flow.ready.popleft()
        job = _job(world, flow, task)
        flow.submitted += 1
        flow.alive += 1
        world.workflow_tasks[job.id] = (flow, task.id)
        if world.used_ids is not None:
            world.used_ids.add(job.id)
        submit_job(world, job)
    if not flow.left:
        _workflow_over(world)


def _job(world: World, flow: RunningWorkflow, task: Job) -> Job:
    """The job of a task, as Batsim writes it."""
    name = str(flow.submitted)
    return msgspec.structs.replace(
        task,
        id=f"{flow.source.name}!{name}",
        submission_time=world.now,
        dependencies=(),
        source={
            "id": name,
            "subtime": world.now,
            "walltime": task.walltime,
            "res": task.request.hosts,
            "profile": task.profile.name,
        },
    )


def task_over(world: World, job_id: str) -> None:
    """A job has ended: what waited for it in its workflow, if it is part of one, may be ready."""
    entry = world.workflow_tasks.pop(job_id, None)
    if entry is None:
        return
    flow, task_id = entry
    flow.alive -= 1
    flow.left -= 1
    for child in flow.source.children.get(task_id, ()):
        flow.waiting[child] -= 1
        if not flow.waiting[child]:
            flow.ready.append(flow.tasks[child])
    if flow.ready or not flow.left:
        world.push(world.now, Priority.SUBMISSION, WORKFLOW, flow)


def _workflow_over(world: World) -> None:
    world.workflows_left -= 1
    if not world.workflows_left:
        for submitter in world.submitters:
            if submitter.left:
                submitter.stop()
                submitter.version += 1  # its next jobs were planned
                world.push(world.now, Priority.SUBMISSION, SUBMIT, submitter, submitter.version)
    workload_over(world)
