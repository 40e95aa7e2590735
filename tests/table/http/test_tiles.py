"""The log as tiles: what is signed is served, to whom it may be, for ever; what is not is not there."""

from base64 import b64decode
from collections.abc import Iterator

import httpx
import pytest

from schemas import note, policy
from schemas.checkpoint import Checkpoint, open_checkpoint
from schemas.entry import leaf
from schemas.tile import ENTRIES, tiles_of, unpack
from schemas.tree import root, verify_consistency
from tests import databases
from tests.table.filling import fill
from tests.table.http.conftest import MakeService
from tests.table.http.service import AUDITOR, DASHBOARD, Desk, Service, prepare
from tests.table.tapes import Tape

SIZE = 600


@pytest.fixture(scope="module")
def service(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose log has 600 entries, all of them signed."""
    database = databases.make_database(postgres, "table")
    prepare(database)
    fill(database, Tape(), SIZE)
    service = Service(database, tmp_path_factory.mktemp("tiles")).start()
    assert service.client().post("/log/checkpoint").is_success
    yield service
    service.kill()
    databases.drop_database(postgres, database)


@pytest.fixture
def stranger(service: Service) -> Desk:
    """Somebody without a key."""
    desk = service.client()
    del desk.http.headers["Authorization"]
    return desk


def signed(desk: Desk) -> Checkpoint:
    return open_checkpoint(desk.get("/log/checkpoint").content, note.parse_vkey(desk.get("/log/vkey").text.strip()))


def hashes_of(answer: httpx.Response) -> list[bytes]:
    assert answer.is_success, answer.text
    return [answer.content[at : at + 32] for at in range(0, len(answer.content), 32)]


def test_tiles_entries_and_checkpoint_are_one_log(service: Service, stranger: Desk) -> None:
    auditor = service.client(AUDITOR)
    leaves = [value for tile in tiles_of(SIZE, level=0) for value in hashes_of(stranger.get(f"/log/{tile.path}"))]
    bundles = [auditor.get(f"/log/{tile.path}").content for tile in tiles_of(SIZE, level=ENTRIES)]
    lines = [line for bundle in bundles for line in unpack(bundle)]

    assert signed(stranger) == Checkpoint(origin="shoelog.test/log/1", size=SIZE, root=root(leaves))
    assert [leaf(line) for line in lines] == leaves
    assert b"".join(line + b"\n" for line in lines) == auditor.get("/log/entries").content
    assert hashes_of(stranger.get("/log/tile/1/000.p/2")) == [root(leaves[:256]), root(leaves[256:512])]


def test_a_tile_is_public_and_kept_for_ever_a_checkpoint_for_a_moment(stranger: Desk) -> None:
    tile, checkpoint = stranger.get("/log/tile/0/000"), stranger.get("/log/checkpoint")

    assert tile.headers["content-type"] == "application/octet-stream"
    assert tile.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert checkpoint.headers["content-type"] == "text/plain; charset=utf-8"
    assert checkpoint.headers["cache-control"] == "public, max-age=1"


def test_entries_are_for_those_who_may_read_them(service: Service, stranger: Desk) -> None:
    path = "/log/tile/entries/000"
    entitled = service.client(AUDITOR).get(path)

    assert stranger.get(path).status_code == 401
    assert service.client(DASHBOARD).get(path).status_code == 403
    assert entitled.headers["content-type"] == "application/octet-stream"
    assert entitled.headers["cache-control"] == "private, max-age=31536000, immutable"


def test_entries_come_compressed_to_those_who_can_read_that(service: Service) -> None:
    auditor = service.client(AUDITOR)
    plain = auditor.http.get("/v1/log/tile/entries/000", headers={"Accept-Encoding": "identity"})
    zipped = auditor.http.get("/v1/log/tile/entries/000", headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert int(zipped.headers["content-length"]) < len(plain.content) == len(zipped.content)
    assert zipped.content == plain.content


@pytest.mark.parametrize("width", [1, 87, 88])
def test_a_partial_tile_begins_the_wider_one(stranger: Desk, width: int) -> None:
    widest = stranger.get("/log/tile/0/002.p/88").content

    assert stranger.get(f"/log/tile/0/002.p/{width}").content == widest[: 32 * width]


@pytest.mark.parametrize(
    "path",
    [
        *("tile/0/002", "tile/0/002.p/89", "tile/0/003.p/1", "tile/1/000", "tile/1/000.p/3", "tile/2/000.p/1"),
        *("tile/entries/002", "tile/entries/002.p/89", "tile/entries/x001/000"),
        *("tile/0/2", "tile/00/000", "tile/64/000", "tile/data/000", "tile/0/000.p/256", "tile/0"),
        *("tile/0/x000/000", "tile/0/%2e%2e/000", "tile/0/..%2f000"),
    ],
)
def test_what_is_not_signed_or_not_named_so_is_not_there(service: Service, path: str) -> None:
    answer = service.client(AUDITOR).get(f"/log/{path}")

    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_an_entry_is_served_as_a_tile_once_it_is_signed(make_service: MakeService) -> None:
    service = make_service()
    desk = service.client()
    assert signed(desk).size == 0
    assert desk.get("/log/tile/0/000.p/1").status_code == 404

    fill(service.database, Tape(), 1)
    desk.post("/log/checkpoint")

    assert signed(desk).root == desk.get("/log/tile/0/000.p/1").content


@pytest.mark.parametrize(("old", "new"), [(0, 600), (1, 2), (255, 257), (256, 512), (300, 599), (600, 600)])
def test_of_any_two_sizes_one_is_proved_to_begin_the_other(stranger: Desk, old: int, new: int) -> None:
    leaves = [value for tile in tiles_of(SIZE, level=0) for value in hashes_of(stranger.get(f"/log/{tile.path}"))]

    told = stranger.ask(f"/log/consistency?old={old}&new={new}")

    assert (told["old"], told["new"]) == (old, new)
    assert verify_consistency(
        old_size=old,
        size=new,
        old_root=root(leaves[:old]),
        root=root(leaves[:new]),
        proof=[b64decode(value) for value in told["hashes"]],
    )


def test_the_later_size_is_by_default_what_was_signed_last(stranger: Desk) -> None:
    assert stranger.ask("/log/consistency?old=7")["new"] == SIZE


@pytest.mark.parametrize(
    ("query", "status"), [("old=601", 404), ("old=5&new=4", 404), ("new=601", 404), ("old=x", 400), ("size=5", 400)]
)
def test_a_size_that_the_log_does_not_have_is_not_proved(stranger: Desk, query: str, status: int) -> None:
    assert stranger.get(f"/log/consistency?{query}").status_code == status


def test_a_policy_names_the_log_that_signs(stranger: Desk) -> None:
    told = policy.parse(stranger.get("/log/policy").content)

    assert [log.key.vkey for log in told.logs] == [stranger.get("/log/vkey").text.strip()]
    assert policy.judge(told, stranger.get("/log/checkpoint").content).findings == ()
