"""Runs the commands that the README gives to somebody with a log: cold_reader.py README FOLDER [ENVIRONMENT].

FOLDER gets a LOG.swf and what the commands write. Without ENVIRONMENT (a virtual environment that holds Windtunnel)
the commands for getting one come first, in the repository in which the README lies.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

LOG = "; UnixStartTime: 820454400\n; MaxProcs: 32\n" + "".join(
    f"{k} {k * 61} -1 {30 + k * 37 % 900} {1 + k * 7 % 24} -1 -1 {1 + k * 7 % 24} {60 + k * 37 % 2000} -1 1 {k % 5} "
    "1 -1 1 -1 -1 -1\n"
    for k in range(1, 301)
)


def blocks(page: str) -> list[list[str]]:
    """The commands of each block of the section for beginners, without remarks."""
    section = re.search(r"^## Try it\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    assert section, "the README has no section 'Try it'"
    found = re.findall(r"^```\w*\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)
    return [[line.partition(" #")[0].strip() for line in one.splitlines()] for one in found]


def commands(readme: Path, folder: Path, environment: Path | None) -> str:
    """A shell script made of the README's own words."""
    page = readme.read_text()
    getting, using = blocks(page)[:2]
    activate = re.search(r"`(\. \.venv/bin/activate)`", page)
    assert activate, "the README does not say how the program comes onto the path"
    lines = ["set -ex"]
    if environment is None:
        lines += [f"cd '{readme.parent}'", getting[0], activate[1]]
    else:
        lines += [f". '{environment}/bin/activate'"]
    return "\n".join([*lines, f"cd '{folder}'", *using]) + "\n"


def main(readme: str, folder: str, environment: str = "") -> int:
    """The exit code of the first command that fails; 0 when all have done what the page says."""
    here = Path(folder).absolute()
    here.mkdir(parents=True, exist_ok=True)
    (here / "LOG.swf").write_text(LOG)
    script = commands(Path(readme).absolute(), here, Path(environment).absolute() if environment else None)
    alone = {
        name: value for name, value in os.environ.items() if not name.startswith(("WINDTUNNEL", "PYTHON", "VIRTUAL"))
    }
    done = subprocess.run(["sh", "-c", script], env=alone, check=False)
    if done.returncode:
        return done.returncode
    return 0 if (here / "out" / "report.html").stat().st_size > 10_000 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
