"""Others' code reads the log: Go's sumdb/note and sumdb/tlog, and pymerkle. They accept it, and no lie about it."""

import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pymerkle
import pytest
from click.testing import CliRunner
from pymerkle import InmemoryTree

from schemas import checkpoint, keyfile, note
from schemas.checkpoint import Checkpoint
from schemas.note import Signer
from schemas.tile import ENTRIES, HASH_BYTES, Tile, tiles_of, unpack
from services.house.cli import main
from tests import databases
from tests.databases import Database
from tests.logs import lay_out
from tests.table.filling import fill
from tests.table.http.service import AUDITOR, Service, prepare
from tests.table.tapes import Tape

SIZES = (1, 2, 255, 256, 257, 65_536, 65_537, 70_000)
SOURCE = Path(__file__).parent / "go" / "checklog"
LIBRARY = Path("/usr/share/gocode")  # where Debian's golang-golang-x-mod-dev lies
REQUIRED = os.environ.get("SHOELOG_REQUIRE_GO") == "1"

Stranger = Callable[..., str]


class Logs:
    """One log, exported at each of its sizes, and the key that signed it."""

    def __init__(self, service: Service, folder: Path) -> None:
        self._service = service
        self._folder = folder
        self._tape = Tape()
        self._size = 0

    @property
    def signer(self) -> Signer:
        """The service's own key, with which the operator could lie."""
        return keyfile.load(self._service.directory / "log.key", "shoelog.test/log/1")

    def grow(self, size: int) -> None:
        """Let the log grow, have it signed, and export it, going on from the export before."""
        fill(self._service.database, self._tape, size - self._size)
        desk = self._service.client()
        assert desk.post("/log/checkpoint").is_success
        if self._size:
            shutil.copytree(self.at(self._size), self.at(size))
        words = ["export", "--url", self._service.url, "--log", "--out", str(self.at(size))]
        said = CliRunner().invoke(main, words, env={"SHOELOG_KEY": AUDITOR})
        assert said.exit_code == 0, said.output
        self._size = size

    def at(self, size: int) -> Path:
        """Where the log of this size is."""
        return self._folder / str(size)


@pytest.fixture(scope="module")
def logs(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Logs]:
    database: Database = databases.make_database(postgres, "table")
    prepare(database)
    service = Service(database, tmp_path_factory.mktemp("service")).start()
    logs = Logs(service, tmp_path_factory.mktemp("logs"))
    for size in SIZES:
        logs.grow(size)
    yield logs
    service.kill()
    databases.drop_database(postgres, database)


@pytest.fixture(scope="module")
def go(logs: Logs, tmp_path_factory: pytest.TempPathFactory) -> Stranger:
    """Ask the checker that is built on Go's own library; give what it says."""
    missing = shutil.which("go") is None or not LIBRARY.is_dir()
    if missing and not REQUIRED:
        pytest.skip("Go is missing: Debian's golang-go and golang-golang-x-mod-dev")
    assert not missing, "SHOELOG_REQUIRE_GO is 1, and Go is missing"
    build = tmp_path_factory.mktemp("go")
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "GOPATH": f"{build}:{LIBRARY}",
        "GOCACHE": str(build / "cache"),
    }
    built = subprocess.run(
        ["go", "build", "-o", str(build / "checklog"), "."],
        cwd=SOURCE,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr

    def ask(folder: Path, old: Path | None = None) -> str:
        words = [str(build / "checklog"), "-key", logs.signer.verifier.vkey]
        words += [] if old is None else ["-old", str(old / "checkpoint")]
        said = subprocess.run([*words, str(folder)], capture_output=True, text=True, check=False, timeout=60)
        assert said.returncode == (0 if said.stdout.startswith("ok ") else 1), said.stderr
        return said.stdout.strip()

    return ask


def signed(folder: Path) -> Checkpoint:
    """Read a checkpoint, without its signature: that is note's affair."""
    return checkpoint.parse(note.parse((folder / "checkpoint").read_bytes()).text)


def merkle(folder: Path, old: Path | None = None, tree: InmemoryTree | None = None) -> str:
    """Ask pymerkle; `tree` is one that it has begun to grow."""
    size, root = (now := signed(folder)).size, now.root
    tree = tree or InmemoryTree(algorithm="sha256")
    lines = (folder / "entries.jsonl").read_bytes().splitlines()
    for line in lines[tree.get_size() :]:
        tree.append_entry(line)
    for each in tiles_of(size, level=0):
        hashes = (folder / each.path).read_bytes()
        for at in range(each.width):
            if tree.get_leaf(each.start + at + 1) != hashes[at * HASH_BYTES : (at + 1) * HASH_BYTES]:
                return f"entry {each.start + at} is not the one in the tree"
    try:
        for index in {1, size // 2 + 1, size}:
            proof = tree.prove_inclusion(index, size)
            proof.verify(tree.get_leaf(index), root, index=index, size=size)
        if old is not None and (before := signed(old)).size:
            tree.prove_consistency(before.size, size).verify(before.root, root)
    except (pymerkle.InvalidProof, pymerkle.InvalidChallenge) as refusal:
        return f"refused: {refusal}"
    return f"ok {size}"


@pytest.mark.parametrize("size", SIZES)
def test_go_accepts_the_log(logs: Logs, go: Stranger, size: int) -> None:
    assert go(logs.at(size)) == f"ok {size}"


def test_go_finds_each_size_to_be_the_beginning_of_the_next(logs: Logs, go: Stranger) -> None:
    for before, after in itertools.pairwise(SIZES):
        assert go(logs.at(after), logs.at(before)) == f"ok {after}"


def test_pymerkle_accepts_the_log_of_each_size_as_the_beginning_of_the_next(logs: Logs) -> None:
    tree = InmemoryTree(algorithm="sha256")
    before = None
    for size in SIZES:
        assert merkle(logs.at(size), before, tree) == f"ok {size}"
        before = logs.at(size)


def flip(folder: Path, entry: int, size: int) -> None:
    """Turn a bit over in the middle of an entry, wherever that is written."""
    index = entry // 256
    bundle = folder / Tile(level=ENTRIES, index=index, width=min(256, size - index * 256)).path
    entries = unpack(bundle.read_bytes())
    spoiled = bytearray(entries[entry % 256])
    spoiled[len(spoiled) // 2] ^= 1
    bundle.write_bytes(bundle.read_bytes().replace(entries[entry % 256], bytes(spoiled)))
    lines = (folder / "entries.jsonl").read_bytes()
    (folder / "entries.jsonl").write_bytes(lines.replace(entries[entry % 256], bytes(spoiled)))


@pytest.mark.parametrize(("size", "entry"), [(1, 0), (257, 0), (257, 255), (257, 256), (70_000, 65_536)])
def test_strangers_name_the_entry_that_was_changed(
    logs: Logs, go: Stranger, tmp_path: Path, size: int, entry: int
) -> None:
    folder = shutil.copytree(logs.at(size), tmp_path / "flipped")
    flip(folder, entry, size)

    assert go(folder) == f"entry {entry} is not the one in the tree"
    if size < 1000:
        assert merkle(folder) == f"entry {entry} is not the one in the tree"


def test_strangers_reject_a_log_that_was_rolled_back(logs: Logs, go: Stranger) -> None:
    assert go(logs.at(255), logs.at(257)) == "rolled back: 257 entries were signed, 255 are left"
    assert merkle(logs.at(255), logs.at(257)).startswith("refused")


@pytest.mark.parametrize("size", [256, 257, 600])
def test_strangers_reject_a_log_that_was_forked_by_its_own_key(
    logs: Logs, go: Stranger, tmp_path: Path, size: int
) -> None:
    lines = lines_of(logs.at(65_536))[:size]
    honest, forked = lay_out(tmp_path / "honest", lines, logs.signer), tmp_path / "forked"
    lay_out(forked, [lines[0].replace(b'"amount":500', b'"amount":900'), *lines[1:]], logs.signer)

    assert go(honest, logs.at(256)) == merkle(honest, logs.at(256)) == f"ok {size}"
    assert go(forked) == merkle(forked) == f"ok {size}"
    assert go(forked, logs.at(256)).startswith("forked: the first 256 entries are not those that were signed")
    assert merkle(forked, logs.at(256)).startswith("refused")


def test_go_rejects_a_checkpoint_that_another_key_signed(logs: Logs, go: Stranger, tmp_path: Path) -> None:
    lines = lines_of(logs.at(2))
    other = lay_out(tmp_path, lines, Signer("shoelog.test/log/1", b"x" * 32))

    assert go(other) == "checkpoint: note has no verifiable signatures"


def lines_of(folder: Path) -> Sequence[bytes]:
    """Read the entries of an exported log."""
    return (folder / "entries.jsonl").read_bytes().splitlines()
