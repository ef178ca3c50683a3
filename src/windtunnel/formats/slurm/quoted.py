"""Logs of ``sacct`` whose fields, or whose lines, somebody's spreadsheet or program has put between quotes.

``sacct`` itself quotes nothing: a quote at the beginning of a field is one that a user wrote (a job's name), unless
the whole file is CSV.
"""

import csv
import re
from io import StringIO
from typing import Final

__all__ = ["BAR", "unquoted"]

BAR: Final = "\N{BROKEN BAR}"
"""What stands for a stroke within a field."""
_IN_VAIN: Final = re.compile(r'(?:^|\|)"[^"|\n]*"(?=\r?$|\|)', re.MULTILINE)
"""A field in quotes that needs none: where the head has none either, somebody called a job so."""


def unquoted(text: str, mark: str) -> str:
    """The same table with strokes between its fields; ``mark`` stands between those of ``text``."""
    if '"' in text:
        text = _whole_lines(text)
        fields = _fields(text, mark)
        if fields is not None:
            return "\n".join("|".join(field.replace("|", BAR) for field in row) for row in fields)
    return text if mark == "|" else text.replace("|", BAR).replace(mark, "|")


def _fields(text: str, mark: str) -> list[list[str]] | None:
    """The fields of all rows, if it is CSV and something in it is quoted."""
    if re.search(rf'(?:^|{re.escape(mark)})"', text, re.MULTILINE) is None:
        return None
    if mark == "|" and not text.lstrip("\ufeff\r\n").startswith('"') and _IN_VAIN.search(text):
        return None
    found: list[list[str]] = []
    columns = 0
    try:
        for row in csv.reader(StringIO(text, newline=""), delimiter=mark, strict=True):
            columns = columns or len(row)
            if row and len(row) != columns:
                return None
            found.append([field.replace("\r\n", "\n") for field in row])
    except csv.Error:
        return None
    return found


def _whole_lines(text: str) -> str:
    """Lines of fields between strokes, each of which was taken for one field with commas in it."""
    lines = text.split("\n")
    strokes = next((line.count("|") for line in lines if line.strip()), 0)
    if not strokes:
        return text
    for number, line in enumerate(lines):
        whole = line.rstrip("\r")
        if not whole.startswith('"') or '"|' in whole.replace('""', ""):
            continue
        if whole.count("|") < strokes or re.fullmatch(r'"(?:[^"]|"")*"', whole) is None:
            return text
        lines[number] = whole[1:-1].replace('""', '"')
    return "\n".join(lines)
