"""The pages of the gallery say what comes out: a small part of each is made again and compared with what stands there."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import windtunnel as wt
from shared import missing, shared

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
LOGS = {
    "lublin_256.swf": "traces/lublin_256.swf",
    "lublin_256_new2.swf.gz": "golden/literature/rlscheduler/lublin_256_new2.swf.gz",
    "KTH-SP2-1996-2.swf.gz": "traces/KTH-SP2-1996-2.swf.gz",
}
STUDIES = sorted(path.stem for path in GALLERY.glob("*.toml"))

pytestmark = pytest.mark.slow


def words(name, folder, monkeypatch):
    """A study of the gallery as it would be read in a folder that holds its logs."""
    text = (GALLERY / f"{name}.toml").read_text()
    for log, place in LOGS.items():
        if log in text:
            (folder / log).symlink_to(shared(place))
    monkeypatch.chdir(folder)
    return tomllib.loads(text)


def figures(name, folder, said, figure="bounded_slowdown_mean"):
    """Scheduler -> figure."""
    study = wt.study(said.pop("name"), **said).run(folder / f"{name}.study")
    assert set(study.points["status"]) == {"done"}
    return dict(zip(study.points["scheduler"], study.points[figure], strict=True))


def rows(name):
    """The last table of a page: first cell -> the other cells."""
    lines = [line for line in (GALLERY / f"{name}.md").read_text().splitlines() if line.startswith("|")]
    tables = "\n".join(lines).split("| --- |")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in tables[-1].splitlines()[1:]]
    return {cell[0]: cell[1:] for cell in cells}


def as_there(found, page):
    """Figures as the page has them."""
    return {name: [f"{found[name]:.2f}"] for name in page}


def test_rlscheduler(tmp_path, monkeypatch):
    said = words("rlscheduler", tmp_path, monkeypatch)
    said |= {"workloads": said["workloads"][:1], "parameters": {"start": [1981]}, "job_tables": False}
    said["schedulers"] = [one for one in said["schedulers"] if one["label"] in {"SJF", "F1 backfilled"}]
    page = rows("rlscheduler")
    assert as_there(figures("rlscheduler", tmp_path, said), page) == page
    assert len(page) == 2


def test_predictions(tmp_path, monkeypatch):
    said = words("predictions_kth", tmp_path, monkeypatch) | {"parameters": {"number": [2000]}}
    page = rows("predictions_kth")
    assert as_there(figures("predictions_kth", tmp_path, said), page) == page
    assert len(page) == 5


def test_load(tmp_path, monkeypatch):
    said = words("load_lublin", tmp_path, monkeypatch) | {"parameters": {"load": [0.8]}, "seeds": [1]}
    page = rows("load_lublin")
    assert as_there(figures("load_lublin", tmp_path, said), page) == page
    assert len(page) == 2


def test_malleable(tmp_path, monkeypatch):
    said = words("malleable_kth", tmp_path, monkeypatch)
    said |= {"parameters": {"number": [1000], "start": [5001], "share": [1.0]}}
    page = rows("malleable_kth")
    assert as_there(figures("malleable_kth", tmp_path, said), page) == page
    assert len(page) == 5


def program_of(name):
    """A program of the gallery as a module."""
    spec = importlib.util.spec_from_file_location(name, GALLERY / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sc17():
    program = program_of("sc17")
    first = next(program.sequences(str(shared("traces/CEA-Curie-2011-2.1-cln.swf.gz"))))
    lines = [line.strip("|").split("|") for line in (GALLERY / "sc17.md").read_text().splitlines()]
    exact, asked = ([cell.strip() for cell in row] for row in lines if row[0].strip() == "1")
    for place, order in enumerate(program.ORDERS, 1):
        if order in {"wfp3", "saf", "f4"}:
            found = [f"{program.slowdown(first, order, kind):.3f}" for kind in ("exact", "requested")]
            assert found == [exact[place], asked[place]]


def test_learned():
    if importlib.util.find_spec("numpy") is None:
        missing("numpy (the extra rl)")
    program = program_of("learned")
    text = (GALLERY / "learned.md").read_text()
    weights = tuple(map(float, re.search(r"weights: ([^`]+)`", text)[1].split(",")))
    page = rows("learned")
    found = {order: slowdown for order, slowdown, *_ in program.table(weights, most=3)}
    assert as_there(found, page) == page
    assert len(page) == 5


def test_every_study_can_be_read(tmp_path, monkeypatch):
    for name in STUDIES:
        folder = tmp_path / name
        folder.mkdir()
        words(name, folder, monkeypatch)
        (folder / "study.toml").write_text((GALLERY / f"{name}.toml").read_text())
        assert wt.read_study(folder / "study.toml")


def test_all_pages_are_in_the_index():
    index = (GALLERY / "index.md").read_text()
    pages = {path.name for path in GALLERY.glob("*.md")} - {"index.md"}
    assert set(re.findall(r"\]\((\w+\.md)\)", index)) == pages
    if not pages:
        missing("docs/gallery")
