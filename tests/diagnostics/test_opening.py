"""Input files: ordinary ones only, unzipped, bounded, and remembered for the run."""

import bz2
import gzip
import lzma
import os
import socket

import pytest

from windtunnel.diagnostics import files_read, open_input, open_lines, opening, read_input, read_text


@pytest.fixture
def small(monkeypatch):
    """Bounds that are met soon."""
    monkeypatch.setattr(opening, "_SMALL", 1 << 16)


def why(call):
    """What the refusal says."""
    with pytest.raises(OSError) as caught:
        call()
    assert caught.value.strerror
    return caught.value.strerror


@pytest.mark.parametrize("zipped", [False, True])
def test_files_are_read_zipped_or_not(tmp_path, zipped):
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(b"one\ntwo\r\n") if zipped else b"one\ntwo\r\n")
    assert read_input(path) == b"one\ntwo\r\n"
    assert read_text(path) == "one\ntwo\n"
    with open_lines(path) as file:
        assert list(file) == ["one\n", "two\n"]
    with open_input(path) as file:
        assert file.read(5) == b"one\nt"


def test_the_empty_device_is_an_empty_file():
    assert read_input("/dev/null") == b""


def test_what_is_no_ordinary_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "socket"))
    assert "is a pipe" in why(lambda: read_input(tmp_path / "pipe"))
    assert "device" in why(lambda: read_input("/dev/zero"))
    assert why(lambda: read_input(tmp_path)) == "Is a directory"
    assert why(lambda: read_input(tmp_path / "socket"))
    assert "not a name of a file" in why(lambda: read_input("a\0b"))
    assert "not a name of a file" in why(lambda: read_input("a\udc00\ud800"))
    assert why(lambda: read_input(tmp_path / "nowhere")) == "No such file or directory"


def test_gzip_that_is_cut_or_damaged_says_so(tmp_path):
    whole = gzip.compress(bytes(range(256)) * 1000)
    (tmp_path / "cut").write_bytes(whole[:-20])
    (tmp_path / "damaged").write_bytes(whole[:500] + b"\xff" * 20 + whole[520:])
    assert "end early" in why(lambda: read_input(tmp_path / "cut"))
    assert "damaged" in why(lambda: read_input(tmp_path / "damaged"))


def test_a_bomb_does_not_go_off(tmp_path, small):
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(64):
            file.write(b"\n" * (1 << 20))
    assert path.stat().st_size < 1 << 17
    assert "unzips to more than 100 times its size" in why(lambda: read_input(path))
    with open_lines(path) as lines:
        assert "unzips to more than 100 times its size" in why(lambda: list(lines))


def test_what_is_too_large_as_a_whole_is_refused_without_being_read(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert why(lambda: read_input(path, most=1 << 20)) == "more than 1 MiB"


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b"first\n")
        file.truncate(1 << 40)
    with open_lines(path) as lines:
        assert why(lambda: list(lines)) == "a line of more than 1 MiB"


def test_long_lines_within_the_bound_are_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "lines"
    path.write_bytes(b"\n".join([b"x" * 900_000] * 5))
    with open_lines(path) as lines:
        assert [len(line) for line in lines] == [900_001] * 4 + [900_000]


def test_what_was_read_is_remembered(tmp_path):
    for name in "abc":
        (tmp_path / name).write_text(name)
    with files_read() as outer:
        read_input(tmp_path / "a")
        with files_read() as inner:
            read_input(tmp_path / "b")
    read_input(tmp_path / "c")
    assert inner is outer
    assert outer == [str(tmp_path / "a"), str(tmp_path / "b")]


@pytest.mark.parametrize(
    ("begins", "told"),
    [
        (lzma.compress(b"1"), "is compressed by xz, and only gzip is read here"),
        (bz2.compress(b"1"), "is compressed by bzip2"),
        (bz2.compress(b"1", 1), "is compressed by bzip2"),
        (b"\x28\xb5\x2f\xfd\x04\x00", "is compressed by zstd"),
        (b"PK\x03\x04\x14\x00", "is a zip archive: unpack it"),
    ],
)
def test_what_has_to_be_unpacked_otherwise_is_named(tmp_path, begins, told):
    """It was in no known format, no XML, or had 3 fields instead of 18."""
    path = tmp_path / "file"
    path.write_bytes(begins)
    assert told in why(lambda: read_input(path))
    with open_input(path, unzip=False) as file:
        assert file.read() == begins


def test_texts_may_begin_as_packed_files_do(tmp_path):
    path = tmp_path / "file"
    for text in (b"BZh", b"BZh9 jobs", b"PK 1"):
        path.write_bytes(text)
        assert read_input(path) == text


def test_standard_input_is_no_file(tmp_path, monkeypatch):
    """It was "No such file or directory"; a file of that name is read like any other."""
    monkeypatch.chdir(tmp_path)
    assert "standard input is not read here" in why(lambda: read_input("-"))
    (tmp_path / "-").write_bytes(b"1")
    assert read_input("-") == b"1"
