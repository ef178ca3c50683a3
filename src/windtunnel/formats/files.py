"""Opening input files: gzip is transparent, and what cannot be read is a finding."""

import gzip
import re
import zlib
from pathlib import Path
from typing import TextIO

from windtunnel.diagnostics import Findings

__all__ = ["GZIP", "ReadError", "json_fault", "open_text", "read_bytes", "reason"]

GZIP = b"\x1f\x8b"
"""How gzipped files begin."""

ReadError = (OSError, EOFError, zlib.error)
"""What reading a plain or gzipped file may raise."""


def reason(error: BaseException) -> str:
    """Why reading failed, without the path and number that the system's own text has."""
    return getattr(error, "strerror", None) or str(error)


def open_text(path: Path) -> TextIO:
    """Open a text file, gzipped or not (told by its first bytes); undecodable bytes are replaced."""
    with path.open("rb") as raw:
        zipped = raw.read(2) == GZIP
    if zipped:
        return gzip.open(path, "rt", encoding="utf-8-sig", errors="replace")
    return path.open(encoding="utf-8-sig", errors="replace")


def read_bytes(path: Path, findings: Findings) -> bytes:
    """The whole content, unzipped and without byte order mark.

    Raises:
        InputError: it cannot be read; what was found before is in it too.
    """
    try:
        data = path.read_bytes()
        if data.startswith(GZIP):
            data = gzip.decompress(data)
    except ReadError as error:
        findings.add(f"cannot be read: {reason(error)}", code="unreadable")
        findings.raise_all()
    return data.removeprefix(b"\xef\xbb\xbf")


def json_fault(error: Exception, data: bytes) -> tuple[str, int, int]:
    """What a JSON decoder complains about, as a message with line and column (0 where it does not tell)."""
    text = str(error).removeprefix("JSON is malformed: ").partition(" - at ")[0]
    found = re.search(r" \(byte (\d+)\)$", text)
    if found is None and "truncated" not in text:
        return f"not valid JSON: {text}", 0, 0
    before = (data[: int(found[1])] if found else data).decode("utf-8", "replace")
    message = f"not valid JSON: {text[: found.start()] if found else text}"
    return message, before.count("\n") + 1, len(before) - before.rfind("\n")
