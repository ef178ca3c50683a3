"""Documents that others inherit from: only files, only below a folder that was allowed, never the network."""

import re
from pathlib import Path

from windtunnel.diagnostics import read_input
from windtunnel.formats.sites.environment.decoding import decode
from windtunnel.formats.sites.environment.problems import Problem
from windtunnel.formats.sites.environment.source import Source

__all__ = ["OtherFileError", "OtherFiles"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class OtherFileError(Exception):
    """Another document cannot be had (ENV015)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class OtherFiles:
    """Opens each document once. ``folder`` is the one allowed; None: none is."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder.resolve() if folder else None
        self._sources: dict[Path, Source | None] = {}

    def open(self, source: Source, file: str, problems: list[Problem]) -> tuple[Source, int]:
        """The document that ``file`` means in ``source``, and how many properties it brings if it is new.

        Raises:
            OtherFileError: it is not allowed, or cannot be read; what is wrong inside is in ``problems``.
        """
        if _SCHEME.match(file):
            raise OtherFileError(f"{file!r}: nothing is ever fetched from the network")
        if self._folder is None or source.folder is None:
            hint = f"did you mean '#{file}'?" if file.startswith("/") else "allow a folder with --allow-files"
            raise OtherFileError(f"{file!r} is another file, and other files are not allowed", hint)
        path = (source.folder / file).resolve()
        if not path.is_relative_to(self._folder):
            raise OtherFileError(f"{file!r} is outside of the folder allowed")
        if path == (source.folder / source.name).resolve():
            return source, 0
        new = path not in self._sources
        if new:
            self._sources[path] = self._decoded(path, file, problems)
        opened = self._sources[path]
        if opened is None:
            raise OtherFileError(f"{file!r} cannot be used: see there")
        return opened, opened.members if new else 0

    def _decoded(self, path: Path, file: str, problems: list[Problem]) -> Source | None:
        try:
            data = read_input(path)
        except OSError as error:
            raise OtherFileError(f"{file!r} cannot be read: {error.strerror}") from error
        return decode(file, data, problems, folder=path.parent)
