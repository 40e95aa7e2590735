"""What the journal is asked to write, and its three ways of not writing it."""

from msgspec import Struct


class Sealed(Struct, frozen=True, kw_only=True, gc=False):
    """An entry whose bytes are made. `chapter` is the first version of its chapter; `leaf` is the hash of `line`.

    A table's chapter begins at `table-opened` and at `shoe-committed`; on other streams every entry may be its own.
    """

    stream: str
    version: int
    chapter: int
    line: bytes
    leaf: bytes


class Committed(Struct, frozen=True, kw_only=True, gc=False):
    """A shoe whose `shoe-committed` is the entry `version` of the stream; `sealed` is its encrypted seed.

    A scanned shoe has no seed, but is told all the same: by its number it is found.
    """

    stream: str
    shoe: int
    version: int
    sealed: bytes | None = None

    def __repr__(self) -> str:
        """Show no seed, not even a sealed one."""
        return f"Committed(stream={self.stream!r}, shoe={self.shoe}, version={self.version})"


class Command(Struct, frozen=True, kw_only=True, gc=False):
    """Entries that stand or fall together, on one stream or on several, and the answer that a repeat will get.

    `request` is the SHA-256 of what was asked: the same key with another request is not a repeat.
    """

    actor: str
    key: str
    request: bytes
    answer: bytes
    entries: tuple[Sealed, ...]
    shoe: Committed | None = None


class Appended(Struct, frozen=True, kw_only=True):
    """The command is durable; its entries have consecutive places from this one on."""

    first_position: int


class Answered(Struct, frozen=True, kw_only=True):
    """What is kept of a command that was written."""

    request: bytes
    answer: bytes
    first_position: int
    entries: int


class OutrunError(Exception):
    """Somebody else wrote first, or what the command leant on failed: read again and decide again."""


class KeyUsedError(Exception):
    """The actor has used this key; `answered` says for what. Nothing was written."""

    def __init__(self, answered: Answered) -> None:
        super().__init__("the key is used")
        self.answered = answered


class UnavailableError(Exception):
    """The database cannot be reached. Whether the command is written is not known: repeating it with its key tells."""
