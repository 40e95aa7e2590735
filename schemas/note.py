"""Signed notes (C2SP signed-note, tlog-cosignature v1): a text, and under it one line for each key that signed it.

A key is known by its name and its id together. Signatures by unknown keys are passed over; a bad signature by a known
key condemns the whole note. Algorithms: 0x01, Ed25519 over the text; 0x04, a witness's Ed25519 cosignature with a time.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

ED25519 = 0x01
COSIGNATURE = 0x04
MAX_BYTES = 1 << 20
MAX_SIGNATURES = 100  # signed-note asks that at least 16 be read
MAX_TIMESTAMP = 2**63 - 1

_ID_BYTES = 4
_VKEY_PARTS = ("name", "id", "key")
_KEY_BYTES = 32
_TIME_BYTES = 8
_NAME = re.compile(r"[^\s+\x00-\x1f]+")
_CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f]")
_DASH = "— ".encode()


class NoteError(ValueError):
    """A note that cannot be relied on; the message says why."""


class UnreadableNoteError(NoteError):
    """Bytes that are no signed note, or a text that is no vkey."""


class ForgedNoteError(NoteError):
    """A signature that bears a known key's name and id, and is not by that key."""


class UnsignedNoteError(NoteError):
    """A note that none of the known keys signed."""


class Verifier(Struct, frozen=True, kw_only=True):
    """A public key under its name: 32 bytes of Ed25519. Its text form is the vkey."""

    name: str
    algorithm: int
    public_key: bytes

    @property
    def key_id(self) -> bytes:
        """The four bytes that stand before each of its signatures."""
        return sha256(self.name.encode() + b"\n" + bytes([self.algorithm]) + self.public_key).digest()[:_ID_BYTES]

    @property
    def vkey(self) -> str:
        """The key as people exchange it: name, id and key, joined by plus signs."""
        key = base64.b64encode(bytes([self.algorithm]) + self.public_key).decode()
        return f"{self.name}+{self.key_id.hex()}+{key}"


class Signature(Struct, frozen=True, kw_only=True):
    """One line under a note: who claims to have signed, and the bytes, time included for a cosignature."""

    name: str
    key_id: bytes
    signature: bytes


class Note(Struct, frozen=True, kw_only=True):
    """A note taken apart, nothing verified. The text includes its last LF, not the blank line behind it."""

    text: bytes
    signatures: tuple[Signature, ...]


class OpenedNote(Struct, frozen=True, kw_only=True):
    """A note that one or more known keys signed: these are `signed_by`, in the order of their lines."""

    text: bytes
    signed_by: tuple[Verifier, ...]


class Signer:
    """A private key under its name. It never shows the key."""

    __slots__ = ("_key", "verifier")

    def __init__(self, name: str, private_key: bytes, *, algorithm: int = ED25519) -> None:
        """Take the 32 private bytes of Ed25519. Raises ValueError for a name that no key can have."""
        _check_name(name)
        _check_algorithm(algorithm)
        self._key = Ed25519PrivateKey.from_private_bytes(private_key)
        public_key = self._key.public_key().public_bytes_raw()
        self.verifier = Verifier(name=name, algorithm=algorithm, public_key=public_key)

    def __repr__(self) -> str:
        return f"Signer({self.verifier.vkey!r})"

    def __reduce__(self) -> str:
        raise TypeError("a private key is not copied")

    def sign_bytes(self, message: bytes) -> bytes:
        """Give the bare 64 bytes of Ed25519 over a message."""
        return self._key.sign(message)


def from_base64(text: bytes | str) -> bytes:
    """Read base64 the strict way: written again it is the same text. Raises ValueError."""
    raw = text.encode() if isinstance(text, str) else text
    try:
        value = base64.b64decode(raw, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from None
    if base64.b64encode(value) != raw:
        raise ValueError("not base64 written the one way")
    return value


def parse_vkey(vkey: str) -> Verifier:
    """Read a public key, and check its id. Raises UnreadableNoteError."""
    parts = vkey.split("+", 2)
    if len(parts) != len(_VKEY_PARTS):
        raise UnreadableNoteError(f"not a vkey: one is written {'+'.join(_VKEY_PARTS)}")
    name, key_id, encoded = parts
    try:
        _check_name(name)
        key = from_base64(encoded)
        _check_algorithm(key[0] if key else None)
    except ValueError as error:
        raise UnreadableNoteError(f"not a vkey: {error}") from None
    if len(key) != 1 + _KEY_BYTES:
        raise UnreadableNoteError(f"not a vkey: a key of {len(key) - 1} bytes, where Ed25519 has {_KEY_BYTES}")
    verifier = Verifier(name=name, algorithm=key[0], public_key=key[1:])
    if verifier.key_id.hex() != key_id:
        raise UnreadableNoteError(f"not a vkey: its id is {key_id[:16]!r}, its key's id is {verifier.key_id.hex()!r}")
    return verifier


def sign(text: bytes, *signers: Signer) -> bytes:
    """Give the note of a text that ends in LF, a line for each signer. Raises ValueError for what no note can say."""
    if any(signer.verifier.algorithm != ED25519 for signer in signers):
        raise ValueError("a witness's key cosigns")
    note = text + b"\n" + b"".join(_line(signer.verifier, signer.sign_bytes(text)) for signer in signers)
    if parse(note).text != text:
        raise ValueError("the text of a note ends in a line feed")
    return note


def cosign(note: bytes, signer: Signer, *, timestamp: int) -> bytes:
    """Give the note with a witness's line below; `timestamp` in seconds since 1970."""
    if signer.verifier.algorithm != COSIGNATURE:
        raise ValueError("a log's key does not cosign")
    time = timestamp.to_bytes(_TIME_BYTES, "big")
    return note + _line(signer.verifier, time + signer.sign_bytes(_cosigned(parse(note).text, timestamp)))


def signed_only(note: bytes, verifiers: Sequence[Verifier]) -> bytes:
    """Give a note with the lines of these keys alone, one for each that signed. Raises as `open_note` does."""
    opened, parsed = open_note(note, verifiers), parse(note)
    lines = {key_of(each, verifiers): each.signature for each in reversed(parsed.signatures)}
    return opened.text + b"\n" + b"".join(_line(verifier, lines[verifier]) for verifier in opened.signed_by)


def taken_up(note: bytes, lines: bytes, verifier: Verifier) -> bytes:
    """Give the note with one more line: the one by this key among the lines of a stranger's answer.

    Raises UnreadableNoteError, ForgedNoteError or UnsignedNoteError.
    """
    text = parse(note).text
    head = text + b"\n"
    if parse(head + lines).text != text:
        raise UnreadableNoteError("an answer has lines of signatures, and no blank one")
    return note + signed_only(head + lines, [verifier]).removeprefix(head)


def parse(note: bytes) -> Note:
    """Take a note apart without verifying anything. Raises UnreadableNoteError."""
    if len(note) > MAX_BYTES:
        raise UnreadableNoteError(f"a note is at most {MAX_BYTES} bytes long, this one is {len(note)}")
    if _CONTROL.search(note):
        raise UnreadableNoteError("a note has no control characters but line feeds")
    try:
        note.decode()
    except UnicodeDecodeError as error:
        raise UnreadableNoteError(f"a note is UTF-8: {error}") from None
    text, blank, lines = note.rpartition(b"\n\n")
    if not blank or not lines.endswith(b"\n"):
        raise UnreadableNoteError("a note is a text, a blank line, and lines of signatures, each ended by a line feed")
    signatures = lines[:-1].split(b"\n")
    if len(signatures) > MAX_SIGNATURES:
        raise UnreadableNoteError(f"a note has at most {MAX_SIGNATURES} signatures, this one has {len(signatures)}")
    return Note(text=text + b"\n", signatures=tuple(map(_signature, signatures)))


def open_note(note: bytes, verifiers: Sequence[Verifier]) -> OpenedNote:
    """Open a note with the keys one knows. Raises UnreadableNoteError, ForgedNoteError or UnsignedNoteError."""
    parsed = parse(note)
    signed_by = []
    for signature in parsed.signatures:
        verifier = key_of(signature, verifiers)
        if verifier is None:
            continue
        if not is_signed(parsed.text, signature, verifier):
            raise ForgedNoteError(f"the signature by {verifier.name} ({verifier.key_id.hex()}) is not by that key")
        if verifier not in signed_by:
            signed_by.append(verifier)
    if not signed_by:
        raise UnsignedNoteError("none of the known keys signed the note")
    return OpenedNote(text=parsed.text, signed_by=tuple(signed_by))


def key_of(signature: Signature, verifiers: Sequence[Verifier]) -> Verifier | None:
    """Find the key that a line names, if it is known. Raises ValueError when two known keys share name and id."""
    named = {v for v in verifiers if v.name == signature.name and v.key_id == signature.key_id}
    if len(named) > 1:
        raise ValueError(f"two known keys share the name {signature.name} and an id")
    return named.pop() if named else None


def is_signed(text: bytes, signature: Signature, verifier: Verifier) -> bool:
    """Tell whether a line's signature over the text is by this key."""
    signed, message = signature.signature, text
    if verifier.algorithm == COSIGNATURE:
        timestamp = time_of(signature)
        if timestamp > MAX_TIMESTAMP:
            return False
        signed, message = signed[_TIME_BYTES:], _cosigned(text, timestamp)
    return is_signed_bytes(verifier.public_key, signed, message)


def is_signed_bytes(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether 64 bare bytes are the Ed25519 signature over a message."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def time_of(signature: Signature) -> int:
    """Give the time of a cosignature, in seconds since 1970."""
    return int.from_bytes(signature.signature[:_TIME_BYTES], "big")


def _cosigned(text: bytes, timestamp: int) -> bytes:
    """Give the message that a witness signs."""
    return b"cosignature/v1\ntime %d\n" % timestamp + text


def _line(verifier: Verifier, signature: bytes) -> bytes:
    encoded = base64.b64encode(verifier.key_id + signature)
    return _DASH + verifier.name.encode() + b" " + encoded + b"\n"


def _signature(line: bytes) -> Signature:
    """Read one line of signature."""
    name, _, encoded = line.removeprefix(_DASH).decode().partition(" ")
    try:
        _check_name(name)
        raw = from_base64(encoded)
    except ValueError as error:
        raise UnreadableNoteError(f"not a line of signature: {error}") from None
    if not line.startswith(_DASH) or len(raw) <= _ID_BYTES:
        raise UnreadableNoteError("a line of signature is a dash, the key's name, and its id with the signature")
    return Signature(name=name, key_id=raw[:_ID_BYTES], signature=raw[_ID_BYTES:])


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"a key's name is not empty and has neither white space nor a plus sign: {name[:64]!r}")
    name.encode()  # a lone surrogate has no bytes: UnicodeEncodeError is a ValueError


def _check_algorithm(algorithm: int | None) -> None:
    if algorithm not in (ED25519, COSIGNATURE):
        shown = "none" if algorithm is None else f"0x{algorithm:02x}"
        raise ValueError(f"the algorithm is 0x01 (Ed25519) or 0x04 (cosignature), not {shown}")
