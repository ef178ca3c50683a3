"""Haizea's older text formats."""

import pytest

from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.haizea.lwf_text import read_image_list, read_lwf_csv, read_lwf_text
from windtunnel.model.lease import DiskImage, LeaseKind, When


def test_a_recorded_file_is_read():
    work = read_lwf_text(shared("golden/haizea/lwf/generated.lwf"))
    assert len(work.leases) == 42
    first = work.leases[0]
    assert (first.id, first.submit, first.start, first.duration, first.numnodes) == (1, 28800, 32400, 3600, 5)
    assert first.kind is LeaseKind.RESERVATION
    assert first.software == DiskImage("'NONE.img'", 600)
    assert first.nodes[0].amounts == {"CPU": (100,), "Memory": (1024,)}


def test_best_effort_and_early_ends(tmp_path):
    path = tmp_path / "old.lwf"
    path.write_text("# a comment\n\n0 -1 3600 1800.5 2 1 512 0 a.img 100 # and another\n")
    (lease,) = read_lwf_text(path).leases
    assert (lease.start, lease.real_duration, lease.preemptible) == (When.UNSPECIFIED, 1800.5, True)


def test_all_bad_lines_are_named(tmp_path):
    path = tmp_path / "old.lwf"
    path.write_text("1 2 3\n0 -1 x 1 1 1 1 0 a 1\n0 -1 0 1 1 1 1 0 a 1\n")
    with pytest.raises(InputError) as caught:
        read_lwf_text(path)
    assert [(finding.line, finding.code) for finding in caught.value.findings] == [
        (1, "fields"),
        (2, "bad-value"),
        (3, "bad-value"),
    ]


def test_the_csv_before_it(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("10;0;uri;600;2;1024;100;RW;NULL;3600;1800;BATCH\n20;0;uri;600;1;512;100;RW;60;100;100;AR\n")
    batch, reserved = read_lwf_csv(path).leases
    assert (batch.submit, batch.start, batch.numnodes, batch.real_duration) == (10, When.UNSPECIFIED, 2, 1800)
    assert (reserved.start, reserved.duration, reserved.real_duration) == (80, 100, None)
    path.write_text("1;2;3\n")
    with pytest.raises(InputError, match="3 fields instead of 12"):
        read_lwf_csv(path)


def test_image_lists(tmp_path):
    path = tmp_path / "x.images"
    path.write_text("a 100\nb 200\n#\nb\na\nb\n")
    assert [image.id for image in read_image_list(path)] == ["b", "a", "b"]
    path.write_text("a 100\n#\nz\n")
    with pytest.raises(InputError, match="expected an image of the list above, found 'z'"):
        read_image_list(path)


@pytest.mark.parametrize("odd", ["nan", "inf", "1e300", "-1e300", "9" * 400])
@pytest.mark.parametrize("field", range(8))
def test_numbers_that_no_lease_has_are_named(tmp_path, field, odd):
    fields = ["0", "-1", "3600", "1800.5", "2", "1", "512", "0", "a.img", "100"]
    fields[field] = odd
    path = tmp_path / "old.lwf"
    path.write_text(" ".join(fields) + "\n")
    with pytest.raises(InputError) as caught:
        read_lwf_text(path)
    assert [(finding.line, finding.code) for finding in caught.value.findings] == [(1, "bad-value")]


@pytest.mark.parametrize("line", ["0 -1 60 60 2000000 1 1 0 a 1", "10;0;u;600;2000000;1024;100;RW;NULL;3600;1800;B"])
def test_no_lease_has_more_nodes_than_sites_may_have(tmp_path, line):
    path = tmp_path / "old"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match="leases have at most 1000000"):
        (read_lwf_csv if ";" in line else read_lwf_text)(path)
