"""Input files are opened in one way (``diagnostics.opening``), which neither waits for pipes nor reads indefinitely."""

import ast
from collections.abc import Iterator

from import_graph import files

KNOWN = {
    "windtunnel.diagnostics.opening": "the one way",
    "windtunnel.cli.streams": "the null device in place of a closed stream",
    "windtunnel.loading": "what installed packages say of themselves",
    "windtunnel.results.files": "writes",
    "windtunnel.results.rows": "files that this run has written itself",
    "windtunnel.results.place": "a lock of ours",
    "windtunnel.results.exec_info": "the kernel's account of this process",
    "windtunnel.schedulers.batsched.liquid": "writes",
    "windtunnel.studies.directory": "a lock of ours",
    "windtunnel.studies.journal": "writes",
    "windtunnel.services.lease_store": "SQLite opens it",
    "windtunnel.cli.lease_service": "makes the file of a new store",
    "windtunnel.report.page": "templates of ours",
    "windtunnel.formats.sites.environment.schema": "a schema of ours",
    "windtunnel.wires.batprotocol.generate": "a tool for development, and a schema of ours",
}
OPENERS = frozenset({"read_bytes", "read_text", "open", "fdopen", "FileIO", "GzipFile", "decompress"})
NOT_FILES = frozenset(
    {"self._peer", "peer", "replier", "layout", "self.layout", "self._files", "self.planner.outages"}
)
WRITTEN = "beside"
"""What stands beside a target until it takes its place (``diagnostics.replacing``)."""


def openings(module: str) -> Iterator[str]:
    """Calls of methods and functions that open files."""
    text = files()[module].read_text()
    if not any(f"{name}(" in text for name in OPENERS):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in OPENERS:
                if ast.unparse(node.func.value) not in {*NOT_FILES, WRITTEN}:
                    yield ast.unparse(node)[:80]
            elif isinstance(node.func, ast.Name) and node.func.id in OPENERS - {"read_text", "read_bytes"}:
                yield ast.unparse(node)[:80]


def test_nothing_else_opens_files():
    found = {module: calls for module in files() if (calls := list(openings(module))) and module not in KNOWN}
    assert found == {}
