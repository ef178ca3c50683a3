"""Packages from outside the tree, as pip would have installed them: a module, and what its metadata say it adds."""

from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, name: str, source: str, entry_points: Mapping[str, Mapping[str, str]]) -> Path:
    """Put a package of one module into a folder, which is then to be on the path; ``entry_points``: group -> name ->
    object.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(source)
    facts = folder / f"{name}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = [
        f"[{group}]\n" + "".join(f"{entry} = {thing}\n" for entry, thing in entries.items())
        for group, entries in entry_points.items()
    ]
    (facts / "entry_points.txt").write_text("\n".join(groups))
    return folder
