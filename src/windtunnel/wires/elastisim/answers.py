"""What an algorithm answers on ElastiSim's wire, checked member by member."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import ProtocolError
from windtunnel.wires.elastisim.codes import SCHEDULED

__all__ = ["Entry", "parse_answer"]


class Entry(msgspec.Struct, frozen=True):
    """What an answer says of one job."""

    job: int = msgspec.field(name="id")
    nodes: tuple[int, ...] = msgspec.field(name="assigned_node_ids")
    gpus: int = msgspec.field(name="assigned_num_gpus_per_node")
    kill: bool = msgspec.field(name="kill_flag")
    modified: bool = msgspec.field(name="modified_runtime_args")
    given: Mapping[str, str] | None = msgspec.field(name="runtime_arguments", default=None)

    @property
    def arguments(self) -> Mapping[str, str] | None:
        """New runtime arguments; None: they stay as they are."""
        return self.given if self.modified else None


class _Answer(msgspec.Struct, frozen=True):
    """An answer as it should be; what is wrong with another is found member by member."""

    code: int
    jobs: list[Entry]


_decode: Final = msgspec.json.Decoder(_Answer).decode


def parse_answer(data: bytes, now: float) -> list[Entry]:
    """The entries of an answer.

    Raises:
        ProtocolError: it is not an answer; what is wrong is said with its place.
    """
    try:
        answer = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _entries(data, now)
    if answer.code != SCHEDULED:
        return _entries(data, now)
    for one in answer.jobs:
        if one.modified and one.given is None:
            return _entries(data, now)
    return answer.jobs


def _entries(data: bytes, now: float) -> list[Entry]:
    """The same, looked at member by member, so that what is wrong can be said."""
    try:
        message = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(f"the answer is not valid JSON: {error}", now=now) from None
    whole = _object(message, "the answer", now)
    code = whole.get("code")
    if code != SCHEDULED or isinstance(code, bool):
        raise ProtocolError(f"the answer has the code {code!r:.40}, {SCHEDULED} is expected", now=now)
    jobs = whole.get("jobs")
    if not isinstance(jobs, list):
        raise ProtocolError(f"jobs of the answer are {jobs!r:.40}, a list is expected", now=now)
    return [_entry(_object(one, f"jobs[{rank}]", now), f"jobs[{rank}]", now) for rank, one in enumerate(jobs)]


def _object(value: Any, place: str, now: float) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProtocolError(f"{place} is {value!r:.40}, an object is expected", now=now)
    return value


def _entry(entry: dict[str, Any], place: str, now: float) -> Entry:
    def fault(key: str, expected: str) -> ProtocolError:
        found = f"{entry[key]!r:.40}" if key in entry else "missing"
        return ProtocolError(f"{place}.{key} is {found}, {expected} is expected", now=now)

    for key in ("id", "assigned_num_gpus_per_node"):
        if not _whole(entry.get(key)):
            raise fault(key, "a whole number")
    for key in ("kill_flag", "modified_runtime_args"):
        if not isinstance(entry.get(key), bool):
            raise fault(key, "true or false")
    nodes = entry.get("assigned_node_ids")
    if not isinstance(nodes, list) or not all(map(_whole, nodes)):
        raise fault("assigned_node_ids", "a list of whole numbers")
    arguments = None
    if entry["modified_runtime_args"]:
        given = entry.get("runtime_arguments")
        if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
            raise fault("runtime_arguments", "an object of strings")
        arguments = given
    gpus, kill, modified = entry["assigned_num_gpus_per_node"], entry["kill_flag"], entry["modified_runtime_args"]
    return Entry(entry["id"], tuple(nodes), gpus, kill, modified, arguments)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
