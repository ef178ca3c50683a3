"""What users read is in the field's standard terms: turns that were mended once do not come back."""

import ast
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PHRASES = {
    r"\bmerely last\b": "delay jobs (fixed run time)",
    r"\bmay take so long to answer\b": "seconds to wait for each reply",
    r"\bbeyond all numbers\b": "overflowed",
    r"(?<!there )(?<!there was )\bis no (date|time|number|name|duration|path|file|scheduler|host|text|format|list)\b": "is not a valid ...",
    r"\b(are|is) no (XML|JSON)\b": "is not valid ...",
    r"\bcompulsory\b": "required",
    r"\bfor ever\b": "indefinitely",
    r"\bother tenants\b": "noise from other VMs",
    r"\b(takes|gives|lasts) in a word\b": "as a shorthand",
    r"\bmakes? no sense\b(?! with it)": "is not valid",
    r"\bleads? nowhere\b": "does not resolve",
    r"\bwhoever sends\b": "communication there",
    r"\b(made to|must|may|do not|does not) give way\b": "be preempted",
    r"\bgoes on on\b": "continues on",
    r"\balive already\b": "already active",
    r"\b(stands?|standing) twice\b": "is given twice",
    r"\bbelongs? into\b": "belongs in",
    r"\bgoes with no\b": "cannot be combined with",
    r"\ban empty text\b": "an empty string",
    r"\b(must be|is|are|expected|wants) (a text|texts)\b": "a string",
    r"\blength of time\b": "duration",
    r"\bsays nothing of\b": "does not state",
    r"\btells? the watts\b": "gives watts",
    r"\bSchedulers outside\b": "external schedulers",
    r"\boddit(y|ies)\b": "quirks",
    r"\bdata may name no\b": "input files may not name",
    r"\bfault of windtunnel itself\b": "an internal error of windtunnel",
    r"\bof which none\b": "none of which",
    r"\bthere are none such\b": "there are none",
    r"\bis told otherwise\b": "by default",
    r"\bby lot\b": "at random",
    r"\bkeep only so many\b": "keep only this many",
    r"\bwithout a word\b": "silently",
}
"""Odd turns, and what to write instead. Patterns hold for documentation, help and messages, whatever their case."""
IN_DOCSTRINGS = {
    r"\b(whoever|nobody|somebody|everybody)\b": "a component, a user, another process ...",
    r"\btold\b": "notified, reported, given",
    r"\b(a|as|this|the|empty) text\b|\btexts\b": "string",
    r"\b(simulated|a|another|this|each|from one) date\b(?! such)|\b(same|two|simulated|without) dates\b": "time",
    r"\border of date\b": "order of time",
    r"\b(goes|go|went) on\b": "continues, resumes",
    r"\b(stands?|standing) (still|in|beside)\b": "is paused; is in",
    r"\bmakes? sense\b": "is valid",
    r"\b(is heard|hears? (when|which))\b": "is notified",
    r"\bmerely\b": "only",
    r"\bof which\b": "whose, with",
    r"\bbeyond\b": "above, more than",
    r"\b(is|are|was) at fault\b": "is invalid",
    r"\bsenseless\b": "invalid",
    r"\bso (many|much)\b": "this many, the given number of",
    r"\bwhen there (is|are|were|was) (none|no|fewer)\b": "if there is none",
    r"\b(becomes|became|become) of\b": "happens to, the outcome of",
    r"\bone's own\b": "user-defined",
    r"\b(a|in) words? such as\b": "a description such as",
    r"\b(left out|leaves? out)\b": "excluded",
    r"\banything else is looked at\b": "is considered",
    r"\bin whatever\b|\bwhatever the (hosts|scheduler)\b": "any",
}
"""Odd turns, and what to write instead, where what is public is described: users read it in the reference of Python."""
_ANY = re.compile("|".join(PHRASES), re.IGNORECASE)
_LITERAL = re.compile(r"``.*?``|:\w+:`.*?`", re.DOTALL)
_JOINT = re.compile(r"""["']\s*\n\s*f?["']""")
"""Between the two halves of a text that is longer than its line."""
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


def _pages() -> Iterator[tuple[str, str]]:
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    for page in sorted(pages):
        yield str(page.relative_to(ROOT)), _CODE.sub(" ", page.read_text())


def _texts(tree: ast.AST) -> Iterator[str]:
    """The strings of a module that are not docstrings: messages, hints, help."""
    known = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            known.update(map(id, node.values))
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in known:
            yield node.value


def _sources() -> Iterator[tuple[str, str]]:
    for module in sorted((ROOT / "src/windtunnel").rglob("*.py")):
        source = module.read_text()
        if _ANY.search(_JOINT.sub("", source)):  # few are: the others need not be parsed
            yield str(module.relative_to(ROOT)), "\n".join(_texts(ast.parse(source)))


def public_modules() -> list[str]:
    """The modules of the reference of Python, and those in which the names they list are defined."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs/hooks/reference.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    found = set(hook.PUBLIC)
    for place in hook.PUBLIC:
        module = importlib.import_module(place)
        for name in hook.public_names(module):
            thing = getattr(module, name)
            found.add(thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", None) or place)
    return sorted(name for name in found if name.partition(".")[0] == "windtunnel")


def _docstrings(node: ast.AST) -> Iterator[str]:
    """What stands in a module or class about itself, its public members and its attributes."""
    for part in getattr(node, "body", ()):
        match part:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case ast.ClassDef() | ast.FunctionDef() if not part.name.startswith("_") or part.name.endswith("__"):
                yield from _docstrings(part)


def _public() -> Iterator[tuple[str, str]]:
    for module in public_modules():
        path = ROOT / "src" / module.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        for text in _docstrings(ast.parse(path.read_text())):
            yield str(path.relative_to(ROOT)), _LITERAL.sub("X", text)


def _odd(text: str, phrases: Mapping[str, str] = PHRASES) -> list[str]:
    flat = " ".join(text.split())
    if phrases is PHRASES and not _ANY.search(flat):
        return []
    return [
        f"{found[0]!r}: write {better!r}"
        for pattern, better in phrases.items()
        for found in re.finditer(pattern, flat, re.IGNORECASE)
    ]


@pytest.mark.parametrize("where", [_pages, _sources], ids=["documentation", "help and messages"])
def test_no_odd_turns(where):
    found = [f"{name}: {turn}" for name, text in where() for turn in _odd(text)]
    assert not found, "\n".join(found)


def test_no_odd_turns_where_what_is_public_is_described():
    texts = list(_public())
    assert len({name for name, _ in texts}) > 40
    assert len(texts) > 700
    found = [f"{name}: {turn}" for name, text in texts for turn in _odd(text, PHRASES | IN_DOCSTRINGS)]
    assert not found, "\n".join(found)


def test_the_check_finds_what_it_looks_for():
    assert _odd("job 3 goes on on host 2; 'abc' is no date,\nand jobs that merely last wait for ever")
    assert not _odd("a delay job continues on host 2; 'abc' is not a valid time")


def test_the_check_of_docstrings_finds_what_it_looks_for():
    odd = _odd("A text that is told to whoever asks, at a date, and of which so many are left out.", IN_DOCSTRINGS)
    assert len(odd) == 7
    assert not _odd("A calendar date of the log, a string given to users at a time.", PHRASES | IN_DOCSTRINGS)
