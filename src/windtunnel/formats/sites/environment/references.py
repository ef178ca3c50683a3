"""References of ``$base``: a file part and a JSON Pointer (RFC 6901) as a URI fragment."""

import re
from typing import Any
from urllib.parse import unquote

from windtunnel.diagnostics import did_you_mean
from windtunnel.formats.sites.environment.problems import Path, pointer

__all__ = ["PointerError", "find", "parse_pointer", "split_reference"]

_INDEX = re.compile(r"0|[1-9][0-9]*")
_BAD_TILDE = re.compile(r"~(?![01])")


class PointerError(Exception):
    """A pointer leads nowhere; ``code`` is ENV010 or ENV017."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint


def split_reference(text: str) -> tuple[str, str]:
    """The file part (empty for this document) and the fragment, percent-decoded."""
    file, _, fragment = text.partition("#")
    return unquote(file), unquote(fragment)


def parse_pointer(fragment: str) -> tuple[str, ...]:
    """The tokens of a pointer; a missing leading slash is added (the caller warns)."""
    if not fragment:
        return ()
    if bad := _BAD_TILDE.search(fragment):
        rest = fragment[bad.start() : bad.start() + 2]
        raise PointerError("ENV017", f"{rest!r} is not an escape", "write ~0 for ~ and ~1 for /")
    tokens = fragment.removeprefix("/").split("/")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def find(tree: Any, tokens: tuple[str, ...]) -> Path:
    """The path that ``tokens`` lead to in the raw tree; :class:`PointerError` says where they stop."""
    path: list[str | int] = []
    value = tree
    for position, token in enumerate(tokens):
        if isinstance(value, dict):
            if token not in value:
                raise PointerError("ENV010", *_missing(value, tuple(path), token, tokens[position + 1 :]))
            path.append(token)
            value = value[token]
        elif isinstance(value, list):
            index = _index(token, len(value))
            path.append(index)
            value = value[index]
        else:
            raise PointerError("ENV010", f"nothing below {_show(tuple(path))}: it is neither object nor array")
    return tuple(path)


def _index(token: str, length: int) -> int:
    if not _INDEX.fullmatch(token):
        if token == "-":  # noqa: S105 -- a token of a pointer: "the element after the last" never exists here
            raise PointerError("ENV010", "'-' points past the last element")
        hint = "an index is 0, or digits without leading zero" if token.lstrip("-").isdigit() else ""
        raise PointerError("ENV017", f"{token!r} is not an index of an array", hint)
    if int(token) >= length:
        raise PointerError("ENV010", f"no element {token}: the array has {length}")
    return int(token)


def _missing(value: dict[str, Any], path: Path, token: str, rest: tuple[str, ...]) -> tuple[str, str]:
    """Message and hint for a key that is not there."""
    message = f"{_show(path)} has no key {token!r}"
    if "$base" in value:
        return message, "it may come from that object's own $base, but a pointer sees only what is written there"
    near = did_you_mean(token, value).removeprefix("did you mean '").removesuffix("'?")
    if near in value:
        better = (*path, near, *rest)
        try:
            find(value[near], rest)
        except PointerError:
            better = (*path, near)
        return message, f"did you mean '#{pointer(better)}'?"
    return message, did_you_mean(token, value)


def _show(path: Path) -> str:
    return f"#{pointer(path)}" if path else "the document"
