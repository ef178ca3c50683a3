"""How a batprotocol decision component is reached: one interface for libraries, isolated libraries and processes."""

from typing import Final, Protocol

__all__ = ["FORMAT_BINARY", "FORMAT_JSON", "Transport"]

FORMAT_BINARY: Final = 0x1
FORMAT_JSON: Final = 0x2
"""Flags with which a component says in what form it wants its messages; only this bit is looked at."""


class Transport(Protocol):
    """Carries messages to one decision component and back. Used from one thread, ``start`` first, ``stop`` last."""

    name: str
    """How errors call the component."""

    def start(self, init_data: bytes) -> tuple[int, bytes]:
        """Reach the component and hand it its initialisation data; its format flags and its hello message.

        Raises:
            ComponentError: it cannot be reached, or refuses.
        """

    def ask(self, message: bytes, within: float | None = None) -> bytes:
        """Tell it what happened; its decisions. ``within``: seconds of wall clock, from now on, for each answer.

        Raises:
            ComponentError: it failed; ComponentTimeoutError: it did not answer in time.
        """

    def stop(self) -> None:
        """Say good-bye and free everything; does not raise, may be called at any time and again."""
