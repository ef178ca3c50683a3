"""Several mistakes in the arguments of one command, each told like one that is alone."""

from collections.abc import Sequence

from windtunnel.diagnostics import UsageError

__all__ = ["MistakesError"]


class MistakesError(UsageError):
    """All that is wrong with what a command was given; its lines begin with the command's name, one by one."""

    def __init__(self, each: Sequence[UsageError]) -> None:
        super().__init__("\n".join(map(str, each)))
        self.each = tuple(each)
