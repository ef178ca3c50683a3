"""The public face type-checks in strict mode."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).with_name("typing_samples.py")


@pytest.mark.slow
def test_samples_type_check(tmp_path):
    pytest.importorskip("mypy", reason="not run: mypy is not installed (make lint installs it)")
    root = SAMPLES.parents[2]
    words = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        "",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--cache-dir",
        str(tmp_path),
        str(SAMPLES),
    ]
    done = subprocess.run(
        words, cwd=root, capture_output=True, text=True, env=os.environ | {"MYPYPATH": str(root / "src")}
    )
    assert done.returncode == 0, done.stdout
