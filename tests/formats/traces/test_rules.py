"""One rule for all logs: the same rows as SWF, GWF and CSV become the same jobs, with the same account."""

from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.diagnostics import InputError
from windtunnel.formats.traces.gwf import read_gwf
from windtunnel.formats.traces.mapped_csv import Mapped, read_mapped
from windtunnel.formats.traces.rules import ReplayOptions
from windtunnel.formats.traces.swf import read_swf

# Submit time, run time, allocated and requested processors, requested time, status: -1 is unknown.
ROWS = st.lists(
    st.tuples(
        st.sampled_from([-1, 0, 5, 5, 10, 2_000_000_000]),
        st.sampled_from([-1, 0, 1, 20, 30]),
        st.sampled_from([-1, 0, 2, 9]),
        st.sampled_from([-1, 0, 1, 4, 9]),
        st.sampled_from([-1, 0, 20, 25]),
        st.sampled_from([-1, 0, 1, 2, 3, 4, 5]),
    ),
    min_size=1,
    max_size=12,
)
OPTIONS = st.fixed_dictionaries(
    {
        "walltime": st.sampled_from(["extend", "kill"]),
        "keep_epoch": st.booleans(),
        "max_processors": st.sampled_from([None, 4]),
        "strict": st.booleans(),
    }
)
CSV = Mapped({"submit": "s", "run": "r", "processors": "p", "walltime": "w", "status": "t"})


def outcome(read, path, **options):
    """What a reader makes of a file: jobs and account, or findings."""
    try:
        workload = read(path, "w0", **options)
    except InputError as error:
        return [(found.line, found.code, found.message) for found in error.findings]
    report = workload.report
    jobs = [(job.submission_time, job.request, job.profile.delay, job.walltime) for job in workload]
    counted = report.dropped, report.repaired, report.first, report.warnings, report.kept, report.rows
    return jobs, workload.start_date, counted


def account(result):
    """Without the first lines of what only SWF tells."""
    if isinstance(result, list):
        return result
    jobs, date, (dropped, repaired, first, *rest) = result
    return jobs, date, dropped, repaired, {what: first[what] for what in (*dropped, *repaired)}, *rest


@given(ROWS, OPTIONS)
@settings(max_examples=150)
def test_swf_and_gwf(tmp_path_factory, rows, options):
    folder = tmp_path_factory.mktemp("logs")
    swf, gwf = [], []
    for number, (submit, run, allocated, requested, limit, status) in enumerate(rows, 1):
        known = [number, submit, -1, run, allocated, -1, -1, requested, limit, -1, status, 1, 1]
        swf.append([*known, -1, 1, -1, -1, -1])
        gwf.append([*known, -1, 1, *[-1] * 14])
    (folder / "log.swf").write_text("".join(" ".join(map(str, row)) + "\n" for row in swf))
    (folder / "log.gwf").write_text("".join(" ".join(map(str, row)) + "\n" for row in gwf))
    ours, theirs = outcome(read_swf, folder / "log.swf", **options), outcome(read_gwf, folder / "log.gwf", **options)
    assert account(ours) == account(theirs)


@given(ROWS, OPTIONS)
@settings(max_examples=150)
def test_swf_and_csv(tmp_path_factory, rows, options):
    """Without what CSV does not tell apart: bursts, and who was given how many processors."""
    folder = tmp_path_factory.mktemp("logs")
    swf, csv = [], ["s,r,p,w,t"]
    for number, (submit, run, _, requested, limit, status) in enumerate(rows, 1):
        code = 5 if status == 5 else 1
        swf.append([number, submit, -1, run, -1, -1, -1, requested, limit, -1, code, 1, 1, -1, 1, -1, -1, -1])
        csv.append(f"{submit},{run},{requested},{limit},{'cancelled' if code == 5 else 'completed'}")
    (folder / "log.swf").write_text("".join(" ".join(map(str, row)) + "\n" for row in swf))
    (folder / "log.csv").write_text("\n".join(csv[1:2] and csv) + "\n")

    def read(path, name, **chosen):
        return read_mapped(path, name, CSV, ReplayOptions(**chosen))

    ours, theirs = (
        account(outcome(read_swf, folder / "log.swf", **options)),
        account(outcome(read, folder / "log.csv", **options)),
    )
    if isinstance(ours, list):  # a head stands before the rows
        assert [(line + 1, *rest) for line, *rest in ours] == theirs
    else:
        *same, first, warnings, kept, count = ours
        assert (*same, {what: line + 1 for what, line in first.items()}, warnings, kept, count) == theirs
