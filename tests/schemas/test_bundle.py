"""Bundles: written the same each time, and read with bounded memory whatever somebody has put together."""

import io
import os
import struct
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from schemas import bundle, entry, policy
from schemas.bundle import Manifest, UnreadableBundleError, open_bundle
from schemas.proof import Proof, encode

SAMPLE = Path(__file__).parents[1] / "data" / "sample-punto-banco.zip"
LINES = [b'{"entry":%d}' % number for number in range(9)]
NOTE = "casino.example/log/1\n9\nAAAA\n\n— casino.example/log/1 AAAAAAAA\n".encode()
PROOF = encode(Proof(index=8, hashes=(b"h" * 32,), checkpoint=NOTE))
POLICY = b"quorum none\n"
MANIFEST = Manifest(
    table="b1", shoe=12, origin="casino.example/log/1", first_version=1, last_version=9, entries=9, complete=True
)
MANIFEST_TEXT = (
    b'{"format":"shoe-bundle/v1","table":"b1","shoe":12,"origin":"casino.example/log/1",'
    b'"first_version":1,"last_version":9,"entries":9,"complete":true}'
)
MEMBERS = {
    "entries.jsonl": b"".join(line + b"\n" for line in LINES),
    "last.tlog-proof": PROOF,
    "checkpoint": NOTE,
    "policy": POLICY,
    "manifest.json": MANIFEST_TEXT,
}


def written(lines: list[bytes] = LINES, manifest: Manifest = MANIFEST) -> bytes:
    file = io.BytesIO()
    bundle.write(file, lines=lines, proof=PROOF, policy=POLICY, manifest=manifest)
    return file.getvalue()


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> bytes:
    """A zip by the standard library, its members in the order given, doubles and all."""
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
        archive.comment = comment
    return file.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "b1-shoe-12.zip"


def opened(path: Path, content: bytes) -> bundle.Bundle:
    path.write_bytes(content)
    return open_bundle(path)


def read_whole(path: Path, content: bytes) -> list[bytes]:
    return list(opened(path, content).lines())


def test_a_bundle_that_was_written_is_read(path: Path) -> None:
    read = opened(path, written())

    assert list(read.lines()) == LINES
    assert list(read.lines()) == LINES
    assert not read.is_unended
    assert (read.proof_text, read.checkpoint_text, read.policy_text) == (PROOF, NOTE, POLICY)
    assert read.manifest == MANIFEST
    assert path.name == bundle.file_name(MANIFEST)


def test_a_bundle_has_the_members_of_the_format_and_the_same_bytes_each_time() -> None:
    with zipfile.ZipFile(io.BytesIO(written())) as archive:
        infos = archive.infolist()
        assert {info.filename: archive.read(info) for info in infos} == MEMBERS
        assert archive.testzip() is None

    assert [info.filename for info in infos] == list(MEMBERS)
    assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}
    assert {info.external_attr >> 16 for info in infos} == {0o100644}
    assert written() == written()


def test_a_streamed_bundle_with_sizes_behind_the_data_is_read(path: Path) -> None:
    class Forward(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

    file = Forward()
    bundle.write(file, lines=LINES, proof=PROOF, policy=POLICY, manifest=MANIFEST)

    assert read_whole(path, file.getvalue()) == LINES


def test_fewer_lines_than_the_manifest_says_are_not_sealed() -> None:
    with pytest.raises(ValueError, match="says 9 entries, there are 8"):
        written(LINES[:8])


def test_the_sample_bundle_is_read() -> None:
    read = open_bundle(SAMPLE)

    lines = list(read.lines())

    assert len(lines) == read.manifest.entries == 1087
    assert b"".join(line + b"\n" for line in lines) == zipfile.ZipFile(SAMPLE).read("entries.jsonl")


def test_every_line_of_the_sample_is_an_entry_linked_to_the_one_before() -> None:
    lines = list(open_bundle(SAMPLE).lines())

    entries = [entry.decode(line) for line in lines]

    assert [entry.encode(one) for one in entries] == lines
    assert [one.version for one in entries] == list(range(9, 1096))
    assert [one.prev for one in entries[1:]] == [entry.leaf(line).hex() for line in lines[:-1]]


def test_the_sample_holds_by_its_own_policy() -> None:
    sample = open_bundle(SAMPLE)

    verdict = policy.judge(policy.parse(sample.policy_text), sample.checkpoint_text)

    assert verdict.findings == ()
    assert verdict.checkpoint is not None
    assert verdict.checkpoint.origin == sample.manifest.origin


def test_stored_members_are_read_in_any_order(path: Path) -> None:
    assert read_whole(path, zipped(*reversed(MEMBERS.items()), method=zipfile.ZIP_STORED)) == LINES


def test_a_missing_last_line_feed_and_empty_lines_are_shown(path: Path) -> None:
    read = opened(path, zipped(*(MEMBERS | {"entries.jsonl": b"\none\n\ntwo"}).items()))

    assert list(read.lines()) == [b"", b"one", b"", b"two"]
    assert read.is_unended


def test_an_endless_line_is_not_held(path: Path) -> None:
    noise = os.urandom(1 << 20).replace(b"\n", b"x")
    content = zipped(*(MEMBERS | {"entries.jsonl": noise * 16 + b"\nlast\n"}).items(), method=zipfile.ZIP_STORED)
    read = opened(path, content)

    tracemalloc.start()
    lengths = [len(line) for line in read.lines()]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(lengths) == 2
    assert 65_535 < lengths[0] < 1 << 18
    assert lengths[1] == 4
    assert peak < 1 << 20


def test_a_line_of_the_greatest_length_comes_whole(path: Path) -> None:
    longest = os.urandom(65_535).replace(b"\n", b"x")

    lines = read_whole(path, zipped(*(MEMBERS | {"entries.jsonl": (longest + b"\n") * 9}).items()))

    assert lines == [longest] * 9


def spoiled() -> Iterator[tuple[str, bytes, str]]:
    """Ways to put a bundle together that is none."""
    whole = zipped(*MEMBERS.items())
    yield "empty", b"", "the file is empty"
    yield "text", b"no bundle at all, just text", "not a zip"
    yield "no-members", zipped(), "is missing"
    yield "no-entries", zipped(*(MEMBERS | {"entries.jsonl": b""}).items()), "no entries"
    for name in MEMBERS:
        yield f"without-{name}", zipped(*((n, c) for n, c in MEMBERS.items() if n != name)), f"{name} is missing"
        yield f"twice-{name}", zipped(*MEMBERS.items(), (name, b"x")), "6 members, where 5 belong"
    fewer = {name: MEMBERS[name] for name in list(MEMBERS)[1:]}
    yield "double", zipped(*fewer.items(), ("policy", b"x")), "stands twice"
    for name in ("../policy", "/etc/passwd", "policy/", "POLICY", "a\\policy", "policy ", "", "poli\ncy", "__MACOSX/x"):
        yield f"stranger-{name!r}", zipped(*fewer.items(), (name, b"x")), "does not belong"
    yield "cut-tail", whole[:-1], "not a zip"
    yield "cut-middle", whole[: len(whole) // 2], "not a zip"
    yield "cut-head", whole[1:], "the directory does not lie"
    yield "prefixed", b"#!/bin/sh\n" + whole, "the directory does not lie"
    yield "tail", whole + b"x", "not a zip"
    yield "comment", zipped(*MEMBERS.items(), comment=b"hello"), "not a zip"
    yield "bzip2", zipped(*MEMBERS.items(), method=zipfile.ZIP_BZIP2), "neither stored nor deflated"
    yield "lzma", zipped(*MEMBERS.items(), method=zipfile.ZIP_LZMA), "packed in a way|neither stored"
    yield "bomb", zipped(*(MEMBERS | {"entries.jsonl": b"\n" * (1 << 24)}).items()), "times its packed size"
    yield "large-proof", zipped(*(MEMBERS | {"last.tlog-proof": os.urandom(1 << 22)}).items()), "more than 2097152"
    yield "large-manifest", zipped(*(MEMBERS | {"manifest.json": b" " * 5000}).items()), "more than 4096"


@pytest.mark.parametrize(("content", "why"), [pytest.param(c, w, id=name) for name, c, w in spoiled()])
def test_a_bundle_put_together_otherwise_is_unreadable(path: Path, content: bytes, why: str) -> None:
    with pytest.raises(UnreadableBundleError, match=why):
        opened(path, content)


MANIFESTS = [
    b"",
    b"[]",
    b"{}",
    b"{" * 4000,
    MANIFEST_TEXT[:-1],
    MANIFEST_TEXT.replace(b'"shoe":12', b'"shoe":12,"shoe":12'),
    MANIFEST_TEXT.replace(b'"shoe":12', b'"shoe":12,"round":1'),
    MANIFEST_TEXT.replace(b'"shoe":12,', b""),
    MANIFEST_TEXT.replace(b"12", b'"12"'),
    MANIFEST_TEXT.replace(b"12", b"12.5"),
    MANIFEST_TEXT.replace(b"12", b"0"),
    MANIFEST_TEXT.replace(b"b1", b"../b1"),
    MANIFEST_TEXT.replace(b"bundle/v1", b"bundle/v2"),
    MANIFEST_TEXT.replace(b"true", b"1"),
    MANIFEST_TEXT.replace(b"b1", b"\xff"),
    MANIFEST_TEXT.decode().encode("utf-16"),
]


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_manifest_of_another_shape_is_unreadable(path: Path, manifest: bytes) -> None:
    with pytest.raises(UnreadableBundleError, match=r"manifest\.json cannot be read"):
        opened(path, zipped(*(MEMBERS | {"manifest.json": manifest}).items()))


def test_a_manifest_is_json_however_it_is_spaced(path: Path) -> None:
    spaced = MANIFEST_TEXT.replace(b",", b",\n  ") + b"\n"

    assert opened(path, zipped(*(MEMBERS | {"manifest.json": spaced}).items())).manifest == MANIFEST


def redeclared(content: bytes, **fields: int) -> bytes:
    """The zip with other numbers in its directory for the first member: crc, packed, size, start, flags, method."""
    places = {"flags": (8, "<H"), "method": (10, "<H"), "crc": (16, "<L"), "packed": (20, "<L"), "size": (24, "<L")}
    places["start"] = (42, "<L")
    spoiled = bytearray(content)
    for name, value in fields.items():
        offset, layout = places[name]
        struct.pack_into(layout, spoiled, content.index(b"PK\1\2") + offset, value)
    return bytes(spoiled)


ENTRIES = MEMBERS["entries.jsonl"]
WHOLE = zipped(*MEMBERS.items())
PACKED = zipfile.ZipFile(io.BytesIO(WHOLE)).getinfo("entries.jsonl").compress_size


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (redeclared(WHOLE, size=len(ENTRIES) - 1), "holds more than"),
        (redeclared(WHOLE, size=len(ENTRIES) - 1, crc=zlib.crc32(ENTRIES[:-1])), "holds more than"),
        (redeclared(WHOLE, size=len(ENTRIES) + 1), "damaged"),
        (redeclared(WHOLE, crc=1), "damaged"),
        (redeclared(WHOLE, packed=PACKED - 1), "cut short|damaged"),
        (redeclared(WHOLE, packed=PACKED + 1), "lies within another member"),
        (redeclared(WHOLE, method=0), "declares two sizes"),
        (redeclared(WHOLE, method=99), "neither stored nor deflated"),
        (redeclared(WHOLE, flags=1), "encrypted"),
        (redeclared(WHOLE, start=1), "does not lie where"),
        (redeclared(WHOLE, start=2**32 - 1), "does not lie where"),
        (redeclared(WHOLE, start=WHOLE.index(b"PK\3\4", 4)), "another name"),
        (redeclared(WHOLE, size=2**32 - 1, packed=2**32 - 1), "more than 2147483647"),
        (WHOLE.replace(b"PK\3\4", b"PK\3\5", 1), "does not lie where"),
        (WHOLE.replace(b"PK\1\2", b"PK\1\3", 1), "the directory is broken"),
        (WHOLE[:60] + bytes([WHOLE[60] ^ 0x55]) + WHOLE[61:], "damaged|not deflated|cut short|behind its end"),
    ],
)
def test_a_zip_that_says_two_things_is_unreadable(path: Path, content: bytes, why: str) -> None:
    with pytest.raises(UnreadableBundleError, match=why):
        read_whole(path, content)


def test_something_behind_the_end_of_deflated_data_is_found(path: Path) -> None:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = squeeze.compress(ENTRIES) + squeeze.flush() + b"hidden"
    stored = zipped(*(MEMBERS | {"entries.jsonl": packed}).items(), method=zipfile.ZIP_STORED)
    deflated = redeclared(stored, method=8, size=len(ENTRIES), crc=zlib.crc32(ENTRIES))

    with pytest.raises(UnreadableBundleError, match="something behind its end"):
        read_whole(path, deflated)


def test_every_place_where_a_bundle_can_be_cut_is_noticed(path: Path) -> None:
    for length in range(0, len(WHOLE), 7):
        with pytest.raises(UnreadableBundleError):
            read_whole(path, WHOLE[:length])


def test_every_byte_changed_is_noticed_or_changes_nothing(path: Path) -> None:
    for place in range(len(WHOLE)):
        content = WHOLE[:place] + bytes([WHOLE[place] ^ 0xFF]) + WHOLE[place + 1 :]
        try:
            read = opened(path, content)
            lines = list(read.lines())
        except UnreadableBundleError:
            continue
        assert lines == LINES
        assert (read.proof_text, read.checkpoint_text, read.policy_text) == (PROOF, NOTE, POLICY)
        assert read.manifest == MANIFEST


def test_a_directory_of_a_million_members_is_not_read(path: Path) -> None:
    record = b"PK\1\2" + bytes(24) + struct.pack("<3H", 1, 0, 0) + bytes(12) + b"x"
    count = 65_535
    content = record * count + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(record) * count, 0, 0)

    with pytest.raises(UnreadableBundleError, match="too long"):
        opened(path, content)


def test_what_is_no_file_is_unreadable(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for name, why in (("none", "No such file"), ("pipe", "not a file"), (".", "not a file")):
        with pytest.raises(UnreadableBundleError, match=why):
            open_bundle(tmp_path / name)


def test_a_file_that_nobody_may_read_is_unreadable(path: Path) -> None:
    with pytest.raises(UnreadableBundleError, match="cannot be read"):
        open_bundle(path / "beyond" / ("x" * 300))


def test_writing_and_reading_again_keeps_the_sample(path: Path) -> None:
    sample = open_bundle(SAMPLE)
    with path.open("wb") as file:
        bundle.write(
            file,
            lines=sample.lines(),
            proof=sample.proof_text,
            policy=sample.policy_text,
            manifest=replace(sample.manifest),
        )

    again = open_bundle(path)

    assert list(again.lines()) == list(sample.lines())
    assert again.checkpoint_text == sample.checkpoint_text
    assert bundle.file_name(again.manifest) == "s1-shoe-1.zip"
