"""What ElastiSim says on its wire, checked against the forms that its messages have."""

from math import inf

import msgspec

from windtunnel.diagnostics import ProtocolError
from windtunnel.model import Job, Request
from windtunnel.model.application import Application, Elasticity, ElasticProfile
from windtunnel.wires.elastisim.codes import FINALIZE, INVOKE, Call, State

__all__ = ["Gpu", "Invocation", "JobTold", "NodeTold", "job_of", "parse_invocation"]


class Gpu(msgspec.Struct):
    """A GPU of a node."""

    id: int
    state: int


class NodeTold(msgspec.Struct):
    """A node, in its present state."""

    id: int
    state: int
    type: int = 0
    assigned_jobs: list[int] = []
    gpus: list[Gpu] = []


class JobTold(msgspec.Struct):
    """A job, in its present state. Dates and seconds; -1: not yet."""

    id: int
    state: int
    type: int
    walltime: float
    submit_time: float
    assigned_nodes: list[int]
    start_time: float = -1.0
    num_nodes: int = 0
    num_nodes_min: int = 0
    num_nodes_max: int = 0
    num_gpus_per_node: int = 0
    num_gpus_per_node_min: int = 0
    num_gpus_per_node_max: int = 0
    completed_phases: int = 0
    arguments: dict[str, str] = {}
    attributes: dict[str, str] = {}


class Invocation(msgspec.Struct):
    """One message."""

    code: int
    time: float = 0.0
    invocation_type: int = 0
    job_id: int = -1
    evolving_request: int = 0
    jobs: list[JobTold] = []
    nodes: list[NodeTold] = []


def parse_invocation(data: bytes, known_jobs: int, known_nodes: int) -> Invocation:
    """A message of ElastiSim, when so many jobs and nodes are known (new ones are numbered on from there).

    Raises:
        ProtocolError: it is none.
    """
    try:
        message = msgspec.json.decode(data, type=Invocation)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(f"a message that ElastiSim does not send: {error}") from None
    if message.code not in (INVOKE, FINALIZE):
        raise ProtocolError(f"a message with the code {message.code}, {INVOKE} or {FINALIZE} is expected")
    if message.code == FINALIZE:
        return message
    nodes = known_nodes
    for node in message.nodes:
        if not 0 <= node.id <= nodes:
            raise ProtocolError(f"node {node.id} is reported, but only {nodes} are known")
        nodes = max(nodes, node.id + 1)
    for job in message.jobs:
        if not 0 <= job.id <= known_jobs:
            raise ProtocolError(f"job {job.id} is reported, but only {known_jobs} are known")
        known_jobs = max(known_jobs, job.id + 1)
        _check_job(job, nodes)
    if message.invocation_type not in [*Call]:
        raise ProtocolError(f"{message.invocation_type} is not a type of invocation")
    if message.invocation_type != Call.PERIODIC and not 0 <= message.job_id < known_jobs:
        raise ProtocolError(f"the invocation is for job {message.job_id}, while {known_jobs} are known")
    return message


def _check_job(job: JobTold, nodes: int) -> None:
    where = f"job {job.id}"
    if job.state not in [*State]:
        raise ProtocolError(f"{where} has the state {job.state}, which is never reported")
    if not 0 <= job.type <= 4:
        raise ProtocolError(f"{where} has the type {job.type}")
    if beyond := [node for node in job.assigned_nodes if not 0 <= node < nodes]:
        raise ProtocolError(f"{where} is on nodes that were never reported: {beyond}")
    least, most = (job.num_nodes_min, job.num_nodes_max) if job.type else (job.num_nodes, job.num_nodes)
    if not 1 <= least <= most:
        raise ProtocolError(f"{where} takes {least} to {most} nodes")
    if not 0.0 <= job.walltime < float("inf") or not 0.0 <= job.submit_time < float("inf"):
        raise ProtocolError(f"{where} has no valid walltime or submission time")


def job_of(told: JobTold) -> Job:
    """A job, as far as the wire tells."""
    rigid = told.type == Elasticity.RIGID
    least, most = (told.num_nodes, told.num_nodes) if rigid else (told.num_nodes_min, told.num_nodes_max)
    gpus = (
        (told.num_gpus_per_node, told.num_gpus_per_node)
        if rigid
        else (told.num_gpus_per_node_min, told.num_gpus_per_node_max)
    )
    profile = ElasticProfile(
        id=f"w0!{told.id}",
        application=Application(phases=()),
        elasticity=Elasticity(told.type),
        least=least,
        most=most,
        gpus_least=gpus[0],
        gpus_most=gpus[1],
        arguments=told.arguments,
        attributes=told.attributes,
    )
    return Job(
        id=f"w0!{told.id}",
        request=Request(least),
        profile=profile,
        submission_time=told.submit_time,
        walltime=told.walltime or inf,
    )
