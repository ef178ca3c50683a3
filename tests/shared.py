"""Where the files of others lie: recorded outcomes and traces that may not be part of this repository."""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("WINDTUNNEL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
REQUIRED = bool(os.environ.get("WINDTUNNEL_REQUIRE_ALL"))


def missing(what: str) -> None:
    """Skip with a plain notice, or fail where everything is required (in CI)."""
    if REQUIRED:
        pytest.fail(f"{what} is missing, and WINDTUNNEL_REQUIRE_ALL is set")
    pytest.skip(f"not run: {what} is not here")


def shared(path: str) -> Path:
    """The path of a shared file or folder; skips the test (or fails in CI) where it does not exist."""
    found = ROOT / path
    if not found.exists():
        missing(f"shared/{path}")
    return found


def cases(folder: str, pattern: str = "*") -> list[Path]:
    """The entries of a shared folder, for parametrisation.

    Where there are none the tests are skipped (or, in CI, their collection fails).
    """
    found = sorted((ROOT / folder).glob(pattern))
    if REQUIRED and not found:
        raise FileNotFoundError(f"shared/{folder}/{pattern} is missing, and WINDTUNNEL_REQUIRE_ALL is set")
    return found
