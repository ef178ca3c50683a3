"""Fields of CSV rows, one by one and by column.

A text that a spreadsheet would take for a formula (``=cmd()``) gets an apostrophe before it, which its readers here
take off again; one that has apostrophes before such a text gets one more. Numbers stay as they are.
"""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

__all__ = ["bare", "behind", "guarded", "names_of", "plain", "plain_column", "table_rows", "without_apostrophes"]

_SUSPECT: Final = "=+-@\t\r'"
_AFTER_BREAK: Final = tuple(f"\n{sign}" for sign in _SUSPECT)
_AFTER_WORKLOAD: Final = tuple(f"!{sign}" for sign in _SUSPECT)


def _is_formula(text: str) -> bool:
    """Apostrophes before it apart."""
    core = text.lstrip("'")
    if core == "" or core[0] not in _SUSPECT:
        return False
    try:
        float(core)
    except ValueError:
        return True
    return False


def guarded(text: str) -> str:
    """With an apostrophe before it where it needs one."""
    return "'" + text if text != "" and text[0] in _SUSPECT and _is_formula(text) else text


def plain(text: str) -> str:
    """A CSV field: as it is, but quoted where a comma, a quote or a line break would break the row."""
    text = guarded(text)
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def bare(text: str) -> str:
    """A field that was read, without the apostrophe of :func:`plain`."""
    return text[1:] if text[:1] == "'" and _is_formula(text) else text


def table_rows(data: bytes | None, errors: str = "strict") -> Iterator[dict[str, str]]:
    """Rows of a table by column, up to one that a kill left half-written; none of None.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    import csv

    text = (data or b"")[: (data or b"").rfind(b"\n") + 1].decode("utf-8", errors)
    rows = _by_column(csv.reader(io.StringIO(text)))
    if "'" not in text:
        return rows
    return ({name: bare(field) if isinstance(field, str) else field for name, field in row.items()} for row in rows)


def _by_column(rows: Iterator[list[str]]) -> Iterator[Any]:
    """As ``csv.DictReader``, which takes three times as long for rows that are complete."""
    names = next(rows, [])
    count = len(names)
    for row in rows:
        if len(row) == count:
            yield dict(zip(names, row, strict=True))
        elif row:
            found: dict[str | None, Any] = dict(zip(names, row, strict=False))
            if len(row) < count:
                found |= dict.fromkeys(names[len(row) :])
            else:
                found[None] = row[count:]
            yield found


def without_apostrophes(frame: "pl.DataFrame") -> "pl.DataFrame":
    """A table that was read, with :func:`bare` texts."""
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    marked = [name for name in texts if frame[name].str.starts_with("'").any()]
    return frame.with_columns(pl.col(name).map_elements(bare, pl.String) for name in marked)


def plain_column(texts: list[str]) -> list[str]:
    """:func:`plain` for each; the usual case costs next to nothing."""
    whole = "\n" + "\n".join(texts)
    usual = whole.count("\n") == len(texts) and "," not in whole and '"' not in whole and "\r" not in whole
    if usual and not _any_begins(whole, _AFTER_BREAK):
        return texts
    return list(map(plain, texts))


def names_of(ids: list[str]) -> tuple[list[str], list[str]]:
    """Full ids as fields: the parts behind the first ``!``, and the parts before it."""
    workload = ids[0].partition("!")[0]
    names = behind(ids, f"{workload}!")
    if names is not None:
        return names, [plain(workload)] * len(ids)
    parts = [text.partition("!") for text in ids]
    return [plain(part[2]) for part in parts], [plain(part[0]) for part in parts]


def behind(texts: Sequence[str], prefix: str) -> list[str] | None:
    """What stands behind the prefix, which ends with ``!``, as fields. All at once, which is faster.

    None unless all begin with it, have no other ``!``, and are written as they are.
    """
    whole = "\n".join(texts)
    names = ("\n" + whole).split("\n" + prefix)
    del names[0]
    count = len(texts)
    if not len(names) == count == whole.count("\n") + 1 or whole.count("!") != count * prefix.count("!"):
        return None
    usual = "," not in whole and '"' not in whole and "\r" not in whole
    return names if usual and not _any_begins(whole, _AFTER_WORKLOAD) else None


def _any_begins(whole: str, marked: Sequence[str]) -> bool:
    """Whether a field may begin as a formula does; a single character is found eight times as fast as two."""
    return any(mark[1] in whole and mark in whole for mark in marked)
