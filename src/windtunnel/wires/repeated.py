"""Members that stand twice in a message of JSON: the decoder keeps the last, and says nothing."""

from typing import Final

from windtunnel.diagnostics.json_positions import duplicate_keys

__all__ = ["repeated_member"]

_NOW: Final = b'"now"'
_EVENTS: Final = b'"events"'


def repeated_member(text: bytes) -> str:
    """Which of the members that every message has stands twice in it; empty where none does, as nearly always.

    ``text`` is valid JSON of one object.
    """
    if text.count(_EVENTS) < 2 and text.count(_NOW) < 2:
        return ""
    for path, key, _, _ in duplicate_keys(text.decode("utf-8", "replace")):
        if not path:
            return key
    return ""
