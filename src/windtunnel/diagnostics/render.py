"""Findings for people and for machines: text, JSON, SARIF 2.1.0 and GitHub's workflow commands."""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from windtunnel.diagnostics.findings import Finding, Severity, as_text

__all__ = ["RENDERERS", "render"]

_SARIF_LEVELS = {Severity.NOTE: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}
_GITHUB_LEVELS = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(findings: Sequence[Finding], form: str) -> str:
    """All findings in one of the :data:`RENDERERS`' forms, without a final newline."""
    return RENDERERS[form](findings)


def _text(findings: Sequence[Finding]) -> str:
    counts = [sum(f.severity is severity for f in findings) for severity in reversed(Severity)]
    names = ("error", "warning", "note")
    parts = [f"{count} {name}{'s' * (count != 1)}" for count, name in zip(counts, names, strict=True) if count]
    return "\n".join(filter(None, [as_text(findings), ", ".join(parts) or "no findings"]))


def _json(findings: Sequence[Finding]) -> str:
    return json.dumps([_plain(finding) for finding in findings], indent=2, ensure_ascii=False)


def _plain(finding: Finding) -> dict[str, Any]:
    names = finding.__struct_fields__
    return {name: getattr(finding, name) for name in names} | {"severity": finding.severity.name.lower()}


def _sarif(findings: Sequence[Finding]) -> str:
    rules = [{"id": code} for code in sorted({finding.code for finding in findings if finding.code})]
    driver = {"name": "windtunnel", "rules": rules}
    results = [_sarif_result(finding) for finding in findings]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
    }
    return json.dumps(log, indent=2, ensure_ascii=False)


def _sarif_result(finding: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": finding.file}}
    if finding.line:
        place["region"] = {"startLine": finding.line, "startColumn": max(finding.column, 1)}
    names = [{"fullyQualifiedName": finding.pointer, "kind": "member"}] if finding.pointer else []
    location: dict[str, Any] = {"physicalLocation": place}
    if names:
        location["logicalLocations"] = names
    text = finding.message + (f" ({finding.hint})" if finding.hint else "")
    result: dict[str, Any] = {
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [location],
    }
    if finding.code:
        result["ruleId"] = finding.code
    if finding.chain:
        result["relatedLocations"] = [{"message": {"text": f"inherited through {step}"}} for step in finding.chain]
    return result


def _github(findings: Sequence[Finding]) -> str:
    return "\n".join(map(_github_line, findings))


def _github_line(finding: Finding) -> str:
    where: list[tuple[str, object]] = [("file", finding.file)]
    if finding.line:
        where += [("line", finding.line), ("col", max(finding.column, 1))]
    if finding.code:
        where.append(("title", finding.code))
    properties = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in where)
    text = finding.message + (f"\nhint: {finding.hint}" if finding.hint else "")
    text += "".join(f"\nthrough: {step}" for step in finding.chain)
    return f"::{_GITHUB_LEVELS[finding.severity]} {properties}::{_escaped(text)}"


def _escaped(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


RENDERERS: Final[Mapping[str, Callable[[Sequence[Finding]], str]]] = MappingProxyType(
    {"text": _text, "json": _json, "sarif": _sarif, "github": _github}
)
"""The forms by name."""
