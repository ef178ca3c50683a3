"""Jobs that talk with their scheduler: send and recv profiles of Batsim 3 and 4.

A receiving job polls every ``polltime`` seconds. Nothing happens at the polls that find no message, so only the poll
that finds one is put into the calendar.
"""

import re
from math import ceil
from typing import Final

from windtunnel.engine.jobs.execution import nodes
from windtunnel.engine.jobs.execution.nodes import Kind, Node, profile_as, sub_profile
from windtunnel.engine.state.calendar import LEAF_END, POLL, Priority
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.world import World
from windtunnel.model import JobState, ReceiveProfile, SendProfile
from windtunnel.vocabulary import AtomicProgress, KillProgress, MessageFromJob, MessageToJob

__all__ = ["RECEIVE", "SEND", "message_to_job", "poll"]

_DONE: Final = "done"
"""The action of a receiver that took its message and has nothing to run for it."""


def _send(world: World, node: Node) -> None:
    profile = profile_as(node, SendProfile)
    world.tell(MessageFromJob(world.now, node.record.job.id, profile.message))
    if profile.sleeptime < node.left:
        world.push(world.now + profile.sleeptime, Priority.END, LEAF_END, node, node.version)


def _go_on(world: World, node: Node) -> None:
    profile = profile_as(node, SendProfile)
    if profile.sleeptime < node.left:
        world.push(node.start + profile.sleeptime, Priority.END, LEAF_END, node, node.version)


def _ended(world: World, node: Node) -> None:
    """The sleep after a message is over, or nothing was left to do for the message received."""
    nodes.finish(world, node, node.profile.return_code)


def _stop(world: World, node: Node) -> int:
    del world, node  # the version was raised, which voids the event
    return -1


def _unknown(world: World, node: Node) -> AtomicProgress:
    del world
    return AtomicProgress(node.profile.id, -1.0)


def _receive(world: World, node: Node) -> None:
    profile = profile_as(node, ReceiveProfile)
    if world.messages.get(node.record.job.id):
        _take(world, node, profile)
    elif profile.timeout:
        _branch(world, node, profile.timeout)
    # Otherwise it waits until a message comes: see message_to_job.


def poll(world: World, node: Node) -> None:
    """A poll that finds a message."""
    _take(world, node, profile_as(node, ReceiveProfile))


def _take(world: World, node: Node, profile: ReceiveProfile) -> None:
    queue = world.messages[node.record.job.id]
    message = queue.pop(0)
    if not queue:
        del world.messages[node.record.job.id]
    matches = re.fullmatch(profile.regex, message) is not None
    _branch(world, node, profile.success if matches else profile.failure)


def _branch(world: World, node: Node, profile_id: str) -> None:
    node.version += 1
    if profile_id:
        workload = node.profile.id.partition("!")[0]
        full = profile_id if "!" in profile_id else f"{workload}!{profile_id}"
        nodes.begin(world, node, sub_profile(world, node, full), node.left - (world.now - node.start))
    else:
        node.action = _DONE
        world.push(world.now, Priority.END, LEAF_END, node, node.version)


def _branch_ended(world: World, node: Node, child: Node) -> None:
    nodes.finish(world, node, child.code)


def _cancel_receive(world: World, node: Node) -> int:
    return nodes.cancel(world, node.children[0]) if node.children else -1


def _receive_progress(world: World, node: Node) -> KillProgress:
    return nodes.progress(world, node.children[0]) if node.children else _unknown(world, node)


def _waiting_leaves(node: Node) -> list[Node]:
    if node.children:
        return [leaf for child in node.children for leaf in _waiting_leaves(child)]
    return [node] if isinstance(node.profile, ReceiveProfile) else []


def message_to_job(world: World, rank: int, decision: MessageToJob) -> None:
    """Queue a message for a job; if the job waits for one it finds it at its next poll."""
    record = known_job(world, decision, decision.job_id, rank)
    if record.state is not JobState.RUNNING:
        refuse(world, decision, "state", f"job {decision.job_id!r} is {record.state.name}, not RUNNING")
    queue = world.messages.setdefault(decision.job_id, [])
    queue.append(decision.message)
    if isinstance(record.execution, Node) and len(queue) == 1:
        for node in _waiting_leaves(record.execution)[:1]:
            polltime = profile_as(node, ReceiveProfile).polltime
            date = node.start + ceil((world.now - node.start) / polltime) * polltime
            world.push(max(world.now, date), Priority.END, POLL, node, node.version)


def _look_again(world: World, node: Node) -> None:
    """A message may have been found, or nothing was left to do, when the job was suspended."""
    if not node.children and (node.action == _DONE or world.messages.get(node.record.job.id)):
        world.push(world.now, Priority.END, LEAF_END if node.action == _DONE else POLL, node, node.version)


SEND: Final = Kind(_send, _stop, _unknown, thaw=_go_on, due=_ended)
RECEIVE: Final = Kind(_receive, _cancel_receive, _receive_progress, _branch_ended, thaw=_look_again, due=_ended)
