"""Make ``schema.py``, ``_reader.py`` and ``_writer.py`` from ``batprotocol.fbs``.

``python -m windtunnel.wires.batprotocol.generate`` writes them beside the schema; a test says when they are stale.
"""

from windtunnel.wires.batprotocol.generate_reader import reader
from windtunnel.wires.batprotocol.generate_structs import structs
from windtunnel.wires.batprotocol.generate_writer import writer
from windtunnel.wires.batprotocol.idl import SCHEMA_FILE, Schema, parse

__all__ = ["generate", "main"]


def generate(schema: Schema) -> dict[str, str]:
    """The text of each generated module, by file name."""
    return {"schema.py": structs(schema), "_reader.py": reader(schema), "_writer.py": writer(schema)}


def main() -> None:
    """Write the generated modules."""
    for name, text in generate(parse(SCHEMA_FILE.read_text())).items():
        SCHEMA_FILE.with_name(name).write_text(text)


if __name__ == "__main__":
    main()
