"""Opening input files: gzip is transparent, and what cannot be read is a finding."""

import re
from pathlib import Path

from windtunnel.diagnostics import Findings, read_input

__all__ = ["json_fault", "read_bytes", "reason"]


def reason(error: BaseException) -> str:
    """Why reading failed, without the path and number that the system's own text has, and in words of ours."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "set_int_max_str_digits" in str(error):  # Python's text names a function to call
        return "a number in it has thousands of digits"
    return getattr(error, "strerror", None) or str(error)


def read_bytes(path: Path, findings: Findings) -> bytes:
    """The whole content, unzipped and without byte order mark.

    Raises:
        InputError: it cannot be read; what was found before is in it too.
    """
    try:
        data = read_input(path)
    except OSError as error:
        findings.add(f"cannot be read: {reason(error)}", code="unreadable")
        findings.raise_all()
    return data.removeprefix(b"\xef\xbb\xbf")


def json_fault(error: Exception, data: bytes) -> tuple[str, int, int]:
    """What a JSON decoder complains about, as a message with line and column (0 where it does not tell)."""
    if data.lstrip()[:1] == b"<":
        return "not JSON but XML: perhaps two files are in each other's place", 1, 1
    if not data.strip():
        return "not JSON: the file is empty", 0, 0
    text = str(error).removeprefix("JSON is malformed: ").partition(" - at ")[0]
    found = re.search(r" \(byte (\d+)\)$", text)
    if found is None and "truncated" not in text:
        return f"not valid JSON: {text}", 0, 0
    before = (data[: int(found[1])] if found else data).decode("utf-8", "replace")
    message = f"not valid JSON: {text[: found.start()] if found else text}"
    return message, before.count("\n") + 1, len(before) - before.rfind("\n")
