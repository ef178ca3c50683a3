"""The trials of a study: each file, name and option that its words stand for is looked at once."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from windtunnel.diagnostics import InputError, UsageError, WindtunnelError, files_read, read_time
from windtunnel.engine import Options
from windtunnel.examples import file_of
from windtunnel.formats.recognition import word_format
from windtunnel.formats.registry import read_events, read_platform, read_workload
from windtunnel.model.failures import parse_failures
from windtunnel.studies.bound import BoundSchedulers
from windtunnel.studies.digests import digest_of, digest_of_code, digest_of_file, digest_of_object
from windtunnel.studies.electricity import electricity_of
from windtunnel.studies.faults import Faults
from windtunnel.studies.placeholders import filled
from windtunnel.studies.trials import Context, Source, Trial
from windtunnel.studies.words import AXES, Entry, Words
from windtunnel.workloads.operations import parse_operation

__all__ = ["Entries", "TrialMaker", "Way"]

_FORM: Final = 1
"""Counted up when results of the same trial mean something else."""

Way = tuple[str | int, ...]
"""To a place in a study, as in ``("schedulers", 1)``."""
Entries = dict[str, tuple[Way, Entry]]
"""Of each axis the entry that a point has, with the way to it."""


class TrialMaker:
    """Makes trials, and looks at each thing they are made of once."""

    def __init__(self, words: Words, faults: Faults, folder: Path, own: Mapping[str, Any]) -> None:
        self.words = words
        self.faults = faults
        self.folder = folder
        self.context = Context(code=digest_of_code())
        self.schedulers = BoundSchedulers(own, faults, self.context.schedulers)
        self._seen: dict[Any, Any] = {}
        self._templates: set[tuple[Way, str]] = set()
        self.events = [self._events(rank, text) for rank, text in enumerate(words.events)]

    def trial(self, columns: Mapping[str, Any], entries: Entries) -> Trial | None:
        """The trial of one point; None when a part of it is at fault."""
        values = {name: value for name, value in columns.items() if name not in AXES or name == "seed"}
        platform, site = self.input("platform", *entries["platform"], values)
        workloads, work = self.workloads(*entries["workload"], values)
        way, entry = entries["workload"]
        operations = [self._operation(way, filled(text, values)) for text in entry.operations]
        operations += [
            self._operation(("operations", rank), filled(text, values))
            for rank, text in enumerate(self.words.operations)
        ]
        failures = self.failures(*entries["failures"], values)
        engine = self.engine(*entries["engine"], values)
        scheduler = self.schedulers.trial(*entries["scheduler"], values)
        until = filled(self.words.until, values)
        self._once(("until", until), ("until",), lambda: until == "" or read_time(until, 0.0))
        rule = (engine or {}).get("energy_rule", "exact")
        electricity = electricity_of(self.words, values, self.folder, self._once, self._file, rule=rule)
        parts = (site, work, failures, engine, scheduler, electricity and electricity[1:], *operations)
        if self.faults or scheduler is None or electricity is None or None in parts or None in self.events:
            return None
        words = self.words
        rest = (words.energy, words.share_hosts, words.warm_up, words.cool_down, until)
        key = digest_of(_FORM, self.context.code, *parts, self.events, *rest, words.job_tables)
        return Trial(
            key=key[:32],
            platform=platform,
            workloads=workloads,
            operations=tuple(text for text, _ in operations if text),
            scheduler=scheduler[0],
            scheduler_options=scheduler[1],
            failures=failures or "",
            engine=engine or {},
            events=tuple(path for path, _ in self.events if path),
            energy=words.energy,
            electricity=electricity[0],
            share_hosts=words.share_hosts,
            warm_up=words.warm_up,
            cool_down=words.cool_down,
            until=until,
            job_tables=words.job_tables,
        )

    def _once(self, name: Any, way: Way, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made once for each name; None when it finds a fault."""
        if name not in self._seen:
            self._seen[name] = None
            try:
                self._seen[name] = make()
            except InputError as fault:
                for one in fault.errors:
                    self.faults.add(way, f"{one.place}: {one.message}", one.hint)
            except WindtunnelError as fault:
                self.faults.add(way, str(fault))
        return self._seen[name]

    def workloads(self, way: Way, entry: Entry, values: Mapping[str, Any]) -> tuple[tuple[Source, ...], Any]:
        """The workloads that run together, and what stands for their content."""
        if not isinstance(entry.what, tuple):
            source, digest = self.input("workload", way, entry, values)
            return (source,), digest
        found = [
            self.input("workload", (*way, rank), replace(entry, what=one), values)
            for rank, one in enumerate(entry.what)
        ]
        digests = [digest for _, digest in found]
        return tuple(source for source, _ in found), None if None in digests else digests

    def input(self, what: str, way: Way, entry: Entry, values: Mapping[str, Any]) -> tuple[Source, Any]:
        """Where a platform or workload comes from, and what stands for its content."""
        options = filled(entry.options, values)
        if not isinstance(entry.what, str):
            known_as = " ".join((what, *map(str, way[1:])))
            self.context.objects[known_as] = entry.what
            if options:
                self.faults.add(way, f"a {what} that is an object takes no options: only files do")
            digest = self._once(known_as, way, lambda: digest_of_object(entry.what))
            return Source(known_as=known_as), digest
        if not entry.what:
            return Source(options=options), ("", options)
        text = str(file_of(filled(entry.what, values), what))
        word = word_format(text, "platform" if what == "platform" else "workload") is not None
        text = text if word else self._path(text)
        source = Source(text, options)
        digest = self._once(repr((what, source)), way, lambda: self._digest(what, way, entry, source, word=word))
        return source, digest

    def _digest(self, what: str, way: Way, entry: Entry, source: Source, *, word: bool) -> Any:
        """Read a platform or workload for its faults, and say what stands for its content.

        Of words that differ in their placeholders only (``lublin:1000?seed={seed}``) the first is tried.
        """
        template = (way, str(entry.what))
        if word and template in self._templates:
            return [source.text, source.options]
        self._templates.add(template)
        with files_read() as read:
            before = len(read)
            if what == "platform":
                read_platform(source.text, energy=self.words.energy, **source.options)
            else:
                read_workload(source.text, "w0", **source.options)
            files = list(dict.fromkeys(read[before:]))
        if word:
            return [source.text, source.options]
        return [Path(source.text).name, source.options, [self._file(path) for path in files]]

    def _file(self, path: str) -> str:
        absolute = str(Path(path).absolute())
        digest = digest_of_file(absolute)
        self.context.digests[absolute] = digest
        return digest

    def _path(self, text: str) -> str:
        """A file that the study names, relative to the study."""
        return str((self.folder / text).absolute())

    def _events(self, rank: int, text: str) -> Any:
        def look() -> Any:
            path = self._path(text)
            read_events(path, name=f"we{rank}")
            return path, self._file(path)

        return self._once(("events", text), ("events", rank), look)

    def _operation(self, way: Way, text: str) -> Any:
        """An operation as a worker does it, and what stands for it."""

        def look() -> Any:
            operation = parse_operation(text)
            if operation.name != "merge":
                return text, text
            other = str(operation.options["other"])
            if word_format(other, "workload") is not None:
                return text, text
            path = self._path(other)
            with files_read() as read:
                before = len(read)
                read_workload(path)
                files = list(dict.fromkeys(read[before:]))
            return f"merge({path!r})", ["merge", [self._file(one) for one in files]]

        return self._once(("operation", text), way, look)

    def failures(self, way: Way, entry: Entry, values: Mapping[str, Any]) -> str | None:
        text = filled(entry.what, values)
        if not text:
            return ""
        found = self._once(("failures", text), way, lambda: parse_failures(text) and text)
        return None if found is None else str(found)

    def engine(self, way: Way, entry: Entry, values: Mapping[str, Any]) -> dict[str, Any] | None:
        options = filled(entry.options, values)

        def look() -> Any:
            if "forward" in options:
                raise UsageError("options for schedulers of others have no meaning in a study (forward)")
            from windtunnel.options import checked_options

            Options(**checked_options("the engine", Options, options))
            return options

        found = self._once(("engine", repr(options)), way, look)
        return None if found is None else dict(found)
