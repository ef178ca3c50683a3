"""Performance models: small arithmetic expressions, such as ``1e9 * (1 + 9 / num_nodes)``.

The language is a safe part of exprtk's, which ElastiSim's files use: numbers, ``+ - * / % ^``, comparisons giving 1
or 0, ``and & nand or | nor xor``, ``c ? a : b``, and the functions of :mod:`~windtunnel.model.expression_functions`.
There are no assignments, loops, strings or comments: an expression computes a number and does nothing else.

Names (``num_nodes``, arguments of jobs) are replaced by their values as text, one after the other, before the text is
read: so do the files' own programs, hence ``2num_nodes`` on 3 nodes is 23.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from windtunnel.model.expression_functions import FUNCTIONS
from windtunnel.model.expression_parser import CONSTANTS, UNKNOWN, WORDS, ExpressionError, Parser

__all__ = ["ExpressionError", "evaluate", "hidden_names", "substituted", "unknown_names"]


def substituted(text: str, values: Iterable[tuple[str, str]]) -> str:
    """A text with names replaced by their values, one name after the other, on the result of the former."""
    for name, value in values:
        if name:
            text = text.replace(name, value)
    return text


def hidden_names(text: str, names: Iterable[str]) -> list[str]:
    """Words of an expression that are none of the names and yet hold one, which is replaced within them."""
    known = {*names}
    words = re.findall(r"[A-Za-z_0-9]+", text)
    inside = {word for word in words if word not in known and any(name in word for name in known if name)}
    return sorted(word for word in inside if not any(word in name for name in known))


def evaluate(text: str) -> float:
    """The value of an expression without names; infinite or not a number where C's would be.

    Raises:
        ExpressionError: it is none of the language, or too long or deep.
    """
    value = _value(text)
    if isinstance(value, str):
        raise ExpressionError(value)
    return value


def unknown_names(text: str, known: Mapping[str, str]) -> list[str]:
    """The names of an expression that are neither functions nor known, in order; each once.

    Raises:
        ExpressionError: it would be no expression whatever they stood for.
    """
    parser = Parser(substituted(text, known.items()))
    found: dict[str, None] = {}
    for rank, (kind, word, place) in enumerate(parser.tokens):
        name = word.lower()
        if kind == "name" and name not in WORDS and name not in CONSTANTS and name not in FUNCTIONS:
            found[word] = None
            parser.tokens[rank] = (UNKNOWN, word, place)
    parser.whole()
    return list(found)


@lru_cache(maxsize=4096)
def _value(text: str) -> float | str:
    """The value, or what is wrong (which is remembered as well)."""
    try:
        return Parser(text).whole()
    except ExpressionError as error:
        return str(error)
