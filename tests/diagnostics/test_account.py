"""The account: one line for each kind of thing, counted, with its first place."""

import pytest

from windtunnel.diagnostics import Account, AccountLine, Finding, Findings, InputError, Severity


def test_what_is_told_again_is_counted_on():
    account = Account()
    account.tell("dropped", "no run time", place="a.swf:3", hint="mend it")
    account.tell("dropped", "no run time", count=4, place="a.swf:9")
    account.tell("dropped", "no processors", count=0)
    account.tell("odd", "sorted", note=True)
    assert account.lines == [
        AccountLine("dropped", 5, "a.swf:3", "no run time", "mend it"),
        AccountLine("odd", 1, "", "sorted", note=True),
    ]
    assert str(account) == ("dropped (5 times, first at a.swf:3): no run time\n  hint: mend it\nodd (once): sorted")


def test_findings_become_lines_by_code_and_message():
    findings = Findings("f.json")
    findings.warn("unknown property 'a'", code="ENV040", line=3)
    findings.warn("unknown property 'a'", code="ENV040", line=5)
    findings.warn("unknown property 'b'", code="ENV040", line=7)
    findings.add("nothing inherits from 'x'", code="ENV045", severity=Severity.NOTE)
    account = Account()
    account.take(findings)
    told = {(line.kind, line.count, line.place, line.note) for line in account}
    assert told == {
        ("ENV040", 2, "f.json:3", False),
        ("ENV040", 1, "f.json:7", False),
        ("ENV045", 1, "f.json", True),
    }


def test_findings_that_differ_in_names_only_are_one_line():
    account = Account()
    account.take(
        [Finding("n.xml", number, message=f"node n{number} has none", code="SSS040") for number in range(40)]
    )
    (line,) = account
    assert (line.count, line.place) == (40, "n.xml")
    assert line.reason == "node n0 has none (and 39 others of this kind)"


def test_what_comes_again_and_again_is_tallied():
    findings = Findings("big.json", limit=2)
    for number in range(1000):
        findings.tally("unknown member 'x'", code="unknown-member", pointer=f"/jobs/{number}/x")
    (one,) = findings
    assert (one.count, one.pointer, one.severity) == (1000, "/jobs/0/x", Severity.WARNING)
    assert str(one).endswith("unknown member 'x' (1,000 times)")


def test_lines_that_are_new_or_grew():
    account = Account()
    account.tell("a", "x")
    before = account.lines
    assert account.since(before) == []
    account.tell("a", "x")
    account.tell("b", "y")
    assert [(line.kind, line.count) for line in account.since(before)] == [("a", 2), ("b", 1)]


def test_strict_lets_notes_pass_and_names_all_else():
    account = Account([AccountLine("history", 9, "", "not simulated", note=True)])
    account.refuse()
    account.tell("dropped", "no run time", count=2, place="a.swf:3")
    account.tell("odd", "sorted")
    with pytest.raises(InputError) as caught:
        account.refuse()
    assert [(f.code, f.count) for f in caught.value.findings] == [("dropped", 2), ("odd", 1)]
