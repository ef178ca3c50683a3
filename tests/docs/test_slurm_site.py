"""The log of the bundled Slurm site is what its script makes."""

import gzip
import runpy
from pathlib import Path

import pytest

from windtunnel.diagnostics import AccountWarning

SCRIPT = Path(__file__).parents[2] / "examples" / "make_slurm_site.py"
BUNDLED = Path(__file__).parents[2] / "src/windtunnel/examples/slurm_site"


@pytest.mark.slow
@pytest.mark.filterwarnings(f"ignore::{AccountWarning.__module__}.{AccountWarning.__qualname__}")
def test_the_script_makes_the_bundled_log_again(tmp_path):
    (tmp_path / "slurm.conf").write_bytes((BUNDLED / "slurm.conf").read_bytes())
    (tmp_path / "gres.conf").write_bytes((BUNDLED / "gres.conf").read_bytes())
    script = runpy.run_path(str(SCRIPT), run_name="tried")
    script["main"](tmp_path)
    made, bundled = (gzip.decompress((folder / "jobs.txt.gz").read_bytes()) for folder in (tmp_path, BUNDLED))
    assert made == bundled
