"""Packages whose modules several threads may load at once, each another one first.

Whoever loads a module holds its lock and waits for that of its package. Would the package load that module itself, in
another thread, each would wait for the other, and Python ends one of them with an error.
"""

import ast

import pytest

from import_graph import ROOT


@pytest.mark.parametrize("name", ["schedulers", "schedulers/packing", "engine", "engine/jobs/execution"])
def test_packages_load_no_module_of_their_own(name):
    own = f"windtunnel.{name.replace('/', '.')}"
    body = ast.parse((ROOT / name / "__init__.py").read_text(encoding="utf-8")).body
    loaded = [one.module for one in body if isinstance(one, ast.ImportFrom)]
    loaded += [alias.name for one in body if isinstance(one, ast.Import) for alias in one.names]
    assert not [module for module in loaded if f"{module}.".startswith(f"{own}.")]
