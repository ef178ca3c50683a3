"""Where in the code of a user, or in ours, something went wrong."""

from pathlib import Path
from typing import Final

__all__ = ["place_of", "place_of_ours"]

_PACKAGE: Final = str(Path(__file__).parents[1])


def place_of(fault: BaseException) -> str:
    """The last line of the user's own code that led to a fault, as `` (FILE, line N, in NAME)``; "" if there is none.

    That is where its author looks first: not in this package, and in a library only if nothing else is there.
    """
    import sysconfig

    paths = sysconfig.get_paths()
    others = (*(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")), "<frozen ")
    own = somewhere = ""
    trace = fault.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            somewhere = f" ({code.co_filename}, line {trace.tb_lineno}, in {code.co_name})"
            if not code.co_filename.startswith(others):
                own = somewhere
        trace = trace.tb_next
    return own or somewhere


def place_of_ours(fault: BaseException) -> str:
    """The last line of this package that led to a fault of its own, as `` (FILE, line N, in NAME)``; or ""."""
    place = ""
    trace = fault.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(_PACKAGE):
            file = code.co_filename.removeprefix(_PACKAGE)
            place = f" (windtunnel{file}, line {trace.tb_lineno}, in {code.co_name})"
        trace = trace.tb_next
    return place
