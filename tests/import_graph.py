"""Which files of the package import which, also by names in strings (``import_module``, tables of ``module:Class``)."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import windtunnel

ROOT = Path(windtunnel.__file__).parent
PACKAGE = "windtunnel"


def module_of(path: Path) -> str:
    """``windtunnel.model.job`` for its file."""
    parts = [PACKAGE, *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def files() -> Mapping[str, Path]:
    """All modules of the package, and their files."""
    return {module_of(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def imported(module: str) -> frozenset[str]:
    """The modules that a file imports, in functions too, but not for type checkers only."""
    return _found(module)[0]


@cache
def named(module: str) -> frozenset[str]:
    """The modules that a file names in strings: ``windtunnel.room.file``, with or without ``:Name``.

    Of an f-string such as ``f"windtunnel.cli.{file}"`` all modules count whose last part is a string of that file.
    """
    _, texts, beginnings = _found(module)
    found = {text.partition(":")[0] for text in texts}
    found |= {begin + name for begin in beginnings for name in {text.partition(":")[0] for text in texts}}
    return frozenset(name for name in found & files().keys() if not f"{module}.".startswith(f"{name}."))


@cache
def _found(module: str) -> tuple[frozenset[str], set[str], set[str]]:
    """What a file imports, its strings and the beginnings of its f-strings: it is parsed once, and not kept."""
    tree = ast.parse(files()[module].read_text())
    return frozenset(_Imports(tree).found) - {module}, *_strings(tree)


class _Imports(ast.NodeVisitor):
    def __init__(self, tree: ast.Module) -> None:
        self.found: set[str] = set()
        self.visit(tree)

    def generic_visit(self, node: ast.AST) -> None:
        """Imports are statements: expressions need not be looked into."""
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):
                self.visit(child)

    def visit_If(self, node: ast.If) -> None:
        for_checkers = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for child in node.orelse if for_checkers else [*node.body, *node.orelse]:
            self.visit(child)

    def visit_Import(self, node: ast.Import) -> None:
        self.found |= {alias.name for alias in node.names} & files().keys()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.level == 0, "imports are absolute"
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            self.found |= {full if full in files() else node.module} & files().keys()


def _strings(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The strings of a file that are not docstrings, constants put in; and the beginnings of its f-strings."""
    nodes = [*ast.walk(tree)]
    constants: dict[str, str] = {}
    texts: set[str] = set()
    beginnings: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    constants[target.id] = node.value.value
    documented = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            texts.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            text, whole = _joined(node, constants)
            (texts if whole else beginnings).add(text)
    return texts, beginnings


def _joined(node: ast.JoinedStr, constants: Mapping[str, str]) -> tuple[str, bool]:
    """An f-string up to the first part that is not known, and whether that is all of it."""
    text = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
        elif isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) and part.value.id in constants:
            text += constants[part.value.id]
        else:
            return text, False
    return text, True


def circles(edges: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """The sets of modules that can all be reached from each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(start: str) -> None:
        work: list[tuple[str, Iterator[str]]] = [(start, iter(edges[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            module, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(edges[other])))
                    break
                if other in stack:
                    low[module] = min(low[module], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == index[module]:
                    at = stack.index(module)
                    component = frozenset(stack[at:])
                    del stack[at:]
                    if len(component) > 1:
                        found.append(component)

    for module in edges:
        if module not in index:
            visit(module)
    return found
