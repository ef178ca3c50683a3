"""Ids of Batsim jobs and profiles: ``workload!name`` in messages, the name alone in files."""

from typing import Literal

__all__ = ["Generation", "full_id", "of_another"]

Generation = Literal[4, 5]
"""Which Batsim a document speaks to: 4 stands for 3 as well (their files are the same)."""


def full_id(text: str, workload: str) -> str:
    """The id ``workload!name`` of what a document calls ``text``, with or without the workload's name.

    Upstream takes every text that *contains* the workload's name for a full id, so that it refuses a job ``w01`` in
    the workload ``w0``; here only a ``!`` makes a full id.

    Raises:
        ValueError: the text has more than two parts, an empty one, or names another workload.
    """
    if "!" not in text:
        if not text:
            raise ValueError("it is empty")
        return f"{workload}!{text}"
    first, _, name = text.partition("!")
    name = name.lstrip("!")
    if not first or not name or "!" in name:
        raise ValueError("'workload!name' or a name without '!' is expected")
    if first != workload:
        raise ValueError(f"it names the workload {first!r}, but this one is {workload!r}")
    return f"{workload}!{name}"


def of_another(text: str, workload: str) -> bool:
    """Whether a text is the full id of what another workload has."""
    first, mark, name = text.partition("!")
    return bool(first and mark and name) and "!" not in name and first != workload
