"""The words and the grammar of :mod:`~windtunnel.model.expressions`."""

import re
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import did_you_mean
from windtunnel.model.expression_functions import ANY, FUNCTIONS, divide, power, remainder

__all__ = ["CONSTANTS", "UNKNOWN", "WORDS", "ExpressionError", "Parser"]

_TOKEN: Final = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(<=|>=|==|!=|<>|[-+*/%^()<>=&|?:,]))",
    re.ASCII,
)
_DEEPEST: Final = 100
"""Parentheses and signs within each other."""
_LONGEST: Final = 100_000
"""Characters of an expression."""
UNKNOWN: Final = "unknown name"
"""The kind of a word that a value is still to stand for."""
WORDS: Final = {"and", "nand", "or", "nor", "xor"}
CONSTANTS: Final = {"true": 1.0, "false": 0.0}
_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "=", "!=", "<>")


class ExpressionError(ValueError):
    """An expression that cannot be read; the text says what is wrong with it, and where."""


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """Kind (number, name, sign), text and place of each word."""
    if len(text) > _LONGEST:
        raise ExpressionError(f"an expression of {len(text):,} characters is too long (at most {_LONGEST:,})")
    found = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            at = len(text) - len(text[place:].lstrip())
            raise ExpressionError(f"{text[at]!r} at character {at + 1} of {text!r:.80} is not part of one")
        number, name, sign = match.groups()
        kind = "number" if number else "name" if name else "sign"
        found.append((kind, number or name or sign, match.start(match.lastindex or 0)))
        place = match.end()
    return found


@mypyc_attr(allow_interpreted_subclasses=True)
class Parser:
    """Reads and computes at once: nothing here has any effect, so both sides of a choice may be computed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.next = 0
        self.depth = 0

    def whole(self) -> float:
        """The whole expression."""
        value = self.choice()
        if self.next < len(self.tokens):
            raise self.fault("an operator")
        return value

    def peek(self) -> str:
        """The next word in small letters (a number as written); "" at the end."""
        return self.tokens[self.next][1].lower() if self.next < len(self.tokens) else ""

    def accept(self, *signs: str) -> str:
        """The next word if it is one of these, taken; else ""."""
        word = self.peek()
        if word and word in signs:
            self.next += 1
            return word
        return ""

    def expect(self, sign: str) -> None:
        """The next word must be this."""
        if not self.accept(sign):
            raise self.fault(f"{sign!r}")

    def fault(self, expected: str) -> ExpressionError:
        """What was expected, and what is there instead."""
        if self.next >= len(self.tokens):
            found = "ends" if self.tokens else "is empty"
            return ExpressionError(f"the expression {self.text!r:.80} {found} where {expected} is expected")
        _, word, place = self.tokens[self.next]
        return ExpressionError(
            f"{word!r} at character {place + 1} of {self.text!r:.80}, where {expected} is expected"
        )

    def deeper(self) -> None:
        """One level more, if there are not too many."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExpressionError(f"the expression {self.text!r:.80} nests deeper than {_DEEPEST} levels")

    def choice(self) -> float:
        """``c ? a : b``, to the right."""
        self.deeper()
        value = self.either()
        if self.accept("?"):
            yes = self.choice()
            self.expect(":")
            no = self.choice()
            value = yes if value else no
        self.depth -= 1
        return value

    def either(self) -> float:
        """``or | nor xor``."""
        value = self.both()
        while sign := self.accept("or", "|", "nor", "xor"):
            other = self.both()
            if sign == "xor":
                value = float(bool(value) != bool(other))
            else:
                value = float(bool(value or other) != (sign == "nor"))
        return value

    def both(self) -> float:
        """``and & nand``."""
        value = self.comparison()
        while sign := self.accept("and", "&", "nand"):
            other = self.comparison()
            value = float(bool(value and other) != (sign == "nand"))
        return value

    def comparison(self) -> float:
        """Comparisons, chained to the left: each gives 1 or 0."""
        value = self.total()
        while sign := self.accept(*_COMPARISONS):
            other = self.total()
            if sign in ("==", "="):
                holds = value == other
            elif sign in ("!=", "<>"):
                holds = value != other
            elif sign[0] == "<":
                holds = value < other or (len(sign) > 1 and value == other)
            else:
                holds = value > other or (len(sign) > 1 and value == other)
            value = float(holds)
        return value

    def total(self) -> float:
        """Sums and differences."""
        value = self.product()
        while sign := self.accept("+", "-"):
            other = self.product()
            value = value + other if sign == "+" else value - other
        return value

    def product(self) -> float:
        """``* / %``, and a product without a sign: ``2(3)``, ``(2)(3)``."""
        value = self.signed()
        while True:
            sign = self.accept("*", "/", "%")
            if not sign and not self.adjacent():
                return value
            other = self.signed()
            if sign == "/":
                value = divide(value, other)
            elif sign == "%":
                value = remainder(value, other)
            else:
                value *= other

    def adjacent(self) -> bool:
        """Whether what follows is a factor, though no sign says so."""
        if not 0 < self.next < len(self.tokens):
            return False
        (before, text, _), (kind, word, _) = self.tokens[self.next - 1], self.tokens[self.next]
        if before not in ("number", UNKNOWN) and text != ")":
            return False
        if kind in ("number", UNKNOWN):
            return text == ")"
        return word == "(" or (kind == "name" and word.lower() not in WORDS)

    def signed(self) -> float:
        """Signs before a power: weaker than it."""
        sign = self.accept("+", "-")
        if not sign:
            return self.power()
        self.deeper()
        value = self.signed()
        self.depth -= 1
        return -value if sign == "-" else value

    def power(self) -> float:
        """``^``, to the right; its right side may have a sign."""
        base = self.atom()
        if not self.accept("^"):
            return base
        return power(base, self.signed())

    def atom(self) -> float:
        """A number, a constant, a call, or an expression in parentheses."""
        if self.next >= len(self.tokens):
            raise self.fault("a number")
        kind, word, place = self.tokens[self.next]
        if kind in ("number", UNKNOWN):
            self.next += 1
            return 1.0 if kind == UNKNOWN else float(word)
        if word == "(":
            self.next += 1
            value = self.choice()
            self.expect(")")
            return value
        if kind != "name" or word.lower() in WORDS:
            raise self.fault("a number")
        name = word.lower()
        if name in CONSTANTS:
            self.next += 1
            return CONSTANTS[name]
        if name not in FUNCTIONS:
            hint = did_you_mean(word, ["num_nodes", "num_gpus_per_node", "num_gpus", *FUNCTIONS])
            raise ExpressionError(
                f"the name {word!r} at character {place + 1} of {self.text!r:.80} is not known"
                + (f"; {hint}" if hint else "")
            )
        self.next += 1
        return self.call(name)

    def call(self, name: str) -> float:
        """The arguments of a function, and its value."""
        self.expect("(")
        values = [self.choice()]
        while self.accept(","):
            values.append(self.choice())
        self.expect(")")
        count, function = FUNCTIONS[name]
        if count not in (ANY, len(values)):
            raise ExpressionError(f"{name} in {self.text!r:.80} takes {count} arguments, not {len(values)}")
        return float(function(*values))
