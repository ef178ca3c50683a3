"""Tables of findings: for a terminal, for a paper (LaTeX with booktabs), for a page (Markdown), as a data frame."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Table", "as_chosen", "as_shown"]

_LATEX: Final = str.maketrans({
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
})  # fmt: skip
_MARKDOWN: Final = str.maketrans({"|": "\\|", "\n": " ", "<": "&lt;", "*": "\\*", "_": "\\_", "`": "\\`"})


class Table(msgspec.Struct, frozen=True):
    """Rows under named columns, with what is to be said about them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    keys: int = 0
    """So many of the first columns say what was chosen, and are shown as it was written."""

    def __str__(self) -> str:
        cells = [self.columns, *map(self.shown, self.rows)]
        widths = [max(len(row[rank]) for row in cells) for rank in range(len(self.columns))]
        right = [self.is_number(rank) for rank in range(len(self.columns))]
        lines = [self.title] if self.title else []
        for row in cells:
            placed = zip(row, widths, right, strict=True)
            lines.append(
                "  ".join(f"{cell:>{w}}" if number else f"{cell:<{w}}" for cell, w, number in placed).rstrip()
            )
        return "\n".join([*lines, *self.notes])

    def shown(self, row: Sequence[Any]) -> list[str]:
        """The cells of a row for people."""
        return [*map(as_chosen, row[: self.keys]), *map(as_shown, row[self.keys :])]

    def is_number(self, rank: int) -> bool:
        """Whether a column holds numbers, as such or as percentages, or would if any were known."""
        values = [row[rank] for row in self.rows]
        known = [value for value in values if value is not None]
        return any(isinstance(one, int | float) or _is_percentage(one) for one in known) or bool(values and not known)

    def to_markdown(self) -> str:
        """The table as Markdown (with pipes), the notes below."""

        def line(cells: Sequence[str]) -> str:
            return f"| {' | '.join(cell.translate(_MARKDOWN) for cell in cells)} |"

        marks = ["---:" if self.is_number(rank) else "---" for rank in range(len(self.columns))]
        lines = [line(self.columns), f"| {' | '.join(marks)} |"]
        lines += [line(self.shown(row)) for row in self.rows]
        return "\n".join([*lines, *(f"\n{note.translate(_MARKDOWN)}" for note in self.notes)]) + "\n"

    def to_latex(self) -> str:
        r"""The table as LaTeX for ``\usepackage{booktabs}``, the title as its caption."""

        def line(cells: Sequence[str]) -> str:
            return " & ".join(cell.translate(_LATEX) for cell in cells) + r" \\"

        kinds = "".join("r" if self.is_number(rank) else "l" for rank in range(len(self.columns)))
        lines = [r"\begin{table}", r"  \centering", rf"  \caption{{{self.title.translate(_LATEX)}}}"]
        lines += [rf"  \begin{{tabular}}{{{kinds}}}", r"    \toprule", f"    {line(self.columns)}", r"    \midrule"]
        lines += [f"    {line(self.shown(row))}" for row in self.rows]
        lines += [r"    \bottomrule", r"  \end{tabular}"]
        lines += [rf"  \par\footnotesize {note.translate(_LATEX)}" for note in self.notes]
        return "\n".join([*lines, r"\end{table}"]) + "\n"

    def frame(self) -> "pl.DataFrame":
        """The table as a polars frame, numbers in full."""
        import polars as pl

        columns = zip(*self.rows, strict=True) if self.rows else ([] for _ in self.columns)
        return pl.DataFrame(
            [pl.Series(name, list(values), strict=False) for name, values in zip(self.columns, columns, strict=True)]
        )


def _is_percentage(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in "+-" and value[1:2].isdecimal() and value[-1:] == "%"


def as_chosen(value: Any) -> str:
    """A value that was chosen, such as a load of 0.7: without zeros that nobody wrote."""
    return f"{value:.12g}" if isinstance(value, float) else as_shown(value)


def as_shown(value: Any) -> str:
    """A value for people: numbers with four digits that mean something."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if value != 0 and (abs(value) < 1e-3 or abs(value) >= 1e9):
        return f"{value:.3g}"
    digits = 4 if abs(value) < 1 else 3 if abs(value) < 100 else 1
    return f"{value:,.{digits}f}"
