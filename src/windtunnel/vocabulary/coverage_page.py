"""The page docs/reference/vocabulary.md, made from the table: ``python -m windtunnel.vocabulary.coverage_page``."""

import sys
from collections.abc import Mapping
from typing import Any, Final

from windtunnel.vocabulary.coverage import DECISIONS, NOTICES, Coverage, Row, Told, Wire

__all__ = ["page"]

_HEAD: Final = """\
# What each wire carries

The simulator sends *notices* to decision components, and they reply with *decisions* (`windtunnel.vocabulary`; names
and fields are batprotocol's). The wires between the two translate them. Nothing is dropped silently: each notice and
decision is carried (yes), refused by name (the run ends with an error that says what cannot be expressed), or
deliberately not sent (*silent*, with the reason). This page is generated from `windtunnel.vocabulary.coverage`; a
test sends everything over every wire.

- The **view** is what `schedule(view)` gets: its properties show the site, `view.notices` the notices of this round.
- **JSON** is the protocol of Batsim 3 and 4, **batprotocol** that of Batsim 5; both as simulator and as scheduler.
- **datacenters** gives each datacenter of an environment its own scheduler; **by cores** is `--share-hosts`, which
  presents cores to a scheduler as hosts.
"""
_SHORT: Final = {
    Wire.VIEW: "view",
    Wire.JSON: "JSON",
    Wire.BATPROTOCOL: "batprotocol",
    Wire.DATACENTERS: "datacenters",
    Wire.CORES: "by cores",
}
_WORDS: Final = {Told.SAID: "yes", Told.REFUSED: "**refused**", Told.SILENT: "*silent*"}


def page() -> str:
    """The whole page, in Markdown."""
    parts = [_HEAD, *_part("Notices", "notice", NOTICES), "", *_part("Decisions", "decision", DECISIONS)]
    return "\n".join(parts) + "\n"


def _part(title: str, name: str, table: Mapping[type[Any], Row]) -> list[str]:
    """One table, and below it how things are said, or why not: each text once, with whom it is about."""
    texts: dict[tuple[Wire, Told, str], list[str]] = {}
    lines = [f"## {title}", "", f"| {name} | {' | '.join(_SHORT.values())} |", "| --- " * (len(_SHORT) + 1) + "|"]
    for kind, row in table.items():
        lines.append(f"| `{kind.__name__}` | {' | '.join(_cell(row[wire]) for wire in _SHORT)} |")
        for wire in _SHORT:
            if row[wire].note:
                texts.setdefault((wire, row[wire].told, row[wire].note), []).append(f"`{kind.__name__}`")
    for wire, short in _SHORT.items():
        of_wire = [(told, note, kinds) for (one, told, note), kinds in texts.items() if one is wire]
        if of_wire:
            lines += ["", f"{short[0].upper()}{short[1:]}:", ""]
            lines += [f"- {', '.join(kinds)}: {_prefix(told)}{note}" for told, note, kinds in of_wire]
    return lines


def _cell(coverage: Coverage) -> str:
    as_other = "" if coverage.becomes is None else f", as `{coverage.becomes.__name__}`"
    return _WORDS[coverage.told] + as_other


def _prefix(told: Told) -> str:
    return {Told.SAID: "", Told.REFUSED: "refused: ", Told.SILENT: "silent: "}[told]


if __name__ == "__main__":
    sys.stdout.write(page())
