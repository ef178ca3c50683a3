"""Digests of inputs: read once, and anew when the file has changed."""

import hashlib
import os
import time

import pytest

from windtunnel.results import input_files as module
from windtunnel.results.input_files import input_file, input_files


def test_a_file_is_read_once_until_it_changes(tmp_path, monkeypatch):
    opened = []
    usual = module.open_input
    monkeypatch.setattr(module, "open_input", lambda path, **more: opened.append(path) or usual(path, **more))
    path = tmp_path / "log.swf"
    path.write_bytes(b"one")
    long_ago = time.time() - 100
    os.utime(path, (long_ago, long_ago))
    for _ in range(3):
        assert input_file(str(path)).sha256 == hashlib.sha256(b"one").hexdigest()
    assert len(opened) == 1
    path.write_bytes(b"two")  # as long as before, and changed just now
    assert [one.sha256 for one in input_files([path, path])] == [hashlib.sha256(b"two").hexdigest()]
    path.write_bytes(b"six")
    assert input_file(str(path)).sha256 == hashlib.sha256(b"six").hexdigest()


def test_what_is_no_file_is_left_out(tmp_path):
    assert input_files([tmp_path, tmp_path / "nothing", ""]) == []
    with pytest.raises(OSError, match=r"directory|file"):
        input_file(str(tmp_path))
