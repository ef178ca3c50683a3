"""Members of JSON objects, read one by one: each wrong one is a finding, and those that nobody asked for are told."""

from collections.abc import Iterable
from math import isfinite
from typing import Any

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.formats.repeated_members import tell_repeated

__all__ = ["Members", "load_object"]


def load_object(path: str, data: bytes, findings: Findings) -> Any:
    """The object of a JSON file; None if it holds none, and findings say why."""
    import msgspec

    from windtunnel.formats.files import json_fault

    try:
        loaded = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message, line, column = json_fault(error, data)
        findings.add(message, code="syntax", line=line, column=column, file=path)
        return None
    if not isinstance(loaded, dict):
        findings.add("the file is not a JSON object", code="type", file=path)
        return None
    tell_repeated(data, loaded, findings, file=path)
    return loaded


def shown(value: object) -> str:
    """A value, as it is said in findings."""
    return f"{value!r:.60}"


class Members:
    """The members of one object, at a JSON pointer of a file."""

    def __init__(self, findings: Findings, file: str, value: Any, pointer: str = "") -> None:
        self.findings = findings
        self.file = file
        self.pointer = pointer
        self.value: dict[str, Any] = value if isinstance(value, dict) else {}
        self.asked: dict[str, None] = {}
        if not isinstance(value, dict):
            self.fault("", f"an object is expected, not {shown(value)}")

    def at(self, key: str, *below: str) -> str:
        """The pointer of a member, or of something below it."""
        parts = [part.replace("~", "~0").replace("/", "~1") for part in (key, *below)]
        return "/".join([self.pointer, *parts]) if key else self.pointer

    def fault(self, key: str, message: str, hint: str = "", *, code: str = "value") -> None:
        """Something is wrong with a member."""
        said = f"{key}: {message}" if key else message
        self.findings.add(said, code=code, pointer=self.at(key), hint=hint, file=self.file)

    def odd(self, key: str, message: str, hint: str = "", *, code: str = "odd") -> None:
        """Something about a member is worth a warning."""
        from windtunnel.diagnostics import Severity

        said = f"{key}: {message}" if key else message
        self.findings.add(said, code=code, pointer=self.at(key), hint=hint, file=self.file, severity=Severity.WARNING)

    def get(self, key: str) -> Any:
        """A member as it is; None if it is not there."""
        self.asked[key] = None
        return self.value.get(key)

    def has(self, key: str) -> bool:
        """Whether a member is there."""
        self.asked[key] = None
        return key in self.value

    def missing(self, key: str, what: str) -> None:
        """A member that must be there is not."""
        near = did_you_mean(key, [name for name in self.value if name not in self.asked])
        self.fault("", f"{key!r} is missing: {what} is expected", near, code="missing")

    def number(
        self, key: str, default: float | None = None, *, least: float = -float("inf"), what: str = "a number"
    ) -> float:
        """A number; without a default it must be there."""
        if not self.has(key):
            if default is None:
                self.missing(key, what)
            return default or 0.0
        value = self.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value):
            self.fault(key, f"{what} is expected, not {shown(value)}")
            return default or 0.0
        if value < least:
            self.fault(key, f"{shown(value)} is less than {least:g}")
            return default or 0.0
        return float(value)

    def whole(self, key: str, default: int | None = None, *, least: int = 0) -> int:
        """A whole number."""
        if not self.has(key):
            if default is None:
                self.missing(key, f"a whole number of at least {least}")
            return default if default is not None else least
        value = self.get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault(key, f"a whole number is expected, not {shown(value)}")
            return default if default is not None else least
        if value < least:
            self.fault(key, f"{shown(value)} is less than {least}")
            return default if default is not None else least
        if value > 1 << 62:
            self.fault(key, f"{shown(value)} is larger than any number allowed here")
            return default if default is not None else least
        return value

    def flag(self, key: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self.get(key)
        if not self.has(key):
            return default
        if not isinstance(value, bool):
            self.fault(key, f"true or false is expected, not {shown(value)}")
            return default
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A text; without a default it must be there, and not be empty."""
        if not self.has(key):
            if default is None:
                self.missing(key, "a string")
            return default or ""
        value = self.get(key)
        if not isinstance(value, str) or (not value and default is None):
            self.fault(key, f"a string is expected, not {shown(value)}")
            return default or ""
        return value

    def items(self, key: str, *, needed: bool = False) -> list[Any]:
        """A list."""
        if not self.has(key):
            if needed:
                self.missing(key, "a list")
            return []
        value = self.get(key)
        if not isinstance(value, list):
            self.fault(key, f"a list is expected, not {shown(value)}")
            return []
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        values = self.items(key)
        for rank, value in enumerate(values):
            if not isinstance(value, str):
                message = f"{key}: a string is expected, not {shown(value)}"
                self.findings.add(message, code="value", pointer=self.at(key, str(rank)), file=self.file)
        return tuple(value for value in values if isinstance(value, str))

    def word(self, key: str, words: Iterable[str]) -> str:
        """One of some words, in any case; "" if it is none (a finding says so)."""
        known = [*words]
        given = self.text(key)
        if not given:
            return ""
        if given.lower() not in known:
            near = did_you_mean(given.lower(), known)
            self.fault(key, f"{shown(given)} is not one of {', '.join(known)}", near)
            return ""
        return given.lower()

    def rest(self, known: Iterable[str] = ()) -> None:
        """Tell the members that nobody has asked for: nothing comes of them."""
        names = [*self.asked, *known]
        for key in self.value:
            if key not in self.asked:
                near = did_you_mean(key, names)
                self.odd(key, "unknown member: it has no effect", near, code="unknown-member")


def _fits(value: float) -> bool:
    try:
        return isfinite(float(value))
    except OverflowError:
        return False
