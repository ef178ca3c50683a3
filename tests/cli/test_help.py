"""Every command teaches by example, and so does every subcommand."""

import re
import shlex
from contextlib import suppress

import pytest

import windtunnel as wt
from windtunnel.cli.main import COMMANDS, main

SUBCOMMANDS = {
    "lease": ("run", "gantt", "request", "cancel", "list", "queue", "show", "hosts"),
    "serve": ("nodes", "leases"),
    "study": ("run", "status", "show", "report"),
}


def help_of(capsys, *words):
    with suppress(SystemExit):  # argparse's way to end
        assert main([*words, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(capsys, command):
    for words in ((command,), *((command, sub) for sub in SUBCOMMANDS.get(command, ()))):
        for _ in range(2):  # asked for twice in one process, it is the same
            said = help_of(capsys, *words)
            lines = said.splitlines()
            first = next(rank for rank, line in enumerate(lines) if line.strip().lower() in {"example:", "examples:"})
            assert lines[first + 1].strip().startswith(f"windtunnel {command}"), words
            assert "\b" not in said


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_of_examples_are_options(capsys, command):
    subcommands = SUBCOMMANDS.get(command, ())
    for words in ((command,), *((command, sub) for sub in subcommands)):
        for line in help_of(capsys, *words).splitlines():
            _, *given = shlex.split(line, comments=True) if line.strip().startswith("windtunnel ") else [""]
            if given[:1] != [command]:
                continue
            known = help_of(capsys, *given[: 2 if given[1:2] and given[1] in subcommands else 1])
            options = [word.partition("=")[0] for word in given if word.startswith("-") and word != "-"]
            assert [one for one in options if not re.search(rf"(?<![\w-]){one}(?![\w-])", known)] == [], line


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_help_lists_all_subcommands(capsys, command):
    listed = help_of(capsys, command).partition("Commands:")[2]
    assert tuple(line.split()[0] for line in listed.splitlines() if line.strip()) == SUBCOMMANDS[command]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_options_take_in_words(capsys, command):
    """Options took ``<str>`` and ``<int range>``, the lists of subcommands ended in dots."""
    for words in ((command,), *((command, sub) for sub in SUBCOMMANDS.get(command, ()))):
        said = help_of(capsys, *words)
        options = said.partition("Options:")[2]
        assert not re.search(r"^  (-\w, )?--[a-z-]+ <", options, re.MULTILINE), words
        assert not re.search(r"\.\.\.$", said.partition("Commands:")[2], re.MULTILINE), words


def test_help_says_which_options_may_be_repeated(capsys):
    said = " ".join(help_of(capsys, "run").split())
    assert "--platform-option KEY=VALUE An option of the platform's format; may be given several times." in said
    assert "WORKLOAD..." in said  # versions of typer show arguments in different brackets
    assert "--scheduler" not in help_of(capsys, "lease", "run")  # it has none: its scheduler is the lease manager


def test_the_study_file_in_the_help_is_one(capsys, tmp_path):
    _, _, text = help_of(capsys, "study", "run").partition("sweep.toml, to begin with:\n")
    file = tmp_path / "sweep.toml"
    file.write_text("\n".join(line.strip() for line in text.partition("Arguments:")[0].splitlines()))
    assert len(wt.read_study(file)) == 20
