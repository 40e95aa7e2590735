"""A zip read without trust: a few members with known names, each a stream of bounded size, and nothing else beside.

The standard library's reader loads a directory of any size, and takes a member that holds more than it declares for
one that ends where it declares. This one reads the plain format only: one disk, no ZIP64, no encryption, no comment,
members stored or deflated. Whatever is otherwise is refused.
"""

import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from struct import Struct as Layout
from typing import BinaryIO

from msgspec import Struct

STORED, DEFLATED = 0, 8
CHUNK_BYTES = 1 << 16
# An entry's id and link are 48 bytes that do not compress, in some 400; honest members stay below a tenth of this.
MAX_RATIO = 200
RATIO_FREE_BYTES = 1 << 20

_END = Layout("<4s4H2LH")
_CENTRAL = Layout("<4s6H3L5H2L")
_LOCAL = Layout("<4s5H3L2H")
_MAX_DIRECTORY_BYTES = 1 << 14
_FLAGS_READ = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 11  # how hard it was deflated (two), sizes behind the data, UTF-8 names


class UnreadableArchiveError(ValueError):
    """A file that is no such zip; the message says why."""


class Member(Struct, frozen=True, kw_only=True):
    """Where a member lies: `start` is the place of its data, sizes in bytes."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    start: int


def members(path: Path, limits: Mapping[str, int]) -> dict[str, Member]:
    """Find the members of a zip: exactly those named, none above its limit in bytes. Raises UnreadableArchiveError."""
    with _opened(path) as file:
        return _members(file, limits)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
            raise UnreadableArchiveError("not a file")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise UnreadableArchiveError(f"cannot be read: {error.strerror}") from None


def names(path: Path) -> list[str]:
    """Give the names of a zip's members, in the order of its directory. Raises UnreadableArchiveError."""
    with _opened(path) as file:
        entries, directory = _directory(file)
        found, at = [], 0
        for _ in range(entries):
            member, at = _central(directory, at)
            found.append(member.name)
        return found


def read(path: Path, member: Member) -> bytes:
    """Give a small member whole. Raises UnreadableArchiveError."""
    return b"".join(chunks(path, member))


def chunks(path: Path, member: Member) -> Iterator[bytes]:
    """Give a member's content piece by piece; the last piece comes only when size and checksum hold.

    Raises UnreadableArchiveError.
    """
    try:
        with path.open("rb") as file:
            file.seek(member.start)
            yield from _checked(member, _unpacked(file, member))
    except OSError as error:
        raise UnreadableArchiveError(f"cannot be read: {error.strerror}") from None


def _members(file: BinaryIO, limits: Mapping[str, int]) -> dict[str, Member]:
    entries, directory = _directory(file)
    if entries > len(limits):
        raise UnreadableArchiveError(f"{entries} members, where {len(limits)} belong")
    found: dict[str, Member] = {}
    at = 0
    for _ in range(entries):
        member, at = _central(directory, at)
        if member.name not in limits:
            raise UnreadableArchiveError(f"a member that does not belong: {member.name[:64]!r}")
        if member.name in found:
            raise UnreadableArchiveError(f"the member {member.name} stands twice")
        _check_size(member, limits[member.name])
        found[member.name] = member
    if at != len(directory):
        raise UnreadableArchiveError("the directory is longer than its members")
    if missing := [name for name in limits if name not in found]:
        raise UnreadableArchiveError(f"the member {missing[0]} is missing")
    return _placed(file, found)


def _directory(file: BinaryIO) -> tuple[int, bytes]:
    """Read the number of members and the directory's bytes, which end where the end record begins."""
    length = file.seek(0, 2)
    if length < _END.size:
        raise UnreadableArchiveError("not a zip: too short" if length else "the file is empty")
    file.seek(length - _END.size)
    magic, disk, first_disk, here, entries, size, start, comment = _END.unpack(file.read(_END.size))
    if magic != b"PK\5\6" or comment:
        raise UnreadableArchiveError("not a zip, or cut short, or with something behind its end")
    if disk or first_disk or here != entries:
        raise UnreadableArchiveError("a zip of several disks")
    if size > _MAX_DIRECTORY_BYTES or start + size != length - _END.size:
        raise UnreadableArchiveError("the directory does not lie directly before the end, or is too long")
    file.seek(start)
    return entries, file.read(size)


def _central(directory: bytes, at: int) -> tuple[Member, int]:
    """Read one member's line of the directory; `start` is still the place of its local header."""
    if len(directory) - at < _CENTRAL.size:
        raise UnreadableArchiveError("the directory is shorter than its members")
    record = _CENTRAL.unpack_from(directory, at)
    magic, _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes, comment_bytes = record[:13]
    if magic != b"PK\1\2":
        raise UnreadableArchiveError("the directory is broken")
    name = directory[at + _CENTRAL.size : at + _CENTRAL.size + name_bytes].decode("utf-8", "backslashreplace")
    if flags & ~_FLAGS_READ:
        raise UnreadableArchiveError(f"the member {name[:64]!r} is encrypted, or packed in a way that is not read")
    if method not in (STORED, DEFLATED):
        raise UnreadableArchiveError(f"the member {name[:64]!r} is neither stored nor deflated")
    member = Member(name=name, method=method, crc=crc, packed=packed, size=size, start=record[-1])
    return member, at + _CENTRAL.size + name_bytes + extra_bytes + comment_bytes


def _check_size(member: Member, limit: int) -> None:
    if member.size > limit:
        raise UnreadableArchiveError(f"{member.name} declares {member.size} bytes, more than {limit}")
    if member.size > RATIO_FREE_BYTES and member.size > member.packed * MAX_RATIO:
        raise UnreadableArchiveError(f"{member.name} declares more than {MAX_RATIO} times its packed size")
    if member.method == STORED and member.packed != member.size:
        raise UnreadableArchiveError(f"{member.name} is stored, and declares two sizes")


def _placed(file: BinaryIO, found: Mapping[str, Member]) -> dict[str, Member]:
    """Move each `start` from the local header to the data behind it; no member may lie within another."""
    placed: dict[str, Member] = {}
    end = 0
    for member in sorted(found.values(), key=lambda member: member.start):
        file.seek(member.start)
        record = file.read(_LOCAL.size)
        if len(record) < _LOCAL.size or not record.startswith(b"PK\3\4"):
            raise UnreadableArchiveError(f"{member.name} does not lie where the directory says")
        name_bytes, extra_bytes = _LOCAL.unpack(record)[-2:]
        if file.read(name_bytes) != member.name.encode():
            raise UnreadableArchiveError(f"{member.name} has another name where it lies")
        if member.start < end:
            raise UnreadableArchiveError(f"{member.name} lies within another member")
        start = member.start + _LOCAL.size + name_bytes + extra_bytes
        end = start + member.packed
        placed[member.name] = Member(
            name=member.name,
            method=member.method,
            crc=member.crc,
            packed=member.packed,
            size=member.size,
            start=start,
        )
    return placed


def _packed(file: BinaryIO, member: Member) -> Iterator[bytes]:
    left = member.packed
    while left:
        chunk = file.read(min(left, CHUNK_BYTES))
        if not chunk:
            raise UnreadableArchiveError(f"{member.name} is cut short")
        left -= len(chunk)
        yield chunk


def _unpacked(file: BinaryIO, member: Member) -> Iterator[bytes]:
    """Give the content in pieces of bounded size, however much a packed piece may hold."""
    if member.method == STORED:
        yield from _packed(file, member)
        return
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for chunk in _packed(file, member):
            rest = chunk
            while rest:
                if inflate.eof:
                    raise UnreadableArchiveError(f"{member.name} has something behind its end")
                yield inflate.decompress(rest, CHUNK_BYTES)
                rest = inflate.unconsumed_tail or inflate.unused_data
        while not inflate.eof:
            if not (piece := inflate.decompress(b"", CHUNK_BYTES)):
                raise UnreadableArchiveError(f"{member.name} is cut short")
            yield piece
    except zlib.error as error:
        raise UnreadableArchiveError(f"{member.name} is not deflated data: {error}") from None


def _checked(member: Member, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Pass the pieces on, one behind, so that nothing is taken for whole that is not."""
    held, size, crc = b"", 0, 0
    for piece in pieces:
        size += len(piece)
        if size > member.size:
            raise UnreadableArchiveError(f"{member.name} holds more than the {member.size} bytes it declares")
        crc = zlib.crc32(piece, crc)
        if held:
            yield held
        held = piece
    if size != member.size or crc != member.crc:
        raise UnreadableArchiveError(f"{member.name} is damaged: its size or its checksum is another")
    if held:
        yield held
