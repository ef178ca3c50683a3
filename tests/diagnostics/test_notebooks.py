"""Notebooks are known by their kernel; that of a real one is in tests/live/test_notebook.py."""

import sys
from types import ModuleType

import pytest

from windtunnel.diagnostics.notebooks import in_notebook


@pytest.mark.parametrize("shell, expected", [(None, False), (object(), True)])
def test_a_kernel_with_a_shell_is_a_notebook(monkeypatch, shell, expected):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    assert not in_notebook()
    ipython = ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    assert in_notebook() is expected
