"""How a file format is declared: how it is recognised, read and written."""

from collections.abc import Callable
from typing import Any, Final, Literal, get_args

import msgspec

__all__ = ["KINDS", "Format", "Kind"]

Kind = Literal["workload", "platform", "events", "leases"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A file format. Functions are given as ``module:function``, which is imported when needed, or as objects."""

    name: str
    kind: Kind
    description: str
    looks_like: str | Callable[[bytes], bool]
    """Decides from the first 64 KiB of a file whether it is in this format."""
    starts: str = ""
    """The characters (except spaces) that such a file may begin with; empty: any. Avoids needless imports."""
    catch_all: bool = False
    """Whether ``looks_like`` also accepts files of other formats, which are then tried first."""
    word: str | Callable[[str], bool] = ""
    """Decides whether a string that could be a path is a description, such as ``hosts:64x32``; empty: none is."""
    needs: str = ""
    """The option, as written (``mapping=FILE.toml``), that selects the format; files that ``looks_like`` does not
    recognise cannot be read without it.
    """
    reader: str | Callable[..., Any] = ""
    """``reader(path, name, **options)`` for workloads and events, ``reader(path, **options)`` for the others; the
    path is a ``Path`` (for descriptions, the string itself). Further parameters are the format's options.
    """
    writer: str | Callable[..., Any] = ""
    """``writer(workload, path) -> what was lost``; empty if the format cannot be written."""
    suffixes: tuple[str, ...] = ()
    """Files whose names end like this (``.swf``) are written in this format."""
    copier: str | Callable[..., Any] = ""
    """``copier(source, target)``: copies from this format to itself, with all that a workload does not keep."""

    @property
    def choosing(self) -> str:
        """The name of the option that selects the format; empty: none does."""
        return self.needs.partition("=")[0]

    def __str__(self) -> str:
        does = "read, write" if self.writer and self.reader else "write" if self.writer else "read"
        return f"{self.name:<13} {self.kind:<9} {does:<12} {self.description}"
