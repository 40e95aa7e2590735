"""The whole log, fetched as it is served, and done only when it is the one that was signed: `shoelog export --log`.

Signed by its key, and cosigned by the quorum of witnesses that its policy asks for, or the caller's.
What an earlier run has fetched is not fetched again: full tiles never change. The checkpoint is written last, so that a
directory without one is not done.
"""

import gzip
import io
import sys
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import IO

import click
from msgspec import Struct

from schemas import checkpoint, policy, tile, tree
from schemas.checkpoint import Checkpoint
from schemas.entry import leaf
from schemas.note import NoteError, Verifier
from schemas.policy import Policy, UnreadablePolicyError
from schemas.tile import ENTRIES, HASH_BYTES, MAX_ENTRY_BYTES, WIDTH, Tile
from services.house.export import opener, reason_of

WAIT_SECONDS = 60.0
LARGEST_BYTES = WIDTH * (MAX_ENTRY_BYTES + 2)


class Torn(click.ClickException):
    """What was fetched is not the log that was signed; the message says where."""


class Source:
    """A log that is served, and the key with which its entries are read."""

    def __init__(self, url: str, key: str, prefix: str = "/v1/log") -> None:
        self._prefix = url.rstrip("/") + prefix
        self._headers = {"Authorization": f"Bearer {key.strip()}", "Accept-Encoding": "gzip, identity"}
        self._opener = opener()

    def get(self, path: str) -> bytes:
        """Fetch what stands below the log's prefix. Raises click.ClickException."""
        address = f"{self._prefix}/{path}"
        request = urllib.request.Request(address, headers=self._headers)  # noqa: S310 - its scheme was looked at
        try:
            with self._opener.open(request, timeout=WAIT_SECONDS) as answer:
                body: bytes = answer.read(LARGEST_BYTES + 1)
                if answer.headers.get("Content-Encoding") == "gzip":
                    with gzip.GzipFile(fileobj=io.BytesIO(body)) as zipped:
                        body = zipped.read(LARGEST_BYTES + 1)
        except urllib.error.HTTPError as refusal:
            raise click.ClickException(f"{address} answered {refusal.code}: {reason_of(refusal)}") from None
        except (OSError, HTTPException, EOFError, zlib.error) as error:
            why = getattr(error, "reason", error) or type(error).__name__
            raise click.ClickException(
                f"{address}: {why}; what was fetched is kept, the same command goes on"
            ) from None
        if len(body) > LARGEST_BYTES:
            raise click.ClickException(f"{address} answered with more than a log can hold there")
        return body


class Mirrored(Struct, frozen=True, kw_only=True):
    """What a directory holds in the end, and whose cosignatures stand below its checkpoint."""

    checkpoint: Checkpoint
    cosigned: tuple[str, ...]


def mirror(source: Source, out: Path, *, log_key: str | None = None, trusted: Policy | None = None) -> Mirrored:
    """Fetch the log into a directory, and check it. Raises click.ClickException, Torn.

    Its checkpoint must meet the log's own policy, which is fetched too, and that of the caller, if there is one.
    """
    if out.exists() and not out.is_dir():
        raise click.BadParameter(f"{out} is a file; a log goes into a directory", param_hint="--out")
    out.mkdir(parents=True, exist_ok=True)
    told = source.get("policy")
    own = _policy_of(told)
    verifier = _key_of(own, log_key, trusted)
    note = source.get("checkpoint")
    signed = _opened(note, verifier, "the log's checkpoint")
    cosigned = [_cosigned(each, note) for each in (own, trusted) if each is not None]
    earlier = out / "checkpoint"
    known = _opened(earlier.read_bytes(), verifier, str(earlier)) if earlier.exists() else None
    if known is not None and known.size > signed.size:
        raise Torn(f"the log went back: {known.size:,} entries were signed once, {signed.size:,} are now")
    fetch(source, out, signed.size)
    check(out, signed, known)
    _write(out / "policy", told)
    _write(out / "checkpoint", note)
    return Mirrored(checkpoint=signed, cosigned=cosigned[-1])


def fetch(source: Source, out: Path, size: int) -> None:
    """Fetch the tiles that are not there yet."""
    wanted = [each for each in [*tile.tiles_of(size, level=ENTRIES), *tile.tiles_of(size)] if not _is_there(out, each)]
    screen = sys.stderr
    with click.progressbar(wanted, label="tiles", file=screen, hidden=not (wanted and screen.isatty())) as bar:
        for each in bar:
            content = source.get(each.path)
            if each.level != ENTRIES and len(content) != each.width * HASH_BYTES:
                raise click.ClickException(f"{each.path} was served with {len(content)} bytes")
            _write(out / each.path, content)


def check(out: Path, signed: Checkpoint, known: Checkpoint | None = None) -> None:
    """Make the root anew from the entries, compare checkpoint and tiles with it, and write `entries.jsonl`.

    `known` is an earlier checkpoint: the log must begin with its tree. Raises Torn.
    """
    frontier, roots, unfinished = tree.Frontier(), [], out / "entries.jsonl.unfinished"
    with unfinished.open("wb") as lines:
        for each in tile.tiles_of(signed.size, level=ENTRIES):
            leaves = _leaves(out, each, lines)
            for value in leaves:
                if known is not None and frontier.size == known.size:
                    _insist_on_the_past(known, frontier)
                frontier.append(value)
            roots += [tree.root(leaves)] if len(leaves) == WIDTH else []
    if known is not None and known.size == signed.size:
        _insist_on_the_past(known, frontier)
    if frontier.root() != signed.root:
        is_forked = "" if known is None else f", or the log has forked since {known.size:,} were"
        raise Torn(f"the {signed.size:,} entries that were served are not those that were signed{is_forked}")
    _check_rows(out, signed.size, roots)
    unfinished.replace(out / "entries.jsonl")
    _clear(out, signed.size)


def _leaves(out: Path, bundle: Tile, lines: IO[bytes]) -> Sequence[bytes]:
    """Hash a bundle's entries, compare them with their tile, and write them as lines. Raises Torn."""
    hashes = Tile(level=0, index=bundle.index, width=bundle.width)
    expected = (out / hashes.path).read_bytes()
    try:
        entries = tile.unpack((out / bundle.path).read_bytes())
    except ValueError as error:
        raise _damaged(out, bundle, str(error)) from None
    leaves = [leaf(entry) for entry in entries]
    for at, value in enumerate(leaves):
        if expected[at * HASH_BYTES : (at + 1) * HASH_BYTES] != value:
            raise _damaged(out, bundle, f"entry {bundle.start + at} is not the one in the tree", hashes)
    if (len(leaves), len(expected)) != (bundle.width, bundle.width * HASH_BYTES):
        raise _damaged(out, bundle, f"it holds {len(leaves)} entries", hashes)
    lines.writelines(entry + b"\n" for entry in entries)
    return leaves


def _check_rows(out: Path, size: int, roots: Sequence[bytes]) -> None:
    """Compare each row above the leaves with the roots of the full tiles below it. Raises Torn."""
    level = 1
    while roots:
        above = []
        for each in tile.tiles_of(size, level=level):
            hashes = roots[each.start : each.end]
            if (out / each.path).read_bytes() != b"".join(hashes):
                raise _damaged(out, each, "it does not hold the roots of the tiles below it")
            above += [tree.root(hashes)] if each.width == WIDTH else []
        roots, level = above, level + 1


def _insist_on_the_past(known: Checkpoint, frontier: tree.Frontier) -> None:
    if frontier.root() != known.root:
        raise Torn(f"the log has forked: its first {known.size:,} entries are not those that were signed before")


def _damaged(out: Path, each: Tile, what: str, *others: Tile) -> Torn:
    """Give up tiles that do not hold, so that they are fetched again."""
    for given_up in (each, *others):
        (out / given_up.path).unlink()
    return Torn(f"{each.path}: {what}; the next run fetches it again")


def _clear(out: Path, size: int) -> None:
    """Take away partial tiles that have been filled since."""
    served = {out / each.path for level in (ENTRIES, None) for each in tile.tiles_of(size, level=level)}
    for path in _partial(out / "tile"):
        if path not in served:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def _partial(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.parent.suffix == ".p" and path.is_file())


def _is_there(out: Path, each: Tile) -> bool:
    path = out / each.path
    return path.exists() and (each.level == ENTRIES or path.stat().st_size == each.width * HASH_BYTES)


def _write(path: Path, content: bytes) -> None:
    """Write a file beside its place, and put it there when it is whole. Raises click.ClickException."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.unfinished")
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None


def _policy_of(told: bytes) -> Policy:
    """Read the policy that a log is served with, which names this log alone."""
    try:
        own = policy.parse(told)
    except UnreadablePolicyError as error:
        raise click.ClickException(f"the log's policy cannot be read: {error}") from None
    if len(own.logs) != 1:
        raise click.ClickException(f"the log's policy names {len(own.logs)} logs")
    return own


def _key_of(own: Policy, log_key: str | None, trusted: Policy | None) -> Verifier:
    """Give the key whose signature the policy asks for; it must be one that is known from elsewhere. Raises Torn."""
    key = own.logs[0].key
    known = [log.key.vkey for log in trusted.logs] if trusted is not None else [key.vkey]
    if log_key is not None:
        known = [log_key.strip()]
    if key.vkey not in known:
        raise Torn(f"the log signs as {key.vkey}, not as {' or as '.join(known)}")
    return key


def _cosigned(asked: Policy, note: bytes) -> tuple[str, ...]:
    """Name the witnesses below a checkpoint that meets a policy. Raises Torn, click.ClickException."""
    verdict = policy.judge(asked, note)
    if not policy.is_met(asked, verdict.cosigned):
        raise click.ClickException(
            f"the log's checkpoint has not the quorum {asked.quorum}: it is cosigned by"
            f" {', '.join(verdict.cosigned) or 'no known witness'}. If the witnesses were away, say the same again when"
            " they are back"
        )
    if verdict.findings:
        raise Torn(f"the log's checkpoint does not hold: {'; '.join(verdict.findings)}")
    return verdict.cosigned


def _opened(note: bytes, verifier: Verifier, what: str) -> Checkpoint:
    try:
        return checkpoint.open_checkpoint(note, verifier)
    except NoteError as error:
        raise Torn(f"{what} is not by {verifier.vkey}: {error}") from None
