"""LWF: reading, all faults at once, the manual's own examples, and the way back."""

import gzip
import re
from datetime import datetime
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from documents import listings
from shared import cases
from windtunnel.diagnostics import Findings, InputError
from windtunnel.formats.haizea import looks_like_lwf
from windtunnel.formats.haizea.lwf import (
    read_annotations,
    read_lease_text,
    read_lwf,
    read_nodes,
    read_site,
)
from windtunnel.formats.haizea.lwf_times import format_length, format_timestamp, parse_length, parse_timestamp
from windtunnel.formats.haizea.lwf_write import lease_text, site_text, write_annotations, write_lwf, write_site
from windtunnel.model.lease import (
    DiskImage,
    Lease,
    LeaseAnnotation,
    LeaseAnnotations,
    LeaseKind,
    LeaseSite,
    LeaseState,
    LeaseWorkload,
    NodeSet,
    When,
)

EPOCH = datetime.fromisoformat("2006-11-25T13:00")
FILES = [path for path in cases("golden/haizea/lwf", "*.lwf*") if path.name != "generated.lwf"]
"""All but one, which is in the old text format; see test_lwf_text.py."""

# --- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("01:00:00", 3600),
        ("01:02:03.04", 3723.04),
        ("1:00:00:00", 86400),
        ("00:01:02:03", 3723),
        ("01:30", 5400),
        ("36:00:00", 129600),
        ("10:99:99", 42039),
        ("00.5:00:00", 1800),
        ("2d 3h 4m 5s", 183845),
        ("2d 3h", 183600),
        ("1 d 02:30", 95400),
        ("+10:00:00.00", 36000),
        ("-00:00:01", -1),
        (" 00:00:00 ", 0),
    ],
)
def test_lengths_are_read_as_haizea_reads_them(text, seconds):
    assert parse_length(text) == seconds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2006-11-25T14:00:00+05:00", "no time zone"),
        ("2006-11-25 14:00:00Z", "no time zone"),
        ("9999-12-31 23:59:59.999", "rounded to the hundredth there is no such date"),
        ("\u0662006-11-25 14:00:00", "not a timestamp"),
        ("soon", "not a timestamp"),
    ],
)
def test_timestamps_that_would_mean_something_else(text, words):
    """A time zone had no effect; a date that could not be written again made a service fail for everybody."""
    with pytest.raises(ValueError, match=words):
        parse_timestamp(text, EPOCH)


@pytest.mark.parametrize("text", ["9999-12-31 23:59:59.99", "0001-01-01 00:00:00.00", "2006-11-25 14:00:00.50"])
def test_timestamps_are_written_as_they_were_read(text):
    assert format_timestamp(parse_timestamp(text, EPOCH), EPOCH) == text


def test_times_have_hundredths_or_are_refused():
    """A lease that was to start at 3.6e17 s never did."""
    assert parse_length("24999999999:00:00.01") == 24999999999 * 3600 + 0.01
    with pytest.raises(ValueError, match=r"no time lasts 3\.600e\+17 seconds"):
        parse_length("99999999999999:00:00")


def test_digits_of_other_scripts_are_no_digits():
    with pytest.raises(ValueError, match="not a duration"):
        parse_length("00:00:0\u0661")


@pytest.mark.parametrize("text", ["3600", "abc", "", "1,5:00", "01:00:00:00:00", "x01:00:00", "1::2", "+", "d"])
def test_what_haizea_takes_as_zero_is_an_error(text):
    with pytest.raises(ValueError, match="not a duration"):
        parse_length(text)


def test_the_documents_form_of_durations_is_an_option():
    assert parse_length("01:02:03.04") == 3723.04
    assert parse_length("01:02:03.04", document=True) == 86400 + 2 * 3600 + 3 * 60 + 4
    assert parse_length("01:00:00", document=True) == 3600  # the document's own example: "for one hour"


@given(st.integers(-(10**9), 10**9))
def test_lengths_come_back_to_the_hundredth(hundredths):
    seconds = hundredths / 100
    assert isclose(parse_length(format_length(seconds)), seconds, abs_tol=1e-9)


@given(st.text(max_size=20))
def test_any_text_is_a_length_or_a_clear_error(text):
    said = ""
    try:
        parse_length(text)
    except ValueError as error:
        said = str(error)
    assert not said or "not a duration" in said


# --- the manual -------------------------------------------------------------------------------------------------------


def test_the_manuals_examples_are_read(tmp_path):
    whole = [listing for listing in listings() if "..." not in listing and re.match(r"<(nodes|lease|site)", listing)]
    assert len(whole) == 3
    for number, listing in enumerate(whole):
        path = tmp_path / f"{number}.xml"
        path.write_text(listing)
    assert read_nodes(tmp_path / "0.xml") == (
        NodeSet(4, {"CPU": (100,), "Memory": (1024,)}),
        NodeSet(8, {"CPU": (100,), "Memory": (2048,)}),
    )
    lease = read_lease_text(whole[1].encode(), epoch=EPOCH)
    assert (lease.id, lease.preemptible, lease.duration, lease.kind) == (1, True, 3600, LeaseKind.BEST_EFFORT)
    assert lease.software == DiskImage("foobar1.img", 1024)
    site = read_site(tmp_path / "2.xml")
    assert site.resource_types == ("CPU", "Memory", "Ponies")
    assert (site.numnodes, site.nodes[0].total("Ponies"), site.nodes[1].total("Ponies")) == (8, 4, 0)


def test_the_manuals_fragments_are_read_in_their_place():
    """Its start and software listings; two of them close <start> with </exact>, which is not XML, and say so here."""
    fragments = [listing for listing in listings() if re.match(r"<(start|software)", listing)]
    assert len(fragments) == 5
    for fragment in fragments:
        mended = fragment.replace("</exact>", "</start>").replace('time="..."', 'time="2006-11-25 14:00:00"')
        mended = mended.replace('id="..." size="..."', 'id="a" size="1"')
        other = "<software><none/></software>" if mended.startswith("<start") else "<start/>"
        text = f'<lease preemptible="yes"><nodes><node-set numnodes="1"><res type="CPU" amount="1"/></node-set></nodes>{mended}<duration time="1:00"/>{other}'
        lease = read_lease_text(f"{text}</lease>".encode(), epoch=EPOCH)
        assert lease.start in {When.UNSPECIFIED, When.NOW, 3600}
        if "</exact>" in fragment:
            with pytest.raises(InputError, match="not XML that can be read"):
                read_lease_text(fragment.encode())


# --- workloads --------------------------------------------------------------------------------------------------------

GOOD = """<lease-workload name="w"><description> A day </description>
<site><resource-types names="CPU Memory"/><nodes><node-set numnodes="4"><res type="CPU"><instance amount="100"/>
<instance amount="100"/></res><res type="Memory" amount="1024"/></node-set></nodes></site>
<lease-requests>
<lease-request arrival="00:00:10.50"><realduration time="00:30:00"/>
<lease preemptible="True" user="7"><nodes><node-set numnodes="1"><res amount="100" type="CPU"/></node-set></nodes>
<start><exact time="01:00:00"/></start><duration time="01:00:00"/><deadline time="03:00:00"/>
<software><disk-image id="'a.img'" size="600"/></software><extra><attr name="simul_userrate" value="0.5"/></extra>
</lease></lease-request>
<lease-request arrival="00:01:00"><realduration time="02:00:00"/><lease id="1" preemptible="no">
<nodes><node-set numnodes="2"><res type="CPU" amount="100"/></node-set></nodes><start><now/></start><duration time="01:00:00"/><software><none/></software>
</lease></lease-request></lease-requests></lease-workload>"""


def write(tmp_path, text, name="w.lwf"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_everything_the_grammar_has(tmp_path):
    work = read_lwf(write(tmp_path, GOOD))
    assert (work.name, work.description) == ("w", "A day")
    assert work.site == LeaseSite(("CPU", "Memory"), (NodeSet(4, {"CPU": (100, 100), "Memory": (1024,)}),))
    first, second = work.leases
    assert first == Lease(
        id=2,  # 1 is taken by the other
        submit=10.5,
        nodes=(NodeSet(1, {"CPU": (100,)}),),
        start=3600,
        duration=3600,
        real_duration=1800,
        deadline=10800,
        preemptible=True,
        software=DiskImage("'a.img'", 600),
        user=7,
        extras={"simul_userrate": "0.5"},
    )
    assert (first.kind, second.kind) == (LeaseKind.DEADLINE, LeaseKind.IMMEDIATE)
    assert second.real_duration is None  # not shorter than the requested duration
    assert looks_like_lwf(GOOD.encode()[:200])


def test_all_faults_come_together_with_their_lines(tmp_path):
    bad = """<lease-workload name="w">
<site><resource-types names="CPU"/><nodes><node-set numnodes="0"><res type="Gold" amount="x"/></node-set></nodes></site>
<lease-requests>
<lease-request arrival="3600">
<lease id="1" preemptible="maybe"><nodes/>
<start><now/><exact time="01:00:00"/></start><duration time="00:00:00"/></lease>
</lease-request>
<lease-request arrival="00:00:01"><lease id="1" preemptible="yes"><nodes><node-set numnodes="1"/></nodes><start/>
<duration time="01:00:00"/><software><none/></software><colour/></lease></lease-request>
<lease-request/>
</lease-requests></lease-workload>"""
    with pytest.raises(InputError) as caught:
        read_lwf(write(tmp_path, bad))
    found = {(finding.line, finding.code) for finding in caught.value.findings}
    assert found == {
        (2, "missing-resource"),
        (2, "bad-value"),
        (2, "type"),
        (4, "bad-value"),
        (5, "missing-element"),
        (5, "bad-value"),
        (6, "ambiguous-start"),
        (6, "bad-value"),
        (8, "missing-element"),
        (8, "repeated-id"),
        (9, "unknown-element"),
        (10, "missing-attribute"),
        (10, "missing-element"),
    }
    text = str(caught.value)
    assert "w.lwf:4: error [bad-value]: arrival of <lease-request>: not a duration: '3600'" in text
    assert "3600 seconds are 01:00:00.00" in text
    assert "must be true, false, yes or no, not 'maybe'" in text


def test_what_became_of_a_lease_elsewhere_is_told(tmp_path):
    """It is kept, and requested anew (``leases/test_component.py``)."""
    over = GOOD.replace('id="1" preemptible', 'id="1" state="13" submit-time="05:00:00" preemptible')
    work = read_lwf(write(tmp_path, over))
    assert [lease.state for lease in work.leases] == [LeaseState.NEW, LeaseState.MIGRATING]
    told = [(found.code, found.line, found.message.partition(" of ")[0]) for found in work.warnings]
    line = over.partition('state="13"')[0].count("\n") + 1
    assert told == [("history", line, "a real duration is longer than the requested one: the lease ends when that is over"),
                    ("history", line, "state"), ("history", line, "submit-time")]  # fmt: skip


def test_an_extra_given_twice_is_told(tmp_path):
    twice = GOOD.replace("<extra>", '<extra><attr name="simul_userrate" value="0.1"/>')
    work = read_lwf(write(tmp_path, twice))
    assert work.leases[0].extras == {"simul_userrate": "0.5"}
    assert "the attribute 'simul_userrate' is given twice: the last one counts" in {f.message for f in work.warnings}


def test_an_image_of_several_sizes_is_told_once(tmp_path):
    made = [
        Lease(id=rank, duration=60.0, nodes=(NodeSet(1, {"CPU": (100,)}),), software=DiskImage("a.img", size))
        for rank, size in enumerate((10, 10, 20, 30), 1)
    ]
    write_lwf(LeaseWorkload(leases=made), tmp_path / "images.lwf")
    work = read_lwf(tmp_path / "images.lwf")
    told = [found.message for found in work.warnings]
    assert told == ["the disk image 'a.img' has several sizes: each lease counts its own"]
    assert [lease.software.size for lease in work.leases] == [10, 10, 20, 30]


@pytest.mark.parametrize("text", ["1_000", "٣", "1.0", "", "9" * 50])
def test_whole_numbers_are_those_of_xml(tmp_path, text):
    with pytest.raises(InputError, match="not a whole number"):
        read_lwf(write(tmp_path, GOOD.replace('amount="1024"', f'amount="{text}"')))


def test_warnings_do_not_stop_reading(tmp_path):
    notes = Findings("w.lwf")
    late = GOOD.replace("00:00:10.50", "00:02:00").replace(
        '<deadline time="03:00:00"/>', '<deadline time="01:30:00"/>'
    )
    work = read_lwf(write(tmp_path, late), findings=notes)
    assert [finding.code for finding in notes] == ["deadline", "history", "order"]
    assert [lease.id for lease in work.leases] == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "code", "hint"),
    [
        ('<exact time="01:00:00"/>', '<Exact time="01:00:00"/>', "wrong-case", "write <exact>"),
        ("<start><now/></start>", "<start>now</start>", "text", "write <now/>"),
        ("<now/>", "<none/>", "wrong-place", "it belongs in <software>"),
        ('amount="1024"', 'amount="0"', "bad-value", ""),
        ('<res amount="100" type="CPU"/>', "", "missing-element", ""),
        ("</site>", "</site><site/>", "repeated-element", ""),
        (
            '<deadline time="03:00:00"/>',
            '<deadline time="03:00:00"/><deadline time="04:00:00"/>',
            "repeated-element",
            "",
        ),
        ("<realduration", '<realduration time="1:00"/><realduration', "repeated-element", ""),
        ('<res type="CPU">', '<res type="CPU" amount="5">', "ambiguous-amount", ""),
        ('time="01:00:00"/></start>', 'time="2006-11-25 14:00:00"/></start>', "bad-value", ""),
    ],
)
def test_what_stands_in_the_wrong_place_or_case_is_refused(tmp_path, old, new, code, hint):
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        read_lwf(write(tmp_path, GOOD.replace(old, new, 1)))
    assert code in {finding.code for finding in caught.value.findings}
    assert hint in {finding.hint for finding in caught.value.findings if finding.code == code}


def test_a_lease_that_stands_in_no_request_is_refused(tmp_path):
    lease = re.search("<lease id.*?</lease>", GOOD, re.DOTALL)[0]
    with pytest.raises(InputError, match="<lease> does not belong in <lease-requests>"):
        read_lwf(write(tmp_path, GOOD.replace("</lease-requests>", lease + "</lease-requests>")))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('user="7"', 'User="7"', "the attribute 'User' of <lease> is not known"),
        ("<extra>", "<colour/><extra>", "<colour> inside <lease> is not known"),
        ("<lease-requests>", "<lease-requests>-->", "<lease-requests> holds no text, this one holds '-->'"),
    ],
)
def test_what_nobody_knows_is_told(tmp_path, old, new, says):
    found = read_lwf(write(tmp_path, GOOD.replace(old, new, 1))).warnings
    (warning,) = (one for one in found if one.code != "history")
    assert says in warning.message
    assert warning.line


def test_an_attribute_that_is_an_element_is_told_to_be_one(tmp_path):
    text = GOOD.replace('arrival="00:01:00"><realduration time="02:00:00"/>', 'arrival="00:01:00" realduration="9:00">')
    (warning,) = read_lwf(write(tmp_path, text)).warnings
    assert "the attribute 'realduration' of <lease-request> is not known" in warning.message
    assert warning.hint == 'it is an element inside <lease-request>: <realduration time="..."/>'


def test_a_start_with_a_plus_counts_from_the_arrival(tmp_path):
    work = read_lwf(write(tmp_path, GOOD.replace('<exact time="01:00:00"/>', '<exact time="+01:00:00"/>')))
    assert work.leases[0].start == 3610.5


def test_timestamps_count_from_the_start_of_the_workload(tmp_path):
    dated = GOOD.replace('<exact time="01:00:00"/>', '<exact time="2006-11-25 14:30:00"/>')
    work = read_lwf(write(tmp_path, dated), starttime=EPOCH)
    assert work.leases[0].start == 5400
    early = GOOD.replace('<exact time="01:00:00"/>', '<exact time="2006-11-25 12:30:00"/>')
    with pytest.raises(InputError, match="is before the workload starts"):
        read_lwf(write(tmp_path, early), starttime=EPOCH)


def test_a_lease_alone_is_a_workload(tmp_path):
    (listing,) = [text for text in listings() if text.startswith('<lease id="1"')]
    (lease,) = read_lwf(write(tmp_path, listing)).leases
    assert (lease.submit, lease.duration) == (0.0, 3600)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not XML that can be read"),
        ("<a/>", "the root element is <a>, expected <lease-workload>"),
        ("<lease-workload", "not XML that can be read"),
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><lease-workload/>', "document types and entities are refused"),
        ("<lease-workload/>", "needs a <lease-requests> element"),
    ],
)
def test_files_that_are_not_lwf(tmp_path, text, says):
    with pytest.raises(InputError, match=re.escape(says)):
        read_lwf(write(tmp_path, text))


def test_a_missing_file_is_a_finding(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_lwf(tmp_path / "nowhere.lwf")


def test_a_relative_start_in_a_lease_alone_is_refused():
    text = lease_text(Lease(nodes=(NodeSet(1, {}),), duration=60, start=0), epoch=EPOCH)
    with pytest.raises(InputError, match="is relative"):
        read_lease_text(text.replace("2006-11-25 13:00:00.00", "+01:00:00").encode(), epoch=EPOCH)


@pytest.mark.golden
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_haizeas_own_files_make_the_round_trip(path, tmp_path):
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    source = tmp_path / path.name.removesuffix(".gz")
    source.write_bytes(text)
    if path.suffix == ".lwfa":
        read, write_back = read_annotations, write_annotations
    else:
        read, write_back = read_lwf, write_lwf
    once = read(source)
    write_back(once, tmp_path / "again")
    if path.suffix != ".lwfa":  # real durations that are longer than the requested ones are not written
        once = replace(once, warnings=tuple(found for found in once.warnings if found.code != "history"))
    if path.name.startswith("deadline15"):  # its requests are not in order of arrival
        assert [warning.code for warning in once.warnings] == ["order"]
        once = replace(once, warnings=())
    assert read(tmp_path / "again") == once


# --- round trips ------------------------------------------------------------------------------------------------------

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Cn")), min_size=1, max_size=8)
# XML has no way to write some characters; non-characters are among them.
words = words.filter(lambda text: text.isprintable() and not {"\ufffe", "\uffff"} & set(text))
times = st.integers(0, 10**8).map(lambda hundredths: hundredths / 100)
amounts = st.dictionaries(
    words, st.lists(st.integers(1, 9999), min_size=1, max_size=3).map(tuple), min_size=1, max_size=3
)
node_sets = st.lists(st.builds(NodeSet, st.integers(1, 99), amounts), min_size=1, max_size=3).map(tuple)
starts = st.one_of(st.sampled_from(When), times)
images = st.one_of(st.none(), st.builds(DiskImage, words, st.integers(0, 9999)))
extras = st.dictionaries(words, words, max_size=2)
leases = st.builds(
    Lease,
    id=st.integers(0, 10**6),
    submit=times,
    nodes=node_sets,
    start=starts,
    duration=st.integers(1, 10**8).map(lambda hundredths: hundredths / 100),
    deadline=st.one_of(st.none(), times),
    preemptible=st.booleans(),
    software=images,
    user=st.one_of(st.none(), st.integers(0, 99)),
    extras=extras,
    state=st.sampled_from(LeaseState),
)
sites = st.builds(
    lambda count, memory: LeaseSite(("CPU", "Memory"), (NodeSet(count, {"CPU": (100,), "Memory": (memory,)}),)),
    st.integers(1, 99),
    st.integers(1, 9999),
)


@given(
    st.builds(
        LeaseWorkload,
        name=words,
        description=st.one_of(st.just(""), words),
        attributes=extras,
        site=st.one_of(st.none(), sites),
        leases=st.lists(leases, max_size=4, unique_by=lambda lease: lease.id),
    )
)
def test_workloads_come_back(tmp_path_factory, work):
    path = tmp_path_factory.mktemp("lwf") / "w.lwf"
    write_lwf(work, path)
    ordered = sorted(work.leases, key=lambda lease: lease.submit)
    assert replace(read_lwf(path), warnings=()) == replace(work, leases=ordered)


@given(leases, st.booleans())
def test_a_lease_alone_comes_back(lease, stamped):
    epoch = EPOCH if stamped else None
    expected = lease if stamped else replace(lease, submit=0.0)
    assert read_lease_text(lease_text(lease, epoch=epoch).encode(), epoch=epoch) == expected


@given(st.booleans(), st.data())
def test_annotations_come_back(tmp_path_factory, numbered, data):
    entry = st.builds(LeaseAnnotation, start=starts, deadline=times, software=images, extras=extras)
    partial = st.builds(LeaseAnnotation, extras=extras)
    entries = data.draw(st.lists(st.one_of(entry, partial), max_size=3))
    if numbered:
        entries = [replace(entry, id=number) for number, entry in enumerate(entries)]
    annotations = LeaseAnnotations(attributes=data.draw(extras), entries=tuple(entries))
    path = tmp_path_factory.mktemp("lwfa") / "a.lwfa"
    write_annotations(annotations, path)
    assert read_annotations(path) == annotations


def test_annotations_with_and_without_ids_do_not_mix(tmp_path):
    text = '<lease-annotations><lease-annotation id="1"/><lease-annotation/></lease-annotations>'
    with pytest.raises(InputError, match="some annotations name a lease and some do not"):
        read_annotations(write(tmp_path, text))


@given(sites)
def test_sites_come_back(tmp_path_factory, site):
    path = tmp_path_factory.mktemp("site") / "site.xml"
    write_site(site, path)
    assert read_site(path) == site
    assert "<site>" in site_text(site)
