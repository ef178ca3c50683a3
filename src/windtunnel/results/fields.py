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
    return texts if "".join(texts).isalnum() else list(map(plain, texts))


def names_of(ids: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Full ids as fields: the parts behind the first ``!``, and the parts before it."""
    workload = ids[0].partition("!")[0]
    names = behind(ids, f"{workload}!")
    if names is not None:
        workloads = [workload] * len(ids)
    else:
        parts = [text.partition("!") for text in ids]
        workloads = [part[0] for part in parts]
        names = [part[2] for part in parts]
    return plain_column(names), plain_column(workloads)


def behind(texts: Sequence[str], prefix: str) -> list[str] | None:
    """What stands behind the prefix; None unless all begin with it and none has a line break. All at once: faster."""
    start = "\n" + prefix
    whole = "\n" + "\n".join(texts)
    if whole.count(start) != len(texts) or whole.count("\n") != len(texts):
        return None
    return whole.replace(start, "\n")[1:].split("\n")
