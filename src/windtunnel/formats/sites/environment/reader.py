"""JSSPP-OSP environments: read, check, resolve.

:func:`check` finds everything that is wrong with a document; :func:`read` makes a
:class:`~windtunnel.model.site.Site` of it, or raises an error that carries all findings. Valid files pay for no
positions.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Finding, InputError, Severity, read_input, without_garbage_collection
from windtunnel.formats.sites.environment.decoding import decode
from windtunnel.formats.sites.environment.happenings import check_events
from windtunnel.formats.sites.environment.origins import origin
from windtunnel.formats.sites.environment.placing import place_all
from windtunnel.formats.sites.environment.problems import Problem
from windtunnel.formats.sites.environment.resolution import EXPANSION_LIMIT, Resolver
from windtunnel.formats.sites.environment.schema import check_schema
from windtunnel.formats.sites.environment.source import Source
from windtunnel.formats.sites.environment.topology import Topology, unknown_properties
from windtunnel.formats.sites.environment.unused import unused_definitions
from windtunnel.model.site import Site

__all__ = ["Checked", "Options", "check", "read", "read_text"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to read an environment."""

    strict: bool = False
    """Warnings are errors."""
    schema_only: bool = False
    """As severe as the published schema, no more and no less: whatever else is found is a warning."""
    simulate: bool = False
    """The site is going to be simulated: events need times, schedulers must be known."""
    reference_order: bool = False
    """Merged arrays as the released tool joins them (bases first) instead of as the document says (own first)."""
    files: Path | None = None
    """A folder from which other files may be referred to."""
    schedulers: Collection[str] = ("stage-scheduler",)
    """The known scheduler names, in lower case."""
    expansion_limit: int = EXPANSION_LIMIT


DEFAULT: Final = Options()


class Checked(msgspec.Struct, frozen=True):
    """A checked document: its resolved tree (None if it is not JSON) and all findings by position."""

    tree: Any
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)


def check(
    data: bytes | str, name: str = "environment.json", options: Options = DEFAULT, *, folder: Path | None = None
) -> Checked:
    """Check a document; ``folder`` is where relative references start."""
    with without_garbage_collection():
        return _check(data, name, options, folder)


def _check(data: bytes | str, name: str, options: Options, folder: Path | None) -> Checked:
    problems: list[Problem] = []
    raw = data.encode("utf-8", errors="surrogatepass") if isinstance(data, str) else data
    source = decode(name, raw, problems, folder=folder)
    if source is None:
        text = problems[0].source
        assert text is not None, "what cannot be decoded is said with its text"
        return Checked(None, place_all(problems, text, None))
    resolver = Resolver(
        source,
        problems,
        reference_order=options.reference_order,
        files=options.files,
        limit=options.expansion_limit,
    )
    tree = resolver.resolve()
    if not any(problem.code == "ENV016" for problem in problems):
        _check_tree(tree, source, resolver, problems, options)
    if not problems:
        return Checked(tree, ())
    return Checked(tree, place_all([_graded(problem, options) for problem in problems], source, resolver))


def _check_tree(tree: Any, source: Source, resolver: Resolver, problems: list[Problem], options: Options) -> None:
    grammar: list[Problem] = []
    check_schema(tree, grammar, published=options.schema_only)
    if resolver.broken:  # What a broken reference should have brought is not missing besides.
        grammar = [p for p in grammar if p.code != "ENV020" or _is_complete(p, resolver)]
    problems += grammar
    if isinstance(tree, dict):
        unknown_properties(tree, "", (), problems)
        topology = Topology(tree, problems, options.schedulers)
        check_events(tree, topology, problems, options.schedulers, simulate=options.simulate)
        unused_definitions(source, resolver.used, problems)


def _is_complete(problem: Problem, resolver: Resolver) -> bool:
    at = origin(resolver, problem.path)[0]
    return resolver.is_complete((at.source, at.path))


def _graded(problem: Problem, options: Options) -> Problem:
    """The severity that the options ask for."""
    severity = problem.severity
    if options.simulate and problem.code == "ENV048":
        severity = Severity.ERROR
    if options.schema_only and severity is Severity.ERROR and problem.code >= "ENV030":
        severity = Severity.WARNING
    if options.strict and severity is Severity.WARNING:
        severity = Severity.ERROR
    return problem if severity is problem.severity else msgspec.structs.replace(problem, severity=severity)


def read_text(
    data: bytes | str, name: str = "environment.json", options: Options = DEFAULT, *, folder: Path | None = None
) -> tuple[Site, tuple[Finding, ...]]:
    """The site a document describes, and what there is to remark on it.

    Raises:
        InputError: the document has errors; it carries all findings.
    """
    with without_garbage_collection():
        checked = _check(data, name, options, folder)
        if not checked.ok:
            raise InputError(checked.findings)
        try:
            site = msgspec.convert(checked.tree, Site)
        except msgspec.ValidationError:  # 8.0 is a whole number to JSON Schema
            site = msgspec.convert(_whole(checked.tree), Site)
        return site, checked.findings


def read(path: Path | str, options: Options = DEFAULT) -> tuple[Site, tuple[Finding, ...]]:
    """Read a file; see :func:`read_text`."""
    path = Path(path)
    try:
        data = read_input(path)
    except OSError as error:
        raise InputError([Finding(str(path), message=f"cannot be read: {error.strerror}")]) from error
    return read_text(data, str(path), options, folder=path.parent)


def _whole(value: Any) -> Any:
    """The tree with whole floats as integers."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
