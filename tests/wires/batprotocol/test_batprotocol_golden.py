"""Every message recorded between Batsim 5 and its components, in binary and in JSON."""

import gzip
import json
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.shared import cases, shared
from tests.wires.batprotocol.oracles import official_read

from some_cases import some_slow
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol.schema import SimulationBeginsEvent

pytestmark = pytest.mark.golden
FOLDERS = cases("golden/batsim5", "*/dialogue0.bin*")


def opened(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def recorded(raw: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(raw):
        size = struct.unpack_from("<I", raw, at + 1)[0]
        yield raw[at + 5 : at + 5 + size]
        at += 5 + size


def json_form(folder: Path) -> list[bytes]:
    """The messages of a dialogue as JSON: upstream's own text, without the letter that says whose turn it was."""
    (path,) = folder.glob("dialogue0.txt*")
    return [line[2:] for line in opened(path).splitlines() if line[:2] in {b"I ", b"B ", b"S "}]


def test_there_are_recordings():
    assert len(list(shared("golden/batsim5").glob("*/dialogue0.bin*"))) > 90


@pytest.mark.parametrize("path", some_slow(FOLDERS, 3), ids=lambda path: path.parent.name)
def test_every_recorded_message_survives_the_codec(path, cpp):
    messages, lines = list(recorded(opened(path))), json_form(path.parent)
    if not messages:  # Batsim aborted before it had written the binary record, and within the last line of the text
        messages = lines = lines[:-1]
    seen = set()
    for number, (raw, line) in enumerate(zip(messages, lines, strict=True)):
        if raw[:1] == b"{":
            message = text.decode(raw)
            assert json.loads(text.encode(message)) == json.loads(raw.rstrip(b"\0"))
        else:
            message = binary.decode(raw)
            again = binary.encode(message)
            assert binary.decode(again) == message
            kinds = tuple(type(stamped.event) for stamped in message.events)
            assert cpp.accepts(again)
            if kinds not in seen or number % 20 == 0:  # the slow judge: one of each kind, and samples of the rest
                seen.add(kinds)
                assert official_read(raw) == message
        if not any(isinstance(stamped.event, SimulationBeginsEvent) for stamped in message.events):
            assert close(json.loads(text.encode(message)), json.loads(line))


def close(exact, printed) -> bool:
    """Equal, but that upstream prints 12 digits (and the paths in its SimulationBegins were shortened)."""
    if isinstance(exact, dict):
        return exact.keys() == printed.keys() and all(close(exact[k], printed[k]) for k in exact)
    if isinstance(exact, list):
        return len(exact) == len(printed) and all(map(close, exact, printed))
    return exact == printed or (isinstance(exact, float) and abs(exact - printed) <= 1e-11 * max(1.0, abs(exact)))
