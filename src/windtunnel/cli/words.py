"""Words of the command lines that are read by argparse."""

from argparse import ArgumentTypeError

__all__ = ["file_name"]


def file_name(text: str) -> str:
    """The name of a file, as it is: an empty one would be the current directory."""
    if not text:
        raise ArgumentTypeError("an empty string is not a file")
    return text
