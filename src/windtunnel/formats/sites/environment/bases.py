"""Where ``$base`` leads, and what ``$merge`` names: the references of one object, read and followed."""

from pathlib import Path as FilePath
from typing import Any

from windtunnel.diagnostics import Severity
from windtunnel.formats.sites.environment.complaints import Complaints
from windtunnel.formats.sites.environment.other_files import OtherFileError, OtherFiles
from windtunnel.formats.sites.environment.problems import Path
from windtunnel.formats.sites.environment.references import PointerError, find, parse_pointer, split_reference
from windtunnel.formats.sites.environment.source import Source

__all__ = ["Bases", "Node"]

Node = tuple[Source, Path]


class Bases:
    """Follows references, into other documents too if they are in a folder that is allowed (``files``)."""

    def __init__(self, complaints: Complaints, files: FilePath | None) -> None:
        self.members = 0
        """The properties of other documents that were opened."""
        self._say = complaints.say
        self._problems = complaints.problems
        self._files = OtherFiles(files)

    def references(self, source: Source, raw: dict[str, Any], path: Path) -> list[str] | None:
        """The texts of ``$base``; None if there is none that could be followed."""
        if "$base" not in raw:
            self._say("ENV046", "$merge without $base has no effect", source, (*path, "$merge"))
            return None
        base = raw["$base"]
        place = (*path, "$base")
        if isinstance(base, str):
            return [base]
        if isinstance(base, list) and all(isinstance(item, str) for item in base):
            if not base:
                self._say("ENV013", "an empty $base has no effect", source, place, severity=Severity.WARNING)
            return base
        self._say("ENV013", "$base must be a reference or an array of references (strings)", source, place)
        return None

    def merge_names(self, source: Source, raw: dict[str, Any], path: Path) -> set[str]:
        """The keys named in ``$merge``."""
        names = raw.get("$merge", [])
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return set(names)
        hint = f"write [{names!r}]".replace("'", '"') if isinstance(names, str) else ""
        self._say("ENV014", "$merge must be an array of property names", source, (*path, "$merge"), hint)
        return set()

    def target(self, source: Source, reference: str, place: Path) -> Node | None:
        """Where a reference leads."""
        file, fragment = split_reference(reference)
        target = source
        if file:
            external = self._external(source, file, place)
            if external is None:
                return None
            target = external
        if fragment and not fragment.startswith("/"):
            hint = f"write '#/{fragment}'"
            self._say("ENV017", "a pointer begins with a slash", source, place, hint, severity=Severity.WARNING)
        try:
            return target, find(target.tree, parse_pointer(fragment))
        except PointerError as error:
            found = self._caret(target, fragment, source, place)
            if found is None:
                self._say(error.code, f"{reference!r} does not resolve: {error}", source, place, error.hint)
            return found

    def _caret(self, target: Source, fragment: str, source: Source, place: Path) -> Node | None:
        """The released tool's escapes, from a draft older than RFC 6901: ``^/`` and ``^^``."""
        if "^" not in fragment:
            return None
        better = fragment.replace("~", "~0").replace("^^", "\0").replace("^/", "~1").replace("\0", "^")
        try:
            path = find(target.tree, parse_pointer(better))
        except PointerError:
            return None
        hint = f"write '#{better}' (RFC 6901)"
        message = "^ is not an escape of JSON pointers any more"
        self._say("ENV017", message, source, place, hint, severity=Severity.WARNING)
        return target, path

    def _external(self, source: Source, file: str, place: Path) -> Source | None:
        """Another document, if it may be read."""
        try:
            opened, members = self._files.open(source, file, self._problems)
        except OtherFileError as error:
            self._say("ENV015", str(error), source, place, error.hint)
            return None
        self.members += members
        return opened
