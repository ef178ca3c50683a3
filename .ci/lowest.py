"""Prints the requirements of pyproject.toml, those of the tests among them, at their lower bounds exactly.

A bound that was never released, or that the tests fail with, is one that users would meet. What only other systems
need stays behind its marker, which the installer reads.
"""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]

for requirement in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]:
    found = re.fullmatch(r"([\w.\[\]-]+)>=([\w.]+)(?:,[^;]*)?(; .*)?", requirement)
    if found is None:
        raise SystemExit(f"{requirement}: a lower bound is expected (NAME>=VERSION)")
    print(f"{found[1]}=={found[2]}{found[3] or ''}")
