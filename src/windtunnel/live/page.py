"""The live page: one text without anything of the run in it, which then asks for that."""

from html import escape
from string import Template
from typing import Final

from windtunnel.report.page import part, script, style

__all__ = ["page"]

_SCRIPTS: Final = (
    *("columns", "time", "colours", "canvas", "gantt", "curves", "why", "details", "view"),
    *("grow", "live"),
)


def page(title: str) -> str:
    """The page as text."""
    return Template(part("live.html")).substitute(title=escape(title), style=style(), script=script(_SCRIPTS))
