"""A bundle: what an auditor is given for one shoe, a zip of the shoe's entries and the proof that they are logged."""

import json
import zipfile
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from schemas import archive
from schemas.archive import Member, UnreadableArchiveError
from schemas.entry import MAX_BYTES
from schemas.note import MAX_BYTES as MAX_NOTE_BYTES
from schemas.policy import MAX_BYTES as MAX_POLICY_BYTES
from schemas.proof import parse as parse_proof
from schemas.words import Count, Name, Ordinal

ENTRIES, PROOF, CHECKPOINT, POLICY, MANIFEST = (
    "entries.jsonl",
    "last.tlog-proof",
    "checkpoint",
    "policy",
    "manifest.json",
)
FORMAT = "shoe-bundle/v1"
BESIDE = (PROOF, CHECKPOINT, POLICY, MANIFEST)
LIMITS_BYTES = {
    ENTRIES: 2**31 - 1,
    PROOF: 2 * MAX_NOTE_BYTES,
    CHECKPOINT: MAX_NOTE_BYTES,
    POLICY: MAX_POLICY_BYTES,
    MANIFEST: 1 << 12,
}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can say
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16


class UnreadableBundleError(ValueError):
    """A file that is no bundle: nothing can be said of what it tells. The message says why."""


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the bundle says it is; a verifier believes none of it. `complete`: the shoe is closed or voided."""

    format: Literal["shoe-bundle/v1"] = "shoe-bundle/v1"
    table: Name
    shoe: Ordinal
    origin: Annotated[str, Meta(min_length=1, max_length=255)]
    first_version: Ordinal
    last_version: Ordinal
    entries: Count
    complete: bool


class Bundle:
    """An open bundle. The small members are whole, as bytes nobody has looked into; the entries are a stream."""

    def __init__(self, path: Path, members: dict[str, Member]) -> None:
        self.path = path
        texts = {name: archive.read(path, members[name]) if name in members else b"" for name in BESIDE}
        self.manifest_text = texts[MANIFEST]
        self.proof_text = texts[PROOF]
        self.checkpoint_text = texts[CHECKPOINT]
        self.policy_text = texts[POLICY]
        self.entries_bytes = members[ENTRIES].size
        self.is_unended = False
        self._entries = members[ENTRIES]

    @cached_property
    def manifest(self) -> Manifest:
        """What the bundle says it is. Raises UnreadableBundleError, if it was not opened whole."""
        return _manifest(self.manifest_text)

    def lines(self) -> Iterator[bytes]:
        """Give the lines of the entries without their LF, empty ones too. May be called again, to begin again.

        A line above 65,535 bytes comes cut, but still too long to be an entry. When the last line lacks its LF it comes
        all the same, and `is_unended` is set. Raises UnreadableBundleError, perhaps late, when the archive is damaged.
        """
        for batch in self.batches():
            yield from batch

    def batches(self) -> Iterator[list[bytes]]:
        """Give the same lines many at once, as they come out of the archive; no batch is empty, or above 128 KiB."""
        rest = b""
        try:
            for chunk in archive.chunks(self.path, self._entries):
                *lines, rest = (rest + chunk).split(b"\n")
                if lines:
                    yield lines
                if len(rest) > MAX_BYTES:
                    rest = rest[: MAX_BYTES + 1]
        except UnreadableArchiveError as error:
            raise UnreadableBundleError(str(error)) from None
        if rest:
            self.is_unended = True
            yield [rest]


def open_bundle(path: Path, *, whole: bool = True) -> Bundle:
    """Open a bundle, with bounded memory whatever the file is. Raises UnreadableBundleError.

    An auditor, who has more to say than that something is missing, needs no more than the entries: not `whole`, other
    members may be missing (their text is empty), and a manifest that is none is told when it is asked for.
    """
    try:
        bundle = Bundle(path, archive.members(path, LIMITS_BYTES, optional=() if whole else BESIDE))
    except UnreadableArchiveError as error:
        raise UnreadableBundleError(str(error)) from None
    _insist_on_the_format(bundle.manifest_text)
    if whole:
        _ = bundle.manifest
    if not bundle.entries_bytes:
        raise UnreadableBundleError("the bundle has no entries")
    return bundle


def file_name(manifest: Manifest) -> str:
    """Give the name that a bundle's file has."""
    return f"{manifest.table}-shoe-{manifest.shoe}.zip"


def write(file: IO[bytes], *, lines: Iterable[bytes], proof: bytes, policy: bytes, manifest: Manifest) -> None:
    """Write a bundle of entries (bytes without LF), holding one at a time; the same input gives the same bytes.

    `proof` is the text of the last entry's proof; the checkpoint is the note inside it. Raises ValueError when there
    are not as many lines as the manifest says.
    """
    with zipfile.ZipFile(file, "w") as bundle:
        count = 0
        with bundle.open(_member(ENTRIES), "w") as entries:
            for line in lines:
                entries.write(line + b"\n")
                count += 1
        if count != manifest.entries:
            raise ValueError(f"the manifest says {manifest.entries} entries, there are {count}")
        bundle.writestr(_member(PROOF), proof)
        bundle.writestr(_member(CHECKPOINT), parse_proof(proof).checkpoint)
        bundle.writestr(_member(POLICY), policy)
        bundle.writestr(_member(MANIFEST), msgspec.json.encode(manifest))


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = _PLAIN_FILE
    return info


def _manifest(text: bytes) -> Manifest:
    """Read a manifest: exactly its keys, each once. White space and order are not told apart."""
    try:
        json.loads(text, object_pairs_hook=_refuse_twice)
        return msgspec.json.decode(text, type=Manifest)
    except (ValueError, msgspec.DecodeError, RecursionError) as error:
        raise UnreadableBundleError(f"{MANIFEST} cannot be read: {error}") from None


def _insist_on_the_format(manifest: bytes) -> None:
    """Refuse a bundle that says to be of a form not known here."""
    try:
        said = json.loads(manifest)["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    if said != FORMAT:
        raise UnreadableBundleError(f"{MANIFEST} cannot be read: its format is {str(said)[:64]!r}")


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
