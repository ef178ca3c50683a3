"""Fields of CSV rows, one by one and by column."""

from collections.abc import Sequence

__all__ = ["behind", "names_of", "plain", "plain_column"]


def plain(text: str) -> str:
    """A CSV field: as it is, but quoted where a comma, a quote or a line break would break the row."""
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def plain_column(texts: Sequence[str]) -> Sequence[str]:
    """:func:`plain` for each; the usual case costs next to nothing."""
    whole = "".join(texts)
    return texts if plain(whole) is whole else list(map(plain, texts))


def names_of(ids: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Full ids as fields: the parts behind the first ``!``, and the parts before it."""
    workload = ids[0].partition("!")[0]
    names = behind(ids, f"{workload}!")
    if names is not None:
        return names, [workload] * len(ids)
    parts = [text.partition("!") for text in ids]
    return [plain(part[2]) for part in parts], [plain(part[0]) for part in parts]


def behind(texts: Sequence[str], prefix: str) -> list[str] | None:
    """What stands behind the prefix, which ends with ``!``, as fields. All at once, which is faster.

    None unless all begin with it, have no other ``!``, and need no quotes.
    """
    whole = "\n".join(texts)
    names = ("\n" + whole).split("\n" + prefix)
    del names[0]
    count = len(texts)
    alike = len(names) == count == whole.count("\n") + 1 and whole.count("!") == count * prefix.count("!")
    return None if not alike or "," in whole or '"' in whole or "\r" in whole else names
