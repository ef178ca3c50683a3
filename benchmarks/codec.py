"""The batprotocol codec: one-event messages each way, a large platform, and mutated buffers (issue 5)."""

import random
import struct
import time
from collections.abc import Callable
from typing import Any

from benchmarks import Figure
from windtunnel.diagnostics import ProtocolError
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s

MUTATED = 100_000


def submitted() -> s.Message:
    job = s.Job(resource_request=4, walltime=3600.0, profile_id="w0!p12")
    return one(s.JobSubmittedEvent(job_id="w0!123", job=job, submission_time=12.5))


def completed() -> s.Message:
    return one(s.JobCompletedEvent(job_id="w0!123", state=s.FinalJobState.COMPLETED_FAILED, return_code=1))


def executed() -> s.Message:
    placement = s.PredefinedExecutorPlacementStrategyWrapper()
    allocation = s.AllocationPlacement(host_allocation="0-3,9", executor_placement=placement)
    return one(s.ExecuteJobEvent(job_id="w0!123", allocation=allocation))


def begins(hosts: int) -> s.Message:
    """A large platform, with two properties per host."""
    properties = tuple(s.HostProperty(key=key, value="compute") for key in ("role", "rack"))
    computation = tuple(
        s.Host(id=i, name=f"node{i}.site", properties=properties, core_count=16, computation_speed=(1e9, 5e8))
        for i in range(hosts)
    )
    return one(
        s.SimulationBeginsEvent(
            batprotocol_version="1.0.0",
            batsim_version="5.0.0",
            host_number=hosts,
            computation_host_number=hosts,
            computation_hosts=computation,
            storage_hosts=(),
            batsim_arguments=("batsim",),
            batsim_execution_context_json="{}",
            workloads=(s.WorkloadAndFilename(name="w0", filename="w.json"),),
            external_event_lists=(),
        )
    )


def one(event: Any) -> s.Message:
    return s.Message(now=12.5, events=(s.EventAndTimestamp(timestamp=12.5, event=event),))


def seconds(call: Callable[[], Any], times: int) -> float:
    """CPU seconds of one call: the best of five batches."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(times):
            call()
        best = min(best, time.process_time() - start)
    return best / times


def mutate(buffer: bytes, chance: random.Random) -> bytes:
    """Some bytes or words changed, or the end cut off."""
    broken = bytearray(buffer)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(broken))
        kind = chance.random()
        if kind < 0.5:
            broken[at] = chance.randrange(256)
        elif kind < 0.9:
            at &= ~3
            broken[at : at + 4] = struct.pack(
                "<I", chance.choice((0, 1, at, len(broken), 2**31, 2**32 - 1, 4 * at + 4))
            )
        else:
            del broken[max(at, 1) :]
    return bytes(broken)


def survive(count: int, seed: int = 1) -> int:
    """Decode so many mutated buffers; anything but a message or a ProtocolError is raised. How many were refused."""
    chance = random.Random(seed)
    seeds = [binary.encode(message) for message in (submitted(), completed(), executed(), begins(3))]
    refused = 0
    for _ in range(count):
        try:
            binary.decode(mutate(chance.choice(seeds), chance))
        except ProtocolError:
            refused += 1
    return refused


def run() -> list[Figure]:
    figures = []
    for form, codec in (("binary", binary), ("JSON", text)):
        for what, message in (
            ("JobSubmitted", submitted()),
            ("JobCompleted", completed()),
            ("ExecuteJob", executed()),
        ):
            buffer = codec.encode(message)
            cost = seconds(lambda m=message, c=codec: c.encode(m), 5000)
            figures.append(Figure(f"{form}: encode one {what}", cost * 1e6, "us", "8"))
            cost = seconds(lambda b=buffer, c=codec: c.decode(b), 5000)
            figures.append(Figure(f"{form}: decode one {what}", cost * 1e6, "us", "8"))
        message = begins(10_000)
        buffer = codec.encode(message)
        cost = seconds(lambda m=message, c=codec: c.encode(m), 1)
        figures.append(Figure(f"{form}: encode SimulationBegins of 10,000 hosts", cost * 1e3, "ms", "100"))
        cost = seconds(lambda b=buffer, c=codec: c.decode(b), 1)
        figures.append(Figure(f"{form}: decode SimulationBegins of 10,000 hosts", cost * 1e3, "ms", "100"))
    start = time.process_time()
    refused = survive(MUTATED)
    cost = (time.process_time() - start) / MUTATED
    figures.append(
        Figure(f"{MUTATED:,} mutated buffers: {refused:,} refused clearly, none crashed", cost * 1e6, "us each")
    )
    return figures
