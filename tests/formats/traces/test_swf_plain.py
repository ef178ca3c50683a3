"""Rows of plain integers are decoded another way than odd ones; nobody must be able to tell."""

from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from windtunnel.diagnostics import Findings, InputError
from windtunnel.formats.traces import swf_lines
from windtunnel.formats.traces.swf import read_swf
from windtunnel.formats.traces.swf_digits import rows_of_digits
from windtunnel.formats.traces.swf_plain import END, plain, spaced
from windtunnel.formats.traces.swf_write import read_swf_log
from windtunnel.model.arrays import COMPILED

ROW = [7, 100, -1, 10, 2, -1, -1, 2, 20, -1, 1, 3, 4, -1, 1, -1, -1, -1]
OTHER = [12345, 10**9, 2**53 - 1, 1 - 2**53, *range(14)]


def tokens(text):
    return text.replace("\n", f" {END} ").split()


def line(*fields, pattern="%d", between=" "):
    return between.join(pattern % field for field in fields) + "\n"


LAYOUTS = {
    "one blank": (line(*ROW) + line(*OTHER)) * 9,
    "aligned": (line(*ROW, pattern="%17d") + line(*OTHER, pattern="%17d")) * 9,
    "aligned, with blanks at the end": line(*ROW, " ", pattern="%6s") * 9,
    "aligned, a long and a short line among many": (
        line(*ROW, pattern="%6d") * 20 + line(*OTHER, pattern="%6d") + line(*ROW) + line(*ROW, pattern="%6d") * 20
    ),
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_plain_rows_are_decoded(text):
    expected = [int(token) for token in text.split()]
    assert plain(text, text.count("\n")) == rows_of_digits(text.encode(), text.count("\n")) == expected
    assert spaced(text, tokens(text), text.count("\n")) == expected


def test_ragged_rows_are_decoded_when_split():
    text = line(*ROW, between="  ") + line(*ROW, between="\t") + line(*OTHER, between=" \t ")
    assert spaced(text, tokens(text), 3) == rows_of_digits(text.encode(), 3) == ROW + ROW + OTHER
    assert plain(text, 3) == (ROW + ROW + OTHER if COMPILED else None)


WORDS = (
    '4.0 1.5 1e3 .5 5. + +1 007 -007 1_0 null nan inf -inf true abc | ; 1,2 [1] 1] [ "1" {} ١ 1/2 0x1 - -1- '
    f"{2**53} {-(2**53)} {10**18} {-(10**18)} {2**63} {2**64} {10**400} 1e400"
).split()


@pytest.mark.parametrize("pattern", ["%s", "%6s"], ids=["one blank", "aligned"])
@pytest.mark.parametrize("field", [0, 1, 5, 17])
@pytest.mark.parametrize("word", WORDS)
def test_what_is_no_plain_integer_is_refused(word, field, pattern):
    good = line(*ROW, pattern=pattern)
    fields = [f"{number}" for number in ROW]
    fields[field] = word
    text = good * 20 + line(*fields, pattern=pattern) + good
    assert plain(text, 22) is None
    assert spaced(text, tokens(text), 22) is None
    assert rows_of_digits(text.encode(), 22) is None


ALIGNED = line(*ROW, pattern="%6d")
FEWER = line(*ROW[:17], pattern="%6d")
MORE = line(*ROW, 1, pattern="%6d")
IRREGULAR = {
    "no newline at the end": line(*ROW) + line(*ROW).rstrip(),
    "one line without newline": line(*ROW).rstrip(),
    "blank line": line(*ROW) + "\n" + line(*ROW),
    "fewer, then more": line(*ROW[:17]) + line(*ROW, 1),
    "a comma for a blank": line(*ROW[:16], "-1,-1", pattern="%s"),
    "aligned, no newline at the end": ALIGNED * 3 + ALIGNED.rstrip(),
    "aligned, one line without newline": ALIGNED.rstrip(),
    "aligned, two rows on a line": ALIGNED.replace("\n", "") * 2 + "\n",
    "aligned, fewer, then more": FEWER * 20 + MORE * 20,
    "aligned, more, then fewer": MORE * 20 + FEWER * 20,
    "aligned, fewer and more among others": ALIGNED * 40 + FEWER + MORE + ALIGNED,
    "aligned, fewer, then more, as long as others": ALIGNED + FEWER + MORE,
    "aligned but for the end of a line": ALIGNED + FEWER[:-1] + " \n    1 " + ALIGNED,
}


@pytest.mark.parametrize("text", IRREGULAR.values(), ids=IRREGULAR)
def test_lines_that_are_not_18_fields_or_not_in_place_are_refused(text):
    assert plain(text, text.count("\n")) is None
    assert rows_of_digits(text.encode(), text.count("\n")) is None


def test_fields_elsewhere_on_a_line_of_the_same_length_are_read_byte_by_byte():
    text = ALIGNED + "    7 1234567" + ALIGNED[13:]
    expected = [int(token) for token in text.split()]
    assert plain(text, 2) == (expected if COMPILED else None)
    assert rows_of_digits(text.encode(), 2) == expected


def test_rows_behind_the_header_are_decoded_and_keep_their_lines(tmp_path):
    path = tmp_path / "x.swf"
    path.write_text("; Version: 2.2\n; MaxProcs: 1\n" + line(*ROW))
    (chunk,) = swf_lines.SwfLines(path, Findings("x.swf"))
    assert (chunk.integers, chunk.texts, list(chunk.lines)) == (ROW, [], [3])
    with pytest.raises(InputError) as caught:
        read_swf(path, strict=True)
    assert [(found.line, found.code) for found in caught.value.findings] == [(3, "dropped")]


def test_all_fields_of_rows_behind_the_header_are_looked_at(tmp_path):
    path = tmp_path / "x.swf"
    path.write_text("; Version: 2.2\n" + line(*ROW[:5], "1h", *ROW[6:], pattern="%s"))
    with pytest.raises(InputError, match="field 6"):
        read_swf(path)


def test_differing_processors_are_counted_among_the_rows_kept(tmp_path):
    path = tmp_path / "x.swf"
    pairs = [(2, 2), (2, 3), (4, 3), (-1, 3), (0, 3), (5, -1), (-1, -1), (9, 8)]
    fields = [
        [number, number, -1, 10, given, -1, -1, wanted, *ROW[8:]] for number, (given, wanted) in enumerate(pairs)
    ]
    path.write_text("; MaxProcs: 7\n" + "".join(line(*row) for row in fields))
    report = read_swf(path).report
    assert report.noted == {
        "requested processors unknown": 2,
        "requested and allocated processors differ": 2,
        "allocated unknown": 2,
    }
    assert report.dropped == {"no processors": 1, "more processors than there are": 1}


small = st.one_of(st.sampled_from([-1, 0, 1, 2, 5, 10]), st.integers(-9, 999), st.integers(1, 10**7)).map(str)
rows = st.tuples(*[small] * 18).map(list)
large = [2**53 - 1, 2**53 + 1, 2**53 + 2, -(2**53), 10**18 - 1, 1 - 10**18, -(2**64), 10**9]
odd_words = st.sampled_from([*WORDS, "-0", "-0.0", "1e2", "\u00a0", "\x1c", *map(str, large)])
odd_lines = st.sampled_from(
    ["", " ", "\t", "; remark", "; MaxProcs: 4", ";", " ; MaxProcs: 8", "1 2 3", ";;;", " ".join("1" * 20), "\f"]
)
layouts = st.sampled_from([("%s", " "), ("%s", " "), ("%7s", " "), ("%7s", " "), ("%-7s", " "), ("%s", "  ")])


@st.composite
def logs(draw):
    """Files that are plain, or nearly so."""
    pattern, between = draw(layouts)
    lines = []
    few = st.integers(0, 9).map(lambda number: number == 9)
    plain_file = draw(st.booleans())
    for fields in draw(st.lists(rows, max_size=12)):
        text = between.join(pattern % field for field in fields)
        if not plain_file and draw(few):
            place = draw(st.integers(0, 17))
            text = between.join(pattern % field for field in [*fields[:place], draw(odd_words), *fields[place + 1 :]])
        if not plain_file and draw(few):
            blank = draw(st.sampled_from(["\t", "  ", " \t", "\x0b", "\u00a0"]))
            text = text.replace(" ", blank, draw(st.integers(1, 3)))
        lines += [text] * draw(st.integers(1, 3))
        if not plain_file and draw(few):
            lines.append(draw(odd_lines))
    if draw(st.booleans()):
        lines[:0] = ["; Version: 2.2", "; MaxProcs: 100", ";\tmore"]
    newline = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", " \n"]))
    return newline.join(lines) + (newline if draw(st.booleans()) else "")


def outcome(read, path, **options):
    """All that a reader says: numbers and account, or findings."""
    try:
        found = read(path, **options)
    except InputError as error:
        return [(one.line, one.code, one.message, one.hint) for one in error.findings]
    if read is read_swf_log:
        return found.comments, found.rows
    # "report" is a struct, the rest are columns, numbers and texts.
    return {key: value for key, value in vars(found).items() if not key.startswith("_")}


@pytest.mark.slow
@settings(max_examples=250)
@given(logs(), st.sampled_from([1, 300, 1 << 16]), st.booleans(), st.booleans())
@example("1 2 3\n" * 3, 1, False, False)
def test_plain_rows_and_odd_ones_have_the_same_outcome(tmp_path_factory, text, chunk, strict, dependencies):
    path = tmp_path_factory.mktemp("swf") / "x.swf"
    path.write_bytes(text.encode())
    options = {"strict": strict, "dependencies": dependencies}
    with patch.object(swf_lines, "_CHUNK", chunk):
        found = outcome(read_swf, path, **options), outcome(read_swf_log, path)
        with (
            patch.object(swf_lines, "plain", lambda *_: None),
            patch.object(swf_lines, "spaced", lambda *_: None),
        ):
            expected = outcome(read_swf, path, **options), outcome(read_swf_log, path)
    assert found == expected
