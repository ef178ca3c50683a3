"""Members that stand twice in a message of JSON: the decoder keeps the last, and says nothing."""

from typing import Any, Final

from windtunnel.diagnostics.json_repeated import NAME_ENDS, repeated_members

__all__ = ["repeated_member"]

_ENDS: Final = NAME_ENDS


def repeated_member(text: bytes, message: Any, names: int = -1) -> str:
    """The first member that stands twice in its object, and where; empty where none does, as nearly always.

    ``message`` is what ``text`` was decoded to. Where as many colons as there are names in it (``names``) stand in
    the text, or the ends of as many names and no blank before a colon, nothing more is looked at.
    """
    if text.count(b":") == names:
        return ""
    if text.count(_ENDS) == names and not (b" :" in text or b"\n" in text or b"\t" in text or b"\r" in text):
        return ""
    for path, key, _, _ in repeated_members(text, message):
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        return f"{key!r} twice" + (f", in {place.removeprefix('.')}" if place else "")
    return ""
