"""Every command teaches by example, and so does every subcommand."""

from contextlib import suppress

import pytest

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


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_help_lists_all_subcommands(capsys, command):
    listed = help_of(capsys, command).partition("Commands:")[2]
    assert tuple(line.split()[0] for line in listed.splitlines() if line.strip()) == SUBCOMMANDS[command]
