"""Whatever is done to the bytes of a file, it is read or refused with findings of its reader; never an exception."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.campaign.mutations import NUMBERS, TEXTS
from tests.formats.signals.sources import SOURCES

from windtunnel.diagnostics import UNFORESEEN, WindtunnelError
from windtunnel.formats.signals import read_signal

PARTS = [one.encode("utf-8", "replace") for one in (*NUMBERS, *TEXTS)]


@st.composite
def damaged(draw, data):
    """Bytes replaced, taken out or doubled, fields replaced by odd texts."""
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        length = draw(st.integers(0, 30))
        kind = draw(st.sampled_from(["replace", "cut", "double", "field"]))
        part = data[place : place + length]
        if kind == "replace":
            part = draw(st.binary(max_size=8))
        elif kind == "cut":
            part = b""
        elif kind == "double":
            part *= 2
        else:
            fields = data.split(b",")
            fields[draw(st.integers(0, len(fields) - 1))] = draw(st.sampled_from(PARTS))
            data = b",".join(fields)
            continue
        data = data[:place] + part + data[place + length :]
    return data


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "opendc"])
@settings(max_examples=60)
@given(data=st.data())
def test_damaged_files(name, data, tmp_path_factory):
    check(name, data, tmp_path_factory)


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_damaged_parquet(data, tmp_path_factory):
    """Fewer of them: each is read in a process of its own."""
    check("opendc", data, tmp_path_factory)


def check(name, data, tmp_path_factory):
    quantity, content = SOURCES[name]
    path = tmp_path_factory.getbasetemp() / f"damaged-{name}"
    path.write_bytes(data.draw(damaged(content)))
    outside = data.draw(st.sampled_from(["", "?outside=hold", "?outside=day"]))
    refusal = ""
    try:
        signal, _ = read_signal(f"{path}{outside}", quantity)
    except WindtunnelError as error:
        refusal = str(error)
    assert f"[{UNFORESEEN}]" not in refusal
    if refusal:
        return
    assert len(signal.dates) == len(signal.values) > 0
    signal.integral(signal.first, signal.dates[-1])
