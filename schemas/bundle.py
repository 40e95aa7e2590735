"""A bundle: what an auditor is given for a shoe, or for one round: a zip of entries, and proof that they are logged."""

import itertools
import json
import zipfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from schemas import archive
from schemas.archive import Member, UnreadableArchiveError
from schemas.entry import MAX_BYTES, has_long_line
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
SHOE = "shoe.jsonl"
# More would not fit into the directory of a zip that is read here. It is room for 36,000 patrons' stacks.
MOST_SHOE_LINES = 180
ROUND_FORMAT = "round-bundle/v1"
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
    """What the bundle says it is; a verifier believes none of it. `complete`: the shoe is closed or voided.

    `round`, of which the entries are, stands in a round's bundle alone.
    """

    format: Literal["shoe-bundle/v1", "round-bundle/v1"] = "shoe-bundle/v1"
    table: Name
    shoe: Ordinal
    round: Ordinal | UnsetType = UNSET
    origin: Annotated[str, Meta(min_length=1, max_length=255)]
    first_version: Ordinal
    last_version: Ordinal
    entries: Count
    complete: bool


class Bundle:
    """An open bundle. The small members are whole, as bytes nobody has looked into; the entries are a stream.

    A round's bundle has a few of its shoe's lines, and a proof of each, beside; a shoe's has none.
    """

    def __init__(self, path: Path, members: dict[str, Member]) -> None:
        self.path = path
        self.is_rounds = SHOE in members
        self.manifest = _manifest(archive.read(path, members[MANIFEST]), is_rounds=self.is_rounds)
        self.proof_text = archive.read(path, members[PROOF])
        self.checkpoint_text = archive.read(path, members[CHECKPOINT])
        self.policy_text = archive.read(path, members[POLICY])
        self.shoe_text = archive.read(path, members[SHOE]) if self.is_rounds else b""
        proofs = [shoe_proof(number) for number in range(1, MOST_SHOE_LINES + 1)]
        self.shoe_proofs = tuple(archive.read(path, members[name]) for name in proofs if name in members)
        self.entries_bytes = members[ENTRIES].size
        self.is_unended = False
        self._entries = members[ENTRIES]

    def lines(self) -> Iterator[bytes]:
        """Give the lines of the entries without their LF, empty ones too. May be called again, to begin again.

        A line above 65,535 bytes comes cut to 65,536, still too long to be an entry. When the last line lacks its LF it
        comes all the same, and `is_unended` is set. Raises UnreadableBundleError, perhaps late, when the archive is
        damaged.
        """
        for batch in self.batches():
            yield from batch

    def batches(self) -> Iterator[list[bytes]]:
        """Give the same lines many at once, as they come out of the archive; no batch is empty, or above 128 KiB."""
        try:
            self.is_unended = yield from batches_of(archive.chunks(self.path, self._entries))
        except UnreadableArchiveError as error:
            raise UnreadableBundleError(str(error)) from None


def batches_of(chunks: Iterable[bytes]) -> Generator[list[bytes], None, bool]:
    """Part text into lines without their LF, some at a time; in the end tell whether the last one lacked its LF.

    A line above 65,535 bytes comes cut to 65,536, still too long to be an entry.
    """
    rest = b""
    for chunk in chunks:
        text = rest + chunk
        *lines, rest = text.split(b"\n")
        if lines:
            yield [line[: MAX_BYTES + 1] for line in lines] if has_long_line(text) else lines
        if len(rest) > MAX_BYTES:
            rest = rest[: MAX_BYTES + 1]
    if rest:
        yield [rest]
    return bool(rest)


def open_bundle(path: Path) -> Bundle:
    """Open a bundle, with bounded memory whatever the file is. Raises UnreadableBundleError."""
    try:
        limits = LIMITS_BYTES | _limits_of_a_round(archive.names(path))
        bundle = Bundle(path, archive.members(path, limits))
    except UnreadableArchiveError as error:
        raise UnreadableBundleError(str(error)) from None
    if not bundle.entries_bytes:
        raise UnreadableBundleError("the bundle has no entries")
    return bundle


def file_name(manifest: Manifest) -> str:
    """Give the name that a bundle's file has."""
    of_a_round = "" if manifest.round is UNSET else f"-round-{manifest.round}"
    return f"{manifest.table}-shoe-{manifest.shoe}{of_a_round}.zip"


def shoe_proof(number: int) -> str:
    """Name the proof of a line of a round's shoe, 1 upwards."""
    return f"shoe-{number}.tlog-proof"


def _limits_of_a_round(names: Sequence[str]) -> dict[str, int]:
    """Give the members that a round's bundle has beside a shoe's: as many proofs as there are, without a gap."""
    if SHOE not in names:
        return {}
    proofs = itertools.takewhile(names.__contains__, map(shoe_proof, range(1, MOST_SHOE_LINES + 1)))
    return {SHOE: MOST_SHOE_LINES * (MAX_BYTES + 1), **dict.fromkeys(proofs, LIMITS_BYTES[PROOF])}


def write(  # noqa: PLR0913  # what a bundle is made of
    file: IO[bytes],
    *,
    lines: Iterable[bytes],
    proof: bytes,
    policy: bytes,
    manifest: Manifest,
    shoe: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    """Write a bundle of entries (bytes without LF), holding one at a time; the same input gives the same bytes.

    `proof` is the text of the last entry's proof; the checkpoint is the note inside it. `shoe`, for a round, has
    lines of its shoe, each with its proof. Raises ValueError when there are not as many lines as the manifest says.
    """
    with zipfile.ZipFile(file, "w") as bundle:
        if shoe:
            bundle.writestr(_member(SHOE), b"".join(line + b"\n" for line, _ in shoe))
        for number, (_, text) in enumerate(shoe, 1):
            bundle.writestr(_member(shoe_proof(number)), text)
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


def _manifest(text: bytes, *, is_rounds: bool) -> Manifest:
    """Read a manifest: exactly its keys, each once. White space and order are not told apart."""
    try:
        json.loads(text, object_pairs_hook=_refuse_twice)
        manifest = msgspec.json.decode(text, type=Manifest)
    except (ValueError, msgspec.DecodeError, RecursionError) as error:
        raise UnreadableBundleError(f"{MANIFEST} cannot be read: {error}") from None
    if (manifest.format == ROUND_FORMAT, manifest.round is not UNSET) != (is_rounds, is_rounds):
        raise UnreadableBundleError(f"{MANIFEST} cannot be read: a round's bundle alone has a round and {SHOE}")
    return manifest


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
