"""Fields of CSV rows, one by one and by column."""

__all__ = ["names_of", "plain", "plain_column"]


def plain(text: str) -> str:
    """A CSV field: as it is, but quoted where a comma, a quote or a line break would break the row."""
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def plain_column(texts: list[str]) -> list[str]:
    """:func:`plain` for each; the usual case costs next to nothing."""
    return texts if "".join(texts).isalnum() else list(map(plain, texts))


def names_of(ids: list[str]) -> tuple[list[str], list[str]]:
    """Full ids as fields: the parts behind the first ``!``, and the parts before it."""
    workload = ids[0].partition("!")[0]
    prefix = f"{workload}!"
    if all([text.startswith(prefix) for text in ids]):  # noqa: C419 -- a list is faster here
        workloads = [workload] * len(ids)
        names = [text[len(prefix) :] for text in ids]
    else:
        parts = [text.partition("!") for text in ids]
        workloads = [part[0] for part in parts]
        names = [part[2] for part in parts]
    return plain_column(names), plain_column(workloads)
