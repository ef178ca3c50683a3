"""The examples of the documents whose clauses are in docs/conformance, as they are printed."""

import re
import textwrap

from shared import shared

ENVIRONMENTS = "seeds/000_9d59a476836c69b6.txt"
LEASES = "seeds/002_9b369627261c3380.txt"
NODES = "seeds/003_52b0a0d3a56f5844.txt"


def json_blocks() -> dict[int, str]:
    """All JSON blocks of the document of environments, by the line of their opening fence."""
    found: dict[int, list[str]] = {}
    start = 0
    for number, line in enumerate(shared(ENVIRONMENTS).read_text().splitlines(), 1):
        if line.strip().startswith("```"):
            start = 0 if start else number
            if start and line.strip() == "```json":
                found[start] = []
        elif start in found:
            found[start].append(line)
    return {number: textwrap.dedent("\n".join(lines)) for number, lines in found.items()}


def listings() -> list[str]:
    """The XML of the manual of leases: whole, or with dots where it shows a form."""
    source = shared(LEASES).read_text()
    lines = [line for line in source.splitlines() if not re.fullmatch(r"\d*\s*", line)]
    found = re.findall(r"\\begin\{wideshellverbatim\}(.*?)\\end\{wideshellverbatim\}", "\n".join(lines), re.DOTALL)
    return [listing.strip() for listing in found]


def xml_pieces() -> list[str]:
    """All XML of the specification of nodes: whole nodes and parts of them."""
    pieces: list[str] = []
    piece: list[str] = []
    for line in [*shared(NODES).read_text().splitlines(), ""]:
        if line.lstrip().startswith("<") and not line.lstrip().startswith("<prefix"):
            piece.append(line)
        elif piece:
            pieces.append("\n".join(piece))
            piece = []
    return pieces
