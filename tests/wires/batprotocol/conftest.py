"""The C++ judge, built once per session."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.shared import missing
from tests.wires.batprotocol.oracles import Cpp

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def cpp(tmp_path_factory):
    """flatbuffers' C++ library (Debian: libflatbuffers-dev and g++)."""
    compiler = shutil.which("g++")
    if compiler is None:
        missing("g++")
    program = tmp_path_factory.mktemp("oracle") / "oracle"
    command = [compiler, "-std=c++17", "-O1", HERE / "oracle.cpp", "-lflatbuffers", "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "flatbuffers/idl.h" in done.stderr:
        missing("libflatbuffers-dev")
    assert done.returncode == 0, done.stderr
    judge = Cpp(program)
    yield judge
    judge.close()
