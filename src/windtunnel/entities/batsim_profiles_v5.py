"""The profile kinds of Batsim 5, from and to the JSON of its workload files (not that of its messages)."""

from collections.abc import Mapping
from math import isqrt
from typing import Any, Final

from windtunnel.entities.batsim_profiles_v4 import Lost, Reader, Writer, common, plain, sub_ids
from windtunnel.entities.json_members import Members, kind_of
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    GenerationStrategy,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
    SequentialCompositionProfile,
    TraceReplayProfile,
    TraceType,
)

__all__ = ["READERS", "WRITERS", "extra_data_text"]

_STRATEGIES: Final = {
    strategy.name: strategy
    for strategy in (
        GenerationStrategy.DefinedAmountsUsedForEachValue,
        GenerationStrategy.DefinedAmountsSpreadUniformly,
    )
}


def extra_data_text(members: Members) -> str | None:
    """``extra_data`` as text; objects and arrays become compact JSON."""
    import msgspec

    value = members.members.get("extra_data")
    if value is None and "extra_data" not in members.members:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return msgspec.json.encode(value).decode()
    members.fault(
        f"'extra_data' is {kind_of(value)}, a string, an object or an array is expected", "extra_data", code="type"
    )
    return None


def _common(members: Members) -> dict[str, Any]:
    return {**common(members), "extra_data": extra_data_text(members)}


def _strategy(members: Members) -> GenerationStrategy:
    text = members.text("generation_strategy", "DefinedAmountsUsedForEachValue")
    if text and text not in _STRATEGIES:
        names = " or ".join(_STRATEGIES)
        members.fault(f"'generation_strategy' is {text!r}, {names} is expected", "generation_strategy")
    return _STRATEGIES.get(text, GenerationStrategy.DefinedAmountsUsedForEachValue)


def _delay(members: Members, _: str) -> Profile:
    return DelayProfile(delay=members.number("delay", above=0), **_common(members))


def _task(members: Members, _: str) -> Profile:
    cpu = members.amounts("cpu") if "cpu" in members.members else None
    com = members.amounts("com") if "com" in members.members else None
    if members.faultless:
        if cpu == ():
            members.fault("'cpu' is empty", "cpu")
        elif com is not None and cpu is None and isqrt(len(com)) ** 2 != len(com):
            members.fault(f"'com' has {len(com)} elements, which is not the square of a number", "com")
        elif com is not None and cpu is not None and len(com) != len(cpu) ** 2:
            wanted = f"{len(cpu) ** 2} are expected for {len(cpu)} in 'cpu'"
            members.fault(f"'com' has {len(com)} elements, {wanted}", "com")
    return ParallelTaskProfile(computation_vector=cpu, communication_matrix=com, **_common(members))


def _homogeneous(members: Members, _: str) -> Profile:
    return ParallelTaskHomogeneousProfile(
        computation_amount=members.number("cpu", least=0),
        communication_amount=members.number("com", least=0),
        generation_strategy=_strategy(members),
        **_common(members),
    )


def _sequence(members: Members, workload: str) -> Profile:
    return SequentialCompositionProfile(
        profile_ids=sub_ids(members, workload),
        repetition_count=members.integer("repeat", 1, least=1),
        **_common(members),
    )


def _fork_join(members: Members, workload: str) -> Profile:
    return ForkJoinCompositionProfile(profile_ids=sub_ids(members, workload), **_common(members))


def _merge(members: Members, workload: str) -> Profile:
    return ParallelTaskMergeCompositionProfile(profile_ids=sub_ids(members, workload), **_common(members))


def _on_storage(members: Members, _: str) -> Profile:
    if not {"bytes_to_read", "bytes_to_write"} & members.members.keys():
        members.fault("neither 'bytes_to_read' nor 'bytes_to_write' is given", code="missing")
    return ParallelTaskOnStorageHomogeneousProfile(
        storage_name=members.text("storage") if "storage" in members.members else members.text("host", "pfs"),
        bytes_to_read=members.number("bytes_to_read", 0.0, least=0),
        bytes_to_write=members.number("bytes_to_write", 0.0, least=0),
        generation_strategy=_strategy(members),
        **_common(members),
    )


def _staging(members: Members, _: str) -> Profile:
    return ParallelTaskDataStagingBetweenStoragesProfile(
        bytes_to_transfer=members.number("nb_bytes", least=0),
        emitter_storage_name=members.text("from"),
        receiver_storage_name=members.text("to"),
        **_common(members),
    )


def _trace(members: Members, _: str) -> Profile:
    kind = members.text("trace_type")
    if kind and kind not in TraceType.__members__:
        members.fault(f"'trace_type' is {kind!r}, {' or '.join(TraceType.__members__)} is expected", "trace_type")
    # The documentation's example says 'trace' where the program wants 'filename': both are understood.
    key = "trace" if "trace" in members.members and "filename" not in members.members else "filename"
    trace_type = TraceType.__members__.get(kind, TraceType.SMPI)
    return TraceReplayProfile(trace_type=trace_type, filename=members.text(key), **_common(members))


READERS: Final[Mapping[str, Reader]] = {
    "DelayProfile": _delay,
    "ParallelTaskProfile": _task,
    "ParallelTaskHomogeneousProfile": _homogeneous,
    "SequentialCompositionProfile": _sequence,
    "ForkJoinCompositionProfile": _fork_join,
    "ParallelTaskMergeCompositionProfile": _merge,
    "ParallelTaskOnStorageHomogeneousProfile": _on_storage,
    "ParallelTaskDataStagingBetweenStoragesProfile": _staging,
    "TraceReplayProfile": _trace,
}
"""``type`` -> reader."""


def _write_task(profile: ParallelTaskProfile, _: Lost) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "ParallelTaskProfile"}
    if profile.computation_vector is not None:
        made["cpu"] = [plain(amount) for amount in profile.computation_vector]
    if profile.communication_matrix is not None:
        made["com"] = [plain(amount) for amount in profile.communication_matrix]
    return made


def _write_homogeneous(profile: ParallelTaskHomogeneousProfile, lost: Lost) -> dict[str, Any]:
    strategy = profile.generation_strategy
    if strategy is GenerationStrategy.Batsim4Total:
        strategy = GenerationStrategy.DefinedAmountsSpreadUniformly
        if profile.communication_amount:
            lost.append("each pair gets communication / (n² - n) instead of communication / n")
    return {
        "type": "ParallelTaskHomogeneousProfile",
        "cpu": plain(profile.computation_amount),
        "com": plain(profile.communication_amount),
        "generation_strategy": strategy.name,
    }


def _write_sequence(profile: SequentialCompositionProfile, _: Lost) -> dict[str, Any]:
    return {
        "type": "SequentialCompositionProfile",
        "repeat": profile.repetition_count,
        "seq": [sub.rpartition("!")[2] for sub in profile.profile_ids],
    }


def _write_group(
    profile: ForkJoinCompositionProfile | ParallelTaskMergeCompositionProfile, _: Lost
) -> dict[str, Any]:
    return {"type": type(profile).__name__, "seq": [sub.rpartition("!")[2] for sub in profile.profile_ids]}


def _write_storage(profile: ParallelTaskOnStorageHomogeneousProfile, _: Lost) -> dict[str, Any]:
    return {
        "type": "ParallelTaskOnStorageHomogeneousProfile",
        "bytes_to_read": plain(profile.bytes_to_read),
        "bytes_to_write": plain(profile.bytes_to_write),
        "storage": profile.storage_name,
        "generation_strategy": profile.generation_strategy.name,
    }


def _write_staging(profile: ParallelTaskDataStagingBetweenStoragesProfile, _: Lost) -> dict[str, Any]:
    return {
        "type": "ParallelTaskDataStagingBetweenStoragesProfile",
        "nb_bytes": plain(profile.bytes_to_transfer),
        "from": profile.emitter_storage_name,
        "to": profile.receiver_storage_name,
    }


def _write_trace(profile: TraceReplayProfile, _: Lost) -> dict[str, Any]:
    return {"type": "TraceReplayProfile", "trace_type": profile.trace_type.name, "filename": profile.filename}


WRITERS: Final[Mapping[type[Profile], Writer]] = {
    DelayProfile: lambda profile, _: {"type": "DelayProfile", "delay": plain(profile.delay)},
    ParallelTaskProfile: _write_task,
    ParallelTaskHomogeneousProfile: _write_homogeneous,
    SequentialCompositionProfile: _write_sequence,
    ForkJoinCompositionProfile: _write_group,
    ParallelTaskMergeCompositionProfile: _write_group,
    ParallelTaskOnStorageHomogeneousProfile: _write_storage,
    ParallelTaskDataStagingBetweenStoragesProfile: _write_staging,
    TraceReplayProfile: _write_trace,
}
"""Profile class -> writer; the kinds that Batsim 5 has no form for (messages to and from jobs) are not here."""
