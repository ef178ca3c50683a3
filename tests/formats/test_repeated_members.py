"""Members that stand twice in one object of a JSON file are told in every format; counting names is enough to know."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.members.samples import SAMPLES, Sample
from tests.formats.members.test_nothing_is_silent import delivered

from windtunnel.diagnostics import Findings
from windtunnel.diagnostics.json_repeated import repeated_members
from windtunnel.formats.repeated_members import tell_repeated

JSON = [
    pytest.param(kind, name, sample, id=f"{kind}-{name}-{rank}")
    for (kind, name), samples in SAMPLES.items()
    for rank, sample in enumerate(samples)
    if sample.syntax.startswith("json")
]


@pytest.mark.parametrize(("kind", "name", "sample"), JSON)
def test_no_format_passes_over_them(kind: str, name: str, sample: Sample, tmp_path: Path):
    path = tmp_path / "sample"
    for beside, text in sample.files.items():
        (tmp_path / beside).write_text(text)
    path.write_text(sample.text)
    before = delivered(kind, name, path, dict(sample.options))
    silent = set()
    for member in re.finditer(r'"[^"]+"(?=\s*:)', sample.text):
        path.write_text(f"{sample.text[: member.start()]}{member[0]}: 1, {sample.text[member.start() :]}")
        if delivered(kind, name, path, dict(sample.options)) == before:
            silent.add(member[0])
    assert not silent


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1, "a": 2}', ["/a"]),
        ('{"a" : 1, "a"\n: 2}', ["/a"]),
        ('{"a" : 1, "b": {"c": [{"d": 1, "d": 2, "d": 3}]}}', ["/b/c/0/d", "/b/c/0/d"]),
        (r'{"a": 1, "\u0061": 2, "b": "\u0022: \":"}', ["/a"]),
        (r'{"a": "\":", "b": ["x\": y"], "c": "\u0022:"}', []),
        ('[{"a": 1}, {"a": 1}]', []),
        ('{"a": 123456789012345678901234567890, "b": {"a": 1, "a": 1}}', ["/b/a"]),
        ('{"a": 1e400}', []),
    ],
)
def test_what_stands_twice(text: str, told: list[str]):
    try:
        document = msgspec.json.decode(text)
    except msgspec.DecodeError:
        document = json.loads(text)
    found = ["".join(f"/{step}" for step in (*path, key)) for path, key, *_ in repeated_members(text.encode(), document)]
    assert found == told


def test_they_are_counted_and_some_are_told_by_others():
    text = b'{"profiles": {"p": 1, "p": 2}, "jobs": [{"id": 1, "id": 2},\n{"id": 3, "id": 4}]}'
    findings = Findings("w.json")
    tell_repeated(text, msgspec.json.decode(text), findings, besides="/profiles")
    (told,) = findings
    assert (told.code, told.line, told.pointer, told.count) == ("repeated-member", 1, "/jobs/0/id", 2)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(alphabet='":\\ a\té', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='":\\ ab', max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.booleans(), st.booleans())
def test_nothing_is_told_of_documents_without_any(document, spaced, escaped):
    text = json.dumps(document, separators=(",", " : ") if spaced else None, ensure_ascii=escaped)
    assert list(repeated_members(text.encode(), msgspec.json.decode(text))) == []
