"""``run.json``: what was run, and how it ended. Until a run has ended it says ``running``, whatever kills it."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from windtunnel.diagnostics import AccountLine, UsageError, read_input

__all__ = [
    "FORMAT",
    "ComponentFacts",
    "InputFile",
    "PlatformFacts",
    "Rejection",
    "ReservedHosts",
    "RunState",
    "Status",
    "WorkloadFacts",
    "as_plain",
    "as_text",
    "read_state",
]

FORMAT: Final = 1
"""Raised when the meaning of files in a run's directory changes."""


MOST_STATE: Final = 1 << 24
"""Bytes of a ``run.json``."""

_Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 30)]
"""So many hosts a site may have."""


class Status(StrEnum):
    """How far a run has come."""

    RUNNING = "running"
    """It goes on, or was killed so that it could not say how it ended."""
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    """It ended early; ``reason`` says why. What is in the files is what happened until then."""


class ReservedHosts(msgspec.Struct, frozen=True, kw_only=True):
    """An advance reservation that the scheduler of a run keeps hosts for. Seconds of simulated time."""

    name: str
    start: float
    end: float
    """The first time, if it is repeated."""
    hosts: str
    """An interval set."""
    every: float = 0.0
    """Seconds from one repetition to the next; 0: it is not repeated."""


class PlatformFacts(msgspec.Struct, kw_only=True):
    """The site of a run."""

    name: str = ""
    path: str = ""
    hosts: _Number = 0
    storages: _Number = 0
    cores: int = 0
    """Of all hosts together."""
    hosts_by_cores: dict[str, str] = {}
    """Where hosts differ in cores: each number of cores, and the hosts (an interval set) that have so many."""
    options: dict[str, Any] = {}
    """What the reader of the platform was told."""
    reservations: list[ReservedHosts] = []
    """Those of a Slurm site, where its scheduler keeps them."""


class WorkloadFacts(msgspec.Struct, kw_only=True):
    """One workload of a run."""

    name: str
    path: str = ""
    jobs: int = 0


class InputFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a run was made from, as it was when it was read."""

    path: str
    size: int
    """Bytes."""
    sha256: str
    """Of its content as it lies there (zipped, if it is)."""


class ComponentFacts(msgspec.Struct):
    """A decision component as it presented itself."""

    called: str
    """How this run calls it."""
    name: str
    version: str
    commit: str
    protocol_version: str
    protocol_commit: str


class Rejection(msgspec.Struct):
    """A reason for which a scheduler rejected jobs, as it gives it."""

    reason: str
    jobs: int
    first: str
    """The id of the first of them."""


class RunState(msgspec.Struct, kw_only=True):
    """The content of ``run.json``; holds nothing that differs between equal runs."""

    format: int = FORMAT
    windtunnel: str = ""
    """The version that wrote it."""
    build: str = ""
    """The build of it: ``compiled`` or ``pure Python``."""
    status: Status = Status.RUNNING
    reason: str = ""
    simulated_time: float = 0.0
    """Seconds, when it was last written."""
    dialect: str = "windtunnel"
    platform: PlatformFacts = msgspec.field(default_factory=PlatformFacts)
    workloads: list[WorkloadFacts] = []
    components: list[ComponentFacts] = []
    """Decision components that say more of themselves than their name."""
    inputs: list[InputFile] = []
    """The files that were read."""
    account: list[AccountLine] = []
    """What was read or asked for and did not take effect as written."""
    rejections: list[Rejection] = []
    """For what reasons jobs were rejected, where the scheduler says: the first hundred reasons."""
    start_date: float | None = None
    """The calendar date of time 0 (seconds since 1970, UTC), where the input has one."""
    facts: dict[str, Any] = {}
    """Whatever else the caller noted: scheduler, options, seeds, command line."""
    files: list[str] | None = None
    """The files of the run, when it has ended; None as long as it goes on: then all that it might write are its."""

    def json(self) -> bytes:
        """The file's content."""
        return msgspec.json.format(_json(self), indent=2) + b"\n"


def read_state(path: Path) -> RunState:
    """Read a ``run.json``.

    Raises:
        UsageError: there is none, or it is not one of ours.
    """
    try:
        state = msgspec.json.decode(read_input(path, most=MOST_STATE), type=RunState)
    except FileNotFoundError:
        raise UsageError(
            f"{path.parent} holds no run ({path.name} is missing)",
            "a run's directory is what `windtunnel run --out DIR` wrote",
        ) from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise UsageError(f"{path} is not readable: {fault}") from fault
    if state.format > FORMAT:
        raise UsageError(f"{path} was written by a later version ({state.windtunnel or 'unknown'})")
    return state


def as_text(fact: Any) -> str:
    """A fact for people: lists and mappings without brackets."""
    if isinstance(fact, list):
        return ", ".join(map(as_text, fact))
    if isinstance(fact, dict):
        return ", ".join(f"{name}={as_text(value)}" for name, value in fact.items())
    return str(fact)


def as_plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as JSON can hold them (paths and others become text)."""
    made: dict[str, Any] = msgspec.json.decode(_json(dict(facts)))
    return made


def _json(value: Any) -> bytes:
    """A value as JSON, with escapes for what is no UTF-8 in the names of files."""
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:
        return msgspec.json.encode(_escaped(msgspec.to_builtins(value, enc_hook=str)))


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_escaped(name): _escaped(one) for name, one in value.items()}
    return [*map(_escaped, value)] if isinstance(value, list | tuple) else value
