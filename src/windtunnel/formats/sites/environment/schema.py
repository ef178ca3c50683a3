"""The grammar: a JSON Schema of our own (``environment.schema.json``), and its failures as ENV020...ENV025."""

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from windtunnel.diagnostics import Severity, did_you_mean
from windtunnel.formats.other_programs import what_it_is
from windtunnel.formats.sites.environment.problems import Path, Problem

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

__all__ = ["check_schema", "schema_text"]

_ARTICLES = {"array": "an array", "object": "an object", "integer": "a whole number"}
_LIMIT = 100_000


def schema_text() -> str:
    """The JSON Schema, for editors (``"$schema"`` in a document may point to a copy of it)."""
    return (files("windtunnel.formats.sites.environment") / "environment.schema.json").read_text("utf-8")


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(json.loads(schema_text()))


def check_schema(tree: Any, problems: list[Problem], *, published: bool) -> None:
    """Check a resolved tree; with ``published`` exactly as severe as the schema published with the format."""
    if not isinstance(tree, dict):
        problems.append(Problem("ENV002", f"the document must be an object, this is {_kind(tree)}"))
        return
    validator = _validator()
    if validator.is_valid(tree):
        return
    for count, error in enumerate(validator.iter_errors(tree)):
        if count == _LIMIT:
            break
        problems.append(_problem(error, published=published))


def _problem(error: "ValidationError", *, published: bool) -> Problem:
    path: Path = tuple(error.instance_path)
    rule = error.kind.name
    value = error.instance
    facts = error.kind.as_dict()
    if rule == "required":
        name = facts["property"]
        near = did_you_mean(name, value) if isinstance(value, dict) and value else ""
        hint = near.replace("did you mean", "is it meant by") if near.startswith("did") else ""
        if not path and isinstance(value, dict):
            hint = what_it_is(value) or hint
        return Problem("ENV020", f"{name!r} is missing", path, hint)
    if rule == "type":
        wanted = " or ".join(_ARTICLES.get(kind, f"a {kind}") for kind in facts["types"])
        if wanted == "an array" and isinstance(value, dict):
            return Problem("ENV024", "must be an array, this is an object", path, "put it between [ and ]")
        found = _kind(value)
        if value is None and "number" in wanted:
            found = "null or too large to be one"  # the validator sees no difference
        return Problem("ENV021", f"must be {wanted}, this is {found}", path, _number_hint(value, wanted))
    if rule == "enum":
        options = [str(option) for option in facts["options"]]
        hint = ""
        if isinstance(value, str):
            hint = f"write {value.upper()!r}" if value.upper() in options else did_you_mean(value, options)
        wanted = " or ".join(options) if len(options) < 3 else f"one of {', '.join(options)}"
        return Problem("ENV022", f"must be {wanted}, this is {_kind(value)}", path, hint)
    if rule == "additionalProperties":
        extra = ", ".join(repr(name) for name in facts["unexpected"])
        return Problem("ENV025", f"an empty slot has no other properties than 'type', this has {extra}", path)
    if rule == "minItems":
        severity = Severity.ERROR if published else Severity.WARNING
        return Problem("ENV023", "a machine without a CPU can run no jobs", path, severity=severity)
    return Problem("ENV023", f"out of range: {error.message}", path)


def _kind(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _number_hint(value: Any, wanted: str) -> str:
    if isinstance(value, str) and "number" in wanted:
        try:
            float(value)
        except ValueError:
            return ""
        return f"write {value.strip()} without quotes"
    return ""
