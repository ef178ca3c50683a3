"""Builds a wheel whose hot modules are compiled by mypyc, when WINDTUNNEL_COMPILE=1 asks for it.

Without that nothing happens here: the wheel is pure Python, and no compiler is needed. Which modules are compiled
stands in pyproject.toml, ``[tool.hatch.build.targets.wheel.hooks.custom]``: whole rooms of the package, but for the
modules named there with the reason. The sources go into the wheel all the same; Python prefers what is compiled.
"""

import os
import sys
from contextlib import chdir
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "windtunnel"


def wanted() -> bool:
    """Whether the environment asks for compiled modules."""
    return os.environ.get("WINDTUNNEL_COMPILE", "") not in ("", "0")


def modules(source: Path, table: dict[str, Any]) -> list[str]:
    """The files to be compiled, relative to the source folder.

    Raises:
        ValueError: a room or module of the table is not there, or one is named twice.
    """
    package = source / PACKAGE
    left_out: set[str] = set()
    for group in table["interpreted"]:
        for name in group["modules"]:
            if name in left_out or not (package / f"{name}.py").is_file():
                raise ValueError(f"{name!r}: no such module, or named twice among those that stay interpreted")
            left_out.add(name)
    found = []
    for place in table["compiled"]:
        file = package / f"{place}.py"
        files = [file] if file.is_file() else sorted((package / place).rglob("*.py"))
        if not files:
            raise ValueError(f"{place!r}: no such room or module")
        for file in files:
            name = file.relative_to(package).with_suffix("").as_posix()
            if file.name != "__init__.py" and name not in left_out:
                found.append(file.relative_to(source).as_posix())
    return found


def build(root: Path, files: list[str], folder: Path, opt_level: str = "2") -> list[Path]:
    """Compile modules, all into one library beside the package; the libraries, below ``folder / "lib"``."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    with chdir(root / "src"):  # mypy finds the package from here
        # What is imported and not compiled may need packages that are not there: it is checked elsewhere.
        usual = [f"--config-file={root / 'pyproject.toml'}", "--no-warn-unused-ignores", "--follow-imports=silent"]
        extensions = mypycify(
            [*usual, *files],
            opt_level=opt_level,
            debug_level="0",
            multi_file=True,  # one C file for each module: a single one fills the memory of small machines
            target_dir=str(folder / "c"),
            group_name=PACKAGE,
        )
        library = f"{PACKAGE}__mypyc"
        for extension in extensions:
            if sys.platform == "linux" and extension.name == library:  # the others only name what is in it
                # Calls from one function to another need not look for it, and small functions become part of others.
                extension.extra_compile_args += ["-fno-semantic-interposition", "-flto=auto"]
                # Sets of hosts and nodes are long integers: several of their digits are worked on at a time.
                extension.extra_compile_args += ["-ftree-vectorize", "-fvect-cost-model=dynamic"]
                extension.extra_link_args += ["-flto=auto", f"-O{opt_level}", "-Wl,-Bsymbolic"]
        command = build_ext(Distribution({"name": PACKAGE, "ext_modules": extensions}))
        command.build_lib = str(folder / "lib")
        command.build_temp = str(folder / "objects")
        command.parallel = os.cpu_count()
        command.ensure_finalized()
        command.run()
    return sorted(path for path in (folder / "lib").rglob("*") if path.is_file())


class CompiledWheel(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled modules to a wheel, if they are wanted."""

    def dependencies(self) -> list[str]:
        """What the build needs: mypy checks types across all that the compiled modules import."""
        if not wanted() or self.target_name != "wheel":
            return []
        return ["mypy[mypyc]>=2.4", "setuptools>=77", "lxml-stubs>=0.5", *self.metadata.core.dependencies]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatch what belongs in the wheel. An installation in place is never compiled."""
        if not wanted() or self.target_name != "wheel" or version != "standard":
            return
        root = Path(self.root)
        # Not in the source tree: libraries there would be taken instead of sources that have changed since.
        self._folder = TemporaryDirectory(prefix="windtunnel-compile-")
        folder = Path(self._folder.name)
        try:
            libraries = build(root, modules(root / "src", self.config), folder)
        except SystemExit as fault:  # mypyc has printed why
            raise RuntimeError(f"mypyc cannot compile {PACKAGE}") from fault
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["dependencies"].append(f"librt>={metadata.version('librt')}")  # what mypyc's code calls
        for path in libraries:
            build_data["force_include"][str(path)] = path.relative_to(folder / "lib").as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The libraries are in the wheel now."""
        del version, build_data, artifact_path
        if hasattr(self, "_folder"):
            self._folder.cleanup()
