"""What a file format declares of itself: how it is recognised, read and written."""

from collections.abc import Callable
from typing import Any, Final, Literal, get_args

import msgspec

__all__ = ["KINDS", "Format", "Kind"]

Kind = Literal["workload", "platform", "events", "leases"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A file format. Functions are given as ``module:function``, and imported when needed, or as such."""

    name: str
    kind: Kind
    description: str
    looks_like: str | Callable[[bytes], bool]
    """Tells from the first 64 KiB of a file whether it is in this format."""
    starts: str = ""
    """The characters (spaces apart) such a file may begin with; empty: any. Spares imports."""
    catch_all: bool = False
    """Whether ``looks_like`` says yes to more than its own: then the others are asked first."""
    word: str | Callable[[str], bool] = ""
    """Tells whether a text that could be a path stands for itself, as ``hosts:64x32`` does; empty: none does."""
    needs: str = ""
    """An option as it is written (``mapping=FILE.toml``), which chooses the format; files that ``looks_like`` does
    not know cannot be read without it.
    """
    reader: str | Callable[..., Any] = ""
    """``reader(path, name, **options)`` for workloads and events, ``reader(path, **options)`` for the others; the
    path is a ``Path`` (of words, the text itself). Further parameters are the options of the format.
    """
    writer: str | Callable[..., Any] = ""
    """``writer(workload, path) -> what was lost``; empty where nothing is written."""
    suffixes: tuple[str, ...] = ()
    """Files to be written are in this format when their names end so (``.swf``)."""
    copier: str | Callable[..., Any] = ""
    """``copier(source, target)``: from this format into itself, with all that a workload would not keep."""

    @property
    def choosing(self) -> str:
        """The name of the option that chooses the format; empty: none does."""
        return self.needs.partition("=")[0]

    def __str__(self) -> str:
        does = "read, write" if self.writer and self.reader else "write" if self.writer else "read"
        return f"{self.name:<12} {self.kind:<9} {does:<12} {self.description}"
