"""The profile kinds of Batsim 3 and 4, from and to JSON (``type`` and the members of each kind)."""

from collections.abc import Callable, Mapping
from math import isqrt
from typing import Any, Final

from windtunnel.entities.batsim_ids import full_id
from windtunnel.entities.json_members import Members, kind_of
from windtunnel.model import (
    DelayProfile,
    GenerationStrategy,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
    ReceiveProfile,
    SendProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
    TraceType,
)

__all__ = ["READERS", "WRITERS", "Lost", "Reader", "Writer", "common", "plain", "sub_ids"]

Reader = Callable[[Members, str], Profile]
"""Makes a profile of the members of its object; the text is its workload."""


Lost = list[str]
"""What a writer could not keep, in words."""

Writer = Callable[[Any, Lost], dict[str, Any]]


def plain(number: float) -> float:
    """A whole number as an integer, which JSON writes without ``.0``."""
    return int(number) if number == int(number) and abs(number) < 1 << 53 else number


def common(members: Members) -> dict[str, Any]:
    """What all kinds have: the return code."""
    return {"return_code": members.integer("ret", 0, least=0)}


def sub_ids(members: Members, workload: str, key: str = "seq") -> tuple[str, ...]:
    """The full ids of the profiles that ``key`` names."""
    ids = []
    for index, name in enumerate(members.names(key)):
        try:
            ids.append(full_id(name, workload))
        except ValueError as error:
            members.element_fault(key, index, f"is {name!r}: {error}", "id")
    return tuple(ids)


def _delay(members: Members, _: str) -> Profile:
    return DelayProfile(delay=members.number("delay", above=0), **common(members))


def _parallel(members: Members, _: str) -> Profile:
    given = members.members.get("com")
    if type(members.members.get("cpu")) in (int, float) and isinstance(given, list):
        # The protocol's document writes 0 once for all of them.
        cpu: tuple[float, ...] = (members.number("cpu", least=0),) * isqrt(len(given))
    else:
        cpu = members.amounts("cpu")
    com = members.amounts("com")
    if members.faultless and not cpu:
        members.fault("'cpu' is empty", "cpu")
    elif members.faultless and len(com) != len(cpu) ** 2:
        members.fault(f"'com' has {len(com)} elements, {len(cpu) ** 2} are expected for {len(cpu)} in 'cpu'", "com")
    return ParallelTaskProfile(computation_vector=cpu, communication_matrix=com, **common(members))


def _homogeneous(strategy: GenerationStrategy) -> Reader:
    def read(members: Members, _: str) -> Profile:
        return ParallelTaskHomogeneousProfile(
            computation_amount=members.number("cpu", least=0),
            communication_amount=members.number("com", least=0),
            generation_strategy=strategy,
            **common(members),
        )

    return read


def _composed(members: Members, workload: str) -> Profile:
    return SequentialCompositionProfile(
        profile_ids=sub_ids(members, workload),
        repetition_count=members.integer("repeat", 1, least=1),
        **common(members),
    )


def _pfs(members: Members, _: str) -> Profile:
    if not {"bytes_to_read", "bytes_to_write"} & members.members.keys():
        members.fault("neither 'bytes_to_read' nor 'bytes_to_write' is given", code="missing")
    return ParallelTaskOnStorageHomogeneousProfile(
        storage_name=members.text("storage") if "storage" in members.members else members.text("host", "pfs"),
        bytes_to_read=members.number("bytes_to_read", 0.0, least=0),
        bytes_to_write=members.number("bytes_to_write", 0.0, least=0),
        **common(members),
    )


def _staging(members: Members, _: str) -> Profile:
    return ParallelTaskDataStagingBetweenStoragesProfile(
        bytes_to_transfer=members.number("nb_bytes", least=0),
        emitter_storage_name=members.text("from"),
        receiver_storage_name=members.text("to"),
        **common(members),
    )


def _send(members: Members, _: str) -> Profile:
    message = members.members.get("msg")
    if "msg" not in members.members:
        members.fault("'msg' is missing, an object is expected", code="missing")
    elif not isinstance(message, dict):
        members.fault(f"'msg' is {kind_of(message)}, an object is expected", "msg", code="type")
    return SendProfile(
        message=message if isinstance(message, dict) else {},
        sleeptime=members.number("sleeptime", 1e-7, above=0),
        **common(members),
    )


def _receive(members: Members, workload: str) -> Profile:
    import re

    regex = members.text("regex", ".*")
    try:
        re.compile(regex)
    except re.error as error:
        members.fault(f"'regex' is not a valid regular expression: {error}", "regex")
    branches: dict[str, Any] = {}
    for key in ("success", "failure", "timeout"):
        name = members.text(key, "")
        try:
            branches[key] = full_id(name, workload) if name else ""
        except ValueError as error:
            members.fault(f"{key!r} is {name!r}: {error}", key, code="id")
    return ReceiveProfile(
        regex=regex, polltime=members.number("polltime", 0.005, above=0), **branches, **common(members)
    )


def _trace(kind: TraceType) -> Reader:
    def read(members: Members, _: str) -> Profile:
        return TraceReplayProfile(trace_type=kind, filename=members.text("trace"), **common(members))

    return read


READERS: Final[Mapping[str, Reader]] = {
    "delay": _delay,
    "parallel": _parallel,
    "parallel_homogeneous": _homogeneous(GenerationStrategy.DefinedAmountsUsedForEachValue),
    "parallel_homogeneous_total": _homogeneous(GenerationStrategy.Batsim4Total),
    "composed": _composed,
    "parallel_homogeneous_pfs": _pfs,
    "data_staging": _staging,
    "send": _send,
    "recv": _receive,
    "smpi": _trace(TraceType.SMPI),
    "usage_trace": _trace(TraceType.FractionalComputation),
}
"""``type`` -> reader."""


def _write_parallel(profile: ParallelTaskProfile, _: Lost) -> dict[str, Any]:
    size = profile.executors
    return {
        "type": "parallel",
        "cpu": [plain(amount) for amount in profile.computation_vector or (0,) * size],
        "com": [plain(amount) for amount in profile.communication_matrix or (0,) * size**2],
    }


def _write_homogeneous(profile: ParallelTaskHomogeneousProfile, lost: Lost) -> dict[str, Any]:
    spread = profile.generation_strategy is not GenerationStrategy.DefinedAmountsUsedForEachValue
    if (
        profile.generation_strategy is GenerationStrategy.DefinedAmountsSpreadUniformly
        and profile.communication_amount
    ):
        lost.append("each pair gets communication / n instead of communication / (n² - n)")
    return {
        "type": "parallel_homogeneous_total" if spread else "parallel_homogeneous",
        "cpu": plain(profile.computation_amount),
        "com": plain(profile.communication_amount),
    }


def _write_sequence(profile: SequentialCompositionProfile, _: Lost) -> dict[str, Any]:
    names = [sub.rpartition("!")[2] for sub in profile.profile_ids]
    return {"type": "composed", "repeat": profile.repetition_count, "seq": names}


def _write_storage(profile: ParallelTaskOnStorageHomogeneousProfile, lost: Lost) -> dict[str, Any]:
    if profile.generation_strategy is not GenerationStrategy.DefinedAmountsUsedForEachValue:
        lost.append("each host gets the whole amounts instead of its share")
    return {
        "type": "parallel_homogeneous_pfs",
        "bytes_to_read": plain(profile.bytes_to_read),
        "bytes_to_write": plain(profile.bytes_to_write),
        "storage": profile.storage_name,
    }


def _write_staging(profile: ParallelTaskDataStagingBetweenStoragesProfile, _: Lost) -> dict[str, Any]:
    return {
        "type": "data_staging",
        "nb_bytes": plain(profile.bytes_to_transfer),
        "from": profile.emitter_storage_name,
        "to": profile.receiver_storage_name,
    }


def _write_receive(profile: ReceiveProfile, _: Lost) -> dict[str, Any]:
    branches = {key: getattr(profile, key).rpartition("!")[2] for key in ("success", "failure", "timeout")}
    return {"type": "recv", "regex": profile.regex, **branches, "polltime": profile.polltime}


def _write_trace(profile: TraceReplayProfile, _: Lost) -> dict[str, Any]:
    return {"type": "smpi" if profile.trace_type is TraceType.SMPI else "usage_trace", "trace": profile.filename}


WRITERS: Final[Mapping[type[Profile], Writer]] = {
    DelayProfile: lambda profile, _: {"type": "delay", "delay": plain(profile.delay)},
    ParallelTaskProfile: _write_parallel,
    ParallelTaskHomogeneousProfile: _write_homogeneous,
    SequentialCompositionProfile: _write_sequence,
    ParallelTaskOnStorageHomogeneousProfile: _write_storage,
    ParallelTaskDataStagingBetweenStoragesProfile: _write_staging,
    SendProfile: lambda profile, _: {"type": "send", "msg": profile.message, "sleeptime": profile.sleeptime},
    ReceiveProfile: _write_receive,
    TraceReplayProfile: _write_trace,
}
"""Profile class -> writer; the kinds that Batsim 4 has no form for are not here."""
